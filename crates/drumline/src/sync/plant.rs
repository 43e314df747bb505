//! Planted bugs: each model is run once with its bug switched on, and must
//! then fail. A model that cannot fail proves nothing.

use std::cell::Cell;
use std::thread::LocalKey;

/// The bugs that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plant {
    /// `barrier::heavy` does nothing.
    NoHeavyBarrier,
    /// `BarrierSequence::run` is content with a barrier that had begun before.
    EarlierBarrierServes,
    /// `SpinLock` lets every thread in.
    SpinLockOpen,
    /// `SpinGuard` unlocks without publishing.
    UnlockRelaxed,
    /// `SharedWords::set` writes over words that are there to be read.
    WordsUncleared,
    /// `SharedWords::set` runs no fence before it writes.
    WordsUnfenced,

    /// `Deque::push` loads `limit` before the entry is visible.
    LimitBeforeEntry,
    /// `Deque::reclaim` lowers `head` without the thief-lock.
    LowerHeadUnlocked,
    /// `Deque::confirm` does not step back when it claimed too much.
    ClaimTooMuch,
    /// `Deque::confirm` confirms whatever claim is pending.
    ConfirmAny,
    /// `Deque::steal` takes what another thief has claimed before that thief's barrier is done.
    TakeClaimed,
    /// `Deque::release` leaves `taken` where it is.
    ReleaseKeepsTaken,
    /// `Deque::ask` writes the reason after the limit.
    ReasonAfterLimit,
    /// `Deque::take_reasons` takes the reasons before it resets the limit.
    ReasonsBeforeLimit,
    /// `Deque::attend` leaves the undone push visible: no clamp in `confirm`.
    ScratchVisible,

    /// `Deque::share` exposes what was asked for, pending or not.
    ShareTooMuch,
    /// An owner that settles a claim when it has nothing to share leaves `head` where the claim
    /// was.
    SettledAboveTop,

    /// `Deque::confirm` goes on where the barrier was refused.
    RobUnacknowledged,
    /// A barrier counts as run before the system has answered.
    EarlyBarrierCounts,
    /// `Deque::expose_sleeper` does not ask whether the owner sleeps.
    ExposeAwake,
    /// `Deque::take_reasons` lets an exposing deque have private entries again.
    ExposingForgotten,
    /// `Deque::expose_all` runs no fence.
    ExposeUnfenced,
    /// `Handshake::acknowledge` says so before the deques expose.
    AcknowledgeFirst,
    /// `Handshake::begin` comes after the lock of the idle set.
    BeginLate,
    /// `Handshake::is_settled` takes every owner for one that has acknowledged.
    SettledUnasked,

    /// `Injector::push` says that a slot is written before it is.
    WrittenEarly,
    /// `Injector::take` does not wait for a job that is being written.
    SlotUnread,
    /// `Injector::push` moves the tail to the next block before it says which block that is.
    TailBeforeBlock,
    /// `Injector::withdraw` does not ask whether another job has come.
    WithdrawUnasked,

    /// `JobRing::take` does not win the head.
    JobRingTakenTwice,
    /// `JobRing::push` fills a slot that still has its job.
    JobRingOverfilled,
    /// `JobQueue::take_share_of` does not call `published`.
    ShareUnpublished,
    /// `HandOff::take` does not look whether a thief has claimed the slot.
    HandOffTakenTwice,
    /// `HandOff::steal` takes what its owner may be taking.
    HandOffTurnUnseen,

    /// `Writer::publish` publishes the count, and not the message.
    LaneUnpublished,
    /// `Writer::push_here` does not ask for the cut.
    LaneCutUnasked,
    /// `Reader::close` does not tell a writer that waits for room.
    LaneCutUntold,
    /// `Reader::refresh` looks behind the cut.
    LaneReadsBehindCut,
    /// `Reader::close` does not silence its flag.
    LaneCutUnsilenced,
    /// `Reader::explain` does not look for messages once more.
    LaneEndOvertakes,
    /// `Writer::open` publishes the address of the traffic, and not the traffic.
    LaneOpenedUnseen,
    /// `Writer::push_first` tells only the flag of the traffic of the first message.
    LaneFirstUntold,
    /// `Reader::shut` looks for traffic, and then says that there will never be any.
    LaneShutBlindly,
    /// The writer of a lane comes back to a block that the reader has not emptied.
    LaneComesBackEarly,
    /// The reader of a lane goes on to the next block, though the writer had come back to this one.
    LaneGoesOnEarly,
    /// `Lane::refuses` goes by what the lane says, which comes before what a push looks at.
    LaneRefusesEarly,
    /// `Hub::enlist` does not tell the receiver.
    HubUntold,
    /// `Gatherer::look_last` does not look.
    HubRestsBlindly,
    /// `Once::go` publishes nothing.
    OnceUnpublished,
    /// `Once::list` writes to the slot though the sender may have it.
    OnceSlotUnasked,

    /// `WakeFlag::tell` loads the word, and stores it then.
    FlagToldBlindly,
    /// `WakeFlag::list` does not wait for a waker that is being taken.
    FlagSlotUnasked,
    /// `WakeFlag::announce` runs no barrier where tells are lazy.
    FlagUnsettled,
    /// No barrier is run after `WakeFlag::rouse`.
    FlagRousedUnsettled,
    /// `Interrupt::stop` leaves the token before it sets the note.
    StopTokenFirst,
    /// `Interrupt::wait_with` takes a token that is there, and sleeps then.
    SleepDropsToken,

    /// `IdleSet::is_closed` says no.
    ClosedUnasked,
    /// `Workers::remove` runs no fence.
    RemovalUnfenced,
    /// `Workers::are_gone` says no.
    WorkersUnasked,

    /// `Slot::start` does not win the word.
    StartUnasked,
    /// `Slot::start` goes by the state and ignores the name of the thief.
    StartIgnoresName,
    /// `Slot::take_back` does not win the word.
    TakeBackUnasked,
    /// `Slot::finish` publishes nothing.
    FinishRelaxed,
    /// `Slot::finish` forgets that the owner waits.
    FinishWakesNobody,
    /// `Slot::watch` leaves no note that the owner waits.
    WatchUnnoticed,

    /// `IdleSet::enter`, `add_member` and `add_deque` admit without the mark.
    AdmitUnmarked,
    /// `IdleState::activate` does not list the seat as one in use.
    EntersUnlisted,
    /// `IdleSet::arrive_active` takes care of nothing that relied on its look.
    ArrivesUnseen,
    /// `IdleSet::begin` does not say that the worker's deque must be marked.
    BeginUnmarked,
    /// `IdleSet::summon` keeps `wake_requested` when no worker can be woken.
    SummonKeepsRequest,
    /// `IdleSet::leave` wakes no worker when a place becomes free.
    LeaveWakesNobody,
    /// `IdleSet::rest` does not remember the thread that is going to come back.
    RestForgotten,
    /// `IdleSet::prepare_park` goes to sleep without asking for marks.
    ParksUnmarked,
    /// A searcher scans before it has marked.
    ScanBeforeMark,
    /// `IdleSet::take` does not name a successor, and asks for no marks.
    TakeAlone,
    /// `IdleSet::enqueue_idle` relies on marks that are not out.
    EnqueueSleeps,
    /// `IdleSet::end_if_done` ends a pool that still has work.
    EndsWithWork,
    /// `IdleSet::end_if_done` ends a pool to which a worker is on its way.
    EndsWithoutArrivals,
    /// `IdleSet::close` has no fence between closing and scans for work.
    CloseUnfenced,
    /// `IdleSet::close` calls a pool at rest that a guest is in.
    RestAssumed,
    /// A thread that begins something in a closed pool does not tell the one that drops the handle.
    DropUndisturbed,
    /// A member for good does not ask whether the pool has ended without its work.
    MemberUnasked,
    /// The last to leave a closed pool does not end it.
    EndForgotten,

    /// `IdleSet::set_places` calls no worker for a further place.
    SetPlacesWakesNobody,
    /// `compensate` leaves notes where no thread reads them.
    NoteUnread,
    /// `IdleSet::rest` takes the place away and gives it to no worker.
    PlaceLost,
    /// `IdleSet` never asks for a further worker.
    SpareNotStarted,
    /// `IdleSet::rest` relies on marks where it asks for none.
    FreedUnmarked,
    /// No monitor looks after the threads that have all the places.
    NoMonitor,
    /// `IdleSet::monitor` lets the monitor go without marks.
    MonitorLeavesUnmarked,
    /// `IdleSet::monitor` sends one that was deposed to sleep outside of the idle set.
    DeposedOutOfLine,
    /// `IdleSet::unpark` sends a worker to sleep that finds no free place.
    UnparkSleeps,
    /// `IdleSet` asks for a monitor beyond the limit.
    MonitorBeyondLimit,
    /// `IdleSet` does not wake a waiter that sleeps and would run any job.
    StealerNotCalled,
    /// A waiter that was woken for a job and has something else to do does not pass the call on.
    StealerKeepsCall,
    /// `IdleSet::left` does not ask whether another worker is needed now.
    LeftUnasked,
    /// A thread that lost its place without knowing it gives up another one.
    DisplacedForgotten,
    /// `IdleSet::replace` does not ask whether the thread has its place again.
    ReplaceUnasked,
    /// `IdleSet::quit` lets a worker go that was just chosen.
    QuitAnyway,
    /// `IdleSet::worker_not_started` goes on counting on a worker that will not arrive.
    UnhireForgotten,
    /// `BlockState::lose_place` takes the place of a thread that blocks no more.
    LosePlaceUnasked,
    /// `BlockState::unblock` looks first, and goes on then.
    UnblockTwoSteps,

    /// `TaskWord::take_back` does not win the word.
    TaskBackUnasked,
    /// `TaskWord::finish` publishes nothing.
    TaskFinishRelaxed,
    /// `TaskWord::watch` looks first, and sets WAITING then.
    TaskWatchTwoSteps,
    /// `TaskWord::detach` looks first, and sets DETACHED then.
    TaskDetachTwoSteps,
    /// `WatchSlot::unset` does not ask whether the task has ended.
    UnwatchUnasked,
    /// A handle that names another watcher does not look whether the task has ended.
    WatchAgainBlind,
    /// A thread that is not counted joins the jobs of a scope in two steps.
    ScopeAddsLate,
    /// `FutureWord::wake` does nothing where the future is queued.
    FutureWakeLooksFirst,
    /// `FutureWord::evict` says of a future that it was cancelled before that its pool has ended.
    FutureEvictsCancelled,
    /// `FutureWord::pause` forgets a wake-up that came during the poll.
    FuturePauseForgetsWake,
    /// `FutureWord::resume` takes the note of a wake-up, and does not see what the waker has done.
    FutureResumeBlind,
    /// `FutureWord::finish` forgets the watcher.
    FutureFinishForgetsWatcher,
    /// `FutureWord::drop_ref` goes by the count while the future is polled.
    FutureFreedInPoll,
    /// `FutureWord::pause` does not count the clones on account.
    FutureClonesForgotten,
    /// `FutureWord::drop_ref` frees a future that is not done.
    FutureLastRefForgotten,
    /// `FutureWord::detach` looks first, and clears HANDLE then.
    FutureDetachTwoSteps,
    /// `RefAccount::close` takes what it is worth away before it brings the balance.
    RefAccountClosedInTwoSteps,
    /// `FutureWord::is_alone` does not see what references did that are gone.
    FutureAloneUnsynchronised,
    /// `Countdown::count_down` looks for the sleeper after its step.
    CountThenLook,
    /// `Countdown::count_down` publishes nothing.
    CountRelaxed,

    /// The last job of a scope wakes no thread.
    ScopeWakesNone,
    /// `ScopeState::watch` does not look again whether the scope is done.
    ScopeWatchTwoSteps,
    /// `pool::waiting` sleeps without a look after it has named its sleeper.
    NoLookAfterWatch,
    /// `JobCount::rouse` runs no fence.
    RouseUnfenced,
    /// `Roster::settle` does not wake the caller.
    TeamWakesNone,
    /// `Roster::depart` looks for a part before it takes its tickets back.
    LooksBeforeWithdraw,
    /// `Roster::depart` announces nothing.
    LeavesOpen,
    /// `Roster::add_tickets` runs no fence.
    AnnouncesUnfenced,
    /// A participant of a shared loop splits under the lock of the place.
    SplitsLocked,
    /// A robber puts the rest back without a look whether the owner has come.
    OwnerUnheeded,
    /// `Indices::take` looks first, and sets the bit then.
    IndexTakenTwice,
    /// `Indices::give_back` publishes nothing.
    IndexGivenRelaxed,
    /// `Table::grow` puts its chunk over that of a faster thread.
    ChunkReplaced,
    /// `Table::grow` publishes nothing.
    ChunkRelaxed,
    /// `Slot::fill` publishes nothing.
    SlotFullRelaxed,

    /// A thread that leaves jobs of a scope behind puts no ticket out.
    TicketForgotten,

    /// A thread that waits or yields begins long-lived jobs.
    LongLivedAnywhere,

    /// `StageState::pulled` calls no consumer when there is more.
    OverloadedCallsNobody,
    /// `StageState::pulled` calls no consumer to watch while items take long.
    LengthyUnwatched,
    /// `StageState::rouse_end` does not wake the serial end.
    EndNotRoused,
    /// `StageState::next_or_wake` looks first, and leaves the waker then.
    EndWakerTwoSteps,
    /// `StageState::empty` lets the last consumer go.
    LastConsumerLeaves,
    /// `StageState::next` calls no consumer when there is room again.
    RoomCallsNobody,
    /// `Pocket` hears nothing of a consumer that leaves.
    LeavesUnnoticed,
    /// `Pocket::leave_run` leaves without the lock of the pocket.
    LeavesRunUnlocked,
    /// `Held::with_run` does not see that the run was taken away.
    RunUnchecked,
    /// `StageState::end_run` gives the item at hand no number.
    NothingReserved,
    /// `Held::leave_unwatched` leaves no note.
    WatcherLeavesSilently,
    /// `StageState::others_at_hand` counts the owners of runs that were taken away.
    HeldUpAtHand,
    /// `StageState::wants_watch` and `StageState::pulled` bring no consumer to watch.
    Unwatched,
    /// `StageState::look` lets the consumer leave, and goes on as if it were aside.
    AsideForGood,
    /// `LockedState` releases the lock, and does not wake the consumer that was beckoned.
    BeckonsSilently,
    /// `StageState::go` calls no consumer to watch in place of the serial end.
    EndLeavesUnwatched,
    /// A run that leaves its actor to a future starts the future first.
    HeldTooEarly,
    /// `RunQueue::resize` wakes no thread.
    RunQueueResizesSilently,
    /// `State::leaves_room_at_end` lets the serial end take an item whatever is in flight.
    EndFillsUp,
    /// `ParkedConsumers::call` forgets a call when no consumer sleeps.
    CallNotKept,
    /// `IdleSet::prepare_nap` does not announce the nap.
    NapUnannounced,
    /// `IdleSet::alert` runs no fence.
    AlertUnfenced,
    /// `AlertNeed::begin_change` leaves the need settled while the event looks.
    SettledTooLong,
    /// `IdleSet::woken` and `unpark` do not see that the worker was called to help.
    CallUnseen,
    /// `IdleSet::call_helpers` calls the monitor, which places it has just made free rely on.
    MonitorHelps,

    /// `Schedule::insert` looks whether there is a timer thread, and starts one then.
    TimerStartsTwoSteps,
    /// `Schedule::look` looks first, and says then until when the timer thread sleeps.
    TimerSleepsTwoSteps,
    /// `Schedule::look` looks first, and says then that the timer thread ends.
    TimerEndsTwoSteps,
    /// `Schedule::look` looks whether an entry is due, and takes one out then.
    FiresTwoSteps,
    /// `Schedule::cancel` lets the timer thread sleep until a deadline that was the last.
    LastCancelSilent,
    /// `Schedule::replace` does not say that the timer thread has taken the entry.
    ReplacedTooLate,

    /// `Segments::claim` does not see that receivers sleep.
    ReceiversUnseen,
    /// `Segments::link` moves the tail on before it says which segment is next.
    TailMovesFirst,
    /// `Segments::write` says that a slot is written before it is.
    StampFirst,
    /// `RoomFlag::look` is no read-modify-write where it should be one.
    TakenBlindly,
    /// `SharedQueue::line_up` does not settle.
    RoomUnsettled,
    /// `SharedQueue::line_up` does not look for room after it has lined up.
    LinesUpBlindly,
    /// `SharedQueue::try_send_refused` does not look for room where nothing is in the way any more.
    CalledFull,
    /// `SharedQueue::list_receiver` does not look for a message after it has said that it sleeps.
    ReceiverSleepsBlindly,
    /// `SharedQueue::pass_on` does not wake another receiver.
    CallDropped,
    /// `SharedQueue::end` calls none of those that sleep.
    CloseCallsNone,
    /// `RecvWatch::unlisten` does not pass on what it was called for.
    SelectKeepsCall,
    /// `SendWatch::unlisten` keeps its permit.
    SelectKeepsPermit,
    /// `look_last` of a select does not look, after it has listened.
    SelectSleepsBlindly,

    /// `Mailbox::next_or_idle` looks for a message, and says that there is none then.
    MailboxIdleBlindly,
    /// `Mailbox::next_or_idle` publishes nothing.
    MailboxIdleRelaxed,
    /// `Mailbox::next_or_idle` does not wait for a sender between its two steps.
    MailboxLinkUnawaited,
    /// `Mailbox::put_before` forgets the message at hand, which may be the last one.
    MailboxFrontForgets,
    /// `LifeWord::drop_ref` looks whether the reference is the last one, and drops it then.
    ActorLastRefTwoSteps,
    /// `LifeWord::drop_ref` gives the last reference to no message.
    ActorLastRefGone,
    /// `LifeWord::accept_final` does not see that there was another reference.
    ActorRevivedUnseen,
    /// `LifeWord::accept_final` does not see that there are other references.
    ActorFinalUncounted,
    /// `BoundedMail::offer` pushes the ticket behind the lock.
    BoundedTicketUnlocked,
    /// `ThreadCall::await_call_for` takes a call at its deadline, and says that there was none.
    CallDroppedAtDeadline,
    /// `InboxStage::regain` takes the mailbox of an idle actor without a message to it.
    InboxRegainsUncalled,
    /// `InboxStage::hold` leaves the mailbox to the thread, although a future has it.
    InboxKeepsHeld,
    /// `LifeWord::upgrade` looks whether there is another reference, and makes one then.
    UpgradeTwoSteps,
    /// `LifeWord::upgrade` does not see that the run ends the actor.
    UpgradeOfEnding,
    /// `TreeState::time_is_over` has actors go on that are not aside yet.
    RoundResumesAsked,
    /// `TreeState::come_aside` leaves the word asking for a restart.
    RestartUncleared,
    /// `TreeState::restart` starts an actor again for ever whose supervisor is to end.
    StoppingRevivesForEver,
    /// `TreeState::count_aside` does not see that all are aside.
    RoundForgetsLast,
    /// `AttachTable::take_census` clears CENSUS when it has taken the questions.
    CensusClearedLast,
    /// An actor does not remember what it has failed of.
    CauseForgotten,
    /// `LifeWord::attach` looks whether the actor is dead before it says ATTACHED.
    AttachTwoSteps,
    /// `WeakLink::close` does nothing.
    WeakLinkLeftOpen,
    /// `ActorDirectory::register` looks whether the name is free, and takes it then.
    NameTakenTwice,
    /// `ActorGroup` changes its members under the same version.
    GroupVersionStays,
    /// A port of a set is put on the list, and the set is not told.
    PortUntold,
    /// A port is put on the list although it is there.
    PortListedTwice,
    /// A port that is taken off the list still says that it is there.
    PortListedForEver,
    /// A port is put on the list of a set that is gone.
    PortListedUnseen,
    /// `WaitGraph::enter` looks for a circle, and enters then.
    AskLooksFirst,
    /// `WaitGraph::enter` looks for a circle before it has entered the debt.
    AskDebtLate,
    /// `WaitGraph::enter` believes the first look.
    AskSeenOnce,
    /// `WaitGraph::circle` counts waits that have their reply already.
    AskAnsweredCounts,

    /// `StopRequest::poll` lists a waker without looking whether the request has been made.
    RequestUnchecked,
}

thread_local! {
    // loom runs all threads of a model as coroutines of one system thread.
    static PLANTED: Cell<Option<Plant>> = const { Cell::new(None) };
}

/// Whether `plant` is switched on for the model that runs now.
pub(crate) fn is(plant: Plant) -> bool {
    PLANTED.with(|planted| planted.get() == Some(plant))
}

/// Runs `model` with `plant` switched on and demands that it fails.
pub(crate) fn must_catch(plant: Plant, model: impl Fn() + std::panic::UnwindSafe) {
    PLANTED.with(|planted| planted.set(Some(plant)));
    let outcome = std::panic::catch_unwind(model);
    PLANTED.with(|planted| planted.set(None));
    assert!(outcome.is_err(), "the model did not catch {plant:?}");
}

/// Runs `model` with `setting` on, on this thread.
fn with<R>(setting: &'static LocalKey<Cell<bool>>, model: impl FnOnce() -> R) -> R {
    struct Reset(&'static LocalKey<Cell<bool>>);
    impl Drop for Reset {
        fn drop(&mut self) {
            self.0.set(false);
        }
    }
    setting.set(true);
    let _reset = Reset(setting);
    model()
}

thread_local! {
    static REQUESTS: Cell<bool> = const { Cell::new(false) };
}

/// Whether thieves request before they force a steal. Most models leave that out: it
/// multiplies the orders of their steps.
pub(crate) fn requests() -> bool {
    REQUESTS.with(Cell::get)
}

#[cfg(drumline_loom)]
thread_local! {
    static ALERTS: Cell<bool> = const { Cell::new(false) };
}

/// Whether threads outside go by the need of the idle set. Most models leave that out: it adds
/// steps to each change under its lock.
#[cfg(drumline_loom)]
pub(crate) fn alerts() -> bool {
    ALERTS.with(Cell::get)
}

/// Runs `model` with threads outside that go by the need.
#[cfg(drumline_loom)]
pub(crate) fn with_alerts<R>(model: impl FnOnce() -> R) -> R {
    with(&ALERTS, model)
}

#[cfg(drumline_loom)]
thread_local! {
    static REFUSES: Cell<bool> = const { Cell::new(false) };
}

/// Whether the system of this model refuses the barrier that owners rely on:
/// `barrier::light` is nothing then, and `barrier::heavy` fails.
#[cfg(drumline_loom)]
pub(crate) fn refuses() -> bool {
    REFUSES.with(Cell::get)
}

#[cfg(drumline_loom)]
thread_local! {
    static DELAYS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the system of this model has not answered yet: `barrier::light` is nothing then, and
/// `barrier::heavy` was not run.
#[cfg(drumline_loom)]
pub(crate) fn delays() -> bool {
    DELAYS.with(Cell::get)
}

/// Runs `model` on a system that has been asked for the barrier and has not answered.
#[cfg(drumline_loom)]
pub(crate) fn with_delay<R>(model: impl FnOnce() -> R) -> R {
    with(&DELAYS, model)
}

/// Runs `model` on a system that refuses the barrier.
#[cfg(drumline_loom)]
pub(crate) fn with_refusal<R>(model: impl FnOnce() -> R) -> R {
    with(&REFUSES, model)
}

/// Runs `model` with thieves that ask first.
pub(crate) fn with_requests<R>(model: impl FnOnce() -> R) -> R {
    with(&REQUESTS, model)
}
