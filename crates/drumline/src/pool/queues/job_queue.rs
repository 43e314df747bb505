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
mod tests;
