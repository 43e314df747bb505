//! The bytes of a register log.

use super::score::TICKS;
use crate::song::LOG_RATE;

const HEADER: usize = 0x100;

/// A register log that is written.
pub struct Log {
    bytes: Vec<u8>,
    samples: u32,
    loop_at: Option<(usize, u32)>,
}

impl Log {
    /// A log for chips with these clocks, by the offsets of their fields.
    pub fn new(clocks: &[(usize, u32)]) -> Self {
        let mut log = Log {
            bytes: vec![0; HEADER],
            samples: 0,
            loop_at: None,
        };
        log.bytes[..4].copy_from_slice(b"Vgm ");
        log.set(0x08, 0x171);
        log.set(0x34, (HEADER - 0x34) as u32);
        for &(field, clock) in clocks {
            log.set(field, clock);
        }
        log
    }

    /// Sets a field of the header.
    pub fn set(&mut self, field: usize, value: u32) {
        self.bytes[field..field + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Adds the bytes of a command that takes no time.
    pub fn command(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a data block.
    pub fn block(&mut self, kind: u8, data: &[u8]) {
        self.command(&[0x67, 0x66, kind]);
        self.command(&(data.len() as u32).to_le_bytes());
        self.command(data);
    }

    /// Adds a data block for a chip's memory, which begins with it.
    pub fn memory(&mut self, kind: u8, data: &[u8]) {
        let mut block = (data.len() as u32).to_le_bytes().to_vec();
        block.extend_from_slice(&[0; 4]);
        block.extend_from_slice(data);
        self.block(kind, &block);
    }

    /// This many ticks pass.
    pub fn wait(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.command(&[0x62]);
        }
        self.samples += ticks * (LOG_RATE / TICKS);
    }

    /// Bytes of bank 0 go to the DAC, with `samples` (1 to 15) samples of the log between them.
    pub fn dac(&mut self, from: u32, bytes: u32, samples: u8) {
        self.command(&[0xe0]);
        self.command(&from.to_le_bytes());
        for _ in 0..bytes {
            self.command(&[0x80 | samples]);
        }
        self.samples += bytes * u32::from(samples);
    }

    /// This many samples pass.
    pub fn wait_samples(&mut self, samples: u16) {
        self.command(&[0x61]);
        self.command(&samples.to_le_bytes());
        self.samples += u32::from(samples);
    }

    /// The part begins that repeats.
    pub fn begin_loop(&mut self) {
        self.loop_at = Some((self.bytes.len(), self.samples));
    }

    /// Ends the log with its tags: title, game, system and author, each in two scripts, and the
    /// date, the maker and notes.
    pub fn finish(mut self, tags: [&str; 11]) -> Vec<u8> {
        self.command(&[0x66]);
        let at = self.bytes.len();
        self.set(0x14, (at - 0x14) as u32);
        let text: Vec<u8> = tags
            .iter()
            .flat_map(|tag| tag.encode_utf16().chain([0]))
            .flat_map(u16::to_le_bytes)
            .collect();
        self.command(b"Gd3 ");
        self.command(&0x100_u32.to_le_bytes());
        self.command(&(text.len() as u32).to_le_bytes());
        self.command(&text);
        self.set(0x04, (self.bytes.len() - 4) as u32);
        self.set(0x18, self.samples);
        if let Some((offset, samples)) = self.loop_at {
            self.set(0x1c, (offset - 0x1c) as u32);
            self.set(0x20, self.samples - samples);
        }
        self.bytes
    }
}
