//! Files that cannot be read or written. Nothing is lost, and the error says what is wrong.

use std::fs;

use file_transfer::{Download, End, Server, Settings};

use crate::files::{CHUNK, Files};
use crate::pool;

/// What the client says, and how the server sees the end, if there was a request.
#[track_caller]
fn failure(settings: &Settings) -> (String, Option<End>) {
    let pool = pool(1);
    let server = Server::start(&pool);
    let download = Download::begin(&mut server.connect(), settings);
    let error = download.and_then(Download::finish).unwrap_err();
    let end = server.finish().pop().map(|outcome| outcome.end);
    (format!("{error:#}"), end)
}

#[test]
#[cfg(target_os = "linux")]
fn a_source_that_cannot_be_read() {
    let files = Files::with_source(0);
    // Opens, and cannot be read.
    let settings = Settings::new("/proc/self/mem", files.destination());
    let (message, end) = failure(&settings);
    let start = "the server cannot go on: cannot read /proc/self/mem at 0: ";
    assert!(message.starts_with(start), "{message}");
    assert!(matches!(end, Some(End::Failed(_))), "{end:?}");
    assert!(!files.destination().exists());
}

#[test]
fn a_source_that_does_not_exist() {
    let files = Files::with_source(0);
    let (message, end) = failure(&Settings::new("no/such/file", files.destination()));
    let start = "the server cannot go on: cannot open no/such/file: ";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(
        end,
        Some(End::Failed("cannot open no/such/file".to_owned()))
    );
}

#[test]
#[cfg(unix)]
fn a_source_that_is_a_directory() {
    let files = Files::with_source(0);
    let (message, _) = failure(&Settings::new(files.path("."), files.destination()));
    assert!(message.ends_with("is not a file"), "{message}");
}

#[test]
fn a_source_that_becomes_shorter_is_another_file() {
    let files = Files::with_source(4 * CHUNK);
    fs::write(files.partial(), &files.data[..3 * CHUNK]).unwrap();
    fs::write(files.source(), &files.data[..2 * CHUNK]).unwrap();
    let (message, _) = failure(&files.settings());
    let end = "ends at 2048, and cannot be sent from 3072 on";
    assert!(message.ends_with(end), "{message}");
    assert_eq!(fs::read(files.partial()).unwrap(), files.data[..3 * CHUNK]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_is_full() {
    let files = Files::with_source(4 * CHUNK);
    std::os::unix::fs::symlink("/dev/full", files.partial()).unwrap();
    let (message, end) = failure(&files.settings());
    let start = format!("cannot write {} at 0: ", files.partial().display());
    assert!(message.starts_with(&start), "{message}");
    assert!(matches!(end, Some(End::ClientGone(_))), "{end:?}");
    assert!(!files.destination().exists());
}

#[test]
fn a_destination_that_exists() {
    let files = Files::with_source(CHUNK);
    fs::write(files.destination(), "before").unwrap();
    let (message, end) = failure(&files.settings());
    assert!(message.contains("exists already"), "{message}");
    assert_eq!(end, None);
    assert_eq!(files.names(), ["destination", "source"]);
    assert_eq!(fs::read(files.destination()).unwrap(), b"before");

    let mut settings = files.settings();
    settings.replaces = true;
    let pool = pool(1);
    let server = Server::start(&pool);
    let download = Download::begin(&mut server.connect(), &settings).unwrap();
    download.finish().unwrap();
    files.are_the_same();
}

#[test]
fn a_destination_that_appears_meanwhile() {
    let files = Files::with_source(CHUNK);
    let pool = pool(1);
    let mut server = Server::start(&pool);
    let download = Download::begin(&mut server.connect(), &files.settings()).unwrap();
    fs::write(files.destination(), "meanwhile").unwrap();
    let message = download.finish().unwrap_err().to_string();
    assert!(message.starts_with("cannot create "), "{message}");
    assert_eq!(fs::read(files.destination()).unwrap(), b"meanwhile");
    // All that was received is there.
    assert_eq!(fs::read(files.partial()).unwrap(), files.data);
    assert!(matches!(
        server.next_outcome().unwrap().end,
        End::ClientGone(_)
    ));
}

#[test]
fn a_destination_that_cannot_be_created() {
    let files = Files::with_source(CHUNK);
    let (message, _) = failure(&files.settings_to(&files.path("no/such/directory")));
    assert!(message.starts_with("cannot create "), "{message}");
    let (message, _) = failure(&files.settings_to(&files.path(".")));
    assert!(
        message.ends_with("is a directory; name a file"),
        "{message}"
    );
}
