//! What the sequencer does, and when, against lists that are written by hand and a model.

use proptest::prelude::*;

use super::budget::{Budget, MOST};
use super::sequencer::{Action, Sequencer};
use crate::chip::sn76489::Sn76489Config;
use crate::song::{
    Bank, BankBlock, ChipKind, ChipSpec, Event, Events, Gd3, LOG_RATE, LoopScale, RegisterWrite,
    Song, StreamCommand, StreamLength,
};

/// The bank of the tests: each byte is its own place.
const BANK: u8 = 7;
const BYTES: u32 = 100;

/// A write: the sample, the register, and the value.
type Write = (u64, u8, u8);

/// The loop starts with an event that is counted from zero.
fn song(list: Vec<Event>, streams: Vec<StreamCommand>, loop_start: Option<usize>) -> Song {
    let chip = ChipSpec {
        kind: ChipKind::Ym2612,
        clock: 7_670_454,
        second: false,
        volume: 0x100,
    };
    let mut events = Events::default();
    let mut places = Vec::new();
    for event in list {
        places.push(events.end());
        events.push(event);
    }
    let bank = |kind| Bank {
        kind,
        data: (0..BYTES as u8).collect(),
        blocks: Vec::new(),
    };
    Song {
        chips: vec![chip],
        silent: Vec::new(),
        events,
        streams,
        memory: Vec::new(),
        banks: vec![bank(BANK), bank(0)],
        loop_start: loop_start.map(|event| places[event]),
        samples: 0,
        loop_samples: 0,
        loop_scale: LoopScale::default(),
        volume: 1.0,
        version: 0x171,
        tags: Gd3::default(),
        remarks: Vec::new(),
    }
}

/// All writes of a song before a sample.
fn writes(song: &Song, end: u64) -> Vec<Write> {
    let mut sequencer = Sequencer::default();
    let mut budget = Budget::default();
    let mut writes = Vec::new();
    let mut now = 0;
    while now < end {
        let quiet = sequencer.next(song, &mut budget, |action| match action {
            Action::Write(write) => {
                assert_eq!(write.port, 0);
                writes.push((now, write.register, write.value));
            }
            Action::Load(_) => unreachable!("the songs have no memory"),
        });
        match quiet {
            Some(quiet) => {
                assert!(quiet > 0);
                now += quiet;
            }
            None => break,
        }
    }
    writes
}

/// A song of stream commands at samples of the log.
fn stream_song(commands: &[(u64, StreamCommand)], end: u64) -> Song {
    let mut events = Vec::new();
    let mut now = 0;
    for (place, &(at, _)) in (0..).zip(commands) {
        if at > now {
            events.push(Event::Wait((at - now) as u32));
            now = at;
        }
        events.push(Event::Stream(place));
    }
    events.push(Event::Wait((end - now) as u32));
    let streams = commands.iter().map(|&(_, command)| command).collect();
    song(events, streams, None)
}

/// The commands that set a stream up.
fn setup(stream: u8, register: u8, hertz: u32, step: u8, base: u8) -> [(u64, StreamCommand); 3] {
    [
        StreamCommand::Target {
            stream,
            chip: Some(0),
            port: 0,
            register,
        },
        StreamCommand::Source {
            stream,
            bank: BANK,
            step,
            base,
        },
        StreamCommand::Rate { stream, hertz },
    ]
    .map(|command| (0, command))
}

fn start(from: Option<u32>, length: Option<StreamLength>) -> StreamCommand {
    StreamCommand::Start {
        stream: 1,
        from,
        length,
        reverse: false,
        looped: false,
    }
}

/// The writes of one stream, which makes one every 10 samples, with commands after its setup.
fn played(step: u8, base: u8, commands: &[(u64, StreamCommand)], end: u64) -> Vec<(u64, u8)> {
    let mut all = setup(1, 0x2a, LOG_RATE / 10, step, base).to_vec();
    all.extend_from_slice(commands);
    writes(&stream_song(&all, end), end)
        .into_iter()
        .map(|(sample, register, value)| {
            assert_eq!(register, 0x2a);
            (sample, value)
        })
        .collect()
}

#[test]
fn a_stream_plays_a_number_of_writes() {
    let play = start(Some(5), Some(StreamLength::Writes(3)));
    assert_eq!(played(1, 0, &[(7, play)], 100), [(7, 5), (17, 6), (27, 7)]);
}

#[test]
fn a_stream_plays_for_a_time() {
    // Of 4,410 writes per second 8.82 are in 2 ms: only whole ones are made.
    let play = start(Some(0), Some(StreamLength::Milliseconds(2)));
    let values: Vec<u8> = played(1, 0, &[(0, play)], 1_000)
        .into_iter()
        .map(|(_, value)| value)
        .collect();
    assert_eq!(values, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_stream_plays_to_the_end_of_its_bank() {
    let play = start(Some(97), None);
    assert_eq!(
        played(1, 0, &[(0, play)], 100),
        [(0, 97), (10, 98), (20, 99)]
    );
}

#[test]
fn a_stream_plays_the_bytes_of_a_block() {
    // Every other byte of ten, from the second one on: as the right side of a stereo block.
    let play = start(Some(20), Some(StreamLength::Bytes(10)));
    let values: Vec<u8> = played(2, 1, &[(0, play)], 1_000)
        .into_iter()
        .map(|(_, value)| value)
        .collect();
    assert_eq!(values, [21, 23, 25, 27, 29]);
}

#[test]
fn a_stream_plays_backwards_and_again() {
    let play = StreamCommand::Start {
        stream: 1,
        from: Some(10),
        length: Some(StreamLength::Writes(3)),
        reverse: true,
        looped: true,
    };
    assert_eq!(
        played(1, 0, &[(0, play)], 50),
        [(0, 12), (10, 11), (20, 10), (30, 12), (40, 11)]
    );
}

/// The number of a block counts those of the stream's bank, whatever blocks of others are before
/// it.
#[test]
fn a_stream_plays_a_block_of_its_bank() {
    let play = |block| StreamCommand::StartBlock {
        stream: 1,
        block,
        reverse: false,
        looped: false,
    };
    let mut commands = setup(1, 0x2a, LOG_RATE / 10, 1, 0).to_vec();
    // There is no block 2: what plays goes on.
    commands.extend([(0, play(1)), (15, play(2)), (50, play(0))]);
    let mut song = stream_song(&commands, 100);
    let blocks = |all: &[(u32, u32)]| {
        let block = |&(start, len)| BankBlock { start, len };
        all.iter().map(block).collect()
    };
    song.banks.reverse();
    assert_eq!((song.banks[0].kind, song.banks[1].kind), (0, BANK));
    song.banks[0].blocks = blocks(&[(60, 1), (70, 1), (80, 1)]);
    song.banks[1].blocks = blocks(&[(0, 2), (2, 3)]);
    let values = |(sample, _, value)| (sample, value);
    assert_eq!(
        writes(&song, 100)
            .into_iter()
            .map(values)
            .collect::<Vec<_>>(),
        [(0, 2), (10, 3), (20, 4), (50, 0), (60, 1)]
    );
}

/// A byte for an SN76489 names a register in its upper half, and the stream has the value only. The
/// port is another register.
#[test]
fn a_stream_to_an_sn76489_names_a_register() {
    let played = |register, step, base, from, length| {
        let mut commands = setup(1, register, LOG_RATE / 10, step, base).to_vec();
        if let (_, StreamCommand::Target { port, .. }) = &mut commands[0] {
            *port = 1;
        }
        commands.push((0, start(Some(from), length)));
        let mut song = stream_song(&commands, 100);
        song.chips[0].kind = ChipKind::Sn76489(Sn76489Config::default());
        let writes = writes(&song, 100).into_iter();
        writes.map(|(sample, _, value)| (sample, value)).collect()
    };
    let writes = |count| Some(StreamLength::Writes(count));
    let attenuation: Vec<_> = played(0xb0, 1, 0, 0x13, writes(2));
    assert_eq!(attenuation, [(0, 0xb3), (10, 0xb4)]);
    // A period has two bytes, and gets two writes.
    let period: Vec<_> = played(0xa0, 1, 0, 0x13, writes(2));
    assert_eq!(period, [(0, 0xa3), (0, 0x01), (10, 0xa5), (10, 0x21)]);
    // Every other period, from the second one on, of three periods.
    let period: Vec<_> = played(0xa0, 2, 1, 0x11, Some(StreamLength::Bytes(6)));
    assert_eq!(period, [(0, 0xa3), (0, 0x01)]);
    // The last one has half of its bytes.
    let period: Vec<_> = played(0xa0, 1, 0, BYTES - 3, None);
    assert_eq!(period, [(0, 0xa1), (0, 0x26)]);
}

/// Without a start a stream begins where it began before.
#[test]
fn a_stream_without_a_start_keeps_its_start() {
    let first = start(Some(5), Some(StreamLength::Writes(4)));
    let again = start(None, Some(StreamLength::Writes(3)));
    assert_eq!(
        played(1, 0, &[(0, first), (15, again)], 100),
        [(0, 5), (10, 6), (15, 5), (25, 6), (35, 7)]
    );
}

/// A length that is kept is the one that was asked for, though the bank had fewer bytes left.
#[test]
fn a_length_outlives_the_end_of_the_bank() {
    let short = start(Some(99), Some(StreamLength::Writes(3)));
    let again = start(Some(0), Some(StreamLength::Unchanged));
    assert_eq!(
        played(1, 0, &[(0, short), (50, again)], 100),
        [(0, 99), (50, 0), (60, 1), (70, 2)]
    );
}

/// A write that is half due is half due at the new rate too, and none is made at once.
#[test]
fn a_change_of_the_rate_keeps_the_phase() {
    let play = start(Some(0), None);
    let slower = StreamCommand::Rate {
        stream: 1,
        hertz: LOG_RATE / 20,
    };
    assert_eq!(
        played(1, 0, &[(0, play), (5, slower)], 60),
        [(0, 0), (15, 1), (35, 2), (55, 3)]
    );
}

#[test]
fn a_rate_of_zero_pauses() {
    let rate = |hertz| StreamCommand::Rate { stream: 1, hertz };
    let play = start(Some(0), None);
    let commands = [(0, play), (12, rate(0)), (500, rate(LOG_RATE / 10))];
    assert_eq!(
        played(1, 0, &commands, 520),
        [(0, 0), (10, 1), (508, 2), (518, 3)]
    );
}

#[test]
fn streams_stop_alone_and_together() {
    let mut commands = setup(1, 0x2a, LOG_RATE / 10, 1, 0).to_vec();
    commands.extend(setup(2, 0x2b, LOG_RATE / 10, 1, 0));
    let play = |stream| StreamCommand::Start {
        stream,
        from: Some(40),
        length: None,
        reverse: false,
        looped: true,
    };
    let stop = |stream| StreamCommand::Stop { stream };
    commands.extend([
        (0, play(1)),
        (0, play(2)),
        (15, stop(Some(1))),
        (25, play(1)),
        (30, stop(None)),
    ]);
    // A write that is due when a command comes is made before it.
    let expected = [
        (0, 0x2a, 40),
        (0, 0x2b, 40),
        (10, 0x2a, 41),
        (10, 0x2b, 41),
        (20, 0x2b, 42),
        (25, 0x2a, 40),
        (30, 0x2b, 43),
    ];
    assert_eq!(writes(&stream_song(&commands, 100), 100), expected);
}

#[test]
fn a_stream_ends_where_its_bank_or_its_target_is_missing() {
    let play = start(Some(0), Some(StreamLength::Writes(5)));
    let mut commands = setup(1, 0x2a, LOG_RATE, 1, 0).to_vec();
    commands.push((0, play));
    for (place, command) in [
        StreamCommand::Source {
            stream: 1,
            bank: BANK + 1,
            step: 1,
            base: 0,
        },
        StreamCommand::Target {
            stream: 1,
            chip: None,
            port: 0,
            register: 0x2a,
        },
    ]
    .into_iter()
    .enumerate()
    {
        let mut commands = commands.clone();
        commands[1 - place] = (0, command);
        assert_eq!(writes(&stream_song(&commands, 100), 100), []);
    }
}

#[test]
fn bytes_for_the_dac_come_from_the_place_that_is_sought() {
    let events = vec![
        Event::Dac { wait: 0 },
        Event::Wait(3),
        Event::Seek(50),
        Event::Dac { wait: 0 },
        Event::Dac { wait: 0 },
        Event::Wait(1),
        Event::Seek(BYTES),
        Event::Dac { wait: 0 },
        Event::Wait(1),
    ];
    let expected = [(0, 0x2a, 0), (3, 0x2a, 50), (3, 0x2a, 51)];
    assert_eq!(writes(&song(events, Vec::new(), None), 10), expected);
}

#[test]
fn a_loop_begins_where_it_is_told_to() {
    let write = |value| {
        Event::Write(RegisterWrite {
            chip: 0,
            port: 0,
            register: 1,
            value,
        })
    };
    let events = vec![
        write(1),
        Event::Wait(10),
        write(2),
        Event::Wait(5),
        write(3),
    ];
    let expected = [
        (0, 1, 1),
        (10, 1, 2),
        (15, 1, 3),
        (15, 1, 2),
        (20, 1, 3),
        (20, 1, 2),
    ];
    let repeats = song(events.clone(), Vec::new(), Some(2));
    assert_eq!(writes(&repeats, 25), expected);
    let ends = song(events, Vec::new(), None);
    assert_eq!(writes(&ends, 1_000), expected[..3]);
}

/// A song with millions of writes before a wait is left among them, so that a user who has had
/// enough need not wait for all of them.
#[test]
fn an_overspent_budget_ends_a_song_between_two_writes() {
    let write = Event::Write(RegisterWrite {
        chip: 0,
        port: 0,
        register: 1,
        value: 1,
    });
    let events = [vec![write; 100], vec![Event::Wait(1)]].concat();
    let busy = song(events, Vec::new(), Some(0));
    let mut budget = Budget::default();
    budget.spend(MOST - 10);
    let mut writes = 0;
    let quiet = Sequencer::default().next(&busy, &mut budget, |_| writes += 1);
    assert_eq!(quiet, None);
    assert!(budget.is_overspent());
    assert_eq!(writes, 11);
}

/// A stream goes on when its song begins anew.
#[test]
fn streams_go_on_over_the_loop() {
    let mut commands: Vec<StreamCommand> = setup(1, 0x2a, LOG_RATE / 10, 1, 0)
        .map(|(_, command)| command)
        .to_vec();
    commands.push(start(Some(0), Some(StreamLength::Writes(4))));
    let events = (0..4)
        .map(Event::Stream)
        .chain([Event::Wait(1), Event::Wait(17)])
        .collect();
    let expected = [(0, 0x2a, 0), (10, 0x2a, 1), (20, 0x2a, 2), (30, 0x2a, 3)];
    assert_eq!(writes(&song(events, commands, Some(5)), 100), expected);
}

/// A stream, one sample after another: a counter grows by the rate in each sample, and a write is
/// due for each `LOG_RATE` of it.
#[derive(Clone, Default)]
struct Model {
    rate: u64,
    counter: u64,
    owed: u64,
    step: u32,
    base: u32,
    from: u32,
    length: u32,
    order: Vec<u32>,
    looped: bool,
    left: Vec<u32>,
}

impl Model {
    fn command(&mut self, command: &StreamCommand) {
        match *command {
            StreamCommand::Target { .. } | StreamCommand::StartBlock { .. } => (),
            StreamCommand::Source { step, base, .. } => {
                self.step = u32::from(step).max(1);
                self.base = base.into();
            }
            StreamCommand::Rate { hertz, .. } => self.rate = hertz.into(),
            StreamCommand::Start {
                from,
                length,
                reverse,
                looped,
                ..
            } => {
                self.from = from.map_or(self.from, |from| from + self.base);
                self.length = match length {
                    None => (self.from..BYTES).step_by(self.step as usize).count() as u32,
                    Some(StreamLength::Unchanged) => self.length,
                    Some(StreamLength::Writes(writes)) => writes,
                    Some(StreamLength::Bytes(bytes)) => {
                        (self.base..bytes).step_by(self.step as usize).count() as u32
                    }
                    Some(StreamLength::Milliseconds(time)) => {
                        (u64::from(time) * self.rate / 1_000) as u32
                    }
                };
                let places = 0..self.length;
                self.order = match reverse {
                    true => places.collect(),
                    false => places.rev().collect(),
                };
                self.left = self.order.clone();
                self.looped = looped;
                self.counter = 0;
                self.owed = 0;
            }
            StreamCommand::Stop { .. } => self.left.clear(),
        }
    }

    /// The byte of the write that is due at this sample, which stays the same until the last.
    fn due(&mut self) -> Option<Option<u8>> {
        if self.counter + self.rate <= self.owed {
            return None;
        }
        let place = self.left.pop()?;
        if self.left.is_empty() && self.looped {
            self.left = self.order.clone();
        }
        self.owed += u64::from(LOG_RATE);
        let at = self.from + place * self.step;
        Some((at < BYTES).then_some(at as u8))
    }

    fn writes(&mut self, commands: &[(u64, StreamCommand)], end: u64) -> Vec<Write> {
        let mut writes = Vec::new();
        let mut commands = commands.iter().peekable();
        for now in 0..end {
            // One write comes before the commands of its sample, and those that they begin after.
            if let Some(Some(byte)) = self.due() {
                writes.push((now, 0x2a, byte));
            }
            while let Some((_, command)) = commands.next_if(|(at, _)| *at == now) {
                self.command(command);
            }
            while let Some(byte) = self.due() {
                writes.extend(byte.map(|byte| (now, 0x2a, byte)));
            }
            if !self.left.is_empty() {
                self.counter += self.rate;
            }
        }
        writes
    }
}

fn any_length() -> impl Strategy<Value = Option<StreamLength>> {
    prop_oneof![
        Just(None),
        Just(Some(StreamLength::Unchanged)),
        (0..150_u32).prop_map(|length| Some(StreamLength::Writes(length))),
        (0..150_u32).prop_map(|length| Some(StreamLength::Bytes(length))),
        (0..10_u32).prop_map(|length| Some(StreamLength::Milliseconds(length))),
    ]
}

fn any_command() -> impl Strategy<Value = StreamCommand> {
    let from = prop_oneof![Just(None), (0..120_u32).prop_map(Some)];
    let start = (from, any_length(), any::<bool>(), any::<bool>());
    prop_oneof![
        3 => start.prop_map(|(from, length, reverse, looped)| StreamCommand::Start {
            stream: 1,
            from,
            length,
            reverse,
            looped,
        }),
        2 => (0..4 * LOG_RATE).prop_map(|hertz| StreamCommand::Rate { stream: 1, hertz }),
        1 => Just(StreamCommand::Rate { stream: 1, hertz: 0 }),
        1 => (0..4_u8, 0..4_u8).prop_map(|(step, base)| StreamCommand::Source {
            stream: 1,
            bank: BANK,
            step,
            base,
        }),
        1 => Just(StreamCommand::Stop { stream: None }),
    ]
}

proptest! {
    /// Whatever a stream is told, its writes are those of the model.
    #[test]
    fn a_stream_does_as_the_model(
        hertz in 0..4 * LOG_RATE,
        commands in prop::collection::vec((0..40_u64, any_command()), 1..12),
    ) {
        let mut all = setup(1, 0x2a, hertz, 1, 0).to_vec();
        let mut now = 0;
        for (wait, command) in commands {
            now += wait;
            all.push((now, command));
        }
        let end = now + 200;
        let expected = Model::default().writes(&all, end);
        prop_assert_eq!(writes(&stream_song(&all, end), end), expected);
    }
}
