//! The listener, and the end of everything.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use drumline::actor::{ActorRef, ActorSystem};
use drumline::{CancellationToken, Pool};
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::closer::Closer;
use crate::conversation::Conversation;
use crate::room::{Close, Room, RoomReport};
use crate::settings::Settings;

/// How long no client is accepted after the system has refused one, mostly for want of file
/// descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How many clients may wait to be accepted. When that queue is full, the system drops the last
/// step of a handshake. Then a client takes itself for connected, and waits for a welcome in vain.
const ACCEPT_QUEUE: u32 = 1024;

/// How long the actors have to end, once all connections are closed. They have nothing to do then.
const ACTORS_GRACE: Duration = Duration::from_secs(60);

/// The exit status after a second signal.
const IMPATIENT: i32 = 130;

/// A chat server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    settings: Settings,
    stop: CancellationToken,
    runtime: Runtime,
    system: ActorSystem,
    pool: Pool,
}

/// Stops a server, from anywhere.
#[derive(Clone, Debug)]
pub struct ServerHandle(CancellationToken);

impl ServerHandle {
    /// Has the server say goodbye to its clients, and end. It does not wait for that.
    pub fn shut_down(&self) {
        self.0.cancel();
    }
}

/// Opens the port. Called in a runtime of tokio.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // On Windows this would let two servers have the same port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(ACCEPT_QUEUE)
}

impl Server {
    /// Starts the threads, and opens the port.
    ///
    /// # Errors
    ///
    /// If the address cannot be had, or a thread.
    pub fn bind(settings: Settings) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(settings.io_threads.get())
            .enable_all()
            .build()
            .context("cannot start the threads of the sockets")?;
        let pool = Pool::builder()
            .jobs(settings.jobs)
            .build()
            .context("cannot start the threads of the actors")?;
        let listener = {
            let _inside = runtime.enter();
            listen(settings.listen)
                .with_context(|| format!("cannot listen on {}", settings.listen))?
        };
        Ok(Server {
            listener,
            settings,
            stop: CancellationToken::new(),
            runtime,
            system: ActorSystem::new(&pool),
            pool,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What stops it.
    pub fn handle(&self) -> ServerHandle {
        ServerHandle(self.stop.clone())
    }

    /// From now on, Ctrl-C stops it. A second one ends the process at once.
    ///
    /// # Errors
    ///
    /// If the system refuses the handler of the signal.
    pub fn stop_on_interrupt(&self) -> io::Result<()> {
        let _inside = self.runtime.enter();
        #[cfg(unix)]
        let mut interrupts =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        #[cfg(windows)]
        let mut interrupts = tokio::signal::windows::ctrl_c()?;
        let handle = self.handle();
        self.runtime.spawn(async move {
            interrupts.recv().await;
            handle.shut_down();
            interrupts.recv().await;
            std::process::exit(IMPATIENT);
        });
        Ok(())
    }

    /// Serves clients until it is told to stop. Then it says goodbye to them, waits until they have
    /// read that, for as long as the grace says, and ends.
    ///
    /// # Errors
    ///
    /// If an actor does not end, or the room has ended before its time.
    pub fn run(self) -> Result<RoomReport> {
        let report = self.runtime.block_on(self.serve())?;
        let ended = self.system.shutdown(Instant::now() + ACTORS_GRACE);
        ensure!(
            ended.is_complete(),
            "actors still run: {}",
            ended.abandoned().join(", ")
        );
        self.pool.shutdown()?;
        Ok(report)
    }

    async fn serve(&self) -> Result<RoomReport> {
        let room = self.system.spawn(Room::default());
        let abandoned = CancellationToken::new();
        let grace = self.settings.grace;
        let (closer, mut open) =
            Closer::new(self.runtime.handle().clone(), grace, abandoned.clone());
        let mut conversations = JoinSet::new();
        self.accept(&room, &closer, &mut conversations).await;

        let report = room.ask(Close).await.context("the room has failed")?;
        drop(closer);
        let all_closed = async {
            while conversations.join_next().await.is_some() {}
            open.all_closed().await;
        };
        let mut all_closed = std::pin::pin!(all_closed);
        if tokio::time::timeout(grace, &mut all_closed).await.is_err() {
            // Clients that do not read are not waited for any longer.
            abandoned.cancel();
            all_closed.await;
        }
        Ok(report)
    }

    /// Accepts clients until the server is told to stop. Then the port is still open, but a client
    /// that comes finds the room closed.
    async fn accept(
        &self,
        room: &ActorRef<Room>,
        closer: &Closer,
        conversations: &mut JoinSet<()>,
    ) {
        let most = self.settings.connections.get();
        let backlog = self.settings.backlog.get();
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                // The tasks that have ended go, so the set stays as small as the limit.
                Some(_) = conversations.join_next() => {}
                accepted = self.listener.accept(), if conversations.len() < most => match accepted {
                    Ok((socket, _)) => {
                        // The outbox gathers lines already. Without this the system would, too.
                        let _ = socket.set_nodelay(true);
                        let (room, closer) = (room.clone(), closer.clone());
                        let (conversation, connection) =
                            Conversation::begin(socket, &self.system, backlog, room, closer);
                        conversations.spawn(conversation.run(connection, self.stop.clone()));
                    }
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
    }
}
