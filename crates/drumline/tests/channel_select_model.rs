//! Selects in random runs on one thread, beside a model that is as simple as can be.

mod common;

use std::collections::VecDeque;
use std::task::{Poll, Waker};

use common::Random;
use common::messages::{Accounts, Message, poll};
use drumline::channel::{
    CloseReason, RecvError, Select, SelectError, SendError, lanes, mpmc, mpsc, spsc,
};

/// Both ends of a channel of some kind.
enum Ends {
    Spsc(Option<spsc::Sender<Message>>, spsc::Receiver<Message>),
    Lanes(Option<lanes::Sender<Message>>, lanes::Receiver<Message>),
    Mpsc(Option<mpsc::Sender<Message>>, mpsc::Receiver<Message>),
    Mpmc(Option<mpmc::Sender<Message>>, mpmc::Receiver<Message>),
}

/// A channel, and what should be in it.
struct Channel {
    ends: Ends,
    capacity: usize,
    queue: VecDeque<usize>,
    has_sender: bool,
    is_closed: bool,
}

/// What a select says: at which channel, and what.
#[derive(Debug, PartialEq)]
enum Event {
    Received(usize, usize),
    Ended(usize, CloseReason),
    Sent(usize),
    /// The message comes back.
    Refused(usize, usize),
}

impl Channel {
    fn new(kind: u64, capacity: usize) -> Self {
        let ends = match kind {
            0 => {
                let (sender, receiver) = spsc::bounded(capacity);
                Ends::Spsc(Some(sender), receiver)
            }
            1 => {
                let (sender, receiver) = lanes::per_lane(capacity);
                Ends::Lanes(Some(sender), receiver)
            }
            2 => {
                let (sender, receiver) = mpsc::bounded(capacity);
                Ends::Mpsc(Some(sender), receiver)
            }
            _ => {
                let (sender, receiver) = mpmc::bounded(capacity);
                Ends::Mpmc(Some(sender), receiver)
            }
        };
        Channel {
            ends,
            capacity,
            queue: VecDeque::new(),
            has_sender: true,
            is_closed: false,
        }
    }

    fn try_send(&mut self, message: Message) {
        let number = message.number;
        let is_sent = match &mut self.ends {
            Ends::Spsc(Some(sender), _) => sender.try_send(message).is_ok(),
            Ends::Lanes(Some(sender), _) => sender.try_send(message).is_ok(),
            Ends::Mpsc(Some(sender), _) | Ends::Mpmc(Some(sender), _) => {
                sender.try_send(message).is_ok()
            }
            _ => return,
        };
        assert_eq!(is_sent, !self.is_closed && self.queue.len() < self.capacity);
        if is_sent {
            self.queue.push_back(number);
        }
    }

    fn try_recv(&mut self) {
        let received = match &mut self.ends {
            Ends::Spsc(_, receiver) => receiver.try_recv(),
            Ends::Lanes(_, receiver) => receiver.try_recv(),
            Ends::Mpsc(_, receiver) => receiver.try_recv(),
            Ends::Mpmc(_, receiver) => receiver.try_recv(),
        };
        assert_eq!(
            received.ok().map(|message| message.number),
            self.queue.pop_front()
        );
    }

    fn finish(&mut self) {
        match &mut self.ends {
            Ends::Spsc(sender, _) => sender.take().into_iter().for_each(spsc::Sender::finish),
            Ends::Lanes(sender, _) => sender.take().into_iter().for_each(lanes::Sender::finish),
            Ends::Mpsc(sender, _) | Ends::Mpmc(sender, _) => {
                sender.take().into_iter().for_each(mpsc::Sender::finish);
            }
        }
        self.has_sender = false;
    }

    fn close(&mut self) {
        match &mut self.ends {
            Ends::Spsc(_, receiver) => receiver.close(),
            Ends::Lanes(_, receiver) => receiver.close(),
            Ends::Mpsc(_, receiver) => receiver.close(),
            Ends::Mpmc(_, receiver) => receiver.close(),
        }
        self.is_closed = true;
    }

    /// Whether a path at this channel is ready.
    fn is_ready(&self, receives: bool) -> bool {
        if receives {
            !self.queue.is_empty() || !self.has_sender || self.is_closed
        } else {
            self.has_sender && (self.is_closed || self.queue.len() < self.capacity)
        }
    }

    /// Adds a path.
    fn select<'a>(
        &'a mut self,
        index: usize,
        receives: bool,
        value: &'a mut Option<Message>,
        select: &mut Select<'a, Event>,
    ) {
        let received = move |message: Result<Message, RecvError>| match message {
            Ok(message) => Event::Received(index, message.number),
            Err(end) => Event::Ended(index, end.reason()),
        };
        let sent = move |result: Result<(), SendError<Message>>| match result {
            Ok(()) => Event::Sent(index),
            Err(SendError(message)) => Event::Refused(index, message.number),
        };
        match (&mut self.ends, receives) {
            (Ends::Spsc(_, receiver), true) => select.recv(receiver, received),
            (Ends::Lanes(_, receiver), true) => select.recv(receiver, received),
            (Ends::Mpsc(_, receiver), true) => select.recv(receiver, received),
            (Ends::Mpmc(_, receiver), true) => select.recv(&*receiver, received),
            (Ends::Spsc(Some(sender), _), false) => select.send(sender, || value.take(), sent),
            (Ends::Lanes(Some(sender), _), false) => select.send(sender, || value.take(), sent),
            (Ends::Mpsc(Some(sender), _) | Ends::Mpmc(Some(sender), _), false) => {
                select.send(&*sender, || value.take(), sent)
            }
            _ => return,
        };
    }
}

/// Does to the model what the event says, and demands that it could happen.
fn apply(
    event: &Event,
    channels: &mut [(bool, bool, usize)],
    queues: &mut [VecDeque<usize>],
    number: usize,
) {
    match *event {
        Event::Received(index, message) => {
            assert_eq!(queues[index].pop_front(), Some(message), "in order");
        }
        Event::Ended(index, reason) => {
            assert!(queues[index].is_empty(), "the messages come before the end");
            let (has_sender, is_closed, _) = channels[index];
            let expected = if is_closed {
                CloseReason::ClosedByReceiver
            } else {
                CloseReason::Finished
            };
            assert!(!has_sender || is_closed);
            if has_sender || !is_closed {
                assert_eq!(reason, expected);
            }
        }
        Event::Sent(index) => {
            let (_, is_closed, capacity) = channels[index];
            assert!(!is_closed && queues[index].len() < capacity);
            queues[index].push_back(number + index);
        }
        Event::Refused(index, message) => {
            assert!(channels[index].1);
            assert_eq!(message, number + index);
        }
    }
}

#[test]
fn a_select_does_what_the_model_does() {
    let seeds = if cfg!(miri) { 5 } else { 300 };
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let accounts = Accounts::default();
        let mut channels = Vec::from_iter((0..1 + random.below(4)).map(|_| {
            let kind = random.below(4);
            Channel::new(kind, 1 + random.below(3) as usize)
        }));
        let mut number = 0;
        for _ in 0..60 {
            number += 10;
            // Anything but a select.
            for _ in 0..random.below(4) {
                let index = random.below(channels.len() as u64) as usize;
                let channel = &mut channels[index];
                match random.below(30) {
                    0 => channel.finish(),
                    1 => channel.close(),
                    2..14 => channel.try_send(accounts.message(number)),
                    _ => channel.try_recv(),
                }
                number += 1;
            }
            number += 10;
            one_select(&mut random, &mut channels, &accounts, number);
        }
        drop(channels);
        accounts.settle();
    }
}

/// A select over some of the channels, which is used at once, or polled and dropped.
fn one_select(random: &mut Random, channels: &mut [Channel], accounts: &Accounts, number: usize) {
    let mut values =
        Vec::from_iter((0..channels.len()).map(|index| Some(accounts.message(number + index))));
    let picks = Vec::from_iter(channels.iter().map(|_| random.below(3)));
    let states = Vec::from_iter(
        channels
            .iter()
            .map(|channel| (channel.has_sender, channel.is_closed, channel.capacity)),
    );
    let mut queues = Vec::from_iter(channels.iter().map(|channel| channel.queue.clone()));
    let paths = picks
        .iter()
        .zip(&*channels)
        .filter(|&(&pick, channel)| pick == 0 || pick == 1 && channel.has_sender);
    let paths = Vec::from_iter(paths.map(|(&pick, channel)| channel.is_ready(pick == 0)));
    let has_path = !paths.is_empty();
    let is_ready = paths.contains(&true);
    let is_biased = random.below(2) == 0;
    let mut select = if is_biased {
        Select::biased()
    } else {
        Select::new()
    };
    for (index, (channel, value)) in channels.iter_mut().zip(&mut values).enumerate() {
        if picks[index] < 2 {
            channel.select(index, picks[index] == 0, value, &mut select);
        }
    }
    assert_eq!(select.is_empty(), !has_path);
    let event = match random.below(3) {
        0 => match select.try_wait() {
            Ok(event) => Some(event),
            Err(error) => {
                let expected = if has_path {
                    SelectError::NotReady
                } else {
                    SelectError::NoPath
                };
                assert_eq!(error, expected);
                None
            }
        },
        1 if is_ready || !has_path => select.wait(),
        _ => {
            let mut waiting = select.wait_async();
            match poll(&mut waiting, Waker::noop()) {
                Poll::Ready(event) => event,
                Poll::Pending => {
                    assert!(poll(&mut waiting, Waker::noop()).is_pending());
                    None
                }
            }
        }
    };
    drop(select);
    assert_eq!(event.is_some(), is_ready, "{event:?}");
    if let Some(event) = &event {
        apply(event, &mut states.clone(), &mut queues, number);
    }
    for (index, value) in values.iter().enumerate() {
        let is_used =
            matches!(event, Some(Event::Sent(used) | Event::Refused(used, _)) if used == index);
        assert_eq!(value.is_none(), is_used);
    }
    for (channel, queue) in channels.iter_mut().zip(queues) {
        channel.queue = queue;
    }
}
