//! What a supervised actor knows of its supervisor, and what its runs do about restarts.

use std::cell::Cell;
use std::ptr::{self, NonNull};

use super::failure::{Failure, FailureOutcome};
use super::node::{ChildKey, NodeId};
use super::supervision_tree::SupervisionTree;
use crate::actor::attached;
use crate::actor::mail::Envelope;
use crate::actor::mailbox::MailLink;
use crate::actor::memory::{ActorCore, ActorTable, ChildTable, CoreRef, RunFrame, RunRequest};
use crate::actor::system::trace;
use crate::sync::Arc;
use crate::unwind::{self, Payload};

/// What the supervisor of an actor knows it by.
pub(crate) struct ChildPart {
    tree: Arc<SupervisionTree>,
    number: u64,
    node: NodeId,
    /// Used by the run.
    pub(super) has_state: Cell<bool>,
    /// The notice that has the run make the state; null when that has started. Used by the run.
    notice: Cell<*const MailLink>,
    /// There is no nudge from the notice to here, nor behind it when this was written.
    without_nudges: Cell<*const MailLink>,
}

impl ChildPart {
    /// The part of an actor whose mailbox has `notice` in front.
    pub(super) fn new(
        tree: Arc<SupervisionTree>,
        key: ChildKey,
        notice: NonNull<Envelope>,
    ) -> Self {
        ChildPart {
            tree,
            number: key.number,
            node: key.node,
            has_state: Cell::new(false),
            notice: Cell::new(Envelope::link(notice)),
            without_nudges: Cell::new(Envelope::link(notice)),
        }
    }

    /// A new state has started.
    pub(super) fn has_revived(&self) {
        self.notice.set(ptr::null());
    }

    fn key(&self) -> ChildKey {
        ChildKey {
            node: self.node,
            number: self.number,
        }
    }
}

/// The part of a supervised actor.
///
/// # Safety
///
/// The actor is alive, at least for `'a`.
unsafe fn part_of<'a>(core: *const ActorCore) -> Option<(&'a ChildPart, &'a ChildTable)> {
    // SAFETY: the caller's obligation.
    let table = unsafe { (*core).table };
    let child = table.child.as_ref()?;
    // SAFETY: the table is that of the actor, and gives such a part.
    Some((unsafe { &*(child.part)(core).cast() }, child))
}

/// An actor has ended: its supervisor, if there is one, lets go of it.
///
/// # Safety
///
/// The caller is the run that ends the actor, and has a reference.
pub(crate) unsafe fn has_ended(frame: &mut RunFrame) {
    let core = frame.core;
    // SAFETY: the reference keeps the actor.
    let Some((part, child)) = (unsafe { part_of(core) }) else {
        return;
    };
    // SAFETY: the run has the factory.
    frame.report_panic(|frame| unsafe { (child.drop_factory)(frame.core) });
    part.tree.ended(part.key());
}

impl RunFrame {
    /// A panic has come out of the run. Puts the actor aside if its supervisor may start it again;
    /// it may be gone then. Otherwise the panic comes back, and the actor is to be ended.
    ///
    /// # Safety
    ///
    /// The frame is that of a run.
    #[cold]
    pub(crate) unsafe fn fail(&mut self, payload: Payload) -> Option<Payload> {
        let core = self.core;
        // SAFETY: the actor is alive: this is its run.
        let actor = unsafe { &*core };
        let says = unwind::message(&*payload).unwrap_or("a payload that is no text");
        let failure = Failure::new(
            actor.name(),
            self.failed_message.take().map(|name| name()),
            says.to_owned(),
        );
        let request = std::mem::replace(&mut self.request, RunRequest::Nothing);
        // SAFETY: the frame is that of a run.
        unsafe { attached::state_ended(self, Some(says)) };
        // SAFETY: the actor is alive.
        let child = unsafe { part_of(core) };
        let Some((part, child)) = child else {
            self.tell_failure(&failure, FailureOutcome::Ends);
            return Some(payload);
        };
        if actor.word.is_killed() || request == RunRequest::Stop {
            self.tell_failure(&failure, FailureOutcome::Ends);
            return Some(payload);
        }
        let directive = part
            .tree
            .decide(part.node, &failure, |panic| self.report(panic));
        trace::event(actor, "an actor has failed");
        self.report(payload);
        // SAFETY: the run has the state.
        self.report_panic(|frame| unsafe { (frame.table().drop_state)(frame.core) });
        let has_started = part.notice.get().is_null();
        // SAFETY: the frame is that of a run, and the state is gone.
        unsafe { self.leave_to_supervisor(part, child) };
        // From the next step on, other threads may run the actor, end it and free it.
        let tree = Arc::clone(&part.tree);
        actor.word.add_ref();
        // The pointer is that to the whole cell, which this reference may free.
        //
        // SAFETY: counted just now.
        let _kept = unsafe { CoreRef::from_raw(NonNull::new_unchecked(core.cast_mut())) };
        actor.word.note_panic();
        let plan = tree.failed(part.key(), directive, has_started);
        self.tell_failure(&failure, plan.outcome());
        plan.carry_out(&tree);
        None
    }

    /// The actor is to be put aside because of another one. It may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The frame is that of a run which has found RESTART. The envelope at hand is not open.
    #[cold]
    pub(crate) unsafe fn put_aside_for_restart(&mut self) {
        // SAFETY: the actor is alive: this is its run. Only supervisors set RESTART.
        let (part, child) = unsafe { part_of(self.core) }.expect("it has a supervisor");
        // SAFETY: the actor is alive.
        if unsafe { (*self.core).word.has_started() } {
            // SAFETY: the run has the state.
            self.report_panic(|frame| unsafe { (frame.table().stopped)(frame) });
        }
        self.request = RunRequest::Nothing;
        // SAFETY: the run has the state.
        self.report_panic(|frame| unsafe { (frame.table().drop_state)(frame.core) });
        // SAFETY: the frame is that of a run.
        unsafe { attached::state_ended(self, None) };
        // SAFETY: the frame is that of a run, and the state is gone.
        unsafe { self.leave_to_supervisor(part, child) };
        let tree = Arc::clone(&part.tree);
        tree.is_aside(part.key()).carry_out(&tree);
    }

    fn table(&self) -> &'static ActorTable {
        // SAFETY: the actor is alive as long as its run.
        unsafe { (*self.core).table }
    }

    /// Leaves the mailbox for a run that begins with a new state.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, and the state is gone.
    unsafe fn leave_to_supervisor(&mut self, part: &ChildPart, child: &ChildTable) {
        // SAFETY: the actor is alive.
        let actor = unsafe { &*self.core };
        actor.word.restart();
        if let Some(stash) = actor.extra.as_ref().and_then(|extra| extra.stash.as_ref()) {
            // The new state knows nothing of them.
            //
            // SAFETY: this is the run.
            for link in unsafe { stash.take() }.into_iter().rev() {
                // SAFETY: the stash had the envelope, which is for this actor and not open.
                unsafe { self.put_front(link) };
            }
        }
        if ptr::eq(self.at_hand, part.notice.get()) {
            // No state has started since. The notice is opened again, and the nudges go by which
            // siblings have asked for a restart: the mailbox would grow as long as factories panic.
            self.is_open = false;
            // SAFETY: nothing behind the notice has been opened since that was written.
            let to = unsafe { RunFrame::drop_nudges(part.without_nudges.get()) };
            part.without_nudges.set(to);
        } else {
            let notice = (child.first)();
            // SAFETY: the notice is fresh, and for an actor of this type.
            unsafe { self.put_front(notice) };
            part.notice.set(notice);
            part.without_nudges.set(notice);
        }
        self.request = RunRequest::Nothing;
        // SAFETY: this is the run, and that is what the next one is to come to.
        unsafe { actor.mailbox.requeue(self.at_hand) };
    }

    fn tell_failure(&self, failure: &Failure, outcome: FailureOutcome) {
        // SAFETY: the actor is alive: this is its run, or has put it aside.
        let system = unsafe { &(*self.core).system };
        if let Err(panic) = unwind::catch(|| system.tell_failure(failure, outcome)) {
            self.report(panic);
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::panic::resume_unwind;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
    use std::sync::mpsc::{self, Sender};
    use std::time::Duration;

    use super::*;
    use crate::Pool;
    use crate::actor::mailbox::Mailbox;
    use crate::actor::{Actor, ActorSystem, Context, Handler, Strategy, SupervisorOptions};

    const LONG: Duration = Duration::from_secs(3_600);

    /// Crashes when it is told so.
    struct Crasher;

    impl Actor for Crasher {}

    impl Handler<bool> for Crasher {
        type Reply = ();

        fn handle(&mut self, crashes: bool, _: &mut Context<Self>) {
            if crashes {
                resume_unwind(Box::new("on purpose"));
            }
        }
    }

    /// A factory that panics as long as `failures` says. After that it tells how many envelopes are
    /// in the mailbox; its first state is made before there is an address.
    fn factory(
        core: &Arc<AtomicPtr<ActorCore>>,
        failures: usize,
        lengths: &Sender<usize>,
    ) -> impl FnMut() -> Crasher + Send + 'static {
        let (core, lengths) = (Arc::clone(core), lengths.clone());
        let left = AtomicUsize::new(failures);
        move || {
            let core = core.load(Ordering::Acquire).cast_const();
            if core.is_null() {
                return Crasher;
            }
            // Relaxed: a count that the run of the actor alone uses.
            let count_down = |left: usize| left.checked_sub(1);
            if left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down)
                .is_ok()
            {
                resume_unwind(Box::new("on purpose"));
            }
            // SAFETY: the factory is called by the run of this actor.
            let mut next = Some(unsafe { (*core).mailbox.first() });
            let mut length = 0;
            while let Some(link) = next {
                length += 1;
                // SAFETY: as above; the link is the one at hand, or one behind it.
                next = unsafe { Mailbox::next(link) };
            }
            lengths.send(length).unwrap();
            Crasher
        }
    }

    #[test]
    fn failed_revivals_leave_nothing_in_a_mailbox() {
        const FAILURES: usize = if cfg!(miri) { 20 } else { 1_000 };
        let pool = Pool::builder().jobs(1).panic_handler(|_| {});
        let pool = pool.build().unwrap();
        let system = ActorSystem::new(&pool);
        for strategy in [Strategy::OneForOne, Strategy::OneForAll] {
            let options = SupervisorOptions::new().strategy(strategy);
            let supervisor = system.supervisor(options.max_restarts(usize::MAX, LONG));
            let (send, lengths) = mpsc::channel();
            let actors = [FAILURES, 0].map(|failures| {
                let core = Arc::new(AtomicPtr::default());
                let actor = supervisor.spawn(factory(&core, failures, &send));
                actor.ask(false).recv().unwrap();
                (actor, core)
            });
            for (actor, core) in &actors {
                core.store(actor.core().as_ptr().as_ptr(), Ordering::Release);
            }
            let [(first, _), (second, _)] = &actors;
            second.tell(false).unwrap();
            first.tell(true).unwrap();
            first.ask(false).recv().unwrap();
            second.ask(false).recv().unwrap();
            // The notice, the messages, and a nudge or two.
            let lengths: Vec<_> = lengths.try_iter().collect();
            assert!(!lengths.is_empty());
            assert!(lengths.iter().all(|length| *length <= 6), "{lengths:?}");
            supervisor.stop();
        }
    }
}
