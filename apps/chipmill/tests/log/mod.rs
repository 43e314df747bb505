//! A register log, written command by command.

/// The bytes of a header of version 1.71.
const HEADER: usize = 0x100;

/// A register log that is being written.
pub struct Log {
    /// The header, and the commands so far.
    pub bytes: Vec<u8>,
}

impl Log {
    /// A log without chips and commands.
    pub fn new() -> Self {
        let mut log = Log {
            bytes: vec![0; HEADER],
        };
        log.bytes[..4].copy_from_slice(b"Vgm ");
        log.set(0x08, 0x171);
        log.set(0x34, (HEADER - 0x34) as u32);
        log
    }

    /// Sets the header's field at this offset.
    pub fn set(&mut self, field: usize, value: u32) {
        self.bytes[field..field + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Adds a command.
    pub fn push(&mut self, command: &[u8]) {
        self.bytes.extend_from_slice(command);
    }

    /// Adds a wait, in samples of the log.
    pub fn wait(&mut self, samples: u16) {
        let [low, high] = samples.to_le_bytes();
        self.push(&[0x61, low, high]);
    }

    /// Adds a data block.
    pub fn block(&mut self, kind: u8, data: &[u8]) {
        self.push(&[0x67, 0x66, kind]);
        self.push(&(data.len() as u32).to_le_bytes());
        self.push(data);
    }

    /// Ends the log, and returns its file.
    pub fn finish(mut self) -> Vec<u8> {
        self.push(&[0x66]);
        self.set(0x04, (self.bytes.len() - 4) as u32);
        self.bytes
    }
}
