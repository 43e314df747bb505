//! What happens in a song.

/// A write to a register of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterWrite {
    /// The chip, by its place in [`Song::chips`](super::Song::chips).
    pub chip: u8,
    /// The bank of registers.
    pub port: u8,
    /// The register.
    pub register: u8,
    /// What is written.
    pub value: u8,
}

/// Something that happens in a song.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A write to a register.
    Write(RegisterWrite),
    /// Nothing happens for this number of samples of the log.
    Wait(u32),
    /// The next byte of bank 0 goes to the DAC of the first YM2612, if there is one.
    Dac {
        /// For how many samples of the log nothing happens then.
        wait: u8,
    },
    /// The position in bank 0 from which [`Dac`](Event::Dac) goes on.
    Seek(u32),
    /// A command for a stream, by its place in [`Song::streams`](super::Song::streams).
    Stream(u32),
    /// Memory of a chip gets data: the place in [`Song::memory`](super::Song::memory).
    Memory(u32),
}

/// A command for a stream: bytes of a bank that go to a register at a steady rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamCommand {
    /// Where the bytes go.
    Target {
        /// The stream.
        stream: u8,
        /// The chip, by its place in [`Song::chips`](super::Song::chips); none if it has no model.
        chip: Option<u8>,
        /// The bank of registers.
        port: u8,
        /// The register.
        register: u8,
    },
    /// Where the bytes come from.
    Source {
        /// The stream.
        stream: u8,
        /// The type of the bank.
        bank: u8,
        /// How many bytes further the next one is.
        step: u8,
        /// How many bytes after the start of its data the stream begins.
        base: u8,
    },
    /// How many writes there are in a second.
    Rate {
        /// The stream.
        stream: u8,
        /// Writes per second.
        hertz: u32,
    },
    /// The stream begins.
    Start {
        /// The stream.
        stream: u8,
        /// The first byte in the bank; none is the one of the start before.
        from: Option<u32>,
        /// How long it goes on; none is to the end of the bank.
        length: Option<StreamLength>,
        /// From the last byte to the first.
        reverse: bool,
        /// Begins again at the end.
        looped: bool,
    },
    /// The stream begins with a data block of its bank.
    StartBlock {
        /// The stream.
        stream: u8,
        /// The number of the block among those of the bank.
        block: u16,
        /// From the last byte to the first.
        reverse: bool,
        /// Begins again at the end.
        looped: bool,
    },
    /// The stream ends; none of them all do.
    Stop {
        /// The stream.
        stream: Option<u8>,
    },
}

/// How long a stream goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamLength {
    /// As long as before.
    Unchanged,
    /// A number of writes.
    Writes(u32),
    /// A number of bytes of the bank.
    Bytes(u32),
    /// A time in thousandths of a second.
    Milliseconds(u32),
}

/// The PCM data of streams, of all data blocks of one type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bank {
    /// The type of the data blocks.
    pub kind: u8,
    /// The bytes of all of them, one after another.
    pub data: Vec<u8>,
    /// Where each of them is, by which a stream names it.
    pub blocks: Vec<BankBlock>,
}

/// Where a data block is in its bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankBlock {
    /// The place of its first byte.
    pub start: u32,
    /// How many bytes it has.
    pub len: u32,
}

/// A memory that a chip plays from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Memory {
    /// ADPCM-A of the YM2610.
    AdpcmA,
    /// ADPCM-B (Delta-T) of YM2608, YM2610 and Y8950.
    AdpcmB,
    /// The wave memory of the YMF278B.
    Wave,
}

impl Memory {
    /// The bytes that the address lines of its chip reach.
    pub fn size(self) -> u32 {
        match self {
            Memory::AdpcmA | Memory::AdpcmB => 16 << 20,
            Memory::Wave => 4 << 20,
        }
    }
}

/// Data for a memory of a chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryBlock {
    /// The chip, by its place in [`Song::chips`](super::Song::chips).
    pub chip: u8,
    /// Which memory.
    pub memory: Memory,
    /// The address of the first byte.
    pub start: u32,
    /// The bytes.
    pub data: Vec<u8>,
}
