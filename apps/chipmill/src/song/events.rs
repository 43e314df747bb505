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
//! The bytes are in chunks. No event goes over the end of a chunk. The place of an event is that of
//! its chunk, as if all chunks were full, and then its place in there.
//!
//! A chunk that is full is compressed (LZ4, in its block format): music repeats itself, and
//! composed songs become a fifth to a tenth. With more songs in flight than threads, the logs of those that
//! wait for a thread are much of the memory. Of a song that plays, the chunk where it is is
//! uncompressed, in its [`EventReader`].

use lz4_flex::block;

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

/// The bytes of a chunk. With chunks of twice the size, composed songs are a sixth smaller. But
/// each song that plays has one chunk uncompressed.
pub const CHUNK: usize = 8 << 10;
/// The most bytes of an event: those of a write to any chip.
const LONGEST: usize = 5;

/// Events in order. A place is where an event begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Those with room for no more events.
    full: Vec<FullChunk>,
    /// The one behind them, with room for any event.
    last: Vec<u8>,
}

/// The bytes of a chunk that is full, in as little memory as can be.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FullChunk {
    Compressed(Box<[u8]>),
    /// Compressed it would be larger.
    Plain(Box<[u8]>),
}

impl FullChunk {
    fn new(bytes: &[u8]) -> Self {
        let mut compressed = [0; block::get_maximum_output_size(CHUNK)];
        match block::compress_into(bytes, &mut compressed) {
            Ok(len) if len < bytes.len() => FullChunk::Compressed(compressed[..len].into()),
            _ => FullChunk::Plain(bytes.into()),
        }
    }

    fn copy_to(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        match self {
            FullChunk::Plain(plain) => bytes.extend_from_slice(plain),
            FullChunk::Compressed(compressed) => {
                bytes.resize(CHUNK, 0);
                let len = block::decompress_into(compressed, bytes)
                    .expect("the bytes of a chunk are those that were compressed");
                bytes.truncate(len);
            }
        }
    }
}

impl Events {
    pub(super) fn shrink_to_fit(&mut self) {
        self.full.shrink_to_fit();
        self.last.shrink_to_fit();
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
        if self.last.capacity() == 0 {
            self.last.reserve_exact(CHUNK);
        }
        self.last.extend_from_slice(&bytes[..len]);
        if !has_room(&self.last) {
            self.full.push(FullChunk::new(&self.last));
            self.last.clear();
        }
    }

    /// The place of the next event that is added.
    #[must_use]
    pub fn end(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    /// All events.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        let mut reader = EventReader::default();
        let mut place = 0;
        std::iter::from_fn(move || {
            let (event, next) = reader.get(self, place)?;
            place = next;
            Some(event)
        })
    }
}

/// Reads events of one song, and keeps the chunk that it was in.
#[derive(Debug, Default)]
pub struct EventReader {
    bytes: Vec<u8>,
    /// Which chunk this is. `None`: there is none yet.
    chunk: Option<usize>,
}

impl EventReader {
    /// Whether the event at a place is in the chunk that the reader has: otherwise
    /// [`get`](Self::get) uncompresses [`CHUNK`] bytes.
    #[must_use]
    pub fn has(&self, place: usize) -> bool {
        self.chunk == Some(place / CHUNK)
    }

    /// The event at a place of the song, and the place of the one behind it. `None` at the end.
    ///
    /// At a place where no event begins, it is any event, or none. `events` are the same in all
    /// calls.
    #[must_use]
    pub fn get(&mut self, events: &Events, place: usize) -> Option<(Event, usize)> {
        let (chunk, at) = (place / CHUNK, place % CHUNK);
        if !self.has(place) {
            self.load(events, chunk);
        }
        let (&first, rest) = self.bytes.get(at..)?.split_first()?;
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

    fn load(&mut self, events: &Events, chunk: usize) {
        match events.full.get(chunk) {
            Some(full) => full.copy_to(&mut self.bytes),
            None => {
                self.bytes.clear();
                if chunk == events.full.len() {
                    self.bytes.extend_from_slice(&events.last);
                }
            }
        }
        self.chunk = Some(chunk);
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
            prop_assert_eq!(EventReader::default().get(&packed, packed.end()), None);
        }

        #[test]
        fn the_end_is_the_place_of_the_next_event(
            before in 0..2 * CHUNK,
            next in event(),
        ) {
            let mut events: Events = (0..before).map(|_| Event::Wait(1)).collect();
            let place = events.end();
            events.push(next);
            let found = EventReader::default().get(&events, place);
            prop_assert_eq!(found, Some((next, events.end())));
        }

        #[test]
        fn any_place_of_any_bytes_is_an_event_or_none(
            bytes in prop::collection::vec(any::<u8>(), 0..20),
            place in 0_usize..30,
        ) {
            let len = bytes.len();
            let events = Events { full: Vec::new(), last: bytes };
            if let Some((_, next)) = EventReader::default().get(&events, place) {
                prop_assert!(place < next && next <= len);
            }
        }

        #[test]
        fn a_reader_jumps_as_it_likes(
            events in prop::collection::vec(event(), 1..50),
            jumps in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
        ) {
            let events = events.repeat(400);
            let mut packed = Events::default();
            let mut places = Vec::new();
            for &event in &events {
                places.push(packed.end());
                packed.push(event);
            }
            let mut reader = EventReader::default();
            for jump in jumps {
                let event = jump.index(events.len());
                let next = places.get(event + 1).copied().unwrap_or(packed.end());
                prop_assert_eq!(reader.get(&packed, places[event]), Some((events[event], next)));
                prop_assert!(reader.has(places[event]));
            }
        }
    }

    fn memory(events: &Events) -> usize {
        let full = events.full.iter().map(|chunk| match chunk {
            FullChunk::Compressed(bytes) | FullChunk::Plain(bytes) => bytes.len(),
        });
        full.sum::<usize>() + events.last.capacity()
    }

    #[test]
    fn what_repeats_takes_little_memory_and_noise_no_more_than_its_bytes() {
        let write = |number: u32| {
            let [register, value, ..] = number.to_le_bytes();
            Event::Write(RegisterWrite {
                chip: 0,
                port: 0,
                register,
                value,
            })
        };
        let song: Events = (0..100_000).map(|step| write(step % 300)).collect();
        assert!(memory(&song) < song.end() / 5 + CHUNK);
        let mut state = 1_u32;
        let noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            write(state >> 16)
        };
        let noise: Vec<Event> = std::iter::repeat_with(noise).take(100_000).collect();
        let packed: Events = noise.iter().copied().collect();
        assert!(memory(&packed) <= packed.end() + CHUNK);
        assert!(packed.iter().eq(noise));
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
