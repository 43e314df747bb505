//! Events as events of `tracing`, with the feature of that name.
#![cfg(feature = "tracing")]

mod common;

use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Mutex};

use common::{eventually, meet, quiet_panic};
use drumline::actor::{Actor, ActorSystem, AskError, Context, Handler, SpawnOptions};
use drumline::{Pool, blocking};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// One event: its level, and its fields as `name=value`.
type Line = (Level, String);

/// Keeps the events of one target.
#[derive(Clone, Default)]
struct Keeper(Arc<Mutex<Vec<Line>>>);

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "drumline"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        let line = (*event.metadata().level(), fields.0);
        self.0.lock().unwrap().push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!("{}={value:?};", field.name());
    }
}

/// One test, because the subscriber is that of the process.
#[test]
fn events_arrive_with_their_fields() {
    let keeper = Keeper::default();
    tracing::subscriber::set_global_default(keeper.clone()).unwrap();

    let pool = Pool::builder().jobs(1).guests(false).build().unwrap();
    eventually("the thread sleeps", || {
        let lines = keeper.0.lock().unwrap();
        lines.iter().any(|(_, text)| text.contains("sleeps"))
    });
    pool.install(|| blocking(|| ()));
    pool.shutdown().unwrap();
    let lines = std::mem::take(&mut *keeper.0.lock().unwrap());
    assert!(lines.iter().all(|(level, _)| *level == Level::DEBUG));
    let texts: Vec<&str> = lines.iter().map(|(_, text)| &text[..]).collect();
    assert_eq!(texts.first(), Some(&"message=thread started;index=0;"));
    // A spare may have come for the thread that blocked, and may be the last to end.
    let last = texts.last().unwrap();
    assert!(last.starts_with("message=thread ends;"), "{texts:?}");
    for text in [
        "thread sleeps",
        "thread woke up",
        "thread blocks",
        "thread ends",
    ] {
        let text = format!("message={text};index=0;");
        assert!(texts.contains(&&text[..]), "{text} in {texts:?}");
    }

    let pool = Pool::builder().jobs(2).build().unwrap();
    pool.install(meet);
    pool.shutdown().unwrap();
    let lines = std::mem::take(&mut *keeper.0.lock().unwrap());
    let stolen = lines.iter().filter(|(_, text)| text.contains("took a job"));
    let stolen: Vec<_> = stolen.collect();
    let [(Level::DEBUG, text)] = stolen[..] else {
        panic!("{stolen:?}");
    };
    assert!(
        text.contains("thief=") && text.contains("victim="),
        "{text}"
    );

    let pool = Pool::builder()
        .jobs(2)
        .spawn_handler(|_| Err(io::Error::other("none today")));
    drop(pool.build().unwrap());
    let lines = std::mem::take(&mut *keeper.0.lock().unwrap());
    let [(Level::WARN, text)] = &lines[..] else {
        panic!("{lines:?}");
    };
    for field in ["have=0;", "wanted=2;", "error=none today;"] {
        assert!(text.contains(field), "{field} in {text}");
    }
    actors(&keeper);
}

struct Fragile;
impl Actor for Fragile {}
impl Handler<()> for Fragile {
    type Reply = ();
    fn handle(&mut self, (): (), _: &mut Context<Self>) {
        quiet_panic("on request");
    }
}

/// Names are in the traces of actors.
fn actors(keeper: &Keeper) {
    let pool = Pool::builder()
        .jobs(1)
        .panic_handler(|_| {})
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    drop(system.spawn_with(Fragile, SpawnOptions::new().name("glass")));
    let cup = system.spawn_with(Fragile, SpawnOptions::new().name("cup"));
    assert_eq!(cup.ask(()).recv(), Err(AskError::Panicked));
    drop((cup, system));
    pool.shutdown().unwrap();
    let lines = std::mem::take(&mut *keeper.0.lock().unwrap());
    for (message, name) in [
        ("an actor starts", "glass"),
        ("an actor ends", "glass"),
        ("an actor starts", "cup"),
        ("an actor ends, as it has panicked", "cup"),
    ] {
        let (message, name) = (format!("message={message};"), format!("actor={name:?};"));
        let is_it = |line: &str| line.contains(&message) && line.contains(&name);
        let count = lines.iter().filter(|(_, line)| is_it(line)).count();
        assert_eq!(count, 1, "{message}{name} in {lines:?}");
    }
}
