//! A ring of actors: each knows the next one, and a token goes round.

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use drumline::Pool;
use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler, Style};

use crate::END;

/// An actor of the ring.
struct Node {
    next: Option<ActorRef<Node>>,
    /// Where the last hop is reported.
    done: Sender<u64>,
}

impl Actor for Node {}

/// Names the next actor.
struct Link(ActorRef<Node>);

impl Handler<Link> for Node {
    type Reply = ();

    fn handle(&mut self, Link(next): Link, _: &mut Context<Self>) {
        self.next = Some(next);
    }
}

/// The token.
struct Token {
    hops: u64,
    last: u64,
}

impl Handler<Token> for Node {
    type Reply = ();

    fn handle(&mut self, Token { hops, last }: Token, context: &mut Context<Self>) {
        let passed_on = match &self.next {
            Some(next) if hops < last => next
                .tell(Token {
                    hops: hops + 1,
                    last,
                })
                .is_ok(),
            _ => false,
        };
        if !passed_on {
            // The last hop, or a ring that is broken: the number of hops says which.
            let _ = self.done.send(hops);
            // The references of a ring keep each other alive, so one of them has to go.
            context.stop();
        }
    }
}

/// Sends a token this many hops round a ring of this many actors. Returns how many it has made.
///
/// # Errors
///
/// If there is no actor, or the ring breaks.
pub fn send_round(pool: &Pool, actors: usize, hops: u64, style: Style) -> Result<u64> {
    ensure!(actors > 0, "a ring has at least one actor");
    let system = ActorSystem::builder().style(style).build(pool);
    let (done, last_hop) = channel();
    let node = || Node {
        next: None,
        done: done.clone(),
    };
    let nodes: Vec<_> = (0..actors).map(|_| system.spawn(node())).collect();
    for (node, next) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
        node.tell(Link(next.clone()))?;
    }
    nodes[0].tell(Token {
        hops: 0,
        last: hops,
    })?;
    let made = last_hop.recv().context("the ring is gone")?;
    let report = system.shutdown(Instant::now() + END);
    ensure!(
        report.is_complete(),
        "still at work: {:?}",
        report.abandoned()
    );
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_makes_all_hops() {
        for (jobs, actors, hops, style) in [
            (1, 1, 10, Style::Recursive),
            (1, 100, 1_001, Style::Loop),
            (2, 3, 10_000, Style::Recursive),
            (2, 100, 10_000, Style::Loop),
        ] {
            let pool = Pool::builder().jobs(jobs).build().unwrap();
            assert_eq!(send_round(&pool, actors, hops, style).unwrap(), hops);
        }
    }

    #[test]
    fn a_ring_of_nothing_is_refused() {
        let pool = Pool::builder().jobs(1).build().unwrap();
        assert!(send_round(&pool, 0, 1, Style::Loop).is_err());
    }
}
