//! Waking the threads that the idle set chooses, and what else it decides.

use super::registry::Registry;
use super::scan::Scan;
use super::seat::Seat;
use crate::pool::deque::Reasons;
use crate::pool::idle::wake_backoff::WakeCost;
use crate::pool::idle::{Role, Wake};
use crate::pool::observe::warning::Warning;
use crate::sync::Instant;
use crate::unwind;

impl Registry {
    /// A worker becomes active to do what only it can do.
    pub(crate) fn begin(&self, seat: &Seat) {
        seat.begin();
        self.wake(self.idle_set().begin(seat.index(), carry_mark(seat)));
    }

    /// A worker's sleep ended. If it was called to help, its deque is in use from now on.
    pub(crate) fn woken(&self, seat: &Seat) -> Role {
        seat.begin();
        let role = self.idle_set().woken(seat.index(), carry_mark(seat));
        if role != Role::Work {
            seat.handshake().end();
        }
        role
    }

    /// Wakes up to `count` idle workers, for which there is work, besides the searcher.
    pub(crate) fn call_helpers(&self, count: usize) {
        if count > 0 && self.idle_set().has_room_for_helpers() {
            for helper in self.idle_set().call_helpers(count) {
                self.wake(Wake::One(helper));
            }
        }
    }

    /// A worker has arrived, and is active at once: it has handlers to run.
    pub(crate) fn begin_first(&self, seat: &Seat) {
        seat.begin();
        let admit = carry_mark(seat);
        let work = || self.has_work();
        self.wake(self.idle_set().arrive_active(seat.index(), admit, &work));
    }

    /// Wakes the thread that the idle set chose. The caller may be anywhere between a push and its
    /// pop, so nothing unwinds from here.
    pub(crate) fn wake(&self, wake: Wake) {
        if wake != Wake::None {
            unwind::never(|| self.wake_now(wake));
        }
    }

    fn wake_now(&self, wake: Wake) {
        match wake {
            Wake::None => {}
            Wake::One(index) => {
                self.count_call(index);
                let begun = Instant::now();
                if self.seat(index).parker().call() {
                    WakeCost::here().learn(begun.elapsed());
                }
            }
            Wake::All => {
                for index in self.worker_list().with(<[usize]>::to_vec) {
                    self.seat(index).parker().unpark();
                }
                self.spares().with(|spares| {
                    for &index in spares {
                        self.seat(index).parker().unpark();
                    }
                });
            }
            Wake::StartWorker => self.thread_requests().start_spares(self),
            Wake::Mark => {
                if self.mark_and_scan() != Scan::Nothing {
                    self.wake(self.idle_set().summon());
                }
            }
            Wake::ThreadLimit => self.limit_reached(),
            Wake::NoMonitor => self.monitor_is_gone(),
        }
    }

    /// How many threads the pool may have, spares included: at least as many
    /// as jobs, whatever was said.
    pub(crate) fn max_threads(&self) -> usize {
        self.limit().max_threads(self.jobs())
    }

    /// A thread that blocks cannot be replaced, because of the limit: warns,
    /// once until a spare is to be had (`ThreadLimit::forget_warnings`), or until the pool has been
    /// at rest. Not to be called with the lock of the idle set held.
    #[cold]
    pub(crate) fn limit_reached(&self) {
        if !self.limit().is_news(self.idle_set().spells()) {
            return;
        }
        let workers = self.blocked();
        self.hooks().warn(Warning::LimitReached {
            limit: self.max_threads(),
            blocked: workers.len(),
            workers,
        });
    }

    /// The blocked threads are replaced, but a further one that blocks without a word is not
    /// noticed, because of the limit: warns, as often as [`limit_reached`](Self::limit_reached)
    /// does. Not to be called with the lock of the idle set held.
    #[cold]
    pub(crate) fn monitor_is_gone(&self) {
        if !self.limit().is_news_of_monitor(self.idle_set().spells()) {
            return;
        }
        let workers = self.blocked();
        self.hooks().warn(Warning::NoMonitor {
            limit: self.max_threads(),
            blocked: workers.len(),
            workers,
        });
    }

    /// The names of the threads that are blocked now.
    pub(crate) fn blocked(&self) -> Vec<String> {
        let (_, displaced) = self.idle_set().active_and_displaced();
        let is_blocked = |seat: &&Seat| seat.is_blocked() || displaced.contains(&seat.index());
        let blocked = self.seats().filter(is_blocked);
        blocked.map(|seat| seat.block_state().name()).collect()
    }
}

/// What is done under the lock of the idle set when a deque enters use: it carries the mark if the
/// pool is marked.
pub(super) fn carry_mark(seat: &Seat) -> impl FnOnce(bool) {
    move |marked| {
        if marked {
            seat.ask(Reasons::WAKE_REQUESTED);
        }
    }
}
