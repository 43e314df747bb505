//! The program `chipmill`: renders register logs of sound chips, whole albums at once.

mod commands;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Renders register logs of sound chips (VGM, VGZ) to audio files, whole albums at once.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Renders songs to WAV, FLAC or AU files.
    Render(commands::render::Arguments),
    /// Plays songs in the terminal.
    Play(commands::play::Arguments),
    /// Prints tags, chips and lengths of songs.
    Info(commands::info::Arguments),
    /// Composes songs: for tests and benchmarks, or to try this program.
    Compose(commands::compose::Arguments),
    /// Composes an album and renders it.
    Album(commands::compose::Arguments),
    /// Measures how long an album takes, by several runtimes and with several songs at once.
    Bench(commands::bench::Arguments),
}

fn main() -> ExitCode {
    commands::allocator::give_large_blocks_back();
    commands::signals::ignore_the_limit_of_files();
    let result = match Arguments::parse().command {
        Command::Render(arguments) => commands::render::run(&arguments),
        Command::Play(arguments) => commands::play::run(&arguments),
        Command::Info(arguments) => commands::info::run(&arguments),
        Command::Compose(arguments) => commands::compose::run(&arguments),
        Command::Album(arguments) => commands::compose::album(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        // Without a reader there is no other place for it.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::FAILURE
    })
}
