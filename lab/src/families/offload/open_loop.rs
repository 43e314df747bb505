//! How the workloads use a runtime: requests arrive at times that were fixed in advance, and each
//! is handed over at once.
//!
//! ```text
//! a thread sleeps until the next arrival ─► the asynchronous side: a task per request
//!                                                │ offload          ▲ answer
//!                                                ▼                  │
//!                                           the threads of the runtime
//! ```
//! A latency begins when its request was to arrive, also if the thread that makes it arrive was
//! late or the asynchronous side was busy. So a stall counts for all requests that it delays.

use std::thread;
use std::time::{Duration, Instant};

use ::tokio::runtime::{Builder, Runtime};
use ::tokio::sync::mpsc;
use anyhow::{Context, Result, ensure};

use crate::families::offload::OffloadRuntime;
use crate::families::offload::arrivals::arrivals;
use crate::families::offload::request::Request;
use crate::latency::Latencies;
use crate::nap::sleep_precisely;
use crate::session::Session;

/// How many requests per job all arrive at once before the measurement, so that threads are there.
const WARM_UP: usize = 10;

/// Starts the runtime, and lets requests arrive as often as the session wants to.
pub fn drive<R: OffloadRuntime>(
    requests: u64,
    load_percent: u32,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    // Before the runtime makes its threads.
    sleep_precisely();
    let request = Request::calibrate();
    let rate = request.closed_loop_rate(jobs) * f64::from(load_percent) / 100.0;
    let times = arrivals(requests, rate);
    let mut builder = Builder::new_current_thread();
    R::configure(&mut builder, jobs);
    let side = builder.build()?;
    let runtime = Box::leak(Box::new(R::start(jobs)?));
    run(
        &side,
        runtime,
        request,
        &vec![Duration::ZERO; WARM_UP * jobs],
    )?;
    session.sample_reported(
        requests,
        || {},
        || run(&side, runtime, request, &times).map_err(|error| format!("{error:#}")),
    );
    // The process ends now. Ending a runtime waits for its threads, and if that goes wrong it is
    // not what was measured.
    std::mem::forget(side);
    Ok(())
}

/// Lets requests arrive at these times. Returns how long it took until the last one was answered,
/// and how long each one took.
fn run<R: OffloadRuntime>(
    side: &Runtime,
    runtime: &'static R,
    request: Request,
    times: &[Duration],
) -> Result<(Duration, Latencies)> {
    let (send, mut receive) = mpsc::unbounded_channel();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(move || {
            for &time in times {
                let arrival = start + time;
                thread::sleep(arrival.saturating_duration_since(Instant::now()));
                if send.send(arrival).is_err() {
                    // The other side has failed, and says so.
                    return;
                }
            }
        });
        side.block_on(async {
            let mut tasks = Vec::with_capacity(times.len());
            while let Some(arrival) = receive.recv().await {
                tasks.push(::tokio::spawn(answered(runtime, request, arrival)));
            }
            let mut latencies = Latencies::default();
            let mut last = start;
            for task in tasks {
                let (arrival, end) = task
                    .await
                    .context("a task of the asynchronous side failed")??;
                let latency = end.saturating_duration_since(arrival).as_nanos();
                latencies.add(u64::try_from(latency)?);
                last = last.max(end);
            }
            Ok((last - start, latencies))
        })
    })
}

/// Hands a request over, and returns when it arrived and when its answer was here.
async fn answered<R: OffloadRuntime>(
    runtime: &'static R,
    request: Request,
    arrival: Instant,
) -> Result<(Instant, Instant)> {
    let answer = runtime.offload(move || request.run()).await?;
    let end = Instant::now();
    ensure!(request.is_right(answer), "wrong answer: {answer}");
    Ok((arrival, end))
}
