//! Transfers that stop, and go on.

use std::fs;

use file_transfer::{Digest, Download, End, Outcome, Server, SourceError, SourceProblem};

use crate::files::{CHUNK, Files};
use crate::pool;

/// Stops a transfer after each number of chunks, and resumes it.
fn stop_and_resume(len: usize, jobs: usize) {
    let pool = pool(jobs);
    let mut server = Server::start(&pool);
    let mut connection = server.connect();
    for stop_after in 0..=len.div_ceil(CHUNK) {
        let files = Files::with_source(len);
        let mut download = Download::begin(&mut connection, &files.settings()).unwrap();
        for _ in 0..stop_after {
            assert!(download.next_chunk().unwrap());
        }
        let stopped_at = (stop_after * CHUNK).min(len);
        assert_eq!(download.offset(), stopped_at as u64);
        drop(download);
        assert_eq!(fs::read(files.partial()).unwrap(), files.data[..stopped_at]);
        let gone = server.next_outcome().unwrap();
        assert_eq!(gone.acknowledged, stopped_at as u64);

        let mut download = Download::begin(&mut connection, &files.settings()).unwrap();
        let mut chunks = 0;
        while download.next_chunk().unwrap() {
            chunks += 1;
        }
        assert_eq!(chunks, (len - stopped_at).div_ceil(CHUNK));
        let received = download.finish().unwrap();
        assert_eq!(received.resumed_at, stopped_at as u64);
        assert_eq!(received.len, len as u64);
        assert_eq!(received.digest, Digest::of(&files.data));
        files.are_the_same();
        let complete = Outcome {
            path: files.source(),
            began_at: stopped_at as u64,
            acknowledged: len as u64,
            end: End::Complete,
        };
        assert_eq!(server.next_outcome().unwrap(), complete);
    }
    drop(connection);
    assert_eq!(server.finish(), []);
}

#[test]
fn a_transfer_goes_on_at_each_chunk() {
    stop_and_resume(5 * CHUNK + 7, 2);
}

#[test]
fn a_transfer_goes_on_at_each_chunk_on_one_job() {
    stop_and_resume(5 * CHUNK + 7, 1);
}

#[test]
fn a_file_of_whole_chunks() {
    stop_and_resume(3 * CHUNK, 2);
}

#[test]
fn a_file_of_less_than_a_chunk() {
    stop_and_resume(1, 2);
}

#[test]
fn an_empty_file() {
    stop_and_resume(0, 2);
}

/// A process that was killed while it wrote has written a part of a chunk.
#[test]
fn a_transfer_goes_on_between_chunks() {
    let files = Files::with_source(5 * CHUNK);
    let pool = pool(2);
    let server = Server::start(&pool);
    for len in [1, CHUNK - 1, CHUNK + 1, 4 * CHUNK + 500] {
        fs::write(files.partial(), &files.data[..len]).unwrap();
        let download = Download::begin(&mut server.connect(), &files.settings()).unwrap();
        assert_eq!(download.finish().unwrap().resumed_at, len as u64);
        files.are_the_same();
        fs::remove_file(files.destination()).unwrap();
    }
}

#[test]
fn many_stops_on_the_way() {
    let files = Files::with_source(20 * CHUNK + 1);
    let pool = pool(2);
    let server = Server::start(&pool);
    let mut connection = server.connect();
    loop {
        let mut download = Download::begin(&mut connection, &files.settings()).unwrap();
        if !download.next_chunk().unwrap() {
            download.finish().unwrap();
            break;
        }
    }
    drop(connection);
    files.are_the_same();
    assert_eq!(server.finish().len(), 22);
}

/// The problem that the server names, and the file that is left.
#[track_caller]
fn refused(files: &Files) -> SourceProblem {
    let before = fs::read(files.partial()).unwrap();
    let pool = pool(1);
    let mut server = Server::start(&pool);
    let download = Download::begin(&mut server.connect(), &files.settings()).unwrap();
    let error = download.finish().unwrap_err();
    assert_eq!(fs::read(files.partial()).unwrap(), before);
    assert!(!files.destination().exists());
    let error = error.downcast::<SourceError>();
    let error = error.expect("it comes from the server");
    assert_eq!(
        server.next_outcome().unwrap().end,
        End::Failed(error.to_string())
    );
    error.problem
}

#[test]
fn what_is_there_must_be_the_beginning() {
    let files = Files::with_source(3 * CHUNK);
    fs::write(files.partial(), b"something else").unwrap();
    let problem = refused(&files);
    assert!(
        matches!(problem, SourceProblem::Differs { offset: 14 }),
        "{problem:?}"
    );
}

#[test]
fn nothing_is_sent_from_behind_the_end() {
    let files = Files::with_source(CHUNK);
    fs::write(files.partial(), vec![0; CHUNK + 1]).unwrap();
    let problem = refused(&files);
    let is_expected = matches!(
        problem,
        SourceProblem::WrongOffset {
            offset: 1025,
            len: 1024
        }
    );
    assert!(is_expected, "{problem:?}");
}

#[test]
fn a_restart_forgets_what_is_there() {
    let files = Files::with_source(3 * CHUNK);
    fs::write(files.partial(), vec![0; 5 * CHUNK]).unwrap();
    let pool = pool(1);
    let server = Server::start(&pool);
    let mut settings = files.settings();
    settings.restarts = true;
    let download = Download::begin(&mut server.connect(), &settings).unwrap();
    assert_eq!(download.finish().unwrap().resumed_at, 0);
    files.are_the_same();
}
