//! The queue of jobs from outside. Blocks have two slots here.

use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;

use super::explore;
use crate::job::JobRef;
use crate::latch::{TaskState, TaskWord};
use crate::pool::queues::injector::Injector;
use crate::pool::queues::spent;
use crate::sync::plant::{Plant, must_catch};

/// A job with a name, which counts its runs. Not atomically: loom reports two runs that the queue
/// does not order, and one that is not ordered after the push.
struct Named {
    name: usize,
    runs: UnsafeCell<usize>,
}

unsafe fn run(data: *const ()) {
    // SAFETY: the model keeps its jobs until the end.
    let job = unsafe { &*data.cast::<Named>() };
    // SAFETY: loom checks that accesses are ordered; the pointer is good.
    job.runs.with_mut(|runs| unsafe { *runs += 1 });
}

struct Model {
    queue: Injector,
    jobs: Vec<Named>,
}

impl Model {
    fn new(jobs: usize) -> Arc<Self> {
        let named = |name| Named {
            name,
            runs: UnsafeCell::new(0),
        };
        Arc::new(Model {
            queue: Injector::new(),
            jobs: (0..jobs).map(named).collect(),
        })
    }

    fn address(&self, name: usize) -> *const () {
        std::ptr::from_ref(&self.jobs[name]).cast()
    }

    fn push(&self, name: usize) {
        let data = self.address(name);
        // What the thread has done before comes before the run.
        self.jobs[name].runs.with_mut(|_| ());
        self.queue.push(JobRef { data, run });
    }

    /// Takes a job and runs it. Returns its name.
    fn take(&self) -> Option<usize> {
        let job = self.queue.take()?;
        assert!(!job.data.is_null(), "a job that is not written yet");
        // SAFETY: just taken.
        unsafe { job.run() };
        // SAFETY: as above; the jobs are there to the end.
        Some(unsafe { &*job.data.cast::<Named>() }.name)
    }

    fn assert_once(&self) {
        for job in &self.jobs {
            // SAFETY: all threads have ended.
            job.runs
                .with(|runs| assert_eq!(unsafe { *runs }, 1, "job {}", job.name));
        }
        assert!(!self.queue.has(1));
    }
}

/// Two threads push, over the border of two blocks, while a third one takes. Each job is taken
/// once, and those of one thread in their order.
fn two_push(first: usize) {
    let model = Model::new(first + 1);
    let pusher = thread::spawn({
        let model = model.clone();
        move || (0..first).for_each(|name| model.push(name))
    });
    let other = thread::spawn({
        let model = model.clone();
        move || model.push(first)
    });
    let mut taken: Vec<_> = (0..2).filter_map(|_| model.take()).collect();
    pusher.join().unwrap();
    other.join().unwrap();
    taken.extend(std::iter::from_fn(|| model.take()));
    let own = taken.iter().filter(|&&name| name < first);
    assert!(own.is_sorted(), "{taken:?}");
    model.assert_once();
}

#[test]
fn loom_injector_two_push() {
    explore(2, || two_push(2));
}

#[test]
fn loom_injector_over_two_borders() {
    explore(1, || two_push(4));
}

/// A thread that has pushed and then takes finds something, while another one pushes.
fn seen() {
    let model = Model::new(2);
    let pusher = thread::spawn({
        let model = model.clone();
        move || model.push(0)
    });
    model.push(1);
    assert!(model.queue.has(1), "its own job");
    assert!(model.take().is_some(), "its own job, or the other one");
    pusher.join().unwrap();
    model.take();
    model.assert_once();
}

#[test]
fn loom_injector_seen() {
    explore(3, seen);
}

/// Two threads take, from a block and from the next; a push may get the block that is empty then.
fn two_take() {
    let model = Model::new(5);
    (0..3).for_each(|name| model.push(name));
    let taker = thread::spawn({
        let model = model.clone();
        move || {
            model.take();
            model.take();
        }
    });
    model.take();
    model.push(3);
    model.push(4);
    taker.join().unwrap();
    while model.take().is_some() {}
    model.assert_once();
}

#[test]
fn loom_injector_two_take() {
    explore(3, two_take);
}

/// A thread takes its newest job back while another one pushes and a third one takes.
fn withdrawn(before: usize) {
    let model = Model::new(before + 2);
    (0..before).for_each(|name| model.push(name));
    let (own, others) = (before, before + 1);
    let pusher = thread::spawn({
        let model = model.clone();
        move || model.push(others)
    });
    let taker = thread::spawn({
        let model = model.clone();
        move || model.take()
    });
    model.push(own);
    if model.queue.withdraw(model.address(own)) {
        // SAFETY: the address of one of the model's jobs.
        unsafe { run(model.address(own)) };
    }
    pusher.join().unwrap();
    taker.join().unwrap();
    while model.take().is_some() {}
    model.assert_once();
}

#[test]
fn loom_injector_withdrawn() {
    explore(2, || withdrawn(0));
}

#[test]
fn loom_injector_withdrawn_at_a_border() {
    explore(2, || withdrawn(1));
}

/// A job with the mark and the word of a ticket.
#[repr(C)]
struct Ticket {
    word: TaskWord,
    named: Named,
}

/// Starts the task, or drops the ticket. Either counts as a run.
unsafe fn redeem(data: *const ()) {
    // SAFETY: the model keeps its tickets until the end.
    let ticket = unsafe { &*spent::unmark(data).cast::<Ticket>() };
    let _ = ticket.word.start(0);
    // SAFETY: as above.
    unsafe { run(std::ptr::from_ref(&ticket.named).cast()) };
}

/// Five tickets, two or three of them spent: a sweep drops these while a thread takes, and another
/// one pushes. What is left comes in its order.
fn swept(takes: bool) {
    struct Tickets(Injector, Vec<Ticket>);
    impl Tickets {
        fn address(&self, name: usize) -> *const () {
            spent::mark(std::ptr::from_ref(&self.1[name]).cast())
        }

        fn push(&self, name: usize) {
            let (data, run) = (self.address(name), redeem);
            self.1[name].named.runs.with_mut(|_| ());
            self.0.push(JobRef { data, run });
        }

        fn take(&self) -> Option<usize> {
            let job = self.0.take()?;
            assert!(!job.data.is_null(), "a job that is not written yet");
            // SAFETY: just taken.
            unsafe { job.run() };
            // SAFETY: the tickets are there to the end.
            let ticket = unsafe { &*spent::unmark(job.data).cast::<Ticket>() };
            let is_spent = ticket.word.progress() == TaskState::Back;
            (!is_spent).then_some(ticket.named.name)
        }
    }
    let ticket = |name| Ticket {
        word: TaskWord::new(),
        named: Named {
            name,
            runs: UnsafeCell::new(0),
        },
    };
    let model = Arc::new(Tickets(Injector::new(), (0..5).map(ticket).collect()));
    (0..4).for_each(|name| model.push(name));
    for name in [1, 2] {
        assert!(model.1[name].word.take_back());
    }
    let other = thread::spawn({
        let model = model.clone();
        move || {
            if takes {
                return model.take();
            }
            model.push(4);
            None
        }
    });
    // Nothing lies at this address. The third miss, at the latest, is more than half of five.
    for _ in 0..3 {
        let absent = spent::mark(std::ptr::null());
        assert!(!model.0.withdraw(absent));
    }
    let mut taken: Vec<_> = other.join().unwrap().into_iter().collect();
    if takes {
        model.push(4);
    }
    let mut entries = 0;
    while model.0.has(1) {
        taken.extend(model.take());
        entries += 1;
    }
    assert!(entries <= 3, "only what is not spent");
    assert_eq!(taken, [0, 3, 4]);
    for ticket in &model.1 {
        // SAFETY: all threads have ended.
        ticket
            .named
            .runs
            .with(|runs| assert_eq!(unsafe { *runs }, 1, "{}", ticket.named.name));
    }
}

#[test]
fn loom_injector_swept() {
    explore(2, || swept(false));
    explore(2, || swept(true));
}

#[test]
fn loom_plants_injector() {
    must_catch(Plant::WrittenEarly, || explore(3, seen));
    must_catch(Plant::TailBeforeBlock, || explore(2, || two_push(2)));
    must_catch(Plant::SlotUnread, || explore(3, seen));
    must_catch(Plant::WithdrawUnasked, || explore(2, || withdrawn(0)));
}
