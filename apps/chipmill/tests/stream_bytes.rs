//! The bytes of commands for streams (0x90 to 0x95), and what they come to.

mod log;

use chipmill::render::{Options, Renderer, Resampling};
use chipmill::song::{Event, MissingChips, RegisterWrite, Song, StreamCommand, StreamLength};

use log::Log;

/// A log for a YM2612 and two SN76489, with two data blocks of bank 0.
fn log() -> Log {
    let mut log = Log::new();
    log.set(0x0c, 3_579_545 | 1 << 30);
    log.set(0x2c, 7_670_454);
    log.block(0, &[10, 20, 30, 40, 50, 60]);
    log.block(0, &[70, 80, 90]);
    log
}

fn parse(log: Log) -> Song {
    Song::parse(&log.finish(), MissingChips::Refuse).unwrap()
}

/// What a command comes to.
fn command(bytes: &[u8]) -> StreamCommand {
    let mut log = log();
    log.push(bytes);
    log.wait(1);
    let song = parse(log);
    let events: Vec<Event> = song.events.iter().collect();
    assert_eq!(events, [Event::Stream(0), Event::Wait(1)]);
    let [command] = song.streams[..] else {
        panic!("{:?}", song.streams);
    };
    command
}

#[test]
fn a_target_is_a_chip_a_port_and_a_register() {
    let target = |kind| {
        let bytes = [0x90, 7, kind, 1, 0x2a];
        let StreamCommand::Target {
            stream: 7,
            chip,
            port: 1,
            register: 0x2a,
        } = command(&bytes)
        else {
            panic!("{kind:#04x}");
        };
        chip
    };
    // The highest bit is the second chip. The chips of the song are in the order of the header.
    assert_eq!(target(0x00), Some(0));
    assert_eq!(target(0x80), Some(1));
    assert_eq!(target(0x02), Some(2));
    // A chip that is not there.
    assert_eq!(target(0x82), None);
    assert_eq!(target(0x11), None);
}

#[test]
fn a_source_is_a_bank_a_step_and_a_base() {
    let expected = StreamCommand::Source {
        stream: 7,
        bank: 4,
        step: 2,
        base: 1,
    };
    assert_eq!(command(&[0x91, 7, 4, 2, 1]), expected);
}

#[test]
fn a_rate_has_four_bytes() {
    let expected = StreamCommand::Rate {
        stream: 7,
        hertz: 0x0102_0304,
    };
    assert_eq!(command(&[0x92, 7, 4, 3, 2, 1]), expected);
}

/// Each mode with each of its bits: 0x10 is backwards, 0x80 is again and again.
#[test]
fn a_start_has_a_mode_for_its_length() {
    let length = 0x0605_0403;
    for (mode, expected) in [
        (0, Some(StreamLength::Unchanged)),
        (1, Some(StreamLength::Writes(length))),
        (2, Some(StreamLength::Milliseconds(length))),
        (3, None),
    ] {
        for (bits, reverse, looped) in [
            (0x00, false, false),
            (0x10, true, false),
            (0x80, false, true),
            (0x90, true, true),
        ] {
            let bytes = [0x93, 7, 0x78, 0x56, 0x34, 0x12, mode | bits, 3, 4, 5, 6];
            let start = StreamCommand::Start {
                stream: 7,
                from: Some(0x1234_5678),
                length: expected,
                reverse,
                looped,
            };
            assert_eq!(command(&bytes), start, "{:#04x}", mode | bits);
        }
    }
}

#[test]
fn a_start_of_minus_one_is_the_one_before() {
    let from = |bytes: [u8; 4]| {
        let [a, b, c, d] = bytes;
        match command(&[0x93, 7, a, b, c, d, 1, 9, 0, 0, 0]) {
            StreamCommand::Start { from, .. } => from,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(from([0xff; 4]), None);
    assert_eq!(from([0; 4]), Some(0));
    assert_eq!(from([0xff, 0xff, 0xff, 0x7f]), Some(0x7fff_ffff));
}

#[test]
fn a_fast_call_has_a_block_and_flags() {
    for (flags, reverse, looped) in [
        (0x00, false, false),
        (0x01, false, true),
        (0x10, true, false),
        (0x11, true, true),
    ] {
        let start = StreamCommand::StartBlock {
            stream: 7,
            block: 0x0201,
            reverse,
            looped,
        };
        assert_eq!(
            command(&[0x95, 7, 0x01, 0x02, flags]),
            start,
            "{flags:#04x}"
        );
    }
}

#[test]
fn a_stop_is_for_one_stream_or_for_all() {
    assert_eq!(command(&[0x94, 7]), StreamCommand::Stop { stream: Some(7) });
    assert_eq!(
        command(&[0x94, 0xfe]),
        StreamCommand::Stop { stream: Some(0xfe) }
    );
    assert_eq!(command(&[0x94, 0xff]), StreamCommand::Stop { stream: None });
}

/// The writes of a song to register 0x2a, and the frames with which they are made.
fn writes(log: Log) -> Vec<(u64, u8)> {
    let options = Options {
        resampling: Resampling::Nearest,
        ..Options::default()
    };
    let mut renderer = Renderer::new(parse(log), &options);
    let mut writes = Vec::new();
    let mut frame = [[0.0; 2]];
    for place in 0..renderer.length() {
        renderer.fill_and_tell(&mut frame, &mut |write: RegisterWrite| {
            if write.register == 0x2a {
                writes.push((place, write.value));
            }
        });
    }
    writes
}

/// From the bytes of a file to the writes: 4,410 bytes per second, which is one in ten samples.
#[test]
fn the_bytes_of_a_stream_reach_the_chip() {
    let played = |commands: &[&[u8]]| {
        let mut log = log();
        log.push(&[0x90, 7, 0x02, 0, 0x2a]);
        log.push(&[0x91, 7, 0, 1, 0]);
        log.push(&[0x92, 7, 0x3a, 0x11, 0, 0]);
        for command in commands {
            log.push(command);
            log.wait(25);
        }
        writes(log)
    };
    let three = &[0x93, 7, 1, 0, 0, 0, 0x01, 3, 0, 0, 0][..];
    assert_eq!(played(&[three, &[]]), [(0, 20), (10, 30), (20, 40)]);
    let backwards = &[0x93, 7, 1, 0, 0, 0, 0x11, 3, 0, 0, 0][..];
    assert_eq!(played(&[backwards, &[]]), [(0, 40), (10, 30), (20, 20)]);
    let again = &[0x93, 7, 1, 0, 0, 0, 0x81, 2, 0, 0, 0][..];
    assert_eq!(
        played(&[again, &[0x94, 7], &[]]),
        [(0, 20), (10, 30), (20, 20)]
    );
    // The second block: the first one of the bank has six bytes.
    let block = &[0x95, 7, 1, 0, 0][..];
    assert_eq!(played(&[block, &[]]), [(0, 70), (10, 80), (20, 90)]);
    // To the end of the bank; at the last start, with the last length.
    let end = &[0x93, 7, 7, 0, 0, 0, 0x03, 0, 0, 0, 0][..];
    let same = &[0x93, 7, 0xff, 0xff, 0xff, 0xff, 0x00, 0, 0, 0, 0][..];
    assert_eq!(
        played(&[end, same]),
        [(0, 80), (10, 90), (25, 80), (35, 90)]
    );
    // A hundredth of a second is 44 writes, of which the bank has nine.
    let time = &[0x93, 7, 0, 0, 0, 0, 0x02, 10, 0, 0, 0][..];
    let values: Vec<u8> = played(&[time, &[], &[], &[], &[]])
        .iter()
        .map(|&(_, value)| value)
        .collect();
    assert_eq!(values, [10, 20, 30, 40, 50, 60, 70, 80, 90]);
}
