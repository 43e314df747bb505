//! Spans of `tracing` across messages, with the feature of that name.
#![cfg(feature = "tracing")]

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, ExitReason,
    Handler, SpawnOptions, SupervisorOptions,
};
use drumline::channel::oneshot;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, info, info_span};
use tracing_core::span::Current;

thread_local! {
    /// The numbers of the spans in which the thread is.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The span above, the words of this one, and what describes its kind.
type KeptSpan = (Option<u64>, String, &'static Metadata<'static>);

/// Keeps the path of spans to each event of this file.
#[derive(Clone, Default)]
struct Keeper {
    /// Whether spans of the library are wanted.
    library: bool,
    spans: Arc<Mutex<Vec<KeptSpan>>>,
    paths: Arc<Mutex<Vec<String>>>,
}

impl Keeper {
    fn path(&self, mut id: Option<u64>) -> String {
        let spans = self.spans.lock().unwrap();
        let mut words = Vec::new();
        while let Some(number) = id {
            let (above, word, _) = &spans[number as usize - 1];
            words.push(word.clone());
            id = *above;
        }
        words.reverse();
        words.join(" > ")
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        match metadata.target() {
            "drumline" => self.library && metadata.is_span(),
            target => target == "spans",
        }
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        let entered = || ENTERED.with_borrow(|entered| entered.last().copied());
        let above = match span.parent() {
            Some(parent) => Some(parent.into_u64()),
            None if span.is_root() => None,
            None => entered(),
        };
        let word = format!("{}{}", span.metadata().name(), fields.0);
        let mut spans = self.spans.lock().unwrap();
        spans.push((above, word, span.metadata()));
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        let entered = ENTERED.with_borrow(|entered| entered.last().copied());
        let path = format!("{}:{}", self.path(entered), fields.0);
        self.paths.lock().unwrap().push(path);
    }

    fn enter(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(id.into_u64()));
    }

    fn exit(&self, id: &Id) {
        let left = ENTERED.with_borrow_mut(Vec::pop);
        assert_eq!(left, Some(id.into_u64()), "spans are left in order");
    }

    fn current_span(&self) -> Current {
        let entered = ENTERED.with_borrow(|entered| entered.last().copied());
        entered.map_or_else(Current::none, |number| {
            let metadata = self.spans.lock().unwrap()[number as usize - 1].2;
            Current::new(Id::from_u64(number), metadata)
        })
    }
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }
}

/// Tells the next one, or says that it is the last.
struct Hop(Option<ActorRef<Hop>>, mpsc::Sender<()>);

impl Actor for Hop {}

impl Handler<u32> for Hop {
    type Reply = ();
    fn handle(&mut self, request: u32, _: &mut Context<Self>) {
        match &self.0 {
            Some(next) => next.tell(request).unwrap(),
            None => {
                info!(target: "spans", request);
                self.1.send(()).unwrap();
            }
        }
    }
}

impl AsyncHandler<&'static str> for Hop {
    type Reply = u32;
    async fn handle(&mut self, what: &'static str, _: AsyncContext<Self>) -> u32 {
        if let Some(next) = &self.0 {
            let below = next.ask(what).await.unwrap();
            info!(target: "spans", below);
            return below + 1;
        }
        drumline::task::yield_now().await;
        0
    }
}

impl Handler<()> for Hop {
    type Reply = ();
    fn handle(&mut self, (): (), context: &mut Context<Self>) {
        context.send_after(Duration::from_micros(100), 9_u32);
    }
}

/// Sends a request in a span of its own, and others without. Returns the paths of events.
fn paths(keeper: &Keeper) -> Vec<String> {
    // On this thread and those of the pool, which begin with it.
    let dispatch = tracing::Dispatch::new(keeper.clone());
    let inside = dispatch.clone();
    let pool = Pool::builder()
        .jobs(2)
        .start_handler(move |_| {
            // For as long as the thread lives.
            std::mem::forget(tracing::dispatcher::set_default(&inside));
        })
        .build()
        .unwrap();
    let _default = tracing::dispatcher::set_default(&dispatch);
    let system = ActorSystem::new(&pool);
    let (send, done) = mpsc::channel();
    let last = system.spawn_with(Hop(None, send.clone()), SpawnOptions::new().name("last"));
    let hop = Hop(Some(last.clone()), send);
    let first = system.spawn_with(hop, SpawnOptions::new().name("first"));
    let request = info_span!(target: "spans", "request");
    request.in_scope(|| first.tell(1_u32).unwrap());
    done.recv().unwrap();
    first.tell(2_u32).unwrap();
    done.recv().unwrap();
    assert_eq!(request.in_scope(|| first.ask("depth")).recv(), Ok(1));
    request.in_scope(|| last.tell(()).unwrap());
    done.recv().unwrap();
    std::mem::take(&mut *keeper.paths.lock().unwrap())
}

#[test]
fn a_request_is_followed_through_actors() {
    let keeper = Keeper {
        library: true,
        ..Keeper::default()
    };
    let one = "message actor=\"first\" message=\"u32\"";
    let two = "message actor=\"last\" message=\"u32\"";
    let asked = "message actor=\"first\" message=\"&str\"";
    let timed = "message actor=\"last\" message=\"()\"";
    assert_eq!(
        paths(&keeper),
        [
            format!("request > {one} > {two}: request=1"),
            format!("{one} > {two}: request=2"),
            format!("request > {asked}: below=0"),
            format!("request > {timed} > {two}: request=9"),
        ]
    );
}

#[test]
fn without_spans_of_the_library_handlers_run_in_that_of_the_sender() {
    let expected = [
        "request: request=1",
        ": request=2",
        "request: below=0",
        "request: request=9",
    ];
    assert_eq!(paths(&Keeper::default()), expected);
}

/// What faulty subscribers panic with.
const FAULT: &str = "a faulty subscriber";

/// Panics when the library says something.
struct Faulty;

impl Subscriber for Faulty {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "drumline" && metadata.is_event()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        unreachable!("it wants no spans")
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        std::panic::resume_unwind(Box::new(FAULT));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Divides 12.
struct Divider;

impl Actor for Divider {}

impl Handler<u32> for Divider {
    type Reply = u32;
    fn handle(&mut self, by: u32, _: &mut Context<Self>) -> u32 {
        assert_ne!(by, 0, "on purpose");
        12 / by
    }
}

#[test]
fn a_subscriber_that_panics_harms_no_actor() {
    let (send, panics) = mpsc::channel();
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |payload| {
            let is_of_subscriber = payload.downcast_ref() == Some(&FAULT);
            send.send(is_of_subscriber).unwrap();
        })
        .start_handler(|_| {
            let faulty = tracing::dispatcher::set_default(&tracing::Dispatch::new(Faulty));
            std::mem::forget(faulty);
        })
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(SupervisorOptions::new());
    let divider = supervisor.spawn(|| Divider);
    assert_eq!(divider.ask(3).recv(), Ok(4), "it has started");
    assert_eq!(divider.ask(0).recv(), Err(AskError::Panicked));
    assert_eq!(divider.ask(4).recv(), Ok(3), "it has started again");
    let ended = divider.ended();
    divider.stop();
    assert_eq!(ended.recv().reason(), ExitReason::Stopped);
    let single = system.spawn(Divider);
    let ended = single.ended();
    single.tell(0).unwrap();
    assert_eq!(ended.recv().reason(), ExitReason::Panicked);
    pool.shutdown().unwrap();
    let of_subscriber = panics
        .try_iter()
        .filter(|is_of_subscriber| *is_of_subscriber);
    // Three starts, a failure and two ends, beside the events of the pool.
    assert!(of_subscriber.count() >= 6);
}

/// Panics when the handler of a message is left.
struct FaultyAtExit;

impl Subscriber for FaultyAtExit {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "drumline" && metadata.is_span() && metadata.name() == "message"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {
        std::panic::resume_unwind(Box::new(FAULT));
    }
}

impl AsyncHandler<oneshot::Receiver<u32>> for Divider {
    type Reply = u32;
    async fn handle(&mut self, by: oneshot::Receiver<u32>, _: AsyncContext<Self>) -> u32 {
        12 / by.await.unwrap()
    }
}

#[test]
fn a_subscriber_that_panics_leaves_an_actor_to_its_future() {
    let (send, panics) = mpsc::channel();
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |payload| {
            let _ = send.send(payload.downcast_ref() == Some(&FAULT));
        })
        .start_handler(|_| {
            let faulty = tracing::Dispatch::new(FaultyAtExit);
            std::mem::forget(tracing::dispatcher::set_default(&faulty));
        })
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(SupervisorOptions::new());
    for divider in [system.spawn(Divider), supervisor.spawn(|| Divider)] {
        for by in 1..=3 {
            let (number, later) = oneshot::channel();
            let answer = divider.ask(later);
            // The handler has been left: its future has the actor.
            assert_eq!(panics.recv(), Ok(true));
            number.send(by).unwrap();
            assert_eq!(answer.recv(), Ok(12 / by));
            assert_eq!(divider.ask(by).recv(), Ok(12 / by));
            assert_eq!(panics.recv(), Ok(true));
        }
    }
}
