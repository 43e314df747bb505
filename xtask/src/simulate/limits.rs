//! What the model takes.
//!
//! The clock counts nanoseconds in 64 bits, and a simulation keeps a number for each item. Within
//! these limits neither the clock nor the memory of a usual machine overflows.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use anyhow::{Result, ensure};

use super::program::Program;

const JOBS: RangeInclusive<usize> = 1..=4096;

const ITEMS: RangeInclusive<usize> = 1..=100_000_000;

/// Microseconds of an item: up to a minute.
const COST: RangeInclusive<f64> = 0.0..=60_000_000.0;

/// Microseconds of an assumption: up to a second.
const ASSUMPTION: RangeInclusive<f64> = 0.0..=1_000_000.0;

/// Seconds of all items of all rounds, one after the other.
const WORK: u128 = 1_000_000;

/// A number of jobs.
pub fn jobs(text: &str) -> Result<usize, String> {
    within(&JOBS, text, "jobs")
}

/// A number of items.
pub fn items(text: &str) -> Result<usize, String> {
    within(&ITEMS, text, "items")
}

/// What an item costs.
pub fn cost(text: &str) -> Result<f64, String> {
    within(&COST, text, "microseconds for an item")
}

fn within<T>(limits: &RangeInclusive<T>, text: &str, of_what: &str) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    let number = text.parse().ok();
    let number = number.filter(|number| limits.contains(number));
    number.ok_or_else(|| {
        let (low, high) = (limits.start(), limits.end());
        format!("the model takes {low} to {high} {of_what}")
    })
}

/// The time of an assumption.
pub fn assumption(name: &str, micros: f64) -> Result<()> {
    let (low, high) = (ASSUMPTION.start(), ASSUMPTION.end());
    ensure!(
        ASSUMPTION.contains(&micros),
        "{name} = {micros}: the model takes {low} to {high} microseconds"
    );
    Ok(())
}

/// All that a program has to do.
pub fn whole_work(program: &Program) -> Result<()> {
    let factors = [
        program.items as u128,
        u128::from(program.cost),
        program.rounds as u128,
    ];
    let seconds = factors.iter().product::<u128>() / 1_000_000_000;
    ensure!(
        seconds <= WORK,
        "its items take {seconds} s of work together, and the model takes {WORK} s at most; lower \
         --items or --cost"
    );
    Ok(())
}
