//! A server on a thread of its own.

use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::Parser;
use drumline::CancellationToken;
use hash_service::{Counters, Digest, Server, Service, Settings, Stopped};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// A server that runs until [`stop`](Running::stop), or until this is dropped.
pub struct Running {
    pub address: SocketAddr,
    pub counters: Arc<Counters>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    settings: Settings,
}

/// One job, no queue and no deadline that a test would see, on a free port.
pub fn settings() -> Settings {
    Line::parse_from([
        "test",
        "--listen=127.0.0.1:0",
        "--jobs=1",
        "--queue=0",
        "--deadline=3600000",
    ])
    .settings
}

impl Running {
    pub fn start(
        settings: Settings,
        work: impl Fn(&[u8], &CancellationToken) -> Result<Digest, Stopped> + Send + Sync + 'static,
    ) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn(move || {
            let service = Service::start(&settings, Arc::new(work)).unwrap();
            let counters = Arc::clone(service.counters());
            let runtime = Builder::new_multi_thread()
                .worker_threads(settings.io_threads.get())
                .enable_all()
                .build()
                .unwrap();
            let service = runtime.block_on(async {
                let server = Server::bind(&settings, service).await.unwrap();
                tell.send((server.address().unwrap(), counters)).unwrap();
                server.serve(async { stopped.await.unwrap() }).await
            });
            service.shutdown().unwrap();
        });
        let (address, counters) = told.recv().unwrap();
        Running {
            address,
            counters,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Tells the server to stop, and does not wait for that.
    pub fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits for the end of the server.
    pub fn join(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if thread::panicking() {
            // The test has failed, and may have left a job that never ends.
            return;
        }
        if self.stop.is_some() {
            self.stop();
        }
        if self.thread.is_some() {
            self.join();
        }
    }
}

/// Waits for an event that this thread cannot be told of.
pub fn wait_until(mut event: impl FnMut() -> bool) {
    while !event() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Work that goes on until its token is cancelled.
pub fn work_until_stopped(_: &[u8], token: &CancellationToken) -> Result<Digest, Stopped> {
    wait_until(|| token.is_cancelled());
    Err(Stopped)
}

/// Work that takes no time.
pub fn zeros(_: &[u8], _: &CancellationToken) -> Result<Digest, Stopped> {
    Ok(Digest([0; 32]))
}
