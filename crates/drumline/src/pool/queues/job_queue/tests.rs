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
