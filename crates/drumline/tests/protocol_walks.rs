//! Random walks through a protocol, step by step beside a model, and on two threads.

mod common;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Random, ends};
use drumline::protocol::{NotReceived, NotSent, PeerLeft};

drumline::protocol! {
    mod walk of left with right {
        Fork = choose {
            Ask(u64) => Reply,
            Stay => Fork,
            Turn(u64) => Crossing,
            Stop => end,
        };
        Reply = recv u64 => Fork;
        Crossing = offer {
            Back(u64) => Fork,
            Onward => Road,
            Over => end,
        };
        Road = send u64 => Bridge;
        Bridge = recv u64 => Crossing;
    }
}
use walk::{choice, left, offer, right};

/// Where a side is.
enum Left {
    Fork(left::Fork),
    Reply(left::Reply),
    Crossing(left::Crossing),
    Road(left::Road),
    Bridge(left::Bridge),
    Done,
}

enum Right {
    Fork(right::Fork),
    Reply(right::Reply),
    Crossing(right::Crossing),
    Road(right::Road),
    Bridge(right::Bridge),
    Done,
}

impl Left {
    fn name(&self) -> &'static str {
        match self {
            Left::Fork(_) => "Fork",
            Left::Reply(_) => "Reply",
            Left::Crossing(_) => "Crossing",
            Left::Road(_) => "Road",
            Left::Bridge(_) => "Bridge",
            Left::Done => "done",
        }
    }
}

impl Right {
    fn name(&self) -> &'static str {
        match self {
            Right::Fork(_) => "Fork",
            Right::Reply(_) => "Reply",
            Right::Crossing(_) => "Crossing",
            Right::Road(_) => "Road",
            Right::Bridge(_) => "Bridge",
            Right::Done => "done",
        }
    }
}

/// What has to come of the steps: one queue for each direction, and the side that has left.
struct Model {
    capacity: usize,
    up: VecDeque<(&'static str, u64)>,
    down: VecDeque<(&'static str, u64)>,
    /// The step in which a side has left.
    left: Option<&'static str>,
    right: Option<&'static str>,
}

/// A step that was tried.
enum Tried<N, E> {
    Gone,
    Next(N),
    Back(E),
}

/// Compares a send with the model.
fn sent<N, E, M>(
    queue: &mut VecDeque<(&'static str, u64)>,
    capacity: usize,
    peer: Option<&'static str>,
    message: (&'static str, u64),
    result: Result<N, NotSent<E, M>>,
) -> Tried<N, E> {
    match result {
        Ok(next) => {
            assert!(peer.is_none() && queue.len() < capacity, "{message:?} sent");
            queue.push_back(message);
            Tried::Next(next)
        }
        Err(NotSent::Yet(back, _)) => {
            assert!(peer.is_none() && queue.len() >= capacity, "not sent");
            Tried::Back(back)
        }
        Err(NotSent::Ever(error)) => {
            assert_eq!(peer, Some(error.left().step()));
            Tried::Gone
        }
    }
}

/// Compares a receive with the model. What was received is given by `name`.
fn received<R, E>(
    queue: &mut VecDeque<(&'static str, u64)>,
    peer: Option<&'static str>,
    result: Result<R, NotReceived<E>>,
    name: impl FnOnce(&R) -> (&'static str, u64),
) -> Tried<R, E> {
    match result {
        Ok(message) => {
            assert_eq!(queue.pop_front(), Some(name(&message)));
            Tried::Next(message)
        }
        Err(NotReceived::Yet(back)) => {
            assert!(peer.is_none() && queue.is_empty(), "nothing received");
            Tried::Back(back)
        }
        Err(NotReceived::Ever(left)) => {
            assert!(queue.is_empty(), "messages are lost");
            assert_eq!(peer, Some(left.step()));
            Tried::Gone
        }
    }
}

fn try_left(state: Left, model: &mut Model, random: &mut Random) -> Left {
    let number = random.number();
    let (peer, capacity) = (model.right, model.capacity);
    macro_rules! send {
        ($back:path, $message:expr, $result:expr, $next:path) => {{
            match sent(&mut model.up, capacity, peer, $message, $result) {
                Tried::Gone => Left::Done,
                Tried::Next(next) => $next(next),
                Tried::Back(back) => $back(back),
            }
        }};
    }
    let done = |_end: left::End| Left::Done;
    match state {
        Left::Fork(fork) => match random.below(8) {
            0..3 => {
                let asked = fork.try_choose(choice::Fork::Ask(number));
                send!(Left::Fork, ("Ask", number), asked, Left::Reply)
            }
            3 => {
                let stayed = fork.try_choose(choice::Fork::Stay);
                send!(Left::Fork, ("Stay", 0), stayed, Left::Fork)
            }
            4..7 => {
                let turned = fork.try_choose(choice::Fork::Turn(number));
                send!(Left::Fork, ("Turn", number), turned, Left::Crossing)
            }
            _ => {
                let stopped = fork.try_choose(choice::Fork::Stop);
                send!(Left::Fork, ("Stop", 0), stopped, done)
            }
        },
        Left::Road(road) => send!(
            Left::Road,
            ("Road", number),
            road.try_send(number),
            Left::Bridge
        ),
        Left::Reply(reply) => {
            let result = reply.try_recv();
            match received(&mut model.down, peer, result, |got| ("Reply", got.0)) {
                Tried::Gone => Left::Done,
                Tried::Next((_, fork)) => Left::Fork(fork),
                Tried::Back(back) => Left::Reply(back),
            }
        }
        Left::Bridge(bridge) => {
            let result = bridge.try_recv();
            match received(&mut model.down, peer, result, |got| ("Bridge", got.0)) {
                Tried::Gone => Left::Done,
                Tried::Next((_, crossing)) => Left::Crossing(crossing),
                Tried::Back(back) => Left::Bridge(back),
            }
        }
        Left::Crossing(crossing) => {
            let result = crossing.try_offer();
            let name = |got: &offer::Crossing| match got {
                offer::Crossing::Back(number, _) => ("Back", *number),
                offer::Crossing::Onward(_) => ("Onward", 0),
                offer::Crossing::Over(_) => ("Over", 0),
            };
            match received(&mut model.down, peer, result, name) {
                Tried::Gone | Tried::Next(offer::Crossing::Over(_)) => Left::Done,
                Tried::Next(offer::Crossing::Back(_, fork)) => Left::Fork(fork),
                Tried::Next(offer::Crossing::Onward(road)) => Left::Road(road),
                Tried::Back(back) => Left::Crossing(back),
            }
        }
        Left::Done => Left::Done,
    }
}

fn try_right(state: Right, model: &mut Model, random: &mut Random) -> Right {
    let number = random.number();
    let (peer, capacity) = (model.left, model.capacity);
    let queue = &mut model.down;
    macro_rules! send {
        ($back:path, $message:expr, $result:expr, $next:path) => {
            match sent(queue, capacity, peer, $message, $result) {
                Tried::Gone => Right::Done,
                Tried::Next(next) => $next(next),
                Tried::Back(back) => $back(back),
            }
        };
    }
    let done = |_end: right::End| Right::Done;
    match state {
        Right::Reply(reply) => {
            let message = ("Reply", number);
            send!(Right::Reply, message, reply.try_send(number), Right::Fork)
        }
        Right::Bridge(bridge) => {
            let message = ("Bridge", number);
            send!(
                Right::Bridge,
                message,
                bridge.try_send(number),
                Right::Crossing
            )
        }
        Right::Crossing(crossing) => match random.below(8) {
            0..4 => {
                let back = crossing.try_choose(choice::Crossing::Back(number));
                send!(Right::Crossing, ("Back", number), back, Right::Fork)
            }
            4..7 => {
                let onward = crossing.try_choose(choice::Crossing::Onward);
                send!(Right::Crossing, ("Onward", 0), onward, Right::Road)
            }
            _ => {
                let over = crossing.try_choose(choice::Crossing::Over);
                send!(Right::Crossing, ("Over", 0), over, done)
            }
        },
        Right::Road(road) => {
            let result = road.try_recv();
            match received(&mut model.up, peer, result, |got| ("Road", got.0)) {
                Tried::Gone => Right::Done,
                Tried::Next((_, bridge)) => Right::Bridge(bridge),
                Tried::Back(back) => Right::Road(back),
            }
        }
        Right::Fork(fork) => {
            let result = fork.try_offer();
            let name = |got: &offer::Fork| match got {
                offer::Fork::Ask(number, _) => ("Ask", *number),
                offer::Fork::Stay(_) => ("Stay", 0),
                offer::Fork::Turn(number, _) => ("Turn", *number),
                offer::Fork::Stop(_) => ("Stop", 0),
            };
            match received(&mut model.up, peer, result, name) {
                Tried::Gone | Tried::Next(offer::Fork::Stop(_)) => Right::Done,
                Tried::Next(offer::Fork::Ask(_, reply)) => Right::Reply(reply),
                Tried::Next(offer::Fork::Stay(fork)) => Right::Fork(fork),
                Tried::Next(offer::Fork::Turn(_, crossing)) => Right::Crossing(crossing),
                Tried::Back(back) => Right::Fork(back),
            }
        }
        Right::Done => Right::Done,
    }
}

#[test]
fn walks_do_what_the_model_does() {
    let mut steps = 0;
    for seed in 1..=3_000 {
        let mut random = Random::new(seed);
        let (capacity, (one, other)) = match random.below(3) {
            0 => (usize::MAX, walk::unbounded()),
            bound => (bound as usize, walk::bounded(bound as usize)),
        };
        let mut model = Model {
            capacity,
            up: VecDeque::new(),
            down: VecDeque::new(),
            left: None,
            right: None,
        };
        let (mut one, mut other) = (Left::Fork(one), Right::Fork(other));
        while !matches!((&one, &other), (Left::Done, Right::Done)) {
            steps += 1;
            match random.below(200) {
                0 if !matches!(one, Left::Done) => {
                    model.left = Some(one.name());
                    one = Left::Done;
                }
                1 if !matches!(other, Right::Done) => {
                    model.right = Some(other.name());
                    other = Right::Done;
                }
                number if number % 2 == 0 => {
                    let before = one.name();
                    one = try_left(one, &mut model, &mut random);
                    if model.right.is_some() && matches!(one, Left::Done) {
                        model.left.get_or_insert(before);
                    }
                }
                _ => {
                    let before = other.name();
                    other = try_right(other, &mut model, &mut random);
                    if model.left.is_some() && matches!(other, Right::Done) {
                        model.right.get_or_insert(before);
                    }
                }
            }
        }
    }
    assert!(steps > 50_000, "the walks are shorter than they should be");
}

/// Where each side is, as it says itself.
type Place = Arc<Mutex<&'static str>>;

/// A side that blocks. Ends with the error of its peer, or `None` if it came to the end or has left
/// by itself.
fn walk_left(start: left::Fork, mut random: Random, place: &Place) -> Option<PeerLeft> {
    let mut fork = start;
    let at = |name| *place.lock().unwrap() = name;
    let walk = || -> Result<(), PeerLeft> {
        loop {
            at("Fork");
            let leaves = random.below(50) == 0;
            match random.below(10) {
                _ if leaves => return Ok(()),
                0..4 => {
                    let reply = fork.choose(choice::Fork::Ask(random.number()))?;
                    at("Reply");
                    fork = reply.recv()?.1;
                }
                4..6 => fork = fork.choose(choice::Fork::Stay)?,
                6..9 => {
                    let mut crossing = fork.choose(choice::Fork::Turn(random.number()))?;
                    fork = loop {
                        at("Crossing");
                        let road = match crossing.offer()? {
                            offer::Crossing::Back(_, fork) => break fork,
                            offer::Crossing::Onward(road) => road,
                            offer::Crossing::Over(_end) => return Ok(()),
                        };
                        at("Road");
                        let bridge = road.send(random.number())?;
                        at("Bridge");
                        crossing = bridge.recv()?.1;
                    };
                }
                _ => {
                    return fork
                        .choose(choice::Fork::Stop)
                        .map(drop)
                        .map_err(PeerLeft::from);
                }
            }
        }
    };
    walk().err()
}

fn walk_right(start: right::Fork, mut random: Random, place: &Place) -> Option<PeerLeft> {
    let mut fork = start;
    let at = |name| *place.lock().unwrap() = name;
    let walk = || -> Result<(), PeerLeft> {
        loop {
            at("Fork");
            if random.below(50) == 0 {
                return Ok(());
            }
            fork = match fork.offer()? {
                offer::Fork::Ask(_, reply) => {
                    at("Reply");
                    reply.send(random.number())?
                }
                offer::Fork::Stay(fork) => fork,
                offer::Fork::Turn(_, mut crossing) => loop {
                    at("Crossing");
                    let onward = match random.below(10) {
                        0 => {
                            let end = crossing.choose(choice::Crossing::Over);
                            return end.map(drop).map_err(PeerLeft::from);
                        }
                        1..4 => crossing.choose(choice::Crossing::Onward)?,
                        _ => break crossing.choose(choice::Crossing::Back(random.number()))?,
                    };
                    at("Road");
                    let bridge = onward.recv()?.1;
                    at("Bridge");
                    crossing = bridge.send(random.number())?;
                },
                offer::Fork::Stop(_end) => return Ok(()),
            };
        }
    };
    walk().err()
}

#[test]
fn walks_of_two_threads_end_and_say_where_the_peer_was() {
    ends(|| {
        let mut errors = 0;
        for seed in 1..=1_000 {
            let (one, other) = if seed % 2 == 0 {
                walk::unbounded()
            } else {
                walk::bounded(1)
            };
            let places = [Place::default(), Place::default()];
            let of_right = places[1].clone();
            let right =
                thread::spawn(move || walk_right(other, Random::new(seed * 2 + 1), &of_right));
            let left = walk_left(one, Random::new(seed * 2), &places[0]);
            let right = right.join().unwrap();
            for (error, place) in [(left, &places[1]), (right, &places[0])] {
                if let Some(error) = error {
                    errors += 1;
                    assert_eq!(error.step(), *place.lock().unwrap());
                }
            }
        }
        assert!(errors > 100, "most walks are left in the middle");
    });
}
