//! What is refused because it is too much.

use std::net::TcpStream;
use std::num::NonZero;

use hash_service::Settings;

use crate::client::Client;
use crate::gate::Gate;
use crate::running::{Running, settings, wait_until, zeros};

#[test]
fn requests_beyond_the_limit_are_refused_and_may_come_again() {
    let gate = Gate::default();
    let held = gate.clone();
    let settings = Settings {
        queue: 2,
        ..settings()
    };
    let server = Running::start(settings, move |upload, token| {
        held.pass();
        zeros(upload, token)
    });

    // One is computed, and two wait.
    let mut admitted: Vec<Client> = (0..3)
        .map(|_| Client::with_upload(server.address, b"admitted"))
        .collect();
    wait_until(|| server.counters.admitted.get() == 3);
    wait_until(|| server.counters.jobs_begun.get() == 1);

    let response = Client::with_upload(server.address, b"one too many").response();
    assert_eq!(response.status, 429);
    assert!(
        response.head.contains("\r\nretry-after: 1\r\n"),
        "{response:?}"
    );
    assert_eq!(server.counters.refused.get(), 1);
    // What needs no computing is answered all the same.
    let mut client = Client::connect(server.address);
    let stats = client.ask("GET", "/stats", b"").body;
    assert!(stats.contains("requests_admitted_now 3\n"), "{stats}");

    gate.open();
    for client in &mut admitted {
        assert_eq!(client.response().status, 200);
    }
    // An admission ends when its job does, which may be a moment after the answer.
    wait_until(|| {
        client
            .ask("GET", "/stats", b"")
            .body
            .contains("requests_admitted_now 0\n")
    });
    assert_eq!(Client::upload(server.address, b"again"), 200);
}

#[test]
fn a_long_upload_is_refused() {
    let limit = 1000;
    let settings = Settings {
        body_limit: NonZero::new(limit).unwrap(),
        ..settings()
    };
    let server = Running::start(settings, zeros);
    let address = server.address;
    assert_eq!(Client::upload(address, &vec![1; limit]), 200);
    // Of a length that is said in advance, nothing is read. So the head is all that is sent.
    let mut client = Client::connect(address);
    client.begin_part("POST", "/hash", limit + 1, b"");
    assert_eq!(client.response().status, 413);
    assert_eq!(server.counters.admitted.get(), 1);
    // Any other is read up to the limit.
    let mut client = Client::connect(address);
    let head = "POST /hash HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
    let head = format!("{head}{:x}\r\n", limit + 1);
    client.send(&[head.as_bytes(), &vec![1; limit + 1]].concat());
    assert_eq!(client.response().status, 413);
    assert_eq!(server.counters.jobs_begun.get(), 1);
}

#[test]
fn connections_beyond_the_limit_wait_for_one_to_close() {
    let settings = Settings {
        connections: NonZero::new(1).unwrap(),
        ..settings()
    };
    let server = Running::start(settings, zeros);
    let mut first = Client::connect(server.address);
    assert_eq!(first.ask("POST", "/hash", b"first").status, 200);
    // The system has accepted this one, the service has not.
    let mut second = Client::with_upload(server.address, b"second");
    assert_eq!(first.ask("POST", "/hash", b"once more").status, 200);
    assert_eq!(server.counters.connections.get(), 1);
    drop(first);
    assert_eq!(second.response().status, 200);
    assert_eq!(server.counters.connections.get(), 2);
}

#[test]
fn what_is_no_http_ends_its_connection() {
    let server = Running::start(settings(), zeros);
    let mut client = Client::connect(server.address);
    client.send(b"this is no request\r\n\r\n");
    assert_eq!(client.response().status, 400);
    drop(client);
    // A client that says nothing at all.
    drop(TcpStream::connect(server.address).unwrap());
    // One that goes in the middle of an upload.
    let mut client = Client::connect(server.address);
    client.begin_part("POST", "/hash", 10, b"half");
    drop(client);
    wait_until(|| server.counters.connections.get() == 3);
    // The admission of the half upload has ended.
    wait_until(|| Client::upload(server.address, b"whole") == 200);
}
