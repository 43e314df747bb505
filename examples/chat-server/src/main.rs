//! Serves a chat, or measures how it serves a thousand clients.
//!
//! ```sh
//! cargo run --release -p chat-server -- serve --listen 127.0.0.1:7070
//! nc 127.0.0.1 7070
//! cargo run --release -p chat-server -- load --clients 1000
//! ```

use std::io::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;

use anyhow::{Context, Result};
use chat_server::{Server, Settings, descriptors, load};
use clap::{Parser, Subcommand};

/// A chat server: tokio has the sockets, and each client and the room are actors.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    mode: Mode,
}

#[derive(Debug, Subcommand)]
enum Mode {
    /// Serve until Ctrl-C.
    ///
    /// A client sends lines: what it says, `/nick NAME`, or `/quit`.
    Serve {
        #[command(flatten)]
        settings: Settings,
    },
    /// Connect many clients, and check that each line arrives at each of them in order.
    Load {
        /// How many clients there are.
        #[arg(short, long, default_value = "1000", value_name = "CLIENTS")]
        clients: NonZero<usize>,
        /// How many lines each client says.
        #[arg(long, default_value = "10", value_name = "LINES")]
        lines: NonZero<u64>,
        #[command(flatten)]
        settings: Settings,
    },
}

fn serve(settings: Settings) -> Result<()> {
    // With fewer descriptors the others wait in the queue of the system.
    descriptors::raise_limit(descriptors::OWN)?;
    let server = Server::bind(settings)?;
    let address = server.address()?;
    server
        .stop_on_interrupt()
        .context("cannot listen for signals")?;
    // A program that has closed standard output gets the server all the same.
    let _ = writeln!(io::stdout(), "listening on {address}");
    let report = server.run()?;
    let _ = writeln!(
        io::stdout(),
        "{} clients said {} lines; {} were too slow",
        report.joined,
        report.said,
        report.too_slow
    );
    Ok(())
}

fn run(options: Options) -> Result<()> {
    match options.mode {
        Mode::Serve { settings } => serve(settings),
        Mode::Load {
            clients,
            lines,
            mut settings,
        } => {
            settings.listen.set_port(0);
            let report = load::run(settings, clients, lines)?;
            write!(io::stdout(), "{report}").context("cannot write to standard output")
        }
    }
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "chat-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}
