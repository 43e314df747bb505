//! Two actors that send each other a ball. One knows the other by what it can be told, not by its
//! type.

use std::sync::mpsc::{Sender, channel};

use anyhow::{Context as _, Result};
use drumline::Pool;
use drumline::actor::{Actor, ActorSystem, Context, Handler, Recipient, Style};

/// The ball, with the way back.
struct Ping(Recipient<Pong>);

/// The ball comes back.
struct Pong;

/// Sends each ball back.
struct Wall;

impl Actor for Wall {}

impl Handler<Ping> for Wall {
    type Reply = ();

    fn handle(&mut self, Ping(back): Ping, _: &mut Context<Self>) {
        // A player that is gone needs no ball.
        let _ = back.tell(Pong);
    }
}

/// Sends the ball until it has come back often enough.
struct Player {
    wall: Recipient<Ping>,
    left: u64,
    returns: u64,
    done: Sender<u64>,
}

impl Player {
    fn serve(&mut self, context: &mut Context<Self>) {
        let is_served = self.left > 0
            && self
                .wall
                .tell(Ping(context.actor_ref().recipient()))
                .is_ok();
        if is_served {
            self.left -= 1;
        } else {
            context.stop();
        }
    }
}

impl Actor for Player {
    fn started(&mut self, context: &mut Context<Self>) {
        self.serve(context);
    }

    fn stopped(&mut self, _: &mut Context<Self>) {
        let _ = self.done.send(self.returns);
    }
}

impl Handler<Pong> for Player {
    type Reply = ();

    fn handle(&mut self, Pong: Pong, context: &mut Context<Self>) {
        self.returns += 1;
        self.serve(context);
    }
}

/// Plays this many balls. Returns how many came back.
///
/// # Errors
///
/// If the player is lost.
pub fn play(pool: &Pool, balls: u64, style: Style) -> Result<u64> {
    let system = ActorSystem::builder().style(style).build(pool);
    let (done, returns) = channel();
    let wall = system.spawn(Wall).recipient();
    // The player ends by itself, and the wall when the player has let go of it.
    drop(system.spawn(Player {
        wall,
        left: balls,
        returns: 0,
        done,
    }));
    returns.recv().context("the player is lost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_balls_come_back() {
        for (jobs, balls, style) in [
            (1, 0, Style::Recursive),
            (1, 1_000, Style::Loop),
            (2, 1_000, Style::Recursive),
        ] {
            let pool = Pool::builder().jobs(jobs).build().unwrap();
            assert_eq!(play(&pool, balls, style).unwrap(), balls);
        }
    }
}
