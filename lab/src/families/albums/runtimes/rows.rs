//! The rows of the published table, and those of the peers: what renders the songs, and how many
//! are in flight. A row is the name of the type, that on the command line, what the program calls
//! it, its package, and the rest of its card; at the end, how many songs are in flight.

use crate::families::albums::AlbumRuntime;
use crate::runtime::{Role, RuntimeCard};

macro_rules! rows {
    ($(
        runtime $name:ident = $word:literal, $program:literal, $package:expr, $role:ident,
            $rank:literal,
            $scheduler:literal, $colour:expr,
            $about:literal,
            |$threads:ident, $cores:ident| $in_flight:expr;
    )*) => {
        $(
            #[doc = $about]
            #[derive(Debug)]
            pub struct $name;

            impl AlbumRuntime for $name {
                const CARD: RuntimeCard = RuntimeCard {
                    name: $word,
                    about: $about,
                    package: $package,
                    role: Role::$role,
                    rank: $rank,
                    scheduler: $scheduler,
                    parallel: true,
                    colour: $colour,
                };

                const PROGRAM: &'static str = $program;

                fn in_flight($threads: usize, $cores: usize) -> Option<usize> {
                    $in_flight
                }
            }
        )*
    };
}

rows! {
    runtime Drumline = "drumline", "drumline", Some("drumline"), Ours, 0,
        "a stream with a consumer for each job", (214, 69, 43),
        "a stream: as many songs in flight as jobs",
        |threads, _cores| Some(threads);
    runtime DrumlineTurns = "drumline-turns", "drumline", Some("drumline"), Ours, 1,
        "tasks that give way after each block", (232, 128, 96),
        "tasks that give way to each other: four songs in flight for each core",
        |threads, cores| (threads < 4 * cores).then_some(4 * cores);
    runtime DrumlineOneSong = "drumline-one-song", "drumline", Some("drumline"), Bound, 80,
        "a stream with one consumer", (240, 176, 150),
        "a stream with one song in flight, which is no parallelism",
        |threads, _cores| (threads > 1).then_some(1);
    runtime Rayon = "rayon", "rayon", Some("rayon"), Peer, 10,
        "work stealing, in the order of spawning", (47, 111, 176),
        "`scope_fifo`: a job for each song",
        |threads, _cores| Some(threads);
    runtime Threads = "threads", "threads", None, Peer, 20,
        "the operating system's", (120, 120, 120),
        "threads of the standard library that take the next song",
        |threads, _cores| Some(threads);
    runtime Processes = "processes", "processes", None, Bound, 90,
        "the operating system's; songs dealt out in advance", (170, 170, 170),
        "a process for each job, to which the songs are dealt by their work",
        |threads, _cores| Some(threads);
}
