//! Groups of actors with members and messages that do odd things.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{Event, pool, quiet_panic};
use drumline::actor::{Actor, ActorGroup, ActorRef, ActorSystem, Context, Handler};

#[test]
fn one_that_goes_on_by_a_reference_to_itself_may_join_again() {
    struct Survivor(Sender<u64>);
    /// To say that it is here, to wait, and to send a reference then.
    struct Survive(Sender<()>, Arc<Event>, Sender<ActorRef<Survivor>>);
    impl Actor for Survivor {}
    impl Handler<u64> for Survivor {
        type Reply = ();
        fn handle(&mut self, word: u64, _: &mut Context<Self>) {
            self.0.send(word).unwrap();
        }
    }
    impl Handler<Survive> for Survivor {
        type Reply = ();
        fn handle(&mut self, Survive(here, event, to): Survive, context: &mut Context<Self>) {
            here.send(()).unwrap();
            drumline::blocking(|| event.wait());
            to.send(context.actor_ref()).unwrap();
        }
    }

    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let survivor = system.spawn(Survivor(send));
    let group = ActorGroup::new();
    group.join(&survivor);
    let event = Arc::new(Event::new());
    let (here, is_here) = mpsc::channel();
    let (to, references) = mpsc::channel();
    survivor
        .tell(Survive(here, Arc::clone(&event), to))
        .unwrap();
    is_here.recv().unwrap();
    drop(survivor);
    let report = group.tell_all(1);
    assert_eq!(
        (report.told(), report.ended()),
        (0, 1),
        "no reference is left"
    );
    event.set();
    let survivor = references.recv().unwrap();
    assert!(group.is_empty());
    group.join(&survivor);
    assert_eq!(group.tell_all(2).told(), 1);
    assert_eq!(heard.recv(), Ok(2));
}

/// A message that does something when it is cloned.
struct Hostile {
    group: ActorGroup<Hostile>,
    clones: Arc<AtomicUsize>,
    /// The number of the clone that panics.
    panics_at: usize,
    joins: Option<ActorRef<Receiver>>,
}

impl Clone for Hostile {
    fn clone(&self) -> Self {
        let clones = self.clones.fetch_add(1, Ordering::SeqCst);
        if clones == self.panics_at {
            quiet_panic("this clone");
        }
        if let Some(joins) = &self.joins {
            assert!(self.group.leave(joins));
            self.group.join(joins);
            assert_eq!(self.group.len(), 3);
        }
        Hostile {
            group: self.group.clone(),
            clones: Arc::clone(&self.clones),
            panics_at: self.panics_at,
            joins: self.joins.clone(),
        }
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        assert!(self.group.len() <= 3);
    }
}

struct Receiver(Arc<Mutex<usize>>);

impl Actor for Receiver {}

impl Handler<Hostile> for Receiver {
    type Reply = ();

    fn handle(&mut self, _: Hostile, _: &mut Context<Self>) {
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn a_clone_may_panic_and_may_use_the_group() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let received = Arc::new(Mutex::new(0));
    let receivers = [(); 3].map(|()| system.spawn(Receiver(Arc::clone(&received))));
    let group = ActorGroup::new();
    receivers.iter().for_each(|receiver| group.join(receiver));
    let clones = Arc::new(AtomicUsize::new(0));
    let hostile = |panics_at, joins| Hostile {
        group: group.clone(),
        clones: Arc::clone(&clones),
        panics_at,
        joins,
    };
    let report = group.tell_all(hostile(usize::MAX, Some(receivers[1].clone())));
    assert_eq!((report.told(), report.ended()), (3, 0));
    assert_eq!(
        clones.load(Ordering::SeqCst),
        2,
        "the last one gets the message"
    );
    clones.store(0, Ordering::SeqCst);
    let message = hostile(1, None);
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| group.tell_all(message)));
    assert!(told.is_err());
    assert_eq!(group.len(), 3, "none has left");
    assert_eq!(group.tell_all(hostile(usize::MAX, None)).told(), 3);
    let deadline = Instant::now() + Duration::from_secs(3_600);
    assert!(system.shutdown(deadline).is_complete());
    assert_eq!(*received.lock().unwrap(), 3 + 1 + 3);
}
