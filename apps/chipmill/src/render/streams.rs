//! Streams: bytes of a bank that go to a register at a steady rate.

use super::budget::Budget;
use crate::song::{Bank, ChipKind, LOG_RATE, RegisterWrite, Song, StreamCommand, StreamLength};

/// The most writes per second that a stream makes: as many as four for each sample of the log. No
/// chip takes as many, and a broken file cannot ask for billions.
const MAX_HERTZ: u32 = 4 * LOG_RATE;

/// All streams of a song, in the order in which it names them first.
#[derive(Default)]
pub struct Streams {
    streams: Vec<Stream>,
}

#[derive(Default)]
struct Stream {
    id: u8,
    target: Option<Target>,
    bank: u8,
    step: u32,
    base: u32,
    hertz: u32,
    /// The bytes that it plays, set when it begins.
    first: u32,
    writes: u32,
    reverse: bool,
    looped: bool,
    /// The writes that it has made since it began.
    made: u32,
    /// When it began, or when its rate changed, in samples of the log.
    began: u64,
    /// The writes that it has made since then, those of earlier rounds too.
    since: u64,
    /// How long after `began` the first of them was due, in parts of which a write has `LOG_RATE`.
    ahead: u64,
    active: bool,
}

/// Where the bytes of a stream go.
#[derive(Clone, Copy)]
struct Target {
    chip: u8,
    port: u8,
    register: u8,
    value: Value,
}

/// What the bytes of a stream are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// What a register gets.
    Register,
    /// The attenuation of an SN76489 in the lower half of a byte. That chip has no numbers for its
    /// registers: a byte that it gets names one in its upper half.
    Attenuation,
    /// Ten bits for an SN76489 in two bytes, the lower one first. It gets them in two writes.
    Period,
}

impl Target {
    /// A register of a chip of this kind.
    fn new(chip: u8, kind: Option<ChipKind>, port: u8, register: u8) -> Self {
        // The bit of a byte for an SN76489 that says whether it is an attenuation.
        const ATTENUATION: u8 = 0x10;
        let value = match kind {
            Some(ChipKind::Sn76489(_)) if register & ATTENUATION != 0 => Value::Attenuation,
            Some(ChipKind::Sn76489(_)) => Value::Period,
            _ => Value::Register,
        };
        // The other port of an SN76489 is no register of the chip.
        let port = if value == Value::Register { port } else { 0 };
        Target {
            chip,
            port,
            register,
            value,
        }
    }

    /// Its writes, of a byte of the bank and the one behind it. None if a byte is missing.
    fn writes(self, first: Option<u8>, second: Option<u8>) -> [Option<RegisterWrite>; 2] {
        let write = |value| RegisterWrite {
            chip: self.chip,
            port: self.port,
            register: self.register,
            value,
        };
        let latch = |low: u8| write(self.register & 0xf0 | low & 0x0f);
        match (self.value, first, second) {
            (Value::Register, Some(byte), _) => [Some(write(byte)), None],
            (Value::Attenuation, Some(byte), _) => [Some(latch(byte)), None],
            (Value::Period, Some(low), Some(high)) => {
                let upper = (high & 0x03) << 4 | low >> 4;
                [Some(latch(low)), Some(write(upper))]
            }
            _ => [None, None],
        }
    }
}

impl Streams {
    /// Does what a command says, at this sample of the log.
    pub fn command(&mut self, command: &StreamCommand, now: u64, song: &Song) {
        let banks = &song.banks;
        match *command {
            StreamCommand::Target {
                stream,
                chip,
                port,
                register,
            } => {
                self.named(stream).target = chip.map(|chip| {
                    let spec = song.chips.get(usize::from(chip));
                    Target::new(chip, spec.map(|spec| spec.kind), port, register)
                });
            }
            StreamCommand::Source {
                stream,
                bank,
                step,
                base,
            } => {
                let stream = self.named(stream);
                stream.bank = bank;
                stream.step = u32::from(step).max(1);
                stream.base = base.into();
            }
            StreamCommand::Rate { stream, hertz } => {
                self.named(stream).set_rate(hertz.min(MAX_HERTZ), now);
            }
            StreamCommand::Start {
                stream,
                from,
                length,
                reverse,
                looped,
            } => {
                let stream = self.named(stream);
                stream.reverse = reverse;
                stream.looped = looped;
                stream.start(from, length, now, banks);
            }
            StreamCommand::StartBlock {
                stream,
                block,
                reverse,
                looped,
            } => {
                let stream = self.named(stream);
                let bank = banks.iter().find(|bank| bank.kind == stream.bank);
                // A stream that shall play a block which is not there goes on with what it plays.
                if let Some(block) = bank.and_then(|bank| bank.blocks.get(usize::from(block))) {
                    stream.reverse = reverse;
                    stream.looped = looped;
                    let length = Some(StreamLength::Bytes(block.len));
                    stream.start(Some(block.start), length, now, banks);
                }
            }
            StreamCommand::Stop { stream: None } => {
                for stream in &mut self.streams {
                    stream.active = false;
                }
            }
            StreamCommand::Stop { stream: Some(id) } => self.named(id).active = false,
        }
    }

    /// The sample at which the next write is due.
    pub fn next(&self) -> Option<u64> {
        self.streams.iter().filter_map(Stream::next).min()
    }

    /// How many streams the song has named.
    pub fn len(&self) -> usize {
        self.streams.len()
    }

    /// Takes the writes that are due at this sample, those of one value for each stream.
    pub fn take(
        &mut self,
        now: u64,
        banks: &[Bank],
        budget: &mut Budget,
        mut each: impl FnMut(RegisterWrite),
    ) {
        if !self.streams.is_empty() {
            budget.spend_on_search(self.len());
        }
        for stream in &mut self.streams {
            if stream.next().is_some_and(|next| next <= now) {
                budget.spend_on_search(banks.len());
                // A value of two bytes is two writes.
                budget.spend(u64::from(stream.size()) - 1);
                stream.take(banks).into_iter().flatten().for_each(&mut each);
            }
        }
    }

    fn named(&mut self, id: u8) -> &mut Stream {
        let place = match self.streams.iter().position(|stream| stream.id == id) {
            Some(place) => place,
            None => {
                self.streams.push(Stream {
                    id,
                    step: 1,
                    ..Stream::default()
                });
                self.streams.len() - 1
            }
        };
        &mut self.streams[place]
    }
}

impl Stream {
    fn start(&mut self, from: Option<u32>, length: Option<StreamLength>, now: u64, banks: &[Bank]) {
        // Without a place it begins where it began before.
        if let Some(from) = from {
            self.first = from.saturating_add(self.base * self.size());
        }
        let rest = data(self.bank, banks).len() as u32;
        let step = self.step * self.size();
        let rest = rest.saturating_sub(self.first).div_ceil(step);
        self.writes = match length {
            None => rest,
            Some(StreamLength::Unchanged) => self.writes,
            Some(StreamLength::Writes(writes)) => writes,
            Some(StreamLength::Bytes(bytes)) => {
                let base = self.base * self.size();
                bytes.saturating_sub(base).div_ceil(step)
            }
            Some(StreamLength::Milliseconds(time)) => {
                let writes = u64::from(time) * u64::from(self.hertz) / 1000;
                u32::try_from(writes).unwrap_or(u32::MAX)
            }
        };
        self.made = 0;
        self.active = self.writes > 0;
        self.began = now;
        self.since = 0;
        self.ahead = 0;
    }

    /// The bytes of a value.
    fn size(&self) -> u32 {
        match self.target {
            Some(Target {
                value: Value::Period,
                ..
            }) => 2,
            _ => 1,
        }
    }

    /// Changes the rate. A write that is half due stays half due. So a sample with a sliding pitch
    /// gets no writes that are too early.
    fn set_rate(&mut self, hertz: u32, now: u64) {
        let passed = (now - self.began) * u64::from(self.hertz);
        self.ahead = self.parts().saturating_sub(passed);
        self.began = now;
        self.since = 0;
        self.hertz = hertz;
    }

    /// How long after `began` the next write is due, in parts of which a write has `LOG_RATE`.
    fn parts(&self) -> u64 {
        self.ahead + self.since * u64::from(LOG_RATE)
    }

    /// The sample at which the next write is due. A stream with the rate 0 pauses.
    fn next(&self) -> Option<u64> {
        let after = self.parts().checked_div(self.hertz.into())?;
        self.active.then(|| self.began + after)
    }

    fn take(&mut self, banks: &[Bank]) -> [Option<RegisterWrite>; 2] {
        let place = match self.reverse {
            true => self.writes - 1 - self.made,
            false => self.made,
        };
        let step = u64::from(self.step * self.size());
        let at = u64::from(self.first) + u64::from(place) * step;
        let bytes = data(self.bank, banks);
        // Where a place has 32 bits, a byte can be behind all of them.
        let byte = |at| bytes.get(usize::try_from(at).ok()?).copied();
        self.made += 1;
        self.since += 1;
        if self.made == self.writes {
            self.made = 0;
            self.active = self.looped;
        }
        self.target
            .map_or([None, None], |target| target.writes(byte(at), byte(at + 1)))
    }
}

/// The bytes of the bank of a type.
pub fn data(kind: u8, banks: &[Bank]) -> &[u8] {
    let bank = banks.iter().find(|bank| bank.kind == kind);
    bank.map_or(&[], |bank| &bank.data)
}
