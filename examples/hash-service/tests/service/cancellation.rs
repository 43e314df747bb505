//! What becomes of jobs with an answer that is not wanted any more.

use std::time::Duration;

use hash_service::Settings;

use crate::client::Client;
use crate::gate::Gate;
use crate::running::{Running, settings, wait_until, work_until_stopped, zeros};

#[test]
fn a_client_that_goes_away_stops_its_job() {
    let server = Running::start(settings(), work_until_stopped);
    let client = Client::with_upload(server.address, b"never mind");
    wait_until(|| server.counters.jobs_begun.get() == 1);
    drop(client);
    wait_until(|| server.counters.jobs_stopped.get() == 1);
    wait_until(|| server.counters.abandoned.get() == 1);
    assert_eq!(server.counters.overdue.get(), 0);
}

#[test]
fn a_job_that_waits_never_begins_when_its_client_goes_away() {
    let gate = Gate::default();
    let held = gate.clone();
    let settings = Settings {
        queue: 1,
        ..settings()
    };
    let server = Running::start(settings, move |upload, token| {
        held.pass();
        zeros(upload, token)
    });
    let mut first = Client::with_upload(server.address, b"first");
    wait_until(|| server.counters.jobs_begun.get() == 1);
    let second = Client::with_upload(server.address, b"second");
    wait_until(|| server.counters.admitted.get() == 2);
    drop(second);
    wait_until(|| server.counters.abandoned.get() == 1);

    // The place in the queue is free again, although the first job still runs.
    let mut third = Client::with_upload(server.address, b"third");
    wait_until(|| server.counters.admitted.get() == 3);
    gate.open();
    assert_eq!(first.response().status, 200);
    assert_eq!(third.response().status, 200);
    assert_eq!(server.counters.jobs_begun.get(), 2);
    assert_eq!(server.counters.refused.get(), 0);
}

#[test]
fn a_job_of_a_client_that_has_gone_counts_until_it_has_stopped() {
    let gate = Gate::default();
    let held = gate.clone();
    let server = Running::start(settings(), move |upload, token| {
        held.pass();
        zeros(upload, token)
    });
    let client = Client::with_upload(server.address, b"first");
    wait_until(|| server.counters.jobs_begun.get() == 1);
    drop(client);
    wait_until(|| server.counters.abandoned.get() == 1);
    assert_eq!(Client::upload(server.address, b"second"), 429);
    gate.open();
    wait_until(|| Client::upload(server.address, b"third") == 200);
}

#[test]
fn a_job_that_panics_without_a_client_is_counted() {
    let gate = Gate::default();
    let held = gate.clone();
    let server = Running::start(settings(), move |_, _| {
        held.pass();
        panic!("a test wants this panic")
    });
    let client = Client::with_upload(server.address, b"first");
    wait_until(|| server.counters.jobs_begun.get() == 1);
    drop(client);
    wait_until(|| server.counters.abandoned.get() == 1);
    gate.open();
    wait_until(|| server.counters.jobs_panicked.get() == 1);
}

#[test]
fn a_deadline_that_passes_stops_the_job() {
    let settings = Settings {
        deadline: Duration::from_millis(5),
        ..settings()
    };
    // The work waits for the deadline, so it passes however slow the machine is. On a slow one it
    // may pass before the upload is read.
    let server = Running::start(settings, work_until_stopped);
    let mut stopped = 0;
    while stopped == 0 {
        match Client::upload(server.address, b"too much") {
            504 => {
                wait_until(|| {
                    stopped = server.counters.jobs_stopped.get();
                    stopped == server.counters.jobs_begun.get()
                });
            }
            // The upload was too slow, or the job before has not stopped yet.
            408 | 429 => {}
            status => panic!("{status}"),
        }
    }
    assert!(server.counters.overdue.get() >= 1);
    assert_eq!(server.counters.abandoned.get(), 0);
}

#[test]
fn an_upload_that_takes_too_long_is_refused() {
    let settings = Settings {
        deadline: Duration::from_millis(5),
        ..settings()
    };
    let server = Running::start(settings, zeros);
    let mut client = Client::connect(server.address);
    client.begin_part("POST", "/hash", 10, b"half");
    assert_eq!(client.response().status, 408);
    assert_eq!(server.counters.jobs_begun.get(), 0);
    assert_eq!(server.counters.overdue.get(), 1);
}
