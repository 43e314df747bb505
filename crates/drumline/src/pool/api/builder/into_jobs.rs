//! Numbers of jobs, as callers write them.

use std::num::NonZeroUsize;

use crate::jobs::{Jobs, JobsError};

/// A number of jobs as callers write it: a plain number, or [`Jobs`].
///
/// ```
/// use drumline::{Jobs, Pool};
///
/// let plain = Pool::builder().jobs(2).build()?;
/// let said = Pool::builder().jobs(Jobs::Auto).build()?;
/// assert_eq!(plain.jobs(), 2);
/// assert_eq!(said.jobs(), Jobs::Auto.resolve().get());
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of jobs",
    label = "not a number of jobs",
    note = "give a `usize`, a `NonZeroUsize`, or `Jobs`, which a text can be read as: \
            `text.parse::<Jobs>()?`"
)]
pub trait IntoJobs: sealed::Sealed {
    /// Checks the number.
    ///
    /// ```
    /// use drumline::IntoJobs;
    ///
    /// assert_eq!(8.into_jobs().unwrap().to_string(), "8");
    /// assert!(0.into_jobs().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// For 0, or more than [`Jobs::MAX`].
    fn into_jobs(self) -> Result<Jobs, JobsError>;
}

impl IntoJobs for usize {
    fn into_jobs(self) -> Result<Jobs, JobsError> {
        Jobs::try_from(self)
    }
}

impl IntoJobs for NonZeroUsize {
    fn into_jobs(self) -> Result<Jobs, JobsError> {
        Jobs::try_from(self.get())
    }
}

impl IntoJobs for Jobs {
    fn into_jobs(self) -> Result<Jobs, JobsError> {
        Ok(self)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for std::num::NonZeroUsize {}
    impl Sealed for crate::Jobs {}
}
