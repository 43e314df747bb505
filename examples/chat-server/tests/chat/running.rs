//! A server on a thread of its own.

use std::net::SocketAddr;
use std::thread::{self, JoinHandle};

use chat_server::{RoomReport, Server, ServerHandle, Settings};
use clap::Parser;

/// A server that runs until it is told to stop.
pub struct Running {
    pub address: SocketAddr,
    pub handle: ServerHandle,
    thread: JoinHandle<RoomReport>,
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    settings: Settings,
}

/// Two jobs, and a grace that no test waits for, on a free port.
pub fn settings() -> Settings {
    Line::parse_from([
        "test",
        "--listen=127.0.0.1:0",
        "--jobs=2",
        "--grace=3600000",
    ])
    .settings
}

impl Running {
    pub fn start(settings: Settings) -> Self {
        let server = Server::bind(settings).unwrap();
        Running {
            address: server.address().unwrap(),
            handle: server.handle(),
            thread: thread::spawn(|| server.run().unwrap()),
        }
    }

    /// Waits for its end.
    pub fn join(self) -> RoomReport {
        self.thread.join().unwrap()
    }

    /// Stops it, and waits for its end.
    pub fn stop(self) -> RoomReport {
        self.handle.shut_down();
        self.join()
    }
}
