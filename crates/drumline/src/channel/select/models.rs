//! Loom models of a select, as a thread runs it: at queues, at lanes, and at both.

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread;

use super::waiting::{LastLook, Listened, Listening, Paths, SelectOutcome, look, look_last};
use crate::channel::CloseReason;
use crate::channel::lane::{Lane, Nothing, Reader, Writer};
use crate::channel::shared::{RecvWatch, SendWatch, SharedQueue, Unsent};
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

struct Sleeper(Parker);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

type Shared = Arc<SharedQueue<usize>>;

/// One path.
enum Path<'a> {
    Recv(RecvWatch, &'a Shared),
    Send(SendPath<'a>),
    Lane(bool, &'a Lane<usize>, &'a mut Reader<usize>),
}

/// What a path to send is at.
struct SendPath<'a> {
    watch: SendWatch,
    queue: &'a Shared,
    /// `None`: it leaves the place that it gets.
    message: Option<usize>,
    is_chosen: bool,
}

/// What a path gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    Received(usize),
    Ended,
    /// A place for the message. It is used when no path listens any more.
    Place,
    Sent,
    /// The place has gone back.
    Left,
    /// The message comes back.
    Refused(usize),
}

/// The paths of a model, the first of which comes first.
struct ModelPaths<'p, 'a>(&'p mut [Path<'a>]);

impl Paths for ModelPaths<'_, '_> {
    type Chosen = Chosen;

    fn choose(&mut self) -> Option<Chosen> {
        self.0.iter_mut().find_map(|path| match path {
            Path::Recv(watch, queue) => {
                // First: what was sent before the end is there.
                let has_ended = queue.is_closed();
                // SAFETY: the queues of these models say that there may be several receivers.
                match unsafe { watch.take(queue) } {
                    Ok(message) => Some(Chosen::Received(message)),
                    Err(_) if has_ended => Some(Chosen::Ended),
                    Err(_) => None,
                }
            }
            Path::Send(path) => match path.watch.reserve(path.queue) {
                Ok(()) => {
                    path.is_chosen = true;
                    Some(Chosen::Place)
                }
                Err(Unsent::Full(())) => None,
                Err(Unsent::Closed(())) => path.message.map(Chosen::Refused),
            },
            // SAFETY: the one reader.
            Path::Lane(_, lane, reader) => match unsafe { reader.pop(lane) } {
                Ok(message) => Some(Chosen::Received(message)),
                Err(Nothing::Ever(_)) => Some(Chosen::Ended),
                Err(Nothing::Yet) => None,
            },
        })
    }

    fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    fn listen(&mut self, waker: &Waker, mut listened: impl FnMut(Listened)) {
        for path in &mut *self.0 {
            let is_listed = match path {
                Path::Recv(watch, queue) => watch.listen(queue, waker),
                Path::Send(path) => path.watch.listen(path.queue, waker),
                Path::Lane(is_listed, lane, _) => {
                    let is_unsettled = lane.messages().list_unsettled(waker, is_listed);
                    listened(if is_unsettled {
                        Listened::WaitsUnsettled
                    } else {
                        Listened::Waits
                    });
                    continue;
                }
            };
            listened(if is_listed {
                Listened::Waits
            } else {
                Listened::LooksAgain
            });
        }
    }

    fn unlisten(&mut self) {
        for path in &mut *self.0 {
            match path {
                Path::Recv(watch, queue) => watch.unlisten(queue),
                Path::Send(path) => path.watch.unlisten(path.queue, path.is_chosen),
                Path::Lane(is_listed, lane, _) => lane.unlist(is_listed),
            }
        }
    }
}

impl SendPath<'_> {
    /// Sends the message, or leaves the place.
    fn finish(&mut self) -> Chosen {
        let Some(message) = self.message else {
            self.watch.unlisten(self.queue, false);
            return Chosen::Left;
        };
        match self.watch.send(self.queue, message) {
            Ok(()) => Chosen::Sent,
            Err(message) => Chosen::Refused(message),
        }
    }
}

/// Selects as a thread does, without the watching.
fn select(paths: &mut [Path<'_>]) -> Chosen {
    let chosen = choose(paths);
    if chosen != Chosen::Place {
        return chosen;
    }
    let finished = paths.iter_mut().find_map(|path| match path {
        Path::Send(path) if path.is_chosen => Some(path.finish()),
        _ => None,
    });
    finished.expect("a path has the place")
}

/// Waits for a path. None of them listens after that.
fn choose(paths: &mut [Path<'_>]) -> Chosen {
    let sleeper = Arc::new(Sleeper(Parker::new()));
    let waker = Waker::from(Arc::clone(&sleeper));
    let mut paths = ModelPaths(paths);
    let paths = Listening(&mut paths);
    loop {
        match look_last(paths.0, &waker) {
            LastLook::Over(SelectOutcome::Chosen(chosen)) => return chosen,
            LastLook::Over(_) => panic!("there are paths, and no deadline"),
            LastLook::Again => continue,
            LastLook::MaySleep => sleeper.0.park(),
        }
        if let Some(SelectOutcome::Chosen(chosen)) = look(paths.0) {
            return chosen;
        }
    }
}

fn queue(capacity: usize) -> Shared {
    Arc::new(SharedQueue::new(capacity, true))
}

fn recv(queue: &Shared) -> Path<'_> {
    Path::Recv(RecvWatch::default(), queue)
}

fn send(queue: &Shared, message: usize) -> Path<'_> {
    send_or_leave(queue, Some(message))
}

fn send_or_leave(queue: &Shared, message: Option<usize>) -> Path<'_> {
    Path::Send(SendPath {
        watch: SendWatch::default(),
        queue,
        message,
        is_chosen: false,
    })
}

/// A receiver selects over two queues; a message comes through one of them.
fn against_send(capacity: usize) {
    let (silent, busy) = (queue(capacity), queue(capacity));
    let sender = {
        let busy = Arc::clone(&busy);
        thread::spawn(move || assert!(busy.try_send(1).is_ok()))
    };
    assert_eq!(
        select(&mut [recv(&silent), recv(&busy)]),
        Chosen::Received(1)
    );
    sender.join().unwrap();
}

/// The same with a lane and a queue, and a message through each: both are received.
fn at_a_lane() {
    let lane = Arc::new(Lane::new(usize::MAX));
    let shared = queue(usize::MAX);
    let senders = {
        let (lane, shared) = (Arc::clone(&lane), Arc::clone(&shared));
        thread::spawn(move || {
            let mut writer = Writer::new();
            // SAFETY: the one writer.
            assert!(unsafe { writer.push(&lane, 1) }.is_ok());
            assert!(shared.try_send(2).is_ok());
        })
    };
    let mut reader = Reader::new();
    let mut sum = 0;
    for _ in 0..2 {
        let mut paths = [Path::Lane(false, &lane, &mut reader), recv(&shared)];
        let Chosen::Received(message) = select(&mut paths) else {
            panic!("nothing has ended");
        };
        sum += message;
    }
    assert_eq!(sum, 3);
    senders.join().unwrap();
}

/// A queue is closed while a select waits there to receive, and one that is full, to send.
fn against_close(capacity: usize) {
    let (silent, closed) = (queue(capacity), queue(capacity));
    let closer = {
        let closed = Arc::clone(&closed);
        thread::spawn(move || closed.leave_sender(CloseReason::Finished))
    };
    assert_eq!(select(&mut [recv(&silent), recv(&closed)]), Chosen::Ended);
    closer.join().unwrap();
}

fn send_against_close() {
    let (silent, closed) = (queue(1), queue(1));
    assert!(closed.try_send(0).is_ok());
    let closer = {
        let closed = Arc::clone(&closed);
        thread::spawn(move || closed.close())
    };
    assert_eq!(
        select(&mut [recv(&silent), send(&closed, 7)]),
        Chosen::Refused(7)
    );
    closer.join().unwrap();
}

/// A select waits for a message, or for room that it does not use. A sender and a receiver that
/// come wait for neither.
fn send_against_recv() {
    let (messages, full) = (queue(1), queue(1));
    assert!(full.try_send(0).is_ok());
    let receiver = {
        let (messages, full) = (Arc::clone(&messages), Arc::clone(&full));
        thread::spawn(move || {
            // SAFETY: there may be several receivers.
            assert!(matches!(unsafe { full.take() }, Ok(0)));
            assert!(messages.try_send(5).is_ok());
        })
    };
    let chosen = select(&mut [recv(&messages), send(&full, 1)]);
    receiver.join().unwrap();
    // SAFETY: as above.
    let in_full = unsafe { full.take() };
    // SAFETY: as above.
    let in_messages = unsafe { messages.take() };
    match chosen {
        Chosen::Received(5) => assert!(in_full.is_err() && in_messages.is_err()),
        Chosen::Sent => assert!(matches!((in_full, in_messages), (Ok(1), Ok(5)))),
        other => panic!("{other:?}"),
    }
    assert!(full.try_send(2).is_ok(), "a place is lost");
    assert!(full.try_send(3).is_err(), "a place too many");
}

/// A select gets the place, and leaves it: another one that waits behind it gets it.
fn leaves_its_place() {
    let full = queue(1);
    assert!(full.try_send(0).is_ok());
    let sender = {
        let full = Arc::clone(&full);
        thread::spawn(move || select(&mut [send(&full, 1)]))
    };
    let receiver = {
        let full = Arc::clone(&full);
        thread::spawn(move || [(); 2].map(|()| select(&mut [recv(&full)])))
    };
    assert_eq!(select(&mut [send_or_leave(&full, None)]), Chosen::Left);
    assert_eq!(sender.join().unwrap(), Chosen::Sent);
    let received = receiver.join().unwrap();
    assert_eq!(received, [Chosen::Received(0), Chosen::Received(1)]);
    assert!(full.try_send(2).is_ok(), "a place is lost");
    assert!(full.try_send(3).is_err(), "a place too many");
}

/// Two threads select over the same two queues, into each of which one message comes. Both get one,
/// whichever uses which.
fn two_selects(capacity: usize) {
    let queues = [queue(capacity), queue(capacity)];
    let other = {
        let queues = queues.clone();
        thread::spawn(move || select(&mut [recv(&queues[0]), recv(&queues[1])]))
    };
    assert!(queues[1].try_send(2).is_ok());
    assert!(queues[0].try_send(1).is_ok());
    let mine = select(&mut [recv(&queues[0]), recv(&queues[1])]);
    let mut both = [mine, other.join().unwrap()].map(|chosen| match chosen {
        Chosen::Received(message) => message,
        other => panic!("{other:?}"),
    });
    both.sort_unstable();
    assert_eq!(both, [1, 2]);
}

/// A select is called at a queue, and uses another one: the receiver that waits behind it hears of
/// the message. The queue stays open, because its end would wake that receiver as well.
fn passes_the_call_on() {
    let (first, second) = (queue(usize::MAX), queue(usize::MAX));
    let selecting = {
        let (first, second) = (Arc::clone(&first), Arc::clone(&second));
        thread::spawn(move || select(&mut [recv(&first), recv(&second)]))
    };
    let receiving = {
        let second = Arc::clone(&second);
        thread::spawn(move || select(&mut [recv(&second)]))
    };
    assert!(second.try_send(2).is_ok());
    assert!(first.try_send(1).is_ok());
    let chosen = selecting.join().unwrap();
    if chosen == Chosen::Received(2) {
        // The first message is left. The other thread gets one of its own.
        assert!(second.try_send(3).is_ok());
    }
    let received = receiving.join().unwrap();
    assert!(matches!(received, Chosen::Received(2 | 3)), "{received:?}");
}

#[test]
fn loom_select_receives() {
    explore(3, || against_send(usize::MAX));
    explore(3, || against_send(1));
    explore(2, at_a_lane);
    must_catch(Plant::SelectSleepsBlindly, || {
        explore(2, at_a_lane);
    });
}

#[test]
fn loom_select_is_closed() {
    explore(3, || against_close(usize::MAX));
    explore(3, || against_close(1));
    explore(3, send_against_close);
    must_catch(Plant::CloseCallsNone, || explore(2, send_against_close));
}

#[test]
fn loom_select_sends() {
    explore(3, send_against_recv);
    must_catch(Plant::SelectKeepsPermit, || explore(3, send_against_recv));
    explore(2, leaves_its_place);
    must_catch(Plant::SelectKeepsPermit, || explore(2, leaves_its_place));
}

#[test]
fn loom_select_passes_on() {
    explore(2, || two_selects(usize::MAX));
    explore(2, || two_selects(1));
    explore(2, passes_the_call_on);
    must_catch(Plant::SelectKeepsCall, || explore(2, passes_the_call_on));
}
