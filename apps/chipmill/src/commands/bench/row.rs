//! What is measured.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread;

use serde::Serialize;

/// What renders the songs of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Runtime {
    /// Drumline: a stream, or tasks where more songs are in flight than there are threads.
    Drumline,
    /// rayon: a job for each song, spawned in order.
    Rayon,
    /// A thread for each song in flight.
    Threads,
    /// A process for each thread, each with a share of the songs, dealt by length.
    Processes,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// What renders the songs.
    pub runtime: Runtime,
    /// How many songs are rendered at once.
    pub in_flight: usize,
    /// By how many threads, or processes.
    pub threads: usize,
}

impl Row {
    /// The rows of the published table for this machine and an album of this number of songs, and
    /// those of the peers.
    pub fn published(songs: usize) -> Vec<Row> {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let row = |runtime, in_flight, threads| Row {
            runtime,
            in_flight,
            threads,
        };
        let mut rows = vec![
            row(Runtime::Drumline, cores, cores),
            row(Runtime::Drumline, 4 * cores, cores),
            row(Runtime::Drumline, 4 * cores, 4 * cores),
            row(Runtime::Drumline, 1, cores),
            row(Runtime::Drumline, 4 * cores, 1),
            row(Runtime::Rayon, cores, cores),
            row(Runtime::Threads, cores, cores),
            row(Runtime::Threads, 4 * cores, 4 * cores),
            row(Runtime::Processes, cores, cores),
        ];
        let all_at_once = row(Runtime::Threads, songs, songs);
        if !rows.contains(&all_at_once) {
            rows.push(all_at_once);
        }
        rows
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Runtime::Drumline => "drumline",
            Runtime::Rayon => "rayon",
            Runtime::Threads => "threads",
            Runtime::Processes => "processes",
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row {
            runtime,
            in_flight,
            threads,
        } = self;
        // The width is that of the whole.
        f.pad(&format!("{runtime} {in_flight} x {threads}"))
    }
}

impl FromStr for Row {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is no row such as \"drumline 4 x 2\"");
        let words: Vec<&str> = text.split(' ').collect();
        let [runtime, in_flight, "x", threads] = words[..] else {
            return Err(wrong());
        };
        let runtime = match runtime {
            "drumline" => Runtime::Drumline,
            "rayon" => Runtime::Rayon,
            "threads" => Runtime::Threads,
            "processes" => Runtime::Processes,
            _ => return Err(wrong()),
        };
        let number = |text: &str| text.parse::<NonZeroUsize>().map_err(|_| wrong());
        Ok(Row {
            runtime,
            in_flight: number(in_flight)?.get(),
            threads: number(threads)?.get(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_is_written() {
        for row in Row::published(61) {
            assert_eq!(row.to_string().parse(), Ok(row));
        }
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let of_few = Row::published(cores);
        assert!((1..of_few.len()).all(|place| !of_few[..place].contains(&of_few[place])));
        for wrong in [
            "",
            "drumline",
            "drumline 0 x 1",
            "tokio 1 x 1",
            "rayon 1 of 1",
        ] {
            assert!(wrong.parse::<Row>().is_err(), "{wrong}");
        }
    }
}
