//! A message is noticed, whenever its receiver began to wait, and a close divides the messages.
//!
//! * *Row*: a sender sends enough messages in a row to only read the word of the receiver at last.
//!   It goes on with a few more, each after a random moment. It ends when the receiver, a task, has
//!   them all. So a message that the task does not see is a round that never ends. The task catches
//!   up with the sender, and begins to wait, around the time of the last messages.
//! * *Lanes*: the same with two senders that have a lane each.
//! * *Close*: the receiver closes while messages are sent. What was accepted is what it receives.
//! * *Many*: some send and some receive, threads and tasks that give up now and then, through a
//!   queue with a small bound, and in a rendezvous. Each message comes once, and all end.
//!
//! Without the barrier the task can say that it waits, look, and see nothing, while the message is
//! still in the store buffer of the sender, and the sender has read the word before that.
//!
//! Planted: fails

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use drumline::channel::{RecvTimeoutError, lanes, mpmc, spsc};
use drumline::{JoinHandle, Pool};
use stress::{Random, Run, Waited, check, dither, fail, round_done, shut_down};

/// A sender that has sent this many messages in a row only reads.
const ROW: u64 = 130;
/// A message that has not been received for this long is lost.
const LOST: Duration = Duration::from_secs(10);

fn main() {
    let run = Run::start();
    let pool = Pool::builder().jobs(1).build().expect("a pool");
    let mut random = run.random(0);
    let mut rows = Rows::start(&pool);
    let mut side_by_side = SideBySide::start(&pool);
    while run.goes_on() {
        match random.below(64) {
            0 if random.below(2) == 0 => many(&pool, &mut random),
            0 => close(&mut random),
            1..=8 => side_by_side.round(&mut random),
            _ => rows.round(&mut random),
        }
        round_done();
    }
    rows.end();
    side_by_side.end();
    shut_down([pool]);
    run.report("rows of messages");
}

/// Waits until `count` messages have been received.
fn until(received: &AtomicU64, count: u64) {
    let mut waited = Waited::new();
    let mut looks = 0_u32;
    while received.load(Ordering::Acquire) < count {
        std::hint::spin_loop();
        looks += 1;
        // More threads than cores: the receiver may need this one.
        if looks.is_multiple_of(256) {
            thread::yield_now();
            if waited.so_far() > LOST {
                fail("a message was not received");
            }
        }
    }
}

/// Sends a row, and a few more messages at random moments. Returns how many.
fn send_row(random: &mut Random, mut send: impl FnMut()) -> u64 {
    let further = random.below(8);
    for _ in 0..ROW {
        send();
    }
    for _ in 0..further {
        dither(random.below(200));
        send();
    }
    ROW + further
}

/// One sender, and a task that receives.
struct Rows {
    sender: spsc::Sender<u64>,
    sent: u64,
    received: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Rows {
    fn start(pool: &Pool) -> Self {
        let (sender, mut receiver) = spsc::unbounded();
        let received = Arc::new(AtomicU64::new(0));
        let counts = Arc::clone(&received);
        let task = pool.spawn_future(async move {
            let mut next = 0;
            while let Ok(message) = receiver.recv_async().await {
                check(message == next, "a message is lost, or came twice");
                next += 1;
                counts.store(next, Ordering::Release);
            }
        });
        Rows {
            sender,
            sent: 0,
            received,
            task,
        }
    }

    fn round(&mut self, random: &mut Random) {
        let Rows { sender, sent, .. } = self;
        send_row(random, || {
            check(sender.send(*sent).is_ok(), "the receiver is there");
            *sent += 1;
        });
        until(&self.received, self.sent);
    }

    fn end(self) {
        drop(self.sender);
        check(self.task.join().is_ok(), "the receiver ends");
    }
}

/// Two senders with a lane each, one of them on a thread of its own, and a task that receives.
struct SideBySide {
    sender: lanes::Sender<()>,
    rounds: spsc::Sender<u64>,
    other: thread::JoinHandle<()>,
    sent: Arc<AtomicU64>,
    received: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl SideBySide {
    fn start(pool: &Pool) -> Self {
        let (sender, mut receiver) = lanes::unbounded();
        let (sent, received) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (counts, sends) = (Arc::clone(&received), Arc::clone(&sent));
        let task = pool.spawn_future(async move {
            while receiver.recv_async().await.is_ok() {
                counts.fetch_add(1, Ordering::Release);
            }
        });
        let (rounds, mut begun) = spsc::unbounded::<u64>();
        let mut own = sender.clone();
        let other = thread::spawn(move || {
            while let Ok(seed) = begun.recv() {
                let mut random = Random::new(seed);
                let row = send_row(&mut random, || {
                    check(own.send(()).is_ok(), "the receiver is there");
                });
                sends.fetch_add(row, Ordering::Release);
            }
        });
        SideBySide {
            sender,
            rounds,
            other,
            sent,
            received,
            task,
        }
    }

    fn round(&mut self, random: &mut Random) {
        let before = self.sent.load(Ordering::Acquire);
        check(
            self.rounds.send(random.below(u64::MAX)).is_ok(),
            "it is there",
        );
        let row = send_row(random, || {
            check(self.sender.send(()).is_ok(), "the receiver is there");
        });
        self.sent.fetch_add(row, Ordering::Release);
        // Both rows.
        until(&self.sent, before + row + ROW);
        until(&self.received, self.sent.load(Ordering::Acquire));
    }

    fn end(self) {
        drop((self.sender, self.rounds));
        check(self.other.join().is_ok(), "the other sender ends");
        check(self.task.join().is_ok(), "the receiver ends");
    }
}

/// The receiver closes in the middle of a row.
fn close(random: &mut Random) {
    let (mut sender, mut receiver) = spsc::unbounded();
    let steps = random.below(4_000);
    let sending = thread::spawn(move || {
        let mut accepted = 0_u64;
        while sender.send(accepted).is_ok() {
            accepted += 1;
        }
        accepted
    });
    // Some come before.
    let first = receiver.recv();
    check(first == Ok(0), "the first message is the first");
    dither(steps);
    let mut next = 1;
    for message in receiver.drain() {
        check(message == next, "a message is lost, or came twice");
        next += 1;
    }
    let accepted = sending.join().expect("it does not panic");
    check(
        accepted == next,
        "sender and receiver disagree about the last message",
    );
}

/// How many messages each sender of a many sends.
const EACH: u64 = 200;

/// Several senders and receivers of one channel, which give up at random moments.
fn many(pool: &Pool, random: &mut Random) {
    let (sender, receiver) = match random.below(6) {
        0 => mpmc::unbounded(),
        1 => mpmc::rendezvous(),
        capacity => mpmc::bounded(capacity as usize - 1),
    };
    let tasks: Vec<_> = (0..2)
        .map(|n| {
            let sender = sender.clone();
            pool.spawn_future(async move {
                for number in 0..EACH {
                    let sent = sender.send_async(n * EACH + number).await;
                    check(sent.is_ok(), "the receivers are there");
                }
            })
        })
        .collect();
    let threads: Vec<_> = (2..4)
        .map(|n| {
            let (sender, mut random) = (sender.clone(), Random::new(random.below(u64::MAX)));
            thread::spawn(move || {
                for number in 0..EACH {
                    let mut message = n * EACH + number;
                    let mut time = random.below(50);
                    while let Err(back) = sender.send_timeout(message, Duration::from_micros(time))
                    {
                        message = back.into_inner();
                        time += 50;
                    }
                }
            })
        })
        .collect();
    drop(sender);
    let own = receiver.clone();
    let receiving = pool.spawn_future(async move {
        let mut sum = 0;
        while let Ok(number) = own.recv_async().await {
            sum += number;
        }
        sum
    });
    let consumers: Vec<_> = (0..2)
        .map(|_| {
            let (receiver, mut random) = (receiver.clone(), Random::new(random.below(u64::MAX)));
            thread::spawn(move || {
                let mut sum = 0;
                loop {
                    match receiver.recv_timeout(Duration::from_micros(random.below(100))) {
                        Ok(number) => sum += number,
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Closed(_)) => return sum,
                    }
                }
            })
        })
        .collect();
    let mut sum = receiving.join().expect("it does not panic");
    for consumer in consumers {
        sum += consumer.join().expect("it does not panic");
    }
    for thread in threads {
        check(thread.join().is_ok(), "a sender ends");
    }
    for task in tasks {
        check(task.join().is_ok(), "a sender ends");
    }
    check(
        sum == (0..4 * EACH).sum(),
        "a message is lost, or came twice",
    );
}
