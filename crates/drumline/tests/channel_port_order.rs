//! Order through a port set: what it relaxes, and what closing restores. Each send is a step of the
//! test, so the order of all that happens is known.

use drumline::channel::{CloseReason, PortEvent, PortKey, PortSet, SendError, spsc};

/// A sends to C and then to B, which replies to C.
struct Triangle {
    set: PortSet<&'static str>,
    of_a: spsc::Sender<&'static str>,
    of_b: spsc::Sender<&'static str>,
    a: PortKey,
    b: PortKey,
}

/// `b_is_first`: the set looks at the port of B before that of A.
fn triangle(b_is_first: bool) -> Triangle {
    let (of_a, from_a) = spsc::unbounded();
    let (of_b, from_b) = spsc::unbounded();
    let mut set = PortSet::biased();
    let (a, b) = if b_is_first {
        let b = set.add(from_b);
        (set.add(from_a), b)
    } else {
        (set.add(from_a), set.add(from_b))
    };
    Triangle {
        set,
        of_a,
        of_b,
        a,
        b,
    }
}

impl Triangle {
    /// A sends the cause to C, then a message to B; B receives it, and replies to C.
    fn step(&mut self) {
        let (mut to_b, mut at_b) = spsc::unbounded();
        self.of_a.send("cause").unwrap();
        to_b.send("go").unwrap();
        assert_eq!(at_b.recv(), Ok("go"));
        self.of_b.send("effect").unwrap();
    }
}

#[test]
fn an_effect_may_come_before_its_cause() {
    let mut triangle = triangle(true);
    triangle.step();
    let Triangle { mut set, a, b, .. } = triangle;
    assert_eq!(set.recv(), Ok(PortEvent::Message(b, "effect")));
    assert_eq!(set.recv(), Ok(PortEvent::Message(a, "cause")));
}

/// A fair set as well: it stays at the port that has the turn.
#[test]
fn an_effect_may_come_before_its_cause_in_a_fair_set() {
    let (mut of_a, from_a) = spsc::unbounded();
    let (mut of_b, from_b) = spsc::unbounded();
    let mut set = PortSet::new();
    let (_a, b) = (set.add(from_a), set.add(from_b));
    of_b.send("before").unwrap();
    assert_eq!(set.recv(), Ok(PortEvent::Message(b, "before")));
    of_a.send("cause").unwrap();
    of_b.send("effect").unwrap();
    assert_eq!(set.recv(), Ok(PortEvent::Message(b, "effect")));
}

/// Each message of A comes before the end of A, whatever came of B meanwhile.
#[test]
fn the_end_of_a_port_comes_after_all_causes() {
    for b_is_first in [true, false] {
        let mut triangle = triangle(b_is_first);
        triangle.step();
        let Triangle {
            mut set,
            of_a,
            of_b,
            a,
            ..
        } = triangle;
        of_a.finish();
        let mut causes = 0;
        loop {
            match set.recv().unwrap() {
                PortEvent::Message(port, _) if port == a => causes += 1,
                PortEvent::Message(..) => {}
                PortEvent::Closed(port, reason) => {
                    assert_eq!((port, reason), (a, CloseReason::Finished));
                    break;
                }
            }
        }
        assert_eq!(causes, 1);
        drop(of_b);
    }
}

/// A set that drains has the cause of each effect that it has, and no later one.
#[test]
fn a_drain_has_the_causes_of_what_it_has() {
    for b_is_first in [true, false] {
        let mut triangle = triangle(b_is_first);
        triangle.step();
        let Triangle {
            mut set,
            mut of_a,
            mut of_b,
            a,
            b,
        } = triangle;
        let events = Vec::from_iter(set.drain());
        assert!(events.contains(&PortEvent::Message(a, "cause")));
        assert!(events.contains(&PortEvent::Message(b, "effect")));
        let is_end = |event: &&PortEvent<_>| matches!(event, PortEvent::Closed(..));
        assert_eq!(events.iter().filter(is_end).count(), 2);
        assert_eq!(of_a.send("late"), Err(SendError("late")));
        assert_eq!(of_b.send("late"), Err(SendError("late")));
        // Nothing follows: C has received all that there is.
        assert!(set.recv().is_err());
    }
}
