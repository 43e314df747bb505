//! Streams: bytes of a bank that go to a register at a steady rate.

use crate::song::{Bank, LOG_RATE, RegisterWrite, StreamCommand, StreamLength};

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
    target: Option<(u8, u8, u8)>,
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

impl Streams {
    /// Does what a command says, at this sample of the log.
    pub fn command(&mut self, command: &StreamCommand, now: u64, banks: &[Bank]) {
        match *command {
            StreamCommand::Target {
                stream,
                chip,
                port,
                register,
            } => self.named(stream).target = chip.map(|chip| (chip, port, register)),
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

    /// Takes the writes that are due at this sample, one for each stream.
    pub fn take(&mut self, now: u64, banks: &[Bank], mut each: impl FnMut(RegisterWrite)) {
        for stream in &mut self.streams {
            if stream.next().is_some_and(|next| next <= now)
                && let Some(due) = stream.take(banks)
            {
                each(due);
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
            self.first = from.saturating_add(self.base);
        }
        let rest = data(self.bank, banks).len() as u32;
        let rest = rest.saturating_sub(self.first).div_ceil(self.step);
        self.writes = match length {
            None => rest,
            Some(StreamLength::Unchanged) => self.writes,
            Some(StreamLength::Writes(writes)) => writes,
            Some(StreamLength::Bytes(bytes)) => bytes.saturating_sub(self.base).div_ceil(self.step),
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

    fn take(&mut self, banks: &[Bank]) -> Option<RegisterWrite> {
        let place = match self.reverse {
            true => self.writes - 1 - self.made,
            false => self.made,
        };
        let at = u64::from(self.first) + u64::from(place) * u64::from(self.step);
        let value = data(self.bank, banks).get(at as usize).copied();
        self.made += 1;
        self.since += 1;
        if self.made == self.writes {
            self.made = 0;
            self.active = self.looped;
        }
        let (chip, port, register) = self.target?;
        Some(RegisterWrite {
            chip,
            port,
            register,
            value: value?,
        })
    }
}

/// The bytes of the bank of a type.
pub fn data(kind: u8, banks: &[Bank]) -> &[u8] {
    let bank = banks.iter().find(|bank| bank.kind == kind);
    bank.map_or(&[], |bank| &bank.data)
}
