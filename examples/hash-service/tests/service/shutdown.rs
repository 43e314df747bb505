//! The end of a server.

use std::net::TcpStream;

use hash_service::Settings;

use crate::client::Client;
use crate::gate::Gate;
use crate::running::{Running, settings, wait_until, work_until_stopped, zeros};

#[test]
fn what_is_admitted_is_answered() {
    let gate = Gate::default();
    let held = gate.clone();
    let settings = Settings {
        queue: 1,
        ..settings()
    };
    let mut server = Running::start(settings, move |upload, token| {
        held.pass();
        zeros(upload, token)
    });
    let mut admitted = [
        Client::with_upload(server.address, b"runs"),
        Client::with_upload(server.address, b"waits"),
    ];
    wait_until(|| server.counters.admitted.get() == 2);

    server.stop();
    // A connection may still be accepted by the system when the server has begun to stop. It is
    // closed then.
    wait_until(|| TcpStream::connect(server.address).is_err());
    assert_eq!(server.counters.jobs_finished.get(), 0);
    gate.open();
    for client in &mut admitted {
        assert_eq!(client.response().status, 200);
        assert!(client.is_closed());
    }
    server.join();
    assert_eq!(server.counters.jobs_finished.get(), 2);
}

#[test]
fn an_idle_connection_does_not_keep_it() {
    let mut server = Running::start(settings(), zeros);
    let mut client = Client::connect(server.address);
    assert_eq!(client.ask("GET", "/stats", b"").status, 200);
    server.stop();
    server.join();
    drop(client);
    // A process that another test starts has the socket as well until it has become its program.
    wait_until(|| TcpStream::connect(server.address).is_err());
}

#[test]
fn a_job_that_lost_its_client_does_not_keep_it() {
    let mut server = Running::start(settings(), work_until_stopped);
    let client = Client::with_upload(server.address, b"never mind");
    wait_until(|| server.counters.jobs_begun.get() == 1);
    server.stop();
    drop(client);
    server.join();
    assert_eq!(server.counters.jobs_stopped.get(), 1);
}

#[test]
fn a_connection_without_a_request_does_not_keep_it() {
    let mut server = Running::start(settings(), zeros);
    let silent = TcpStream::connect(server.address).unwrap();
    wait_until(|| server.counters.connections.get() == 1);
    server.stop();
    server.join();
    drop(silent);
}
