//! The events of a song, packed: most take one to three bytes, where an [`Event`] has eight.
//!
//! | first byte | event | bytes behind it |
//! |---|---|---|
//! | `0cccccpp` | a write to chip `c`, bank `p` | register, value |
//! | `80` to `bf` | a wait of 1 to 64 samples | |
//! | `c0`, `c1` | a longer wait | 2, 4 |
//! | `c2`, `c3`, `c4` | seek, stream, memory | 4 |
//! | `c5` | a write to any other chip or bank | chip, bank, register, value |
//! | `c6` | a byte for the DAC, and a wait of any length | 1 |
//! | `d0` to `ff` | a byte for the DAC, and a wait of 0 to 47 samples | |
//!
//! The bytes are in chunks, so that none are copied when there are more. No event goes over the end
//! of a chunk. The place of an event is that of its chunk, as if all chunks were full, and then its
//! place in there.

use super::event::{Event, RegisterWrite};

/// The chips and the banks that a short write can name.
const CHIPS: u8 = 32;
const PORTS: u8 = 4;

/// The waits of one byte.
const WAIT: u8 = 0x80;
const WAITS: u32 = 64;

/// The waits of one byte behind a byte for the DAC.
const DAC: u8 = 0xd0;
const DAC_WAITS: u8 = 48;

/// The first bytes of the others.
const WAIT_16: u8 = 0xc0;
const WAIT_32: u8 = 0xc1;
const SEEK: u8 = 0xc2;
const STREAM: u8 = 0xc3;
const MEMORY: u8 = 0xc4;
const WRITE: u8 = 0xc5;
const DAC_LONG: u8 = 0xc6;

/// The bytes of a chunk.
const CHUNK: usize = 4 << 10;
/// The most bytes of an event: those of a write to any chip.
const LONGEST: usize = 5;

/// Events in order. A place is where an event begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Each has an event at least, and all but the last one room for none.
    chunks: Vec<Vec<u8>>,
}

impl Events {
    pub(super) fn shrink_to_fit(&mut self) {
        self.chunks.shrink_to_fit();
        if let Some(last) = self.chunks.last_mut() {
            last.shrink_to_fit();
        }
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        let with_number = |first: u8, number: u32| {
            let [a, b, c, d] = number.to_le_bytes();
            ([first, a, b, c, d], 5)
        };
        let (bytes, len) = match event {
            Event::Write(write) => packed_write(write),
            Event::Wait(samples @ 1..=WAITS) => ([WAIT + (samples - 1) as u8, 0, 0, 0, 0], 1),
            Event::Wait(samples) => match u16::try_from(samples) {
                Ok(samples) => {
                    let [low, high] = samples.to_le_bytes();
                    ([WAIT_16, low, high, 0, 0], 3)
                }
                Err(_) => with_number(WAIT_32, samples),
            },
            Event::Dac { wait } if wait < DAC_WAITS => ([DAC + wait, 0, 0, 0, 0], 1),
            Event::Dac { wait } => ([DAC_LONG, wait, 0, 0, 0], 2),
            Event::Seek(to) => with_number(SEEK, to),
            Event::Stream(place) => with_number(STREAM, place),
            Event::Memory(place) => with_number(MEMORY, place),
        };
        self.chunk_with_room().extend_from_slice(&bytes[..len]);
    }

    fn chunk_with_room(&mut self) -> &mut Vec<u8> {
        if self.chunks.last().is_none_or(|last| !has_room(last)) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }

    /// The place of the next event that is added.
    #[must_use]
    pub fn end(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, full)) if has_room(last) => full.len() * CHUNK + last.len(),
            _ => self.chunks.len() * CHUNK,
        }
    }

    /// The event at a place, and the place of the one behind it. `None` at the end.
    ///
    /// At a place where no event begins, it is any event, or none.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<(Event, usize)> {
        let (chunk, at) = (place / CHUNK, place % CHUNK);
        let (&first, rest) = self.chunks.get(chunk)?.get(at..)?.split_first()?;
        let number = || rest.first_chunk().copied().map(u32::from_le_bytes);
        let (event, len) = match first {
            0..WAIT => {
                let &[register, value] = rest.first_chunk()?;
                let write = RegisterWrite {
                    chip: first >> 2,
                    port: first & (PORTS - 1),
                    register,
                    value,
                };
                (Event::Write(write), 2)
            }
            WAIT..WAIT_16 => (Event::Wait(u32::from(first - WAIT) + 1), 0),
            WAIT_16 => {
                let samples = u16::from_le_bytes(*rest.first_chunk()?);
                (Event::Wait(samples.into()), 2)
            }
            WAIT_32 => (Event::Wait(number()?), 4),
            SEEK => (Event::Seek(number()?), 4),
            STREAM => (Event::Stream(number()?), 4),
            MEMORY => (Event::Memory(number()?), 4),
            WRITE => {
                let &[chip, port, register, value] = rest.first_chunk()?;
                let write = RegisterWrite {
                    chip,
                    port,
                    register,
                    value,
                };
                (Event::Write(write), 4)
            }
            DAC_LONG => (
                Event::Dac {
                    wait: *rest.first()?,
                },
                1,
            ),
            DAC.. => (Event::Dac { wait: first - DAC }, 0),
            // No event begins like this.
            _ => return None,
        };
        let next = at + 1 + len;
        // A chunk with no room for any event has its end there, and others go on in the next one.
        let place = if next > CHUNK - LONGEST {
            (chunk + 1) * CHUNK
        } else {
            place + 1 + len
        };
        Some((event, place))
    }

    /// All events.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        let mut place = 0;
        std::iter::from_fn(move || {
            let (event, next) = self.get(place)?;
            place = next;
            Some(event)
        })
    }
}

/// Whether there is room for any event.
fn has_room(chunk: &[u8]) -> bool {
    chunk.len() <= CHUNK - LONGEST
}

/// A write, and how many of the bytes it takes.
fn packed_write(write: RegisterWrite) -> ([u8; LONGEST], usize) {
    let RegisterWrite {
        chip,
        port,
        register,
        value,
    } = write;
    if chip < CHIPS && port < PORTS {
        ([chip << 2 | port, register, value, 0, 0], 3)
    } else {
        ([WRITE, chip, port, register, value], 5)
    }
}

impl FromIterator<Event> for Events {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        let mut all = Events::default();
        events.into_iter().for_each(|event| all.push(event));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event() -> impl Strategy<Value = Event> {
        let write = |(chip, port, [register, value]): (u8, u8, [u8; 2])| {
            Event::Write(RegisterWrite {
                chip,
                port,
                register,
                value,
            })
        };
        prop_oneof![
            any::<(u8, u8, [u8; 2])>().prop_map(write),
            (0..CHIPS, 0..PORTS, any::<[u8; 2]>()).prop_map(write),
            (0..200_u32).prop_map(Event::Wait),
            any::<u32>().prop_map(Event::Wait),
            any::<u8>().prop_map(|wait| Event::Dac { wait }),
            any::<u32>().prop_map(Event::Seek),
            any::<u32>().prop_map(Event::Stream),
            any::<u32>().prop_map(Event::Memory),
        ]
    }

    proptest! {
        #[test]
        fn events_come_back(
            events in prop::collection::vec(event(), 0..50),
            times in 1_usize..400,
        ) {
            let events = events.repeat(times);
            let packed: Events = events.iter().copied().collect();
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), events);
            prop_assert_eq!(packed.get(packed.end()), None);
        }

        #[test]
        fn the_end_is_the_place_of_the_next_event(
            before in 0..2 * CHUNK,
            next in event(),
        ) {
            let mut events: Events = (0..before).map(|_| Event::Wait(1)).collect();
            let place = events.end();
            events.push(next);
            prop_assert_eq!(events.get(place), Some((next, events.end())));
        }

        #[test]
        fn any_place_of_any_bytes_is_an_event_or_none(
            bytes in prop::collection::vec(any::<u8>(), 0..20),
            place in 0_usize..30,
        ) {
            let len = bytes.len();
            let chunks = vec![bytes];
            if let Some((_, next)) = (Events { chunks }).get(place) {
                prop_assert!(place < next && next <= len);
            }
        }
    }

    #[test]
    fn chunks_never_grow() {
        for event in [Event::Wait(1), Event::Wait(735), Event::Wait(u32::MAX)] {
            let events: Events = (0..2 * CHUNK).map(|_| event).collect();
            assert!(events.chunks.len() > 1);
            for chunk in &events.chunks {
                assert_eq!(chunk.capacity(), CHUNK);
            }
        }
    }

    #[test]
    fn a_write_takes_three_bytes_and_a_short_wait_one() {
        let mut events = Events::default();
        events.push(Event::Write(RegisterWrite {
            chip: CHIPS - 1,
            port: PORTS - 1,
            register: 0xff,
            value: 0xff,
        }));
        assert_eq!(events.end(), 3);
        events.push(Event::Wait(WAITS));
        assert_eq!(events.end(), 4);
        events.push(Event::Wait(735));
        assert_eq!(events.end(), 7);
    }
}
