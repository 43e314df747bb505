//! `actor-spawn`: actors that start, handle a message and end.

use anyhow::Result;

use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// Actors that start and end.
#[derive(Debug)]
pub struct ActorSpawn;

/// An actor. It counts itself when it is dropped.
struct Mayfly {
    number: u64,
    received: u64,
    countdown: &'static Countdown,
}

impl Behaviour for Mayfly {
    type Message = u64;

    fn handle(&mut self, message: u64) {
        self.received += message;
    }
}

impl Drop for Mayfly {
    fn drop(&mut self) {
        // An actor that did not get its message is missed, and the first one is counted twice.
        let got_it = self.received == self.number + 1;
        self.countdown.end(if got_it { self.number } else { 0 });
    }
}

impl ActorWorkload for ActorSpawn {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-spawn",
        about: "100,000 actors are started, told one message each, and end",
        analysis: "From the first start, from a thread outside, to the drop of the last actor. \
                   Each is told a message as soon as it has been started, and then has no \
                   reference left, by which it ends; those of ractor and may are told to. The \
                   thread that starts them is one more beside the jobs. If it is ahead, all actors \
                   live at once.",
        item: "actor",
        size_counts: "actors",
        sizes: &[100_000],
        smoke_sizes: &[2_000],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    fn actors(size: u64) -> u64 {
        size
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(size);
        session.tasks(size, Some(size));
        session.sample_prepared(
            size,
            &mut (),
            |()| countdown.reset(),
            |()| {
                for number in 0..size {
                    let actor = runtime.spawn(
                        number,
                        Mayfly {
                            number,
                            received: 0,
                            countdown,
                        },
                    );
                    R::tell(&actor, number + 1);
                    R::stop(actor);
                }
                countdown.wait();
            },
            |(), ()| countdown.check(),
        );
        Ok(())
    }
}
