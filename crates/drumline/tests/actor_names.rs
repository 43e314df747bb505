//! Names of actors: which actor has one, and when it is free again.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use common::{Event, eventually, pool, quiet_panic};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, Context, FindError, Handler, SpawnOptions, SupervisorOptions,
};

/// What an actor is to do with its context.
type Act = dyn FnOnce(&mut Context<Named>) + Send;

/// What a test has an actor do.
enum Command {
    /// To say its number.
    Number,
    Panic,
    /// To say that it is here, and wait for this.
    Wait(Sender<()>, Arc<Event>),
    /// To do this with its context.
    Do(Box<Act>),
}

struct Named(usize);

impl Actor for Named {}

impl Handler<Command> for Named {
    type Reply = usize;

    fn handle(&mut self, command: Command, context: &mut Context<Self>) -> usize {
        match command {
            Command::Number => {}
            Command::Panic => quiet_panic("as it was told"),
            Command::Wait(here, event) => {
                here.send(()).unwrap();
                drumline::blocking(|| event.wait());
            }
            Command::Do(act) => act(context),
        }
        self.0
    }
}

/// An actor of another type.
struct Other;

impl Actor for Other {}

fn unknown(name: &str) -> FindError {
    FindError::Unknown {
        name: name.to_owned(),
    }
}

#[test]
fn an_actor_is_found_by_each_of_its_names() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let actor = system.spawn(Named(7));
    assert_eq!(system.find::<Named>("one"), Err(unknown("one")));
    system.register("one", &actor).unwrap();
    system.register(String::from("another"), &actor).unwrap();
    assert_eq!(system.names(), ["another", "one"]);
    let found: ActorRef<Named> = system.find("one").unwrap();
    assert!(found == actor);
    assert_eq!(found.ask(Command::Number).recv(), Ok(7));
    assert!(system.unregister("one"));
    assert!(!system.unregister("one"), "it is free");
    assert_eq!(system.find::<Named>("one"), Err(unknown("one")));
    assert!(system.find::<Named>("another").unwrap() == actor);
}

#[test]
fn a_name_is_of_one_system_and_no_label() {
    let pool = pool(1);
    let [one, other] = [ActorSystem::new(&pool), ActorSystem::new(&pool)];
    let labelled = one.spawn_with(Named(1), SpawnOptions::new().name("label"));
    let same_label = one.spawn_with(Named(2), SpawnOptions::new().name("label"));
    assert_eq!(one.find::<Named>("label"), Err(unknown("label")));
    one.register("name", &labelled).unwrap();
    assert_eq!(other.find::<Named>("name"), Err(unknown("name")));
    other.register("name", &same_label).unwrap();
    assert!(one.find::<Named>("name").unwrap() == labelled);
    assert!(other.find::<Named>("name").unwrap() == same_label);
    assert_eq!(labelled.name(), "label");
}

#[test]
fn a_name_is_taken_while_its_actor_lives() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let [first, second] = [system.spawn(Named(1)), system.spawn(Named(2))];
    system.register("name", &first).unwrap();
    let taken = system.register("name", &second).unwrap_err();
    assert_eq!(taken.name(), "name");
    assert_eq!(
        taken.to_string(),
        "the name \"name\" is taken: the actor that has it lives"
    );
    let by_other_type = system.spawn(Other);
    assert_eq!(system.register("name", &by_other_type), Err(taken));
    // The one that has it may say it again.
    system.register("name", &first).unwrap();
    assert!(system.find::<Named>("name").unwrap() == first);
}

#[test]
fn a_name_of_another_type_is_another_error() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let other = system.spawn(Other);
    system.register("other", &other).unwrap();
    let error = system.find::<Named>("other").unwrap_err();
    let FindError::OtherType { name, type_name } = &error else {
        panic!("{error}");
    };
    assert_eq!(name, "other");
    assert!(type_name.ends_with("Other"), "{type_name}");
    assert!(error.to_string().contains("Other"), "{error}");
    assert!(system.find::<Other>("other").unwrap() == other);
    drop(other);
    assert_eq!(system.find::<Named>("other"), Err(unknown("other")));
    assert_eq!(unknown("x").to_string(), "no actor has the name \"x\"");
}

#[test]
fn a_name_is_free_after_each_kind_of_end() {
    let pool = Pool::builder().jobs(1).panic_handler(|_| ());
    let pool = pool.build().unwrap();
    let system = ActorSystem::new(&pool);
    let ends: [fn(ActorRef<Named>); 4] = [
        drop,
        |actor| actor.stop(),
        |actor| actor.stop_now(),
        |actor| drop(actor.tell(Command::Panic)),
    ];
    for (number, end) in ends.into_iter().enumerate() {
        let actor = system.spawn(Named(number));
        system.register("name", &actor).unwrap();
        end(actor);
        let next = system.spawn(Named(10 + number));
        eventually("the name is free", || {
            system.register("name", &next).is_ok()
        });
        let found: ActorRef<Named> = system.find("name").unwrap();
        assert_eq!(found.ask(Command::Number).recv(), Ok(10 + number));
        assert_eq!(system.names(), ["name"]);
        drop((found, next));
        assert_eq!(system.names(), [""; 0], "a name keeps no actor alive");
        assert!(!system.unregister("name"));
    }
}

#[test]
fn a_killed_actor_has_lost_its_name_and_one_that_has_ended_gets_none() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let busy = system.spawn(Named(1));
    let event = Arc::new(Event::new());
    let (here, is_here) = mpsc::channel();
    busy.tell(Command::Wait(here, Arc::clone(&event))).unwrap();
    is_here.recv().unwrap();
    system.register("busy", &busy).unwrap();
    busy.stop_now();
    // Its handler has not returned.
    assert_eq!(system.find::<Named>("busy"), Err(unknown("busy")));
    let next = system.spawn(Named(2));
    system.register("busy", &next).unwrap();
    event.set();
    eventually("it has ended", || !busy.is_alive());
    assert!(system.register("busy", &busy).is_err());
    system.register("late", &busy).unwrap();
    assert_eq!(system.find::<Named>("late"), Err(unknown("late")));
    system.register("late", &next).unwrap();
    assert_eq!(system.names(), ["busy", "late"]);
}

#[test]
fn an_actor_that_starts_again_keeps_its_name() {
    struct Phoenix(Arc<AtomicUsize>);

    impl Actor for Phoenix {
        fn started(&mut self, context: &mut Context<Self>) {
            // Each time.
            let registered = context.register("phoenix", &context.actor_ref());
            registered.expect("it has the name");
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl Handler<bool> for Phoenix {
        type Reply = usize;

        fn handle(&mut self, panics: bool, _: &mut Context<Self>) -> usize {
            if panics {
                quiet_panic("as it was told");
            }
            self.0.load(Ordering::SeqCst)
        }
    }

    let pool = Pool::builder().jobs(2).panic_handler(|_| ());
    let pool = pool.build().unwrap();
    let system = ActorSystem::new(&pool);
    let options = SupervisorOptions::new().max_restarts(100, Duration::from_secs(3_600));
    let supervisor = system.supervisor(options);
    let starts = Arc::new(AtomicUsize::new(0));
    let of_state = Arc::clone(&starts);
    let phoenix = supervisor.spawn(move || Phoenix(Arc::clone(&of_state)));
    assert_eq!(phoenix.ask(false).recv(), Ok(1));
    drop(phoenix);
    for start in 2..10 {
        let found: ActorRef<Phoenix> = system.find("phoenix").unwrap();
        let failed = found.ask(true);
        // Also while it is put aside.
        assert!(system.find::<Phoenix>("phoenix").unwrap() == found);
        assert!(failed.recv().is_err());
        assert_eq!(found.ask(false).recv(), Ok(start));
    }
}

#[test]
fn a_handler_uses_the_names_of_its_system() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let actor = system.spawn(Named(1));
    let other = system.spawn(Other);
    system.register("other", &other).unwrap();
    let (send, results) = mpsc::channel();
    let act = move |context: &mut Context<Named>| {
        let found = context.find::<Other>("other");
        let itself = context.actor_ref();
        let taken = context.register("other", &itself).is_err();
        context.register("itself", &itself).unwrap();
        let names = context.names();
        let had = (context.unregister("other"), context.unregister("other"));
        send.send((found, taken, names, had)).unwrap();
    };
    actor.tell(Command::Do(Box::new(act))).unwrap();
    let (found, taken, names, had) = results.recv().unwrap();
    assert!(found.unwrap() == other);
    assert!(taken);
    assert_eq!(names, ["itself", "other"]);
    assert_eq!(had, (true, false));
    assert!(system.find::<Named>("itself").unwrap() == actor);
}

#[test]
fn of_many_threads_one_gets_the_name() {
    const THREADS: usize = 4;
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    for round in 0..50 {
        let name = format!("name {round}");
        let actors: Vec<_> = (0..THREADS).map(|n| system.spawn(Named(n))).collect();
        let got: Vec<bool> = thread::scope(|scope| {
            let register = |actor| system.register(name.as_str(), actor).is_ok();
            let threads: Vec<_> = actors
                .iter()
                .map(|actor| scope.spawn(move || register(actor)))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let owners: Vec<usize> = (0..THREADS).filter(|&n| got[n]).collect();
        let [owner] = owners[..] else {
            panic!("{owners:?} have got {name}");
        };
        assert!(system.find::<Named>(&name).unwrap() == actors[owner]);
    }
}

/// The last reference may be one of the directory's own. Its actor ends then, and its message that
/// was not handled is dropped, which uses the directory.
#[test]
fn an_actor_that_ends_by_a_search_may_use_the_names() {
    struct Ender {
        system: Arc<ActorSystem>,
        ended: Sender<Vec<String>>,
    }

    impl Actor for Ender {}

    impl Drop for Ender {
        fn drop(&mut self) {
            let _ = self.system.unregister("ender");
            self.ended.send(self.system.names()).unwrap();
        }
    }

    let pool = pool(2);
    let system = Arc::new(ActorSystem::new(&pool));
    let (send, ended) = mpsc::channel();
    for _ in 0..200 {
        let ender = system.spawn(Ender {
            system: Arc::clone(&system),
            ended: send.clone(),
        });
        system.register("ender", &ender).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| drop(ender));
            scope.spawn(|| system.names());
            drop(system.find::<Ender>("ender"));
        });
        assert_eq!(ended.recv(), Ok(Vec::new()));
    }
}
