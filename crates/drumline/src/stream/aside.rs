//! A consumer that stays aside: it *watches* a stage, and works when that is of use.
//!
//! Nothing foretells that an item takes long. So while consumers are at work, and there may be one
//! more of them, that one stays aside.
//!
//! # Over a blind source
//!
//! Where items take nanoseconds, a hand-over between two threads costs more than many of them.
//! Where items are rare, one consumer is enough. In both cases a second consumer stays aside. It
//! looks now and then how far the pulls have come, and comes forward
//!
//! * when the consumer at work is held up by an item or a result, and pulls no more;
//! * when items are not as short as that, and come without waiting;
//! * when items lie in the [`pocket`](super::pocket), and the pull after them waits;
//! * when the consumer at work is overloaded (`StageState::beckon`).
//!
//! The naps grow longer. When a pull has waited for [`SILENCE`], the consumer that watches leaves:
//! no thread wakes up while the source is silent. Its note (`HeldSource::leave_unwatched`) makes
//! the end of that pull call another one.
//!
//! # Over another source
//!
//! There each pull ends under the lock of the stage state, and so all of this is under that lock;
//! see `stage_state::watch`. Items that are there are pulled at once, or a consumer is overloaded
//! and says so. So the one that is aside comes forward for nothing else but a hold-up, which no
//! thread announces. Its naps are rare.
//!
//! # The races feared
//!
//! *It is needed elsewhere.* A job that only its thread can run (a share of a broadcast) wakes it.
//! It leaves then, and calls another consumer if one is to be aside. A consumer that waits in the
//! source while another is at work looks for such a job now and then (`StageConsumer::wait_in`).
//!
//! *It sleeps on, and the stage has ended*, or a consumer is overloaded. Both are said under the
//! lock of the stage state, with a wake-up if a consumer is aside (`StageState::beckon`). The
//! consumer asks under that lock before each nap, and a wake-up between the question and the nap is
//! kept by the parker.

use std::time::Duration;

use super::executor::Executor;
use super::source::Source;
use super::stage::Stage;
use super::stage_state::Look;
use super::work::Work;
use crate::sync::{Arc, Instant};
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

/// Over a source that is not blind: the first nap, and the longest one.
const NAPS: [Duration; 2] = [Duration::from_millis(8), Duration::from_millis(64)];

/// The factor from one nap to the next.
const GROWTH: u32 = 8;

impl<'s, S, W> Stage<S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    /// A consumer that is not at work stays aside, over a source that is not blind. `true`: it is
    /// at work again. `false`: it is to leave.
    pub(super) fn stay_aside(self: &Arc<Self>, executor: &(dyn Executor<'s> + Sync)) -> bool {
        let stage_state = &self.stage_state;
        let Some(mut watch) = stage_state.begin_watch() else {
            return false;
        };
        let mut nap = Duration::ZERO;
        loop {
            let [first, last] = NAPS;
            nap = (nap * GROWTH).clamp(first, last);
            let woken = wait::blocking(|| stage_state.nap_aside(nap, executor.has_caller()));
            if self.is_sent_away(executor) {
                return false;
            }
            let look = stage_state.look(&mut watch, (!woken).then_some(nap));
            if let Some(stats) = &self.settings.stats {
                stats.napped(!woken && look == Look::Work);
            }
            match look {
                Look::Stay => {}
                Look::Work => return true,
                Look::Leave => return false,
            }
        }
    }

    /// A consumer that is not at work stays aside until it is of use. `true`: it is at work again.
    /// `false`: it is to leave.
    pub(super) fn watch(self: &Arc<Self>, executor: &(dyn Executor<'s> + Sync)) -> bool {
        let stage_state = &self.stage_state;
        if !stage_state.step_aside() {
            return false;
        }
        let mut nap = FIRST_NAP;
        let mut silence = Duration::ZERO;
        let mut before = self.source.pulls();
        while !stage_state.is_beckoned() && !self.is_cancelled() {
            let begun = Instant::now();
            wait::blocking(|| stage_state.nap_aside(nap, executor.has_caller()));
            let took = begun.elapsed();
            if self.is_sent_away(executor) {
                return false;
            }
            let now = self.source.pulls();
            let items = u32::try_from(now.since(before)).unwrap_or(u32::MAX);
            before = now;
            if now.is_pulling() {
                silence = if items == 0 {
                    silence + took
                } else {
                    Duration::ZERO
                };
                // What was pulled ahead is for those at hand, and none of them has come.
                if items == 0 && self.pocket.look().len() > 0 {
                    break;
                }
                if silence >= SILENCE {
                    // First: a pull that ends from now on finds no consumer aside, or finds the
                    // note.
                    if stage_state.watch_no_more() {
                        // Another consumer may be aside by now: its place there is its own.
                        return !self.source.leave_unwatched(now) && stage_state.join_in();
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
        stage_state.come_forward()
    }

    /// The thread of a consumer that is aside has a job that no other can run. So the consumer
    /// leaves, and calls another.
    fn is_sent_away(self: &Arc<Self>, executor: &(dyn Executor<'s> + Sync)) -> bool {
        let leaves = executor.is_sent_for();
        if leaves && self.stage_state.give_up_watch() {
            self.call(executor);
        }
        leaves
    }
}
