//! Many clients, and what they hear.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use tokio::runtime::Builder;
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;

use crate::descriptors;
use crate::load_client::{Heard, LoadClient, Plan};
use crate::room::RoomReport;
use crate::server::Server;
use crate::settings::Settings;

/// How many clients connect at the same time.
const AT_THE_ENTRANCE: usize = 64;

/// What a load was.
#[derive(Clone, Copy, Debug)]
pub struct LoadReport {
    /// How many clients there were.
    pub clients: usize,
    /// How many lines they said.
    pub said: u64,
    /// How many lines arrived, at all clients together.
    pub arrived: u64,
    /// How many bytes these had.
    pub bytes: u64,
    /// From the first line to the last one.
    pub time: Duration,
    /// What the server says.
    pub room: RoomReport,
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        writeln!(
            f,
            "{} clients said {} lines in {seconds:.2} s",
            self.clients, self.said
        )?;
        writeln!(
            f,
            "each line arrived at each client, in the order of its sender: {} lines, {:.0} per \
             second, {} bytes",
            self.arrived,
            self.arrived as f64 / seconds,
            self.bytes
        )
    }
}

/// Starts a server on a free port, connects this many clients, and has each say this many lines.
///
/// # Errors
///
/// If the system has too few file descriptors, if a line does not arrive, or in the wrong order.
pub fn run(settings: Settings, clients: NonZero<usize>, lines: NonZero<u64>) -> Result<LoadReport> {
    let (clients, lines) = (clients.get(), lines.get());
    ensure!(
        clients <= settings.connections.get(),
        "{clients} clients are more than --connections {} lets in",
        settings.connections
    );
    // Both ends of each connection are here.
    descriptors::raise_limit((clients as u64).saturating_mul(2) + descriptors::OWN)?;
    let server = Server::bind(settings)?;
    let address = server.address()?;
    let handle = server.handle();
    let server = thread::Builder::new()
        .name("server".to_owned())
        .spawn(|| server.run())
        .context("cannot start a thread for the server")?;
    let plan = Plan {
        address,
        clients,
        lines,
        entrance: Arc::new(Semaphore::new(AT_THE_ENTRANCE)),
        start: Arc::new(Barrier::new(clients)),
    };
    let heard = hear(plan);
    handle.shut_down();
    let room = server
        .join()
        .map_err(|_| anyhow!("the server panicked"))??;
    let heard = heard?;

    let sum = |what: fn(&Heard) -> u64| heard.iter().map(what).sum();
    let begun = heard.iter().map(|heard| heard.begun).min();
    let ended = heard.iter().map(|heard| heard.ended).max();
    let (begun, ended) = begun.zip(ended).context("there are no clients")?;
    let said = clients as u64 * lines;
    ensure!(
        room.joined == clients as u64 && room.said == said && room.too_slow == 0,
        "the server counts otherwise: {room:?}"
    );
    Ok(LoadReport {
        clients,
        said,
        arrived: sum(|heard| heard.lines),
        bytes: sum(|heard| heard.bytes),
        time: ended - begun,
        room,
    })
}

/// Runs all clients. The first error ends them.
fn hear(plan: Plan) -> Result<Vec<Heard>> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the threads of the clients")?;
    runtime.block_on(async {
        let mut clients = JoinSet::new();
        for number in 0..plan.clients {
            clients.spawn(LoadClient::run(number, plan.clone()));
        }
        let mut heard = Vec::with_capacity(plan.clients);
        while let Some(result) = clients.join_next().await {
            heard.push(result??);
        }
        Ok(heard)
    })
}
