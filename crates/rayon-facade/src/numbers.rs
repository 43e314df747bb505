//! How many threads there are, and which of them this one is.

use crate::defaults;

/// The number of jobs of the pool that the current thread is in, or of the global pool.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build()?;
/// assert_eq!(pool.install(rayon::current_num_threads), 3);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
pub fn current_num_threads() -> usize {
    defaults::describe_global();
    drumline::current_jobs()
}

/// The number of the current thread in its pool, or `None` outside every pool. It is less than
/// [`current_num_threads`].
///
/// ```
/// assert_eq!(rayon::current_thread_index(), None);
/// let (inside, _) = rayon::join(rayon::current_thread_index, || ());
/// assert!(inside.is_some());
/// ```
pub fn current_thread_index() -> Option<usize> {
    drumline::worker_index()
}

/// The most jobs that a pool may have.
///
/// ```
/// assert!(rayon::max_num_threads() >= rayon::current_num_threads());
/// ```
pub fn max_num_threads() -> usize {
    drumline::Jobs::MAX
}
