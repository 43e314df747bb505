//! Small cases of timers, monitors and links, for Miri as well.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::Pool;
use crate::actor::{Actor, ActorRef, ActorSystem, Context, Exit, ExitReason, Handler};

const SHORT: Duration = Duration::from_micros(100);
const LONG: Duration = Duration::from_secs(100_000);

/// Calls a function in its handler, and passes on what it is told.
struct Caller(mpsc::Sender<String>);

type Closure = Box<dyn FnOnce(&mut Context<Caller>) + Send>;

impl Actor for Caller {}

impl Handler<Closure> for Caller {
    type Reply = ();

    fn handle(&mut self, closure: Closure, context: &mut Context<Self>) {
        closure(context);
    }
}

impl Handler<String> for Caller {
    type Reply = ();

    fn handle(&mut self, text: String, _: &mut Context<Self>) {
        let _ = self.0.send(text);
    }
}

impl Handler<Exit> for Caller {
    type Reply = ();

    fn handle(&mut self, exit: Exit, _: &mut Context<Self>) {
        let _ = self.0.send(exit.to_string());
    }
}

/// Dropped with a message that waits for its time, or is told.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Larger than a block.
impl Handler<(Counted, [u64; 20])> for Caller {
    type Reply = ();

    fn handle(&mut self, _: (Counted, [u64; 20]), _: &mut Context<Self>) {}
}

fn tell(actor: &ActorRef<Caller>, call: impl FnOnce(&mut Context<Caller>) + Send + 'static) {
    actor.tell(Box::new(call) as Closure).unwrap();
}

#[test]
fn miri_timers_monitors_and_links() {
    let pool = Pool::builder().jobs(2).panic_handler(|_| {}).build();
    let pool = pool.unwrap();
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let spawn = || system.spawn(Caller(send.clone()));
    let (one, two, watcher) = (spawn(), spawn(), spawn());
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = || (Counted(Arc::clone(&dropped)), [0; 20]);

    // Timers: sent, cancelled, and left behind.
    let messages = [counted(), counted(), counted()];
    tell(&one, move |context| {
        let [soon, cancelled, late] = messages;
        context.send_after(SHORT, soon);
        assert!(context.send_after(LONG, cancelled).cancel());
        context.send_after(LONG, late);
        context.send_every(SHORT, || "beat".to_owned());
        context.send_after(LONG, "late".to_owned());
    });
    assert_eq!(heard.recv().as_deref(), Ok("beat"));
    assert_eq!(heard.recv().as_deref(), Ok("beat"));

    // A panic ends both, and the watcher is told of each.
    let (first, second) = (one.clone(), two.clone());
    let (watches, is_watching) = mpsc::channel();
    tell(&watcher, move |context| {
        context.monitor(&first);
        assert!(context.monitor(&second).cancel());
        context.monitor(&second);
        watches.send(()).unwrap();
    });
    is_watching.recv().expect("the watcher does not panic");
    let other = two.clone();
    tell(&one, move |context| {
        context.link(&other);
        panic!("on purpose");
    });
    assert_eq!(two.ended().recv().reason(), ExitReason::Panicked);
    let mut exits: Vec<String> = heard.iter().filter(|text| text != "beat").take(2).collect();
    exits.sort();
    let why = "Caller has panicked: ";
    assert_eq!(
        exits[0],
        format!("{why}a linked actor has failed: Caller: on purpose")
    );
    assert_eq!(exits[1], format!("{why}on purpose"));

    assert_eq!(system.tree(LONG).entries().len(), 1);
    drop((one, two, watcher, system));
    pool.shutdown().unwrap();
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}
