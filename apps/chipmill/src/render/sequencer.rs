//! What happens in a song, and when.

use super::budget::Budget;
use super::streams::{Streams, data};
use crate::song::{CHUNK, ChipKind, Event, EventReader, RegisterWrite, Song};

/// The bank and the register that a byte for the DAC of a YM2612 comes from and goes to.
const DAC_BANK: u8 = 0;
const DAC_REGISTER: u8 = 0x2a;

/// What a chip gets.
pub enum Action {
    /// A register write.
    Write(RegisterWrite),
    /// Data for its memory: the place in the song.
    Load(u32),
}

/// Goes through a song, and through the part that repeats again and again.
#[derive(Default)]
pub struct Sequencer {
    /// The next event.
    place: usize,
    reader: EventReader,
    /// Samples of the log so far.
    now: u64,
    /// The rest of a wait, in samples of the log.
    waiting: u64,
    streams: Streams,
    /// The next byte for the DAC.
    dac: u32,
}

impl Sequencer {
    /// Does all that is due, and returns for how many samples of the log nothing happens then: at
    /// least one. Returns `None` after the end of a song that does not repeat, and when the budget
    /// is overspent.
    pub fn next(
        &mut self,
        song: &Song,
        budget: &mut Budget,
        mut each: impl FnMut(Action),
    ) -> Option<u64> {
        loop {
            self.streams.take(self.now, &song.banks, budget, |due| {
                each(Action::Write(due))
            });
            if self.waiting == 0 {
                self.events(song, budget, &mut each)?;
            }
            let quiet = match self.streams.next() {
                Some(next) => next.saturating_sub(self.now).min(self.waiting),
                None => self.waiting,
            };
            self.waiting -= quiet;
            self.now += quiet;
            if quiet > 0 {
                return Some(quiet);
            }
        }
    }

    /// Goes on to the next wait.
    fn events(
        &mut self,
        song: &Song,
        budget: &mut Budget,
        each: &mut impl FnMut(Action),
    ) -> Option<()> {
        while !budget.is_overspent() {
            let Some((event, next)) = self.reader.get(&song.events, self.place) else {
                self.place = song.loop_start?;
                // Going on uncompresses a chunk for more than a thousand events. A short loop over
                // the end of a chunk has two of them uncompressed in each pass.
                if !self.reader.has(self.place) {
                    budget.spend_on_bytes(2 * CHUNK);
                }
                continue;
            };
            self.place = next;
            match event {
                Event::Write(write) => {
                    budget.spend(1);
                    each(Action::Write(write));
                }
                Event::Wait(samples) => {
                    budget.spend(1);
                    self.waiting = samples.into();
                    return Some(());
                }
                Event::Dac { wait } => {
                    budget.spend_on_search(song.banks.len());
                    let byte = data(DAC_BANK, &song.banks).get(self.dac as usize);
                    self.dac = self.dac.saturating_add(1);
                    if let (Some(chip), Some(&value)) = (dac_of(song), byte) {
                        each(Action::Write(RegisterWrite {
                            chip,
                            port: 0,
                            register: DAC_REGISTER,
                            value,
                        }));
                    }
                    if wait > 0 {
                        self.waiting = wait.into();
                        return Some(());
                    }
                }
                Event::Seek(to) => {
                    budget.spend(1);
                    self.dac = to;
                }
                Event::Stream(place) => {
                    budget.spend_on_search(self.streams.len() + song.banks.len());
                    let command = &song.streams[place as usize];
                    self.streams.command(command, self.now, song);
                }
                Event::Memory(place) => {
                    budget.spend_on_bytes(song.memory[place as usize].data.len());
                    each(Action::Load(place));
                }
            }
        }
        None
    }
}

/// The chip with the DAC.
fn dac_of(song: &Song) -> Option<u8> {
    let place = song
        .chips
        .iter()
        .position(|chip| chip.kind == ChipKind::Ym2612 && !chip.second)?;
    u8::try_from(place).ok()
}
