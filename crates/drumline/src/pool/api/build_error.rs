//! Why a pool could not be made.

use std::fmt;

use crate::jobs::JobsError;

/// A pool could not be made.
///
/// ```
/// let error = drumline::Pool::builder().jobs(0).build().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "0 jobs would run nothing; use 1 for sequential, or Jobs::Auto",
/// );
/// ```
#[doc(alias = "ThreadPoolBuildError")]
#[derive(Debug)]
pub struct BuildError {
    pub(super) kind: BuildErrorKind,
}

#[derive(Debug)]
pub(super) enum BuildErrorKind {
    Jobs(JobsError),
    #[cfg(feature = "env")]
    Environment(super::builder::EnvironmentError),
    AlreadyMember,
    GlobalExists,
    MaxThreads {
        max: usize,
        jobs: usize,
    },
}

impl BuildError {
    pub(crate) fn global_exists() -> Self {
        BuildError {
            kind: BuildErrorKind::GlobalExists,
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            BuildErrorKind::Jobs(error) => error.fmt(f),
            #[cfg(feature = "env")]
            BuildErrorKind::Environment(error) => error.fmt(f),
            BuildErrorKind::MaxThreads { max, jobs } => write!(
                f,
                "max_threads = {max} is less than jobs = {jobs}; raise it or leave it out"
            ),
            BuildErrorKind::AlreadyMember => f.write_str(
                "the current thread is in a pool already, and can be a permanent member of one only",
            ),
            BuildErrorKind::GlobalExists => f.write_str(
                "the global pool exists already; call build_global before anything uses it, once",
            ),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            BuildErrorKind::Jobs(error) => Some(error),
            #[cfg(feature = "env")]
            BuildErrorKind::Environment(environment) => Some(&environment.error),
            BuildErrorKind::AlreadyMember
            | BuildErrorKind::GlobalExists
            | BuildErrorKind::MaxThreads { .. } => None,
        }
    }
}
