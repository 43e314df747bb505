//! What a request is answered with.

use drumline::CancellationToken;
use hash_service::{Digest, hash};
use sha2::{Digest as _, Sha256};

use crate::client::Client;
use crate::running::{Running, settings, zeros};

#[test]
fn the_hash_is_that_of_a_plain_computation() {
    let server = Running::start(settings(), |upload, token| hash(upload, 3, token));
    let mut client = Client::connect(server.address);
    // Empty, short, and of several blocks that do not divide the length.
    for length in [0, 5, 300_000] {
        let upload: Vec<u8> = (0..length).map(|n: u32| (n % 251) as u8).collect();
        let mut expected = Sha256::digest(&upload);
        for _ in 0..3 {
            expected = Sha256::digest(expected);
        }
        let response = client.ask("POST", "/hash", &upload);
        assert_eq!(response.status, 200);
        assert_eq!(response.body, format!("{}\n", Digest(expected.into())));
    }
    assert_eq!(server.counters.jobs_finished.get(), 3);
    assert_eq!(server.counters.connections.get(), 1);
}

#[test]
fn an_upload_in_chunks_is_one_upload() {
    let server = Running::start(settings(), |upload, token| hash(upload, 0, token));
    let mut client = Client::connect(server.address);
    client.send(b"POST /hash HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send(b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
    let expected = hash(b"abc", 0, &CancellationToken::new()).unwrap();
    assert_eq!(client.response().body, format!("{expected}\n"));
}

#[test]
fn a_panic_is_an_error_of_its_request_alone() {
    let server = Running::start(settings(), |upload, token| {
        assert_ne!(upload, b"bad", "a test wants this panic");
        zeros(upload, token)
    });
    let mut client = Client::connect(server.address);
    let response = client.ask("POST", "/hash", b"bad");
    assert_eq!(response.status, 500);
    assert!(!response.body.contains("test"), "{response:?}");
    // The same connection, and the only thread that computes.
    assert_eq!(client.ask("POST", "/hash", b"good").status, 200);
    assert_eq!(server.counters.jobs_panicked.get(), 1);
}

#[test]
fn other_paths_and_methods_are_refused() {
    let server = Running::start(settings(), zeros);
    let mut client = Client::connect(server.address);
    assert_eq!(client.ask("GET", "/", b"").status, 404);
    let response = client.ask("GET", "/hash", b"");
    assert_eq!(response.status, 405);
    assert!(
        response.head.contains("\r\nallow: post\r\n"),
        "{response:?}"
    );
    assert_eq!(client.ask("DELETE", "/stats", b"").status, 405);
    assert_eq!(server.counters.admitted.get(), 0);
}

#[test]
fn the_statistics_have_a_line_for_each_count() {
    let server = Running::start(settings(), zeros);
    let mut client = Client::connect(server.address);
    assert_eq!(client.ask("POST", "/hash", b"text").status, 200);
    let stats = client.ask("GET", "/stats", b"").body;
    for line in [
        "requests_admitted_limit 1",
        "requests_admitted_total 1",
        "jobs_finished_total 1",
        "pool_jobs 1",
    ] {
        assert!(stats.lines().any(|other| other == line), "{line}: {stats}");
    }
}
