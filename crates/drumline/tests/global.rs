//! The global pool, which this process makes once: one test.

use drumline::Pool;

#[test]
fn made_once_with_a_builder() {
    assert_eq!(drumline::worker_index(), None);
    Pool::builder().jobs(3).build_global().unwrap();
    assert_eq!(drumline::current_jobs(), 3);
    let (inside, jobs) = drumline::join(drumline::worker_index, drumline::current_jobs);
    assert!(inside.is_some());
    assert_eq!(jobs, 3);
    let error = Pool::builder().jobs(2).build_global().unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    assert_eq!(drumline::current_jobs(), 3);
}
