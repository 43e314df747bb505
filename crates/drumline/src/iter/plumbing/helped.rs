//! Loops that somebody helps, and those who help: compiled once for all loops, see [`steps`](super::steps).

use super::pace::Pace;
use super::steps::{Standing, Steps};
use crate::join::{self, Fate, Watch};
use crate::sync::Instant;

/// A fresh part that another thread may take. (And that is all which it does with it: see [`Steps::elsewhere`].)
pub(super) struct Offered<'a>(&'a mut (dyn Steps + 'a));

// SAFETY: what is offered is fresh, so it has items and a consumer, which are `Send`, and no folder, which may be not.
// The thread that takes it calls `elsewhere` alone, once: that moves the part away, and brings back the result, which
// is `Send`, too, or nothing.
unsafe impl Send for Offered<'_> {}

impl<'a> Offered<'a> {
    pub(super) fn new(fresh: &'a mut (dyn Steps + 'a)) -> Self {
        debug_assert!(matches!(fresh.standing(), Standing::Fresh | Standing::Full));
        Offered(fresh)
    }

    pub(super) fn elsewhere(self, through: &mut dyn FnMut(&mut dyn Steps)) {
        self.0.elsewhere(through);
    }
}

/// Goes on with `own` while `other` is on offer. Returns whether that has been taken. Both are
/// closed then, `own` before the wait.
fn offer<'a, 'o>(
    other: &'a mut (dyn Steps + 'a),
    own: &'o mut (dyn Steps + 'o),
    min: usize,
    go_on: impl FnOnce(&mut dyn Steps, Watch<'_>),
) -> bool {
    let theft = move |other: Offered<'_>| other.elsewhere(&mut |part| stolen(part, min));
    let go_on = |own: &'o mut (dyn Steps + 'o), watch: Watch<'_>| {
        go_on(&mut *own, watch);
        own
    };
    let close = |own: &'o mut (dyn Steps + 'o)| {
        own.close();
        own
    };
    let (_, fate) = join::offer_calmly(Offered::new(other), own, go_on, theft, close);
    matches!(fate, Fate::Done(()))
}

/// A part that another thread than its loop's has taken. Its last item comes first: those at the
/// end of a loop are the ones that everybody waits for, and where cost grows with the index they
/// are the dearest (longest processing time first: Graham 1969).
pub(super) fn stolen(part: &mut dyn Steps, min: usize) {
    let pace = part.pace(min);
    match part.len() {
        Some(len) if len > 2 && len / 2 >= min => {
            part.split(len - min, &pace, &mut |rest, last| {
                if !offer(rest, last, min, |last, _| last.fold()) {
                    // SAFETY: they come from one split.
                    unsafe { rest.succeed(last) };
                    rest.lazy(pace);
                }
            });
        }
        _ => part.lazy(pace),
    }
}

/// Goes through the items of `part`, which can be of any size: as long as nothing is known about
/// them, no more than one is not on offer. It is open or closed then.
pub(super) fn nested(part: &mut dyn Steps, pace: &mut Pace, watch: &Watch<'_>) {
    loop {
        match part.standing() {
            Standing::Closed => return,
            Standing::Full => return part.fold(),
            Standing::Fresh | Standing::Open => {}
        }
        if pace.run > 1 || pace.nested == 0 {
            return helped(part, pace, watch);
        }
        if part.at_most(pace.run) {
            let start = pace.is_timed().then(Instant::now);
            part.fold();
            match start {
                Some(start) => pace.learn_since(start),
                None => pace.learn_nothing(),
            }
            return;
        }
        let now = *pace;
        let is_split = part.split(0, &now, &mut |own, other| {
            let is_taken = offer(other, own, pace.min, |own, watch| {
                pace.nested -= 1;
                nested(own, pace, &watch);
                pace.nested += 1;
            });
            if !is_taken && own.standing() == Standing::Closed {
                other.lazy(*pace);
            }
        });
        if !is_split {
            return helped(part, pace, watch);
        }
    }
}

/// Goes through the items of `part` in runs, where somebody helps: so the rest of the part is on offer during every
/// run. It is open or closed then.
pub(super) fn helped(part: &mut dyn Steps, pace: &mut Pace, watch: &Watch<'_>) {
    loop {
        match part.standing() {
            Standing::Closed => return,
            Standing::Full => return part.fold(),
            Standing::Open if watch.is_taken() && join::has_room() => return alone(part, *pace),
            _ => {}
        }
        if part.at_most(pace.run) {
            return part.fold();
        }
        let start = Instant::now();
        if part.len().is_some() {
            part.split(pace.run, pace, &mut |run, rest| {
                offer(rest, run, pace.min, |run, _| run.fold());
            });
        } else {
            part.fold_run(pace);
        }
        pace.learn_since(start);
    }
}

/// The rest of a part whose offer is gone.
fn alone(part: &mut dyn Steps, pace: Pace) {
    let fresh = part.pace(pace.min);
    part.lazy(Pace {
        run: pace.run.min(fresh.run),
        whole: pace.whole,
        // Each taken offer is a level deeper on the stack, which may be one for every node of a tree.
        nested: pace.nested.min(1),
        ..fresh
    });
}
