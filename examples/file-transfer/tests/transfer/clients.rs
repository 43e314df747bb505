//! Many clients, and those that go away.

use std::fs;
use std::thread;

use drumline::channel::CloseReason;
use file_transfer::{Download, End, Server};

use crate::files::{CHUNK, Files};
use crate::pool;

fn many_threads(jobs: usize) {
    let files = Files::with_source(20 * CHUNK);
    let pool = pool(jobs);
    let server = Server::start(&pool);
    thread::scope(|scope| {
        for number in 0..16 {
            let mut connection = server.connect();
            let files = &files;
            scope.spawn(move || {
                let destination = files.path(&number.to_string());
                let settings = files.settings_to(&destination);
                let download = Download::begin(&mut connection, &settings).unwrap();
                download.finish().unwrap();
                assert!(fs::read(destination).unwrap() == files.data);
            });
        }
    });
    let outcomes = server.finish();
    assert_eq!(outcomes.len(), 16);
    assert!(outcomes.iter().all(|outcome| outcome.end == End::Complete));
}

#[test]
fn many_threads_at_a_time() {
    many_threads(3);
}

#[test]
fn many_threads_at_a_server_with_one_job() {
    many_threads(1);
}

/// Each upload waits for its client, and none holds the place of another one.
#[test]
fn clients_that_take_turns() {
    let files = Files::with_source(10 * CHUNK + 1);
    let pool = pool(1);
    let server = Server::start(&pool);
    let mut connection = server.connect();
    let mut downloads: Vec<_> = (0..8)
        .map(|number| {
            let settings = files.settings_to(&files.path(&number.to_string()));
            Download::begin(&mut connection, &settings).unwrap()
        })
        .collect();
    for _ in 0..11 {
        for download in &mut downloads {
            assert!(download.next_chunk().unwrap());
        }
    }
    for download in downloads {
        assert_eq!(download.finish().unwrap().len, files.data.len() as u64);
    }
}

#[test]
fn the_server_learns_that_a_client_has_panicked() {
    let files = Files::with_source(5 * CHUNK);
    let pool = pool(1);
    let mut server = Server::start(&pool);
    let mut connection = server.connect();
    let settings = files.settings();
    let client = thread::spawn(move || {
        let mut download = Download::begin(&mut connection, &settings).unwrap();
        download.next_chunk().unwrap();
        download.next_chunk().unwrap();
        panic!("a client panics after two chunks");
    });
    assert!(client.join().is_err());
    let outcome = server.next_outcome().unwrap();
    assert_eq!(outcome.end, End::ClientGone(CloseReason::Panicked));
    assert_eq!(outcome.acknowledged, 2 * CHUNK as u64);

    let download = Download::begin(&mut server.connect(), &files.settings()).unwrap();
    assert_eq!(download.finish().unwrap().resumed_at, 2 * CHUNK as u64);
    files.are_the_same();
}

#[test]
fn the_server_learns_that_a_client_has_gone() {
    let files = Files::with_source(5 * CHUNK);
    let pool = pool(1);
    let mut server = Server::start(&pool);
    // Before it takes a chunk, and after all of them.
    for chunks in [0, 5] {
        let mut download = Download::begin(&mut server.connect(), &files.settings()).unwrap();
        for _ in 0..chunks {
            assert!(download.next_chunk().unwrap());
        }
        drop(download);
        let outcome = server.next_outcome().unwrap();
        assert_eq!(outcome.end, End::ClientGone(CloseReason::Dropped));
        assert_eq!(outcome.acknowledged, (chunks * CHUNK) as u64);
    }
}

#[test]
fn two_clients_do_not_write_the_same_file() {
    let files = Files::with_source(3 * CHUNK);
    let pool = pool(1);
    let server = Server::start(&pool);
    let first = Download::begin(&mut server.connect(), &files.settings()).unwrap();
    if cfg!(unix) {
        let second = Download::begin(&mut server.connect(), &files.settings());
        let message = second.err().expect("the file is in use").to_string();
        assert!(message.ends_with("is at work"), "{message}");
    }
    first.finish().unwrap();
    files.are_the_same();
}
