//! What happens inside one measuring process: warm-up, then samples.
//!
//! ```text
//! begin ──► (workload builds its data, runtime starts) ──► warm-up ──► sample, sample, … ──► end
//! ```
//! A *sample* is one timed stretch. Operations that are too short for the clock are batched until a
//! sample lasts at least [`Effort::sample_ns`]; all figures are per operation. Processor time,
//! context switches and page faults are counted over the samples only: what happens before, between
//! and after them does not count. Every answer is compared, inside the timed stretch, because a
//! comparison costs less than a nanosecond and a skipped one would cost the result.

use std::fmt::Debug;
use std::hint::{black_box, spin_loop};
use std::time::{Duration, Instant};

use crate::counters::{Counters, Counts};
use crate::effort::Effort;
use crate::energy::Energy;
use crate::gate;
use crate::latency::Latencies;
use crate::measurement::Measurement;
use crate::process;
use crate::usage::Usage;

/// One measuring process at work.
#[derive(Debug)]
pub struct Session {
    effort: Effort,
    counters: Counters,
    found: Measurement,
    gated: bool,
    slowdown_percent: u32,
}

impl Session {
    /// A session that goes to this much trouble.
    pub fn new(effort: Effort) -> Self {
        Self {
            effort,
            counters: Counters::open(),
            found: Measurement::default(),
            gated: false,
            slowdown_percent: 0,
        }
    }

    /// Makes it wait before the first sample until its starter says so; see [`crate::gate`].
    pub fn wait_at_gate(&mut self) {
        self.gated = true;
    }

    /// Makes every sample longer by this percentage: a slowdown that a comparison has to find.
    pub fn slow_down(&mut self, percent: u32) {
        self.slowdown_percent = percent;
        self.found.slowdown_percent = Some(percent);
    }

    /// Notes the state of the process before anything is built.
    pub fn begin(&mut self) {
        self.found.initial = process::size();
    }

    /// Says why this runtime does not take part.
    pub fn decline(&mut self, reason: &str) {
        self.found.declined = Some(reason.to_owned());
    }

    /// Says how many tasks and messages one operation has.
    pub fn tasks(&mut self, tasks: u64, messages: Option<u64>) {
        self.found.concurrency = Some(tasks);
        self.found.messages = messages;
    }

    /// Says what an operation takes at least.
    pub fn bound(&mut self, bound: Duration) {
        self.found.bound_ns = Some(bound.as_nanos() as f64);
    }

    /// Says how many items ran at once, in all samples and the warm-up.
    pub fn items_peak(&mut self, peak: u64) {
        self.found.items_peak = Some(peak);
    }

    /// Says how much of the heap an item holds beyond its own size.
    pub fn item_heap_bytes(&mut self, bytes: f64) {
        self.found.item_heap_bytes = Some(bytes);
    }

    /// Says how much of the heap is left of an item when it is gone.
    pub fn item_heap_left_bytes(&mut self, bytes: f64) {
        self.found.item_heap_left_bytes = Some(bytes);
    }

    /// Adds how long items waited, in all samples and the warm-up.
    pub fn latencies(&mut self, latencies: &Latencies) {
        self.found.latencies.merge(latencies);
    }

    /// Ends the session.
    pub fn end(self) -> Measurement {
        self.found
    }

    /// Measures `operation`, which is repeated back to back.
    pub fn sample<A: PartialEq + Debug>(
        &mut self,
        expected: &A,
        items: u64,
        mut operation: impl FnMut() -> A,
    ) {
        self.found.items = items;
        let warm_up = Duration::from_millis(self.effort.warm_up_ms);
        let start = Instant::now();
        let mut done = 0u64;
        let mut step = 1u64;
        while done == 0 || start.elapsed() < warm_up {
            if let Err(wrong) = repeat(step, expected, &mut operation) {
                self.found.error = Some(wrong);
                return;
            }
            done += step;
            // The clock must not be a part of what is estimated.
            step = (step * 2).min(1 << 10);
        }
        let each = start.elapsed().as_nanos() as f64 / done as f64;
        let batch = (self.effort.sample_ns as f64 / each.max(0.1))
            .ceil()
            .max(1.0) as u64;

        self.sampling(&mut |session| {
            session.timed(batch, &mut || repeat(batch, expected, &mut operation))
        });
    }

    /// Measures `operation`, with `prepare` before and `check` after each one, untimed.
    pub fn sample_prepared<S, A>(
        &mut self,
        items: u64,
        state: &mut S,
        prepare: impl FnMut(&mut S),
        operation: impl FnMut(&mut S) -> A,
        check: impl FnMut(&mut S, A) -> Result<(), String>,
    ) {
        self.sample_batch(items, 1, state, prepare, operation, check);
    }

    /// Measures `batch`, which is `operations` operations in a row, with `prepare` before and
    /// `check` after all of them, untimed.
    pub fn sample_batch<S, A>(
        &mut self,
        items: u64,
        operations: u64,
        state: &mut S,
        mut prepare: impl FnMut(&mut S),
        mut batch: impl FnMut(&mut S) -> A,
        mut check: impl FnMut(&mut S, A) -> Result<(), String>,
    ) {
        self.found.items = items;
        if self.effort.warm_up_ms > 0 {
            prepare(state);
            let answer = batch(state);
            if let Err(wrong) = check(state, answer) {
                self.found.error = Some(wrong);
                return;
            }
        }
        self.sampling(&mut |session| {
            prepare(state);
            let mut answer = None;
            session.timed(operations, &mut || {
                answer = Some(batch(state));
                Ok(())
            })?;
            check(state, answer.expect("the batch has run"))
        });
    }

    /// Measures `operation`, with `prepare` before it, untimed. The time of a sample is what the
    /// operation says, and so is how long items waited; what the warm-up says is left out.
    /// Everything else is that of the whole operation.
    pub fn sample_reported(
        &mut self,
        items: u64,
        mut prepare: impl FnMut(),
        mut operation: impl FnMut() -> Result<(Duration, Latencies), String>,
    ) {
        self.found.items = items;
        if self.effort.warm_up_ms > 0 {
            prepare();
            if let Err(wrong) = operation() {
                self.found.error = Some(wrong);
                return;
            }
        }
        self.sampling(&mut |session| {
            prepare();
            let mut reported = None;
            session.timed(1, &mut || {
                reported = Some(operation()?);
                Ok(())
            })?;
            let (time, latencies) = reported.expect("the operation has run");
            let wall = session.found.wall_ns.last_mut();
            *wall.expect("the sample was added") = time.as_nanos() as f64;
            session.latencies(&latencies);
            Ok(())
        });
    }

    /// Measures what other processes do: `prepare` starts them, untimed, and `operation` waits for
    /// what each of them found. The time is that of all of them, from here; everything else is what
    /// they used themselves.
    pub fn sample_elsewhere<S>(
        &mut self,
        items: u64,
        mut prepare: impl FnMut() -> anyhow::Result<S>,
        mut operation: impl FnMut(S) -> anyhow::Result<Vec<Measurement>>,
    ) {
        self.found.items = items;
        let mut all = Vec::new();
        self.sampling(&mut |session| {
            let mut prepared = Some(prepare().map_err(|error| format!("{error:#}"))?);
            let mut found = Vec::new();
            session.timed(1, &mut || {
                let prepared = prepared.take().expect("a sample is one call");
                found = operation(prepared).map_err(|error| format!("{error:#}"))?;
                Ok(())
            })?;
            if let Some(error) = found.iter_mut().find_map(|one| one.error.take()) {
                return Err(error);
            }
            let cpu = found.iter().map(|one| Some(one.usage.cpu_ns? as f64));
            if let Some(cpu) = cpu.reduce(|a, b| Some(a? + b?)).flatten() {
                session.found.cpu_ns.pop();
                session.found.cpu_ns.push(cpu);
            }
            all.append(&mut found);
            Ok(())
        });
        if all.is_empty() {
            return;
        }
        let found = &mut self.found;
        let total = |field: fn(&Measurement) -> Option<u64>| {
            let known = all.iter().map(field).reduce(|a, b| Some(a? + b?));
            known.flatten()
        };
        found.migrations = total(|one| one.migrations);
        let samples = found.wall_ns.len() as u64;
        found.rss_peak_bytes = total(|one| one.rss_peak_bytes).map(|sum| sum / samples);
        found.threads_peak = total(|one| one.threads_peak).map(|sum| sum / samples);
        found.counts = Counts::default();
        let usage = all.iter().map(|one| one.usage);
        found.usage = usage.reduce(|a, b| a.plus(&b)).unwrap_or_default();
        for one in &all {
            found.latencies.merge(&one.latencies);
        }
    }

    /// Takes in what a program of its own measures: `operation` runs it once. What a sample took
    /// and used is what the program says.
    pub fn sample_program(&mut self, mut operation: impl FnMut() -> anyhow::Result<Measurement>) {
        let (mut threads, mut memory) = (None, None);
        self.sampling(&mut |session| {
            let mut one = operation().map_err(|error| format!("{error:#}"))?;
            if let Some(error) = one.error.take() {
                return Err(error);
            }
            let found = &mut session.found;
            let is_first = found.wall_ns.is_empty();
            if one.items == 0 || one.wall_ns.is_empty() {
                return Err("the program has measured nothing".to_owned());
            }
            if !is_first && one.items != found.items {
                let (now, before) = (one.items, found.items);
                return Err(format!("the program had {now} items, and {before} before"));
            }
            found.items = one.items;
            found.batch = 1;
            found.operations += one.operations;
            found.wall_ns.append(&mut one.wall_ns);
            found.cpu_ns.append(&mut one.cpu_ns);
            found.usage = if is_first {
                one.usage
            } else {
                found.usage.plus(&one.usage)
            };
            threads = one.threads_peak.max(threads);
            memory = one.rss_peak_bytes.max(memory);
            Ok(())
        });
        // What this process used while it waited says nothing.
        let found = &mut self.found;
        (found.threads_peak, found.rss_peak_bytes) = (threads, memory);
        (found.counts, found.migrations) = (Counts::default(), None);
    }

    /// Takes samples until there are enough. A thousand workloads come here, and the code exists
    /// once: it is called for a sample, not for an operation.
    fn sampling(&mut self, one: &mut dyn FnMut(&mut Self) -> Result<(), String>) {
        if self.gated
            && let Err(gone) = gate::wait()
        {
            self.found.error = Some(gone);
            return;
        }
        let migrations = process::migrations();
        let energy = Energy::read();
        let window = Duration::from_millis(self.effort.window_ms);
        let start = Instant::now();
        loop {
            if let Err(wrong) = one(self) {
                self.found.error = Some(wrong);
                break;
            }
            let taken = self.found.wall_ns.len();
            let late = start.elapsed() >= window && taken >= self.effort.samples_min;
            if taken >= self.effort.samples_max || late {
                break;
            }
        }
        self.found.energy_joules = energy.joules_until(&Energy::read());
        self.found.counts = self.counters.read();
        let seen = match (migrations, process::migrations()) {
            (Some(before), Some(after)) => Some(after.saturating_sub(before)),
            _ => None,
        };
        // A counter has also those of threads that have ended.
        self.found.migrations = self.found.counts.migrations.or(seen);
        self.found.rss_peak_bytes = process::rss_peak_bytes();
        self.found.threads_peak = process::size().map(|size| size.threads);
    }

    /// Spends the planted part of a sample that began at `start`, in the thread that measures.
    fn spin_away(&self, start: Instant) {
        if self.slowdown_percent > 0 {
            let own = start.elapsed();
            let end = own + own * self.slowdown_percent / 100;
            while start.elapsed() < end {
                spin_loop();
            }
        }
    }

    /// Times one sample of `batch` operations, in code that exists once as well.
    fn timed(
        &mut self,
        batch: u64,
        stretch: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), String> {
        self.counters.enable();
        let before = Usage::now();
        let start = Instant::now();
        let result = stretch();
        self.spin_away(start);
        let wall = start.elapsed();
        let used = Usage::now().since(&before);
        self.counters.disable();
        result?;

        let found = &mut self.found;
        found.batch = batch;
        found.operations += batch;
        found.wall_ns.push(wall.as_nanos() as f64 / batch as f64);
        if let Some(cpu) = used.cpu_ns {
            found.cpu_ns.push(cpu as f64 / batch as f64);
        }
        found.usage = if found.wall_ns.len() == 1 {
            used
        } else {
            found.usage.plus(&used)
        };
        Ok(())
    }
}

/// Runs `operation` `times` times and compares every answer. Not inlined, so that warm-up and
/// samples run the same machine code.
#[inline(never)]
fn repeat<A: PartialEq + Debug>(
    times: u64,
    expected: &A,
    operation: &mut impl FnMut() -> A,
) -> Result<(), String> {
    for _ in 0..times {
        let answer = black_box(operation());
        if answer != *expected {
            return Err(wrong_answer(&answer, expected));
        }
    }
    Ok(())
}

#[cold]
fn wrong_answer<A: Debug>(answer: &A, expected: &A) -> String {
    format!("wrong answer: {answer:?}, expected {expected:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operation says itself how long it took, so the machine's load does not matter.
    #[test]
    fn a_planted_slowdown_makes_samples_longer() {
        let mut session = Session::new(Effort::once());
        session.slow_down(50);
        let mut own = Duration::ZERO;
        session.sample_prepared(
            1,
            &mut (),
            |()| {},
            |()| {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(2) {}
                own = start.elapsed();
            },
            |(), ()| Ok(()),
        );
        let found = session.end();
        assert_eq!(found.slowdown_percent, Some(50));
        assert!(found.wall_ns[0] >= 1.5 * own.as_nanos() as f64);
    }
}
