//! `DRUMLINE_JOBS`, with the feature `env`: in a process of its own for each value.
#![cfg(feature = "env")]

use std::process::Command;

use drumline::{Jobs, Pool};

/// What [`says_jobs`] says in a process where the variable has this value.
fn said(value: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "says_jobs", "--ignored", "--nocapture"]);
    match value {
        Some(value) => command.env("DRUMLINE_JOBS", value),
        None => command.env_remove("DRUMLINE_JOBS"),
    };
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}\n{errors}");
    let line = text.lines().find_map(|line| line.strip_prefix("said: "));
    line.unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// The jobs of a pool whose builder sets none, of one whose builder sets 3, and of the global pool.
#[test]
#[ignore = "a program of the other tests"]
fn says_jobs() {
    let jobs = |pool: Result<Pool, _>| match pool {
        Ok(pool) => pool.jobs().to_string(),
        Err::<_, drumline::BuildError>(error) => error.to_string(),
    };
    let unset = jobs(Pool::builder().build());
    let set = jobs(Pool::builder().jobs(3).build());
    let global = match std::panic::catch_unwind(|| drumline::join(drumline::current_jobs, || ()).0)
    {
        Ok(jobs) => jobs.to_string(),
        Err(payload) => payload.downcast_ref::<String>().unwrap().clone(),
    };
    println!("\nsaid: {unset} | {set} | {global}");
}

#[test]
fn pools_without_a_number_of_jobs_have_that_of_the_environment() {
    assert_eq!(said(Some("5")), "5 | 3 | 5");
    let double = "200%".parse::<Jobs>().unwrap().resolve();
    assert_eq!(said(Some(" 200% ")), format!("{double} | 3 | {double}"));
}

#[test]
fn without_it_or_empty_it_is_auto() {
    let auto = Jobs::Auto.resolve();
    for value in [None, Some("")] {
        assert_eq!(said(value), format!("{auto} | 3 | {auto}"));
    }
}

/// A pool that sets its number does not care.
#[test]
fn what_is_no_number_of_jobs_is_an_error() {
    for (value, says) in [
        (
            "many",
            "the environment variable DRUMLINE_JOBS: \"many\" is not a number of jobs; use ",
        ),
        (
            "0",
            "the environment variable DRUMLINE_JOBS: 0 jobs would run nothing; use 1 ",
        ),
    ] {
        let said = said(Some(value));
        let [unset, set, global] = said.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{said}");
        };
        assert!(unset.starts_with(says), "{unset}");
        assert_eq!(set, "3");
        let global_says = format!("the global pool cannot be made as described: {says}");
        assert!(global.starts_with(&global_says), "{global}");
    }
}
