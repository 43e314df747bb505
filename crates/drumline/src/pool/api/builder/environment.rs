//! The number of jobs that the operator of a program asks for, where the program itself does not
//! (feature `env`).

use std::env;
use std::fmt;

use crate::jobs::{Jobs, ParseJobsError};

/// The variable that is read.
const VARIABLE: &str = "DRUMLINE_JOBS";

/// The variable is set to what is not a number of jobs.
#[derive(Debug)]
pub(in crate::pool) struct EnvironmentError {
    pub(in crate::pool) error: ParseJobsError,
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the environment variable {VARIABLE}: {}", self.error)
    }
}

/// What the variable says. [`Jobs::Auto`] where it is not set, or empty.
pub(super) fn jobs() -> Result<Jobs, EnvironmentError> {
    let text = env::var_os(VARIABLE).unwrap_or_default();
    if text.is_empty() {
        return Ok(Jobs::Auto);
    }
    // What is not Unicode has marks in its place, and is refused with these in the message.
    let jobs = text.to_string_lossy().parse();
    jobs.map_err(|error| EnvironmentError { error })
}
