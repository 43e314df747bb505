//! One song for each chip: random notes, of random instruments.
//!
//! Three faults of `vgmrender` shape the songs.
//!
//! - It skips four bytes after a seek in the PCM data. The songs have two commands without effect
//!   there.
//! - It takes 8 bytes too few of a block of PCM data, as if the block had the head of a memory
//!   block, and writes all such blocks to address 0. The songs have one block, with 8 bytes more
//!   than they play.
//! - It does not know that the highest bit of a block's length names the second chip: it gives all
//!   blocks to both chips. Our file of a song with two chips has each block twice.
//!
//! What the chips have and `vgmrender` has not is left out: RAM that a chip fills by itself, and
//! the YMF278B's RAM, which `vgmrender` puts at address 0.

mod opl;
mod opm;
mod opn;
mod square;

use super::log::Log;
use super::random::Random;

/// The notes of a song.
const NOTES: usize = 150;

/// A song for one kind of chip.
pub struct Song {
    /// The chip, and what is special.
    pub name: &'static str,
    /// Our file.
    pub file: Vec<u8>,
    /// The file for `vgmrender`.
    pub reference: Vec<u8>,
    /// What our renderer multiplies the samples of this chip with.
    pub level: f32,
    /// What `vgmrender` does with the outputs of the chip.
    pub outputs: Outputs,
    /// Whether most waves begin anew with a note. Where not, the order of up and down depends on a
    /// single frame of the chip, and a correlation says nothing.
    pub starts_phases: bool,
}

/// What `vgmrender` does with the outputs of a chip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outputs {
    /// The same as our renderer.
    Mixed,
    /// The first two are left and right, where ours has their sum on both sides.
    Apart,
}

/// All songs.
pub fn all() -> Vec<Song> {
    vec![
        square::ym2413(),
        square::ay8910(),
        square::ay8910_envelope(),
        opm::ym2151(),
        opn::ym2203(),
        opn::ym2608(),
        opn::ym2610(false),
        opn::ym2610(true),
        opn::two_ym2610(),
        opn::ym2612(),
        opl::ym3526(),
        opl::ym3812(),
        opl::y8950(),
        opl::ymf262(),
        opl::ymf278b(),
    ]
}

/// A song that is being written.
struct Player {
    log: Log,
    random: Random,
    /// The command that writes to each port of the chip.
    ports: &'static [u8],
    /// Whether a frame passes after each write. Before the notes all writes of an instrument come
    /// at once, and a renderer makes one in each frame: of the output by `Nearest`, of the chip by
    /// `Mean`. Notes in such bursts would not begin at the same time by both.
    apart: bool,
}

impl Player {
    /// A song for the chip with its clock in this field of the header.
    fn new(field: usize, clock: u32, ports: &'static [u8]) -> Self {
        let mut log = Log::new();
        log.set(field, clock);
        let random = Random((field as u64) << 32 | u64::from(clock));
        Player {
            log,
            random,
            ports,
            apart: false,
        }
    }

    fn write(&mut self, port: usize, register: u8, value: u8) {
        self.command(&[self.ports[port], register, value]);
    }

    fn command(&mut self, command: &[u8]) {
        self.log.push(command);
        if self.apart {
            self.log.wait(1);
        }
    }

    /// Waits until all writes are made: each takes a frame.
    fn settle(&mut self, writes: u16) {
        self.log.wait(writes + 20);
    }

    /// Waits for the time of a note.
    fn hold(&mut self) {
        let samples = 200 + self.random.below(1_000) as u16;
        self.log.wait(samples);
    }

    /// Bytes that sound as noise with a pitch.
    fn samples(&mut self, count: usize) -> Vec<u8> {
        let period = 20 + self.random.below(100) as usize;
        let wave: Vec<u8> = (0..period).map(|_| self.random.bits(0xff)).collect();
        wave.iter().copied().cycle().take(count).collect()
    }

    /// A block for the memory of a chip, from this address on.
    fn memory(&mut self, kind: u8, size: u32, start: u32, data: &[u8]) {
        self.log.block(kind, &memory_block(size, start, data));
    }

    /// A song that `vgmrender` can play as it is.
    fn finish(self, name: &'static str) -> Song {
        let file = self.log.finish();
        Song {
            name,
            reference: file.clone(),
            file,
            level: 1.0,
            outputs: Outputs::Mixed,
            starts_phases: true,
        }
    }
}

/// The content of a block for a memory: its size, an address, and the bytes.
fn memory_block(size: u32, start: u32, data: &[u8]) -> Vec<u8> {
    [&size.to_le_bytes(), &start.to_le_bytes(), data].concat()
}
