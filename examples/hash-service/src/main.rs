//! Answers uploads with their hashes, until it is told to stop.
//!
//! ```sh
//! cargo run --release -p hash-service -- --listen 127.0.0.1:8080
//! curl --data-binary @FILE http://127.0.0.1:8080/hash
//! curl http://127.0.0.1:8080/stats
//! ```

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Parser;
use hash_service::{Server, Service, Settings, hash, signals};
use tokio::runtime::Builder;

/// An HTTP service that hashes uploads: tokio has the sockets, and a pool of Drumline computes.
///
/// POST /hash answers with the hash of the body, GET /stats with counts. SIGINT or SIGTERM ends it:
/// it answers what it has admitted, and ends.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    settings: Settings,
}

fn run(settings: &Settings) -> Result<()> {
    let rounds = settings.rounds;
    let service = Service::start(
        settings,
        Arc::new(move |upload, token| hash(upload, rounds, token)),
    )
    .context("cannot start the pool")?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(settings.io_threads.get())
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let service = runtime.block_on(serve(settings, service))?;
    // The order matters: the sockets first, then the pool. No handler is left that awaits a job.
    service.shutdown()?;
    Ok(())
}

async fn serve(settings: &Settings, service: Service) -> Result<Service> {
    let stop = signals::stop().context("cannot listen for signals")?;
    let server = Server::bind(settings, service)
        .await
        .with_context(|| format!("cannot listen on {}", settings.listen))?;
    let address = server.address()?;
    // A program that has closed standard output gets the service all the same.
    let _ = writeln!(io::stdout(), "listening on http://{address}");
    Ok(server.serve(stop).await)
}

fn main() -> ExitCode {
    match run(&Options::parse().settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "hash-service: {error:#}");
            ExitCode::FAILURE
        }
    }
}
