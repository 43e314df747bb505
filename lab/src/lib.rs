//! The laboratory of drumline: repeatable comparisons with other runtimes.
//!
//! ```text
//! cli ─► running ─► launch ═══(a process per configuration and round)═══► measuring ─► registry
//!            │                                                                            │
//!            ▼                                     session ◄── families/<family>/ ◄───────┘
//!         record ─► table, chart ─► report ─► output        workloads/*.rs × runtimes/*.rs
//! ```
//! What is held against each other later is in `comparison`, by way of `reader`; `keep` keeps
//! records in the repository. `measure` measures any other program. `published` puts records beside
//! figures that others have published, and `history` those of one workload beside each other.
//!
//! A family is a kind of work, and one folder in `src/families`: it holds the traits of its
//! workloads and of its runtimes, a file per workload, a file per runtime or per way of using one,
//! and what these share. The build script finds the files, and nothing else has to know of a new
//! one. A new family is its folder and one line; see [`families`].

pub mod archive;
mod axis;
pub mod baseline;
mod build_time;
pub mod busy;
pub mod by_hand;
pub mod canvas;
pub mod cell;
pub mod chart;
pub mod cli;
pub mod columns;
pub mod comparison;
pub mod configuration;
pub mod console;
pub mod counters;
pub mod curve;
pub mod date;
pub mod definition;
pub mod destination;
pub mod effort;
mod end;
pub mod energy;
pub mod entry;
pub mod export;
pub mod families;
pub mod figure;
pub mod gate;
pub mod gated;
pub mod heap;
pub mod history;
pub mod interrupt;
pub mod journal;
pub mod keep;
pub mod latency;
pub mod launch;
pub mod layouts;
pub mod machine;
pub mod markdown;
#[cfg(unix)]
pub mod measure;
pub mod measurement;
pub mod measuring;
pub mod nap;
mod near;
pub mod noise;
pub mod options;
pub mod outcome;
pub mod output;
mod palette;
pub mod peers;
pub mod plan;
pub mod process;
pub mod process_group;
pub mod process_request;
pub mod progress;
pub mod published;
pub mod reader;
pub mod record;
pub mod registry;
pub mod report;
pub mod round;
pub mod running;
pub mod runtime;
mod scale;
pub mod schedule;
pub mod scoreboard;
pub mod session;
pub mod spin;
pub mod statistics;
pub mod table;
pub mod usage;
pub mod verdict;
pub mod weather;
mod whole_file;
pub mod workload;
mod workshop;
