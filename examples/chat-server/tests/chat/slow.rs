//! Clients that do not read.

use std::num::NonZero;
use std::time::Duration;

use chat_server::Settings;

use crate::client::Client;
use crate::running::{Running, settings};

/// How many lines the speaker says before it waits for them.
const BURST: usize = 8;

/// Says long lines, until it hears this one. Returns how many it has said.
fn speak_until(speaker: &mut Client, end: &str) -> usize {
    let mut said = 0;
    loop {
        for number in said..said + BURST {
            speaker.send(&line(number));
        }
        said += BURST;
        let mut is_over = false;
        let mut own = 0;
        while own < BURST {
            let heard = speaker.line().unwrap();
            own += usize::from(heard.starts_with("speaker: "));
            is_over |= heard == end;
        }
        if is_over {
            return said;
        }
    }
}

/// Long lines fill the buffers of the sockets soon.
fn line(number: usize) -> String {
    format!("{number} {}", "x".repeat(1000))
}

#[test]
fn one_that_is_too_slow_is_disconnected_and_told_so() {
    let settings = Settings {
        backlog: NonZero::new(4 * BURST).unwrap(),
        ..settings()
    };
    let server = Running::start(settings);
    let slow = Client::join(server.address, "slow");
    let mut speaker = Client::join(server.address, "speaker");
    let said = speak_until(&mut speaker, "* slow left: too slow");

    // It has all the time to read what was written.
    let heard = slow.rest();
    let (last, heard) = heard.split_last().unwrap();
    assert_eq!(
        last,
        "! you are too slow: too many lines wait for you; goodbye"
    );
    let lines = &heard[2..];
    for (number, heard) in lines.iter().enumerate() {
        assert_eq!(heard, &format!("speaker: {}", line(number)));
    }
    assert!(lines.len() < said, "{} of {said}", lines.len());

    speaker.send("/quit");
    assert_eq!(speaker.rest().last().unwrap(), "* goodbye");
    let report = server.stop();
    assert_eq!((report.joined, report.too_slow), (2, 1));
}

#[test]
fn one_that_never_reads_does_not_keep_the_server() {
    let settings = Settings {
        backlog: NonZero::new(4 * BURST).unwrap(),
        grace: Duration::ZERO,
        ..settings()
    };
    let server = Running::start(settings);
    let slow = Client::join(server.address, "slow");
    let mut speaker = Client::join(server.address, "speaker");
    speak_until(&mut speaker, "* slow left: too slow");
    let report = server.stop();
    assert_eq!(report.too_slow, 1);
    drop(slow);
}

#[test]
fn one_whose_lines_wait_does_not_keep_the_server() {
    // More than the buffers of two sockets hold, on usual systems.
    const LINES: usize = 12_000;
    let settings = Settings {
        backlog: NonZero::new(2 * LINES).unwrap(),
        grace: Duration::ZERO,
        ..settings()
    };
    let server = Running::start(settings);
    let slow = Client::join(server.address, "slow");
    let mut speaker = Client::join(server.address, "speaker");
    for number in 0..LINES {
        speaker.send(&line(number));
        speaker.wait_for(|heard| heard.starts_with("speaker: "));
    }
    let report = server.stop();
    assert_eq!((report.said, report.too_slow), (LINES as u64, 0));
    drop(slow);
}
