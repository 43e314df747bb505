//! The laboratory of drumline: repeatable comparisons with other runtimes.
//!
//! ```text
//! cli ─► schedule ─► launch ═══(a process per configuration and round)═══► registry ─► session
//!            │                                                                │
//!            ▼                                          workloads/*.rs × runtimes/*.rs
//!         record ─► table, chart ─► report ─► output        crowds/*.rs × spawners/*.rs
//!                                                            loops/*.rs × loopers/*.rs
//!                                                          streams/*.rs × streamers/*.rs
//!                                                virtual_workloads/*.rs × virtual_runtimes/*.rs
//! ```
//! What is held against each other later is in `comparison`, by way of `reader`; `keep` keeps
//! records in the repository.
//!
//! There are five families. Fork/join: a workload is one file in `src/workloads`, a runtime is one
//! file in `src/runtimes`. Tasks that block: a workload is one file in `src/crowds`, a runtime, or
//! a way of using one, is one file in `src/spawners`. Loops: a workload is one file in `src/loops`,
//! a runtime is one file in `src/loopers`. Streams: a workload is one file in `src/streams`, a
//! runtime is one file in `src/streamers`. Virtual cores: a workload is one file in
//! `src/virtual_workloads`, a runtime is one file in `src/virtual_runtimes`. The build script finds
//! them, and nothing else has to know of a new one.

pub mod baseline;
pub mod by_hand;
pub mod cell;
pub mod chart;
pub mod cli;
pub mod columns;
pub mod comparison;
pub mod counters;
pub mod crowd;
pub mod curve;
pub mod destination;
pub mod energy;
pub mod family;
pub mod gate;
pub mod interrupt;
pub mod journal;
pub mod keep;
pub mod latency;
pub mod launch;
pub mod layouts;
pub mod looper;
pub mod looping;
pub mod machine;
pub mod mapping;
pub mod marks;
mod near;
pub mod noise;
pub mod numbers;
pub mod options;
pub mod output;
pub mod pipeline;
pub mod plan;
pub mod pool;
pub mod process;
pub mod process_group;
pub mod reader;
pub mod record;
pub mod registry;
pub mod report;
pub mod roll;
pub mod round;
pub mod runtime;
pub mod schedule;
pub mod scoreboard;
pub mod session;
pub mod sleepers;
pub mod sorting;
pub mod spawner;
pub mod spin;
pub mod statistics;
pub mod streamer;
pub mod streaming;
pub mod table;
pub mod tree;
pub mod usage;
pub mod virtual_runtime;
pub mod virtual_workload;
pub mod weather;
pub mod workload;
mod workshop;
