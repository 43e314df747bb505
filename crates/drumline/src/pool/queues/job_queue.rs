//! Queues of jobs that a thread of the pool has spawned: jobs that outlive the frame that made
//! them.
//!
//! Spawns cost an allocation already, so a short critical section is the right price here. A thread
//! that only looks reads the length without the lock.
//!
//! A task that yields costs no allocation, and would notice the lock. So the line of jobs that are
//! queued *behind* all others begins in a [ring](super::job_ring). Its further jobs are under the
//! lock, after those of the ring: a job goes into the ring only while there are none. When the
//! owner has emptied the ring, it moves the next ones there.

use std::collections::VecDeque;

use super::job_ring::{JobRing, MOST_FURTHER};
use super::spent;
use crate::job::JobRef;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Count, Level, Mutex, lock, planted};

/// A queue that its owner uses as a stack, and all other threads from the old end.
///
/// First-in first-out jobs keep their order among themselves: their places in
/// the stack are tokens, and each token stands for the oldest such job.
///
/// Jobs that are queued *behind* all others form a line of their own. The owner takes from it when
/// the stack is empty, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct JobQueue {
    entries: Mutex<Entries>,
    /// How many jobs are under the lock.
    len: AtomicUsize,
    /// How many of them are behind. It grows by steps of the owner alone.
    behind: AtomicUsize,
    /// The place of the oldest job of the stack.
    first: Level,
    /// The place that comes after the newest one.
    end: Level,
    /// The first of the jobs behind the stack.
    ring: JobRing,
    /// How often the lock was taken; counted under it.
    locks: Count,
}

/// Which job is the oldest: its address, and how often the oldest one has changed. Tickets for the
/// same jobs have one address.
pub(crate) type Oldest = (usize, usize);

#[derive(Debug, Default)]
struct Entries {
    stack: VecDeque<Option<JobRef>>,
    fifo: VecDeque<JobRef>,
    /// Behind those in the ring.
    behind: VecDeque<JobRef>,
    /// How often the oldest job of the stack has become another one.
    turn: usize,
    /// The place of the oldest job of the stack. Places are numbers in the order of arrival.
    first: usize,
    /// How many tickets were not found that were to be withdrawn, since the last sweep. At least
    /// as many as are spent and still here.
    missed: usize,
}

impl Entries {
    fn len(&self) -> usize {
        self.stack.len() + self.behind.len()
    }

    /// The oldest job of the stack.
    fn take_stacked(&mut self) -> Option<JobRef> {
        let oldest = self.stack.pop_front()?;
        self.has_lost(1);
        oldest.or_else(|| self.fifo.pop_front())
    }

    fn oldest_stacked(&self) -> Option<Oldest> {
        let job = match self.stack.front()? {
            Some(job) => job,
            None => self.fifo.front()?,
        };
        Some((job.data.addr(), self.turn))
    }

    /// The place of the token that stands for this first-in first-out job, if it is near the same
    /// end.
    fn token(&self, place: usize) -> Option<usize> {
        const FAR: usize = 4 * NEAR;
        let is_token = |&at: &usize| self.stack[at].is_none();
        let len = self.stack.len();
        let newer = self.fifo.len() - 1 - place;
        if newer < NEAR {
            let newest = (0..len).rev().take(FAR);
            newest.filter(is_token).nth(newer)
        } else {
            (0..len).take(FAR).filter(is_token).nth(place)
        }
    }

    /// Takes an entry out if it is a job at this address, and near an end.
    fn withdraw(&mut self, data: *const ()) -> bool {
        let is_it = |job: &JobRef| job.data == data;
        let place = near_an_end(&self.stack, |entry| entry.as_ref().is_some_and(is_it));
        if let Some(place) = place {
            return self.remove(place);
        }
        if let Some(place) = near_an_end(&self.behind, is_it) {
            return self.behind.remove(place).is_some();
        }
        let Some(place) = near_an_end(&self.fifo, is_it) else {
            return false;
        };
        let Some(token) = self.token(place) else {
            return false;
        };
        self.fifo.remove(place);
        self.remove(token)
    }

    /// Removes an entry of the stack, and counts that as if it had been the oldest.
    fn remove(&mut self, place: usize) -> bool {
        let is_removed = self.stack.remove(place).is_some();
        self.has_lost(1);
        is_removed
    }

    /// The stack has lost entries, perhaps the oldest ones.
    fn has_lost(&mut self, count: usize) {
        self.turn = self.turn.wrapping_add(1);
        self.first = self.first.wrapping_add(count);
    }

    /// Counts a ticket that lies too deep. Sweeps when it is time.
    fn miss(&mut self) {
        self.missed += 1;
        if spent::is_sweep_due(self.missed, self.len()) {
            self.missed = 0;
            self.sweep();
        }
    }

    /// Drops all tickets that are spent.
    fn sweep(&mut self) {
        // SAFETY: the job is in this queue, and the lock is held. It is taken out if this drops it.
        let stays = |job: JobRef| unsafe { !spent::drop_if_spent(job) };
        let before = self.stack.len();
        let Entries {
            stack,
            fifo,
            behind,
            ..
        } = self;
        behind.retain(|job| stays(*job));
        stack.retain(|entry| {
            if let Some(job) = entry {
                return stays(*job);
            }
            // The oldest token stands for the oldest job. So the jobs that stay go round once.
            let job = fifo.pop_front().expect("each token stands for a job");
            let stays = stays(job);
            if stays {
                fifo.push_back(job);
            }
            stays
        });
        self.has_lost(before - self.stack.len());
    }
}

/// How many jobs the owner moves into its ring at most.
const REFILL: usize = 64;

/// How far from each end of a queue a job is looked for that is to be withdrawn.
const NEAR: usize = 8;

/// The place of such an entry, if it is near an end: the newest one first.
fn near_an_end<T>(queue: &VecDeque<T>, is_it: impl Fn(&T) -> bool) -> Option<usize> {
    let len = queue.len();
    let newest = (len.saturating_sub(NEAR)..len).rev();
    let oldest = 0..len.saturating_sub(NEAR).min(NEAR);
    newest.chain(oldest).find(|&place| is_it(&queue[place]))
}

impl JobQueue {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// About how many jobs are queued.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len_locked() + self.ring.len()
    }

    /// About how many of them are under the lock.
    #[inline]
    fn len_locked(&self) -> usize {
        // Relaxed: a hint. A thread that must not miss a job uses a barrier or a lock.
        self.len.load(Ordering::Relaxed)
    }

    /// How often a thread has taken the lock.
    #[cfg(not(drumline_loom))]
    pub(crate) fn locks(&self) -> u64 {
        self.locks.get()
    }

    fn with<R>(&self, change: impl FnOnce(&mut Entries) -> R) -> R {
        let mut entries = lock(&self.entries);
        self.locks.up();
        let outcome = change(&mut entries);
        // Relaxed, twice: hints. The owner reads what it has written itself, or less.
        self.len.store(entries.len(), Ordering::Relaxed);
        self.behind.store(entries.behind.len(), Ordering::Relaxed);
        self.first.set(entries.first);
        self.end
            .set(entries.first.wrapping_add(entries.stack.len()));
        outcome
    }

    /// Adds a job that its owner takes last-in first-out.
    pub(crate) fn push(&self, job: JobRef) {
        self.with(|entries| entries.stack.push_back(Some(job)));
    }

    /// Adds a job that counts as older than all that were spawned here: its owner takes it after
    /// those.
    pub(crate) fn push_oldest(&self, job: JobRef) {
        self.with(|entries| {
            entries.turn = entries.turn.wrapping_add(1);
            entries.first = entries.first.wrapping_sub(1);
            entries.stack.push_front(Some(job));
        });
    }

    /// Owner: adds a job that it takes after all that are there now.
    pub(crate) fn push_behind(&self, job: JobRef) {
        self.with(|entries| entries.behind.push_back(job));
    }

    /// As [`push_behind`](Self::push_behind), for a job that is never [withdrawn](Self::withdraw).
    #[inline]
    pub(crate) fn push_task(&self, job: JobRef) {
        // Relaxed: only this thread adds some. That others have taken the last one may be seen
        // late.
        if self.behind.load(Ordering::Relaxed) > 0 {
            return self.push_behind(job);
        }
        if let Err(job) = self.ring.push(job) {
            self.push_behind(job);
        }
    }

    /// Adds a job that its owner takes first-in first-out.
    pub(crate) fn push_fifo(&self, job: JobRef) {
        self.with(|entries| {
            entries.fifo.push_back(job);
            entries.stack.push_back(None);
        });
    }

    /// Owner: the newest job of the stack (or the oldest of the first-in first-out ones); where the
    /// stack is empty, the first of those behind it.
    #[inline]
    pub(crate) fn pop(&self) -> Option<JobRef> {
        if self.len_locked() == 0 {
            return self.ring.take();
        }
        self.pop_locked()
    }

    fn pop_locked(&self) -> Option<JobRef> {
        self.with(|entries| match entries.stack.pop_back() {
            Some(newest) => {
                if entries.stack.is_empty() {
                    // It was the oldest as well. The next one may have its place.
                    entries.has_lost(0);
                }
                newest.or_else(|| entries.fifo.pop_front())
            }
            None => self.take_behind(entries, true),
        })
    }

    /// With the lock: the first of the jobs behind the stack. The owner moves further ones to the
    /// ring if that is empty.
    fn take_behind(&self, entries: &mut Entries, is_owner: bool) -> Option<JobRef> {
        if let Some(job) = self.ring.take() {
            return Some(job);
        }
        let first = entries.behind.pop_front();
        if is_owner {
            for _ in 0..REFILL {
                let Some(next) = entries.behind.pop_front() else {
                    break;
                };
                if let Err(next) = self.ring.push(next) {
                    entries.behind.push_front(next);
                    break;
                }
            }
        }
        first
    }

    /// With the lock, any thread: the oldest job.
    fn take_oldest(&self, entries: &mut Entries) -> Option<JobRef> {
        entries
            .take_stacked()
            .or_else(|| self.take_behind(entries, false))
    }

    /// Takes an entry out if it is a job at this address, and one of the newest or the oldest: jobs
    /// are taken back in one of these orders, as a rule.
    ///
    /// A [ticket](spent) that is not found is dropped later: its task must be back.
    pub(crate) fn withdraw(&self, data: *const ()) -> bool {
        if self.len_locked() == 0 {
            return false;
        }
        self.with(|entries| {
            let is_withdrawn = entries.withdraw(data);
            if !is_withdrawn && spent::is_ticket(data) {
                entries.miss();
            }
            is_withdrawn
        })
    }

    /// Takes an entry out, wherever it lies, if it is a job at this address.
    pub(crate) fn withdraw_any(&self, data: *const ()) -> bool {
        if self.len_locked() == 0 {
            return false;
        }
        self.with(|entries| {
            let is_it = |entry: &Option<JobRef>| entry.is_some_and(|job| job.data == data);
            let place = entries.stack.iter().rposition(is_it);
            place.is_some_and(|place| entries.remove(place))
        })
    }

    /// Owner: takes the oldest job in the queue of a `victim`. Of what is left there, half of what
    /// is due to one of this many `threads` goes to this queue, the oldest jobs, behind all others.
    /// Then `published` is called.
    ///
    /// In the stack, the oldest of them would have to lie on top, and the job at its old end would
    /// not be the one that has waited longest.
    ///
    /// In between they are in no queue. A thread that scans both queues meanwhile learns of them as
    /// of any job that the owner spawns: this is the duty of `published`. `buffer` is empty before
    /// and after.
    pub(crate) fn take_share_of(
        &self,
        victim: &JobQueue,
        threads: usize,
        buffer: &mut Vec<JobRef>,
        published: impl FnOnce(),
    ) -> Option<JobRef> {
        let share = |rest: usize| {
            if cfg!(any(drumline_loom, drumline_shuttle)) {
                rest.min(1)
            } else {
                (rest / (2 * threads)).min(MOST_FURTHER)
            }
        };
        let oldest = if victim.len_locked() == 0 {
            victim.ring.take_share(share, buffer)
        } else {
            victim.with(|entries| {
                let oldest = victim.take_oldest(entries)?;
                let share = share(entries.len() + victim.ring.len());
                buffer.extend((0..share).map_while(|_| victim.take_oldest(entries)));
                Some(oldest)
            })
        };
        if !buffer.is_empty() {
            // They may be withdrawn.
            self.with(|entries| entries.behind.extend(buffer.drain(..)));
            if !planted!(ShareUnpublished) {
                published();
            }
        }
        oldest
    }

    /// Owner: the first of the jobs behind the stack, though there may be some in the stack.
    pub(crate) fn take_first_behind(&self) -> Option<JobRef> {
        if self.len_locked() == 0 {
            return self.ring.take();
        }
        self.with(|entries| self.take_behind(entries, true))
    }

    /// Owner: the oldest job of the stack, if it is this one.
    pub(crate) fn take_if_oldest(&self, oldest: Oldest) -> Option<JobRef> {
        self.with(|entries| {
            let is_it = entries.oldest_stacked() == Some(oldest);
            is_it.then(|| entries.take_stacked()).flatten()
        })
    }

    /// Where the stack ends. Jobs that come from now on have this place, or a later one.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.end.get()
    }

    /// Whether the stack has a job whose place is before `end`, as far as one can see.
    pub(crate) fn has_before(&self, end: usize) -> bool {
        let first = self.first.get();
        first != self.end.get() && end.wrapping_sub(first).cast_signed() > 0
    }

    /// Any thread: which job is the oldest.
    pub(crate) fn oldest(&self) -> Option<Oldest> {
        if self.len_locked() == 0 {
            return self.ring.oldest();
        }
        self.with(|entries| {
            let behind = || {
                let first = || entries.behind.front().map(|job| (job.data.addr(), 0));
                self.ring.oldest().or_else(first)
            };
            entries.oldest_stacked().or_else(behind)
        })
    }

    /// Owner: which job of the stack is the oldest.
    pub(crate) fn oldest_stacked(&self) -> Option<Oldest> {
        if self.len_locked() == 0 {
            return None;
        }
        self.with(|entries| entries.oldest_stacked())
    }

    /// Any thread: the oldest job.
    pub(crate) fn take(&self) -> Option<JobRef> {
        if self.len_locked() == 0 {
            return self.ring.take();
        }
        self.with(|entries| self.take_oldest(entries))
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::ptr;

    use super::*;
    use crate::latch::TaskWord;

    unsafe fn nothing(_data: *const ()) {}

    fn job(number: usize) -> JobRef {
        JobRef {
            data: ptr::without_provenance(2 * number + 2),
            run: nothing,
        }
    }

    fn number(job: JobRef) -> usize {
        job.data.addr() / 2 - 1
    }

    fn numbers(queue: &JobQueue) -> Vec<usize> {
        std::iter::from_fn(|| queue.take()).map(number).collect()
    }

    /// A queue of jobs, every third one first-in first-out.
    fn queue_of(count: usize) -> JobQueue {
        let queue = JobQueue::new();
        for number in 0..count {
            if number % 3 == 0 {
                queue.push_fifo(job(number));
            } else {
                queue.push(job(number));
            }
        }
        queue
    }

    fn popped(queue: &JobQueue) -> Vec<usize> {
        std::iter::from_fn(|| queue.pop()).map(number).collect()
    }

    #[test]
    fn the_oldest_comes_last_for_the_owner_and_first_for_others() {
        for count in [1, 6] {
            let (own, stolen) = (queue_of(count), queue_of(count));
            own.push_behind(job(1_001));
            for queue in [&own, &stolen] {
                queue.push_oldest(job(1_000));
            }
            let popped = popped(&own);
            assert_eq!(popped[count..], [1_000, 1_001]);
            assert_eq!(numbers(&stolen)[0], 1_000);
        }
    }

    /// Tickets have the address of what they are for.
    #[test]
    fn the_same_job_that_is_pushed_again_is_another_oldest_one() {
        let queue = JobQueue::new();
        queue.push_oldest(job(0));
        queue.push(job(1));
        let first = queue.oldest();
        assert_eq!(queue.oldest(), first);
        assert_eq!(queue.oldest_stacked(), first);
        assert_eq!(queue.pop().map(number), Some(1));
        assert_eq!(queue.oldest(), first, "it is where it was");
        let take_if_oldest = |queue: &JobQueue| queue.take_if_oldest(queue.oldest()?);
        let withdraw = |queue: &JobQueue| queue.withdraw(job(0).data).then_some(job(0));
        for take in [JobQueue::take, JobQueue::pop, take_if_oldest, withdraw] {
            let before = queue.oldest();
            assert_eq!(take(&queue).map(number), Some(0));
            queue.push_oldest(job(0));
            assert_ne!(queue.oldest(), before);
            assert!(queue.take_if_oldest(before.unwrap()).is_none());
        }
        for number in 10..12 {
            queue.push_task(job(number));
        }
        assert_eq!(queue.take().map(number), Some(0));
        let first = queue.oldest();
        assert_eq!(queue.take().map(number), Some(10));
        assert_ne!(queue.oldest(), first);
        assert!(queue.oldest_stacked().is_none());
    }

    #[test]
    fn jobs_are_before_an_end_until_they_are_taken() {
        let queue = JobQueue::new();
        assert!(!queue.has_before(queue.end()));
        for number in 0..3 {
            queue.push(job(number));
        }
        let end = queue.end();
        queue.push(job(3));
        for taken in 0..3 {
            assert!(queue.has_before(end), "{taken}");
            if taken == 1 {
                assert!(queue.withdraw(job(1).data));
            } else {
                assert_eq!(queue.take().map(number), Some(taken));
            }
        }
        assert!(!queue.has_before(end), "what is left came later");
        queue.push_oldest(job(4));
        assert!(queue.has_before(end));
        assert_eq!(queue.take().map(number), Some(4));
        assert_eq!(queue.take().map(number), Some(3));
        assert!(!queue.has_before(queue.end()));
    }

    #[test]
    fn a_share_keeps_its_order_and_goes_behind() {
        for (count, threads, share) in [(1, 2, 1), (4, 2, 1), (5, 2, 2), (40, 4, 5), (400, 2, 32)] {
            let (victim, own) = (queue_of(count), JobQueue::new());
            own.push(job(1_000));
            own.push_behind(job(1_001));
            let (mut buffer, mut published) = (Vec::new(), 0);
            let first = own.take_share_of(&victim, threads, &mut buffer, || published += 1);
            assert_eq!(first.map(number), Some(0));
            assert!(buffer.is_empty());
            assert_eq!(published, usize::from(share > 1));
            assert_eq!(own.oldest().map(|(at, _)| at), Some(job(1_000).data.addr()));
            let taken: Vec<_> = [1_000, 1_001].into_iter().chain(1..share).collect();
            assert_eq!(popped(&own), taken, "{count} jobs, {threads} threads");
            assert_eq!(numbers(&victim), Vec::from_iter(share..count));
        }
        let mut buffer = Vec::new();
        let none = JobQueue::new().take_share_of(&queue_of(0), 2, &mut buffer, || unreachable!());
        assert!(none.is_none());
    }

    #[test]
    fn jobs_behind_come_last_and_in_their_order() {
        let queue = JobQueue::new();
        for number in 0..3 {
            queue.push_behind(job(10 + number));
            queue.push(job(number));
        }
        assert!(queue.withdraw(job(11).data));
        assert_eq!(queue.take_first_behind().map(number), Some(10));
        let oldest = queue.oldest_stacked().unwrap();
        assert_eq!(queue.take_if_oldest(oldest).map(number), Some(0));
        assert_eq!(popped(&queue), [2, 1, 12]);
        assert!(queue.take_first_behind().is_none());
        assert!(queue.oldest().is_none());
    }

    #[test]
    fn jobs_near_an_end_are_withdrawn() {
        for count in [1, 2, 5, 16, 17, 40] {
            for number in 0..count {
                let queue = queue_of(count);
                let is_near = number < NEAR || number + NEAR >= count;
                let withdrawn = queue.withdraw(job(number).data);
                assert!(withdrawn || !is_near, "{number} of {count}");
                let left: Vec<_> = (0..count).filter(|&n| !withdrawn || n != number).collect();
                assert_eq!(numbers(&queue), left);
            }
            assert!(!queue_of(count).withdraw(job(1_000).data));
            assert_eq!(
                queue_of(count).oldest().map(|(at, _)| at),
                Some(job(0).data.addr())
            );
        }
    }

    /// What is left keeps its order, also the first-in first-out jobs among themselves.
    #[test]
    fn a_sweep_drops_spent_tickets_only() {
        const COUNT: usize = 120;
        let words: Vec<_> = (0..COUNT).map(|_| TaskWord::new()).collect();
        let queue = JobQueue::new();
        for (number, word) in words.iter().enumerate() {
            let ticket = JobRef {
                data: spent::mark(ptr::from_ref(word).cast()),
                run: nothing,
            };
            match number % 4 {
                0 => queue.push_fifo(ticket),
                1 => queue.push_fifo(job(number)),
                2 => queue.push(job(number)),
                _ => queue.push(ticket),
            }
        }
        let is_spent = |number: usize| number.is_multiple_of(3) && matches!(number % 4, 0 | 3);
        for number in (0..COUNT).filter(|&number| is_spent(number)) {
            assert!(words[number].take_back());
        }
        let spent_tickets = (0..COUNT).filter(|&number| is_spent(number)).count();
        let misses = (0..COUNT).take_while(|_| {
            // Nothing lies at this address.
            assert!(!queue.withdraw(spent::mark(ptr::null())));
            queue.len() == COUNT
        });
        assert!(misses.count() > COUNT / 4, "not before it pays");
        assert_eq!(queue.len(), COUNT - spent_tickets);
        let number_of = |job: JobRef| {
            let word = spent::unmark(job.data);
            let ticket = words.iter().position(|at| ptr::addr_eq(at, word));
            ticket.unwrap_or_else(|| job.data.addr() / 2 - 1)
        };
        let taken: Vec<_> = std::iter::from_fn(|| queue.take()).map(number_of).collect();
        assert!(
            taken
                .into_iter()
                .eq((0..COUNT).filter(|&number| !is_spent(number)))
        );
    }

    #[test]
    fn all_are_withdrawn_in_the_order_in_which_they_came_or_the_reverse() {
        for reverse in [false, true] {
            let queue = queue_of(100);
            for number in 0..100 {
                let number = if reverse { 99 - number } else { number };
                assert!(queue.withdraw(job(number).data), "{number}");
            }
            assert_eq!(queue.len(), 0);
        }
    }
}
