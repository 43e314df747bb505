//! Servers that are gone, or do something wrong. A closure takes the place of the server.

use std::fs;
use std::thread;

use drumline::channel::lanes;
use file_transfer::{Connection, Digest, Download, Frame, Request, Server};

use crate::files::{CHUNK, Files};
use crate::pool;

/// What a client says to a server that does this with its request. What was written stays.
#[track_caller]
fn failure(files: &Files, server: impl FnOnce(Request) + Send) -> String {
    let (sender, mut requests) = lanes::unbounded();
    let message = thread::scope(|scope| {
        let server = scope.spawn(move || {
            server(requests.recv().unwrap());
        });
        let download = Download::begin(&mut Connection::new(sender), &files.settings()).unwrap();
        let message = format!("{:#}", download.finish().unwrap_err());
        // It may have panicked.
        let _ = server.join();
        message
    });
    assert_eq!(files.names(), ["destination.partial", "source"]);
    message
}

fn chunk(files: &Files, number: usize) -> Frame {
    let offset = number * CHUNK;
    Frame::Chunk {
        offset: offset as u64,
        bytes: files.data[offset..offset + CHUNK].to_vec(),
    }
}

#[test]
fn a_server_that_goes_away() {
    let files = Files::with_source(5 * CHUNK);
    let message = failure(&files, |mut request| {
        request.frames.send(Ok(chunk(&files, 0))).unwrap();
    });
    assert_eq!(message, "the server is gone: the sender was dropped");
    assert_eq!(fs::read(files.partial()).unwrap(), files.data[..CHUNK]);
}

#[test]
fn a_server_that_panics() {
    let files = Files::with_source(5 * CHUNK);
    let message = failure(&files, |mut request| {
        request.frames.send(Ok(chunk(&files, 0))).unwrap();
        request.frames.send(Ok(chunk(&files, 1))).unwrap();
        panic!("a server panics");
    });
    assert_eq!(
        message,
        "the server is gone: the thread of the sender panicked"
    );
    assert_eq!(fs::read(files.partial()).unwrap(), files.data[..2 * CHUNK]);
}

#[test]
fn a_server_that_leaves_out_a_chunk() {
    let files = Files::with_source(5 * CHUNK);
    let message = failure(&files, |mut request| {
        request.frames.send(Ok(chunk(&files, 0))).unwrap();
        request.frames.send(Ok(chunk(&files, 2))).unwrap();
    });
    assert_eq!(
        message,
        "the server sends bytes of offset 2048 where those of 1024 are expected"
    );
    assert_eq!(fs::read(files.partial()).unwrap(), files.data[..CHUNK]);
}

#[test]
fn a_checksum_that_is_wrong() {
    let files = Files::with_source(CHUNK);
    let message = failure(&files, |mut request| {
        request.frames.send(Ok(chunk(&files, 0))).unwrap();
        let other = Digest::of(b"another file");
        request.frames.send(Ok(Frame::End(other))).unwrap();
    });
    assert!(message.starts_with("the checksum is wrong: "), "{message}");
}

#[test]
fn a_server_that_is_gone_before() {
    let files = Files::with_source(CHUNK);
    let pool = pool(1);
    let server = Server::start(&pool);
    let mut connection = server.connect();
    drop(server);
    pool.shutdown().unwrap();
    let message = Download::begin(&mut connection, &files.settings())
        .err()
        .expect("there is no server")
        .to_string();
    assert_eq!(message, "the server is gone");
}
