//! A consumer that stays aside: it *watches* a stage with a blind source, and works when that is of
//! use.
//!
//! Where items take nanoseconds, a hand-over between two threads costs more than many of them.
//! Where items are rare, one consumer is enough. In both cases a second consumer stays aside. It
//! looks now and then how far the pulls have come, and comes forward
//!
//! * when the consumer at work is held up by an item or a result, and pulls no more;
//! * when items are not as short as that, and come without waiting;
//! * when the consumer at work is overloaded (`Desk::beckon`).
//!
//! The naps grow longer. When a pull has waited for [`SILENCE`], the consumer that watches leaves:
//! no thread wakes up while the source is silent. Its note (`Held::leave_unwatched`) makes the end
//! of that pull call another one.
//!
//! # The race feared
//!
//! *It sleeps on, and the stage has ended*, or a consumer is overloaded. Both are said under the
//! lock of the desk, with a wake-up if a consumer is aside (`Desk::beckon`). The consumer asks
//! under that lock before each nap, and a wake-up between the question and the nap is kept by the
//! parker.

use std::time::Duration;

use super::source::Source;
use super::stage::Stage;
use super::work::Work;
use crate::sync::Instant;
use crate::wait;

/// Items that take less than this are not worth a second thread.
const QUICK: Duration = Duration::from_nanos(400);

/// The first nap; the longest one while items are handled: that long may an item hold up all
/// others.
const FIRST_NAP: Duration = Duration::from_micros(50);
const LAST_NAP: Duration = Duration::from_millis(1);

/// The longest nap while a pull waits.
const LAST_SILENT_NAP: Duration = Duration::from_millis(20);

/// A source that has given nothing for this time is silent.
const SILENCE: Duration = Duration::from_millis(50);

impl<S: Source, W: Work<S::Item>> Stage<S, W> {
    /// A consumer that is not at work stays aside until it is of use. `true`: it is at work again.
    /// `false`: it is to leave.
    pub(super) fn watch(&self) -> bool {
        let desk = &self.desk;
        if !desk.step_aside() {
            return false;
        }
        let mut nap = FIRST_NAP;
        let mut silence = Duration::ZERO;
        let mut before = self.source.pulls();
        while !desk.is_beckoned() && !self.is_cancelled() {
            let begun = Instant::now();
            wait::blocking(|| desk.nap_aside(nap));
            let took = begun.elapsed();
            let now = self.source.pulls();
            let items = u32::try_from(now.since(before)).unwrap_or(u32::MAX);
            before = now;
            if now.is_pulling() {
                silence = if items == 0 {
                    silence + took
                } else {
                    Duration::ZERO
                };
                if silence >= SILENCE {
                    // First: a pull that ends from now on finds no consumer aside, or finds the
                    // note.
                    if desk.watch_no_more() {
                        // Another consumer may be aside by now: its place there is its own.
                        return !self.source.leave_unwatched(now) && desk.join_in();
                    }
                    break;
                }
                nap = (nap * 2).min(LAST_SILENT_NAP);
            } else if items == 0 || took / items > QUICK {
                break;
            } else {
                nap = (nap * 2).min(LAST_NAP);
            }
        }
        desk.come_forward()
    }
}
