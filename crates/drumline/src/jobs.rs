//! [`Jobs`]: how many threads' worth of work may run at once, in the form in which people say it.
//!
//! What was *said* ("half of the machine") is kept apart from what it *comes to* here and now (3):
//! a program can store and show the first, and a pool asks for the second when it is built. That is
//! also why nothing is looked up while parsing.

use crate::platform::topology;
use std::error::Error;
use std::fmt;
use std::num::{NonZeroU16, NonZeroUsize};
use std::str::FromStr;
use std::thread;

/// How many jobs may run at the same time: a choice of the program, or of its user.
///
/// Made for a command line's `--jobs`. These forms are understood, in upper or lower case and with
/// white space around them, and [`Display`](fmt::Display) gives them back:
///
/// | text | value | what it comes to ([`resolve`](Jobs::resolve)) |
/// |---|---|---|
/// | `auto` | [`Jobs::Auto`] | what this process may really use |
/// | `8` | [`Jobs::Count`] | that number, whatever the machine has |
/// | `50%` | [`Jobs::Percent`] | that share of `auto`, rounded to the nearest number |
/// | `physical` | [`Jobs::Physical`] | as `auto`, but hardware threads of one core count once |
///
/// # Examples
///
/// ```
/// use drumline::{Jobs, ParseJobsError};
///
/// /// Reads `--jobs N` or `--jobs=N`; without either, all that this process may use.
/// fn jobs(args: impl IntoIterator<Item = String>) -> Result<Jobs, ParseJobsError> {
///     let mut args = args.into_iter();
///     while let Some(arg) = args.next() {
///         if arg == "--jobs" {
///             return args.next().unwrap_or_default().parse();
///         }
///         if let Some(text) = arg.strip_prefix("--jobs=") {
///             return text.parse();
///         }
///     }
///     Ok(Jobs::default())
/// }
///
/// let args = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
///
/// assert_eq!(jobs(args("sort --jobs 8 in.txt"))?, Jobs::try_from(8)?);
/// assert_eq!(jobs(args("sort --jobs=50% in.txt"))?.to_string(), "50%");
/// assert_eq!(jobs(args("sort in.txt"))?, Jobs::Auto);
///
/// let error = jobs(args("sort --jobs 0 in.txt")).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "0 jobs would run nothing; use 1 for sequential, or auto",
/// );
///
/// println!("running {} jobs", jobs(std::env::args())?.resolve());
/// # Ok::<(), ParseJobsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jobs {
    /// What this process may really use: the processors in its affinity mask, and on Linux no more
    /// than the CPU quota of its control group (v1 or v2); at least 1.
    #[default]
    Auto,
    /// This many, be the machine larger or smaller. 1 means sequential.
    ///
    /// Parsing and `TryFrom<usize>` refuse more than [`Jobs::MAX`]. A larger count made by hand is
    /// cut off when it is resolved.
    Count(NonZeroUsize),
    /// This many hundredths of [`Jobs::Auto`]: 50 is half, 200 is two jobs per processor.
    ///
    /// The result is rounded to the nearest whole number, halves up (50 % of 3 is 2), and is at
    /// least 1. Parsing refuses more than [`Jobs::MAX_PERCENT`].
    Percent(NonZeroU16),
    /// One job per physical core, for work that gains nothing from a core's second hardware thread:
    /// the cores that the affinity mask touches, but never more than [`Jobs::Auto`].
    Physical,
}

impl Jobs {
    /// The largest number of jobs: 32,767.
    ///
    /// Beyond any machine, and below the number of threads at which systems begin to fail; so that
    /// a slip of the finger is told rather than tried.
    ///
    /// ```
    /// assert!(drumline::Jobs::try_from(drumline::Jobs::MAX + 1).is_err());
    /// ```
    pub const MAX: usize = 32_767;

    /// The largest percentage: 10,000, a hundred jobs per processor.
    ///
    /// ```
    /// assert!("10000%".parse::<drumline::Jobs>().is_ok());
    /// assert!("10001%".parse::<drumline::Jobs>().is_err());
    /// ```
    pub const MAX_PERCENT: u16 = 10_000;

    /// The number of jobs that this comes to, here and now; from 1 to [`Jobs::MAX`].
    ///
    /// Looks at the calling thread's affinity mask, at the control group and at the cores each time
    /// (a few system calls and small files), as all of them can change while a program runs; ask
    /// once, and keep the answer. A thread that is pinned to one processor finds one processor.
    ///
    /// # Examples
    ///
    /// ```
    /// use drumline::Jobs;
    ///
    /// let all = Jobs::Auto.resolve();
    /// let half: Jobs = "50%".parse()?;
    /// assert_eq!(half.resolve().get(), all.get().div_ceil(2));
    /// assert!(Jobs::Physical.resolve() <= all);
    /// # Ok::<(), drumline::ParseJobsError>(())
    /// ```
    #[must_use]
    pub fn resolve(self) -> NonZeroUsize {
        let jobs = match self {
            Jobs::Auto => auto(),
            Jobs::Count(count) => count.get(),
            Jobs::Percent(percent) => share(auto(), percent),
            Jobs::Physical => auto().min(topology::physical_cores()),
        };
        NonZeroUsize::new(jobs.min(Self::MAX)).unwrap_or(NonZeroUsize::MIN)
    }
}

/// The processors that this process may use; at least 1.
///
/// `available_parallelism` reads the affinity mask and the quota of the control group on Linux. It
/// forgets the mask on Windows, and on Linux beyond 1,024 processors; hence ours on top.
fn auto() -> usize {
    let usable = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    topology::affinity_cores().map_or(usable, |cores| cores.min(usable))
}

/// The nearest whole number to that share, halves up; at least 1.
fn share(of: usize, percent: NonZeroU16) -> usize {
    let hundredths = of.saturating_mul(usize::from(percent.get()));
    (hundredths.saturating_add(50) / 100).max(1)
}

/// A count, as it is.
impl From<NonZeroUsize> for Jobs {
    fn from(count: NonZeroUsize) -> Self {
        Jobs::Count(count)
    }
}

/// A count from 1 to [`Jobs::MAX`].
impl TryFrom<usize> for Jobs {
    type Error = JobsError;

    fn try_from(count: usize) -> Result<Self, Self::Error> {
        match NonZeroUsize::new(count) {
            Some(count) if count.get() <= Self::MAX => Ok(Jobs::Count(count)),
            _ => Err(JobsError { count }),
        }
    }
}

impl fmt::Display for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` and not `write_str`, so that a table can align them.
        match self {
            Jobs::Auto => f.pad("auto"),
            Jobs::Count(count) => f.pad(&count.to_string()),
            Jobs::Percent(percent) => f.pad(&format!("{percent}%")),
            Jobs::Physical => f.pad("physical"),
        }
    }
}

impl FromStr for Jobs {
    type Err = ParseJobsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Jobs::Auto);
        }
        if text.eq_ignore_ascii_case("physical") {
            return Ok(Jobs::Physical);
        }
        let (digits, percent) = match text.strip_suffix('%') {
            Some(digits) => (digits.trim_end(), true),
            None => (text, false),
        };
        // Digits only: `parse` would also take a plus sign.
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Fault::Unknown(excerpt(text)).into());
        }
        if percent {
            // Digits that do not parse are too many of them, also below.
            let percent = digits.parse().unwrap_or(u16::MAX);
            match NonZeroU16::new(percent) {
                None => Err(Fault::NoPercent.into()),
                Some(percent) if percent.get() <= Self::MAX_PERCENT => Ok(Jobs::Percent(percent)),
                Some(_) => Err(Fault::TooManyPercent(excerpt(digits)).into()),
            }
        } else {
            match digits.parse::<usize>() {
                Ok(count) => Ok(Jobs::try_from(count)?),
                Err(_) => Err(Fault::TooManyJobs(excerpt(digits)).into()),
            }
        }
    }
}

/// A pool cannot have this number of jobs: it is 0, or more than [`Jobs::MAX`].
///
/// ```
/// use drumline::Pool;
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let error = pool.set_jobs(0).unwrap_err();
/// let says = "0 jobs would run nothing; use 1 for sequential, or Jobs::Auto";
/// assert_eq!(error.to_string(), says);
/// assert_eq!(pool.jobs(), 2);
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobsError {
    count: usize,
}

impl fmt::Display for JobsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain("Jobs::Auto", f)
    }
}

impl JobsError {
    /// `auto` is how the reader of the message says that.
    fn explain(&self, auto: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            0 => write!(
                f,
                "0 jobs would run nothing; use 1 for sequential, or {auto}"
            ),
            count => too_many(&count, auto, f),
        }
    }
}

impl Error for JobsError {}

fn too_many(given: &dyn fmt::Display, auto: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const MAX: usize = Jobs::MAX;
    write!(
        f,
        "{given} jobs are more than {MAX}, the most there can be; use {auto} for as many as this \
         process may use"
    )
}

/// What was given is not a number of jobs; its text tells what was given and what would do.
///
/// ```
/// use drumline::{Jobs, ParseJobsError};
///
/// let error: ParseJobsError = "many".parse::<Jobs>().unwrap_err();
/// assert!(error.to_string().starts_with(r#""many" is not a number of jobs; use auto, "#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseJobsError {
    fault: Fault,
}

/// Where a fault quotes what was given, it is an [`excerpt`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Count(JobsError),
    NoPercent,
    /// More than any integer.
    TooManyJobs(Box<str>),
    TooManyPercent(Box<str>),
    Unknown(Box<str>),
}

/// So that a program that reads text and takes numbers has one error for both.
impl From<JobsError> for ParseJobsError {
    fn from(error: JobsError) -> Self {
        Fault::Count(error).into()
    }
}

impl From<Fault> for ParseJobsError {
    fn from(fault: Fault) -> Self {
        ParseJobsError { fault }
    }
}

/// As much of what was given as fits into a message.
fn excerpt(given: &str) -> Box<str> {
    const MOST: usize = 40;
    match given.char_indices().nth(MOST) {
        None => given.into(),
        Some((end, _)) => format!("{}…", &given[..end]).into(),
    }
}

impl fmt::Display for ParseJobsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX: usize = Jobs::MAX;
        const MAX_PERCENT: u16 = Jobs::MAX_PERCENT;
        match &self.fault {
            Fault::Count(error) => error.explain("auto", f),
            Fault::NoPercent => {
                f.write_str("0% of the jobs would run nothing; use 1 for sequential, or auto")
            }
            Fault::TooManyJobs(given) => too_many(given, "auto", f),
            Fault::TooManyPercent(given) => write!(
                f,
                "{given}% is more than {MAX_PERCENT}%, the most there can be; use auto for as many \
                 jobs as this process may use"
            ),
            Fault::Unknown(given) => {
                if given.is_empty() {
                    f.write_str("no number of jobs was given")?;
                } else {
                    write!(f, "{given:?} is not a number of jobs")?;
                }
                write!(
                    f,
                    "; use auto, physical, a number from 1 to {MAX}, or a percentage from 1% to \
                     {MAX_PERCENT}%"
                )
            }
        }
    }
}

impl Error for ParseJobsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_to_the_nearest_and_at_least_one() {
        let share = |of, percent| share(of, NonZeroU16::new(percent).unwrap());
        assert_eq!(share(3, 50), 2, "a half goes up");
        assert_eq!(share(3, 49), 1);
        assert_eq!(share(3, 100), 3);
        assert_eq!(share(3, 200), 6);
        assert_eq!(share(1, 1), 1, "never nothing");
        assert_eq!(share(64, 1), 1);
        assert_eq!(share(64, 25), 16);
        assert_eq!(share(2, Jobs::MAX_PERCENT), 200);
        assert_eq!(share(usize::MAX, 100), usize::MAX / 100, "no overflow");
    }
}
