//! The channels of drumline: one order for all senders.

use ::drumline::Pool;
use ::drumline::channel::{PortEvent, PortSet, Select, mpmc, mpsc, oneshot, spsc};
use anyhow::{Result, anyhow};

use std::future::Future;

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, SelectReceiver,
    Sender, copies,
};
use crate::families::messages::executor::Executor;
use crate::families::messages::runtimes::drumline_port_set;
use crate::families::messages::select::CHANNELS;
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `drumline`.
#[derive(Debug)]
pub struct Drumline;

impl MessageRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `channel::{spsc, mpsc, mpmc, oneshot, PortSet, Select}`; tasks on its pool",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "lane, or queue of segments; watches, then parks",
        parallel: true,
        colour: (214, 69, 43),
    };

    const KINDS: &'static [ChannelKind] = &[
        ChannelKind::Spsc,
        ChannelKind::SpscBounded,
        ChannelKind::SpscBatch,
        ChannelKind::Mpsc,
        ChannelKind::MpscBounded,
        ChannelKind::MpmcBounded,
        ChannelKind::Oneshot,
        ChannelKind::SpscAsync,
        ChannelKind::Ports,
        ChannelKind::Dialogue,
        ChannelKind::Select4,
    ];

    fn spsc<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl Receiver<T>) {
        spsc::unbounded()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        spsc::bounded(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        spsc::unbounded()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::unbounded();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::bounded(bound);
        (copies(sender, senders), receiver)
    }

    fn mpmc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        receivers: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, Vec<impl Receiver<T>>) {
        let (sender, receiver) = mpmc::bounded(bound);
        (copies(sender, senders), copies(receiver, receivers))
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        oneshot::channel()
    }

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        spsc::unbounded()
    }

    fn ports<T: Send + Unpin + 'static>(ports: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        drumline_port_set::ports(ports)
    }

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, receivers) = (0..CHANNELS).map(|_| spsc::unbounded()).unzip();
        (senders, Selected(receivers)) as (Vec<spsc::Sender<T>>, _)
    }

    fn executor(jobs: usize) -> Result<impl Executor> {
        Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))
    }
}

impl Executor for Pool {
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.spawn_future(task));
    }
}

impl<T: Send + 'static> Sender<T> for spsc::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        spsc::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for spsc::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        spsc::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> Receiver<T> for PortSet<T> {
    fn recv(&mut self) -> Option<T> {
        loop {
            match PortSet::recv(self).ok()? {
                PortEvent::Message(_, message) => return Some(message),
                PortEvent::Closed(..) => {}
            }
        }
    }
}

/// Receivers that are selected over, by a selection that is made once.
struct Selected<T: Send>(Vec<spsc::Receiver<T>>);

impl<T: Send + 'static> SelectReceiver<T> for Selected<T> {
    fn take(mut self, messages: u64, mut take: impl FnMut(T)) {
        let mut select = Select::new();
        for receiver in &mut self.0 {
            select.recv(receiver, Result::ok);
        }
        for _ in 0..messages {
            let Some(Some(message)) = select.wait() else {
                return;
            };
            take(message);
        }
    }
}

impl<T: Send + 'static> BatchReceiver<T> for spsc::Receiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize) {
        // An error means that the sender is gone: nothing is added.
        let _ = spsc::Receiver::recv_many(self, batch, most);
    }
}

// Also that of `mpmc`.
impl<T: Send + 'static> Sender<T> for mpsc::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        mpsc::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for mpsc::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        mpsc::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> Receiver<T> for mpmc::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        mpmc::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> OnceSender<T> for oneshot::Sender<T> {
    fn send_once(self, message: T) -> bool {
        self.send(message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for oneshot::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        self.recv().ok()
    }
}

impl<T: Send + 'static> AsyncSender<T> for spsc::Sender<T> {
    async fn send_async(&mut self, message: T) -> bool {
        spsc::Sender::send_async(self, message).await.is_ok()
    }
}

impl<T: Send + 'static> AsyncReceiver<T> for spsc::Receiver<T> {
    async fn recv_async(&mut self) -> Option<T> {
        spsc::Receiver::recv_async(self).await.ok()
    }
}
