//! Yamaha's chips, by the models of ymfm.

use std::cell::RefCell;
use std::rc::Rc;

use ymfm_sys::ffi::{self, AccessClass, ChipType};
use ymfm_sys::{ChipPtr, InterfaceCallbacks, InterfaceHandler};

use super::Core;
use super::paged_memory::PagedMemory;
use crate::song::{ChipKind, Memory};

/// The outputs of a chip at most.
const OUTPUTS: usize = 8;
/// The RAM that a YM2608 or Y8950 can have for samples, and fill through its registers, in bytes.
const SAMPLE_RAM: u32 = 256 << 10;
/// The first address of the YMF278B's wave memory that is RAM, which registers can fill.
pub const WAVE_RAM: u32 = 0x20_0000;
/// The register with which the YM2608 strikes its six drums.
pub const DRUMS: u8 = 0x10;
/// The frames that are made at a time.
const BATCH: usize = 64;

/// A chip of Yamaha's.
pub struct Ymfm {
    chip: ChipPtr,
    memories: Rc<RefCell<Memories>>,
    mix: Mix,
    outputs: usize,
    /// Frames per second, where ymfm does not say it rightly: its YM2149 makes a frame for each 8
    /// ticks of its clock, and says that it makes one for each 64. With that rate it sounds three
    /// octaves low.
    rate: Option<u32>,
    /// The distance from the port for the address to that for the data.
    data_port: u32,
    /// Whether its drums have no samples: those of the YM2608 are in a ROM of its own, which is not
    /// free. Without them each would sound as a loud saw-tooth.
    has_silent_drums: bool,
}

/// What a chip plays from.
#[derive(Default)]
struct Memories {
    adpcm_a: PagedMemory,
    adpcm_b: PagedMemory,
    wave: PagedMemory,
}

impl Memories {
    fn of(&mut self, memory: Memory) -> &mut PagedMemory {
        match memory {
            Memory::AdpcmA => &mut self.adpcm_a,
            Memory::AdpcmB => &mut self.adpcm_b,
            Memory::Wave => &mut self.wave,
        }
    }
}

/// How the outputs of a chip become left and right.
#[derive(Clone, Copy)]
enum Mix {
    /// All outputs on both sides.
    Sum,
    /// Left and right, and a third for both.
    StereoAndBoth,
    /// The fifth and the sixth: the others are inputs of the chip's mixer.
    FifthAndSixth,
    /// The first two.
    Stereo,
    /// The first on both sides.
    Mono,
}

// SAFETY: `Ymfm` is the only owner of the chip, of its callbacks and of the memories that both
// share: the `Rc` is never handed out, and its other holders are the callbacks inside the chip. So
// all of them move to another thread together. The C++ models keep their state in their own memory,
// and have no static or thread-local data that is not constant.
unsafe impl Send for Ymfm {}

impl Ymfm {
    /// A chip with this clock, in hertz, after its reset.
    ///
    /// # Panics
    ///
    /// The kind is not Yamaha's.
    pub fn new(kind: ChipKind, clock: u32) -> Self {
        let (kind, mix) = match kind {
            // The pins for melody and for rhythm, which every machine puts together.
            ChipKind::Ym2413 => (ChipType::Ym2413, Mix::Sum),
            ChipKind::Ym2612 => (ChipType::Ym2612, Mix::Stereo),
            ChipKind::Ym2151 => (ChipType::Ym2151, Mix::Stereo),
            ChipKind::Ym2203 => (ChipType::Ym2203, Mix::Sum),
            ChipKind::Ym2608 => (ChipType::Ym2608, Mix::StereoAndBoth),
            ChipKind::Ym2610 => (ChipType::Ym2610, Mix::StereoAndBoth),
            ChipKind::Ym2610B => (ChipType::Ym2610B, Mix::StereoAndBoth),
            ChipKind::Ym3812 => (ChipType::Ym3812, Mix::Mono),
            ChipKind::Ym3526 => (ChipType::Ym3526, Mix::Mono),
            ChipKind::Y8950 => (ChipType::Y8950, Mix::Mono),
            ChipKind::Ymf262 => (ChipType::Ymf262, Mix::Stereo),
            ChipKind::Ymf278B => (ChipType::Ymf278B, Mix::FifthAndSixth),
            ChipKind::Ay8910 => (ChipType::Ym2149, Mix::Sum),
            ChipKind::Sn76489(_) | ChipKind::Okim6258 { .. } => {
                panic!("the {} is no chip of Yamaha's", kind.name())
            }
        };
        let memories = Rc::new(RefCell::new(Memories::default()));
        let read_from = Rc::clone(&memories);
        let read = move |class: AccessClass, offset: u32| {
            let memory = match class {
                AccessClass::AdpcmA => Memory::AdpcmA,
                AccessClass::AdpcmB => Memory::AdpcmB,
                AccessClass::Pcm => Memory::Wave,
                _ => return 0,
            };
            read_from.borrow_mut().of(memory).get(offset as usize)
        };
        let written_to = Rc::clone(&memories);
        let write = move |class: AccessClass, offset: u32, value: u8| {
            let memory = match class {
                AccessClass::AdpcmB if offset < SAMPLE_RAM => Memory::AdpcmB,
                AccessClass::Pcm if (WAVE_RAM..Memory::Wave.size()).contains(&offset) => {
                    Memory::Wave
                }
                _ => return,
            };
            let mut memories = written_to.borrow_mut();
            memories.of(memory).write(offset as usize, &[value]);
        };
        let handler = InterfaceHandler {
            ymfm_external_read: Some(Box::new(read)),
            ymfm_external_write: Some(Box::new(write)),
            ..InterfaceHandler::default()
        };
        let callbacks = Box::new(InterfaceCallbacks::new(handler));
        let chip = ffi::create_chip_with_callbacks(kind, clock, callbacks);
        let outputs = chip.channels() as usize;
        let mix = if outputs == 1 { Mix::Mono } else { mix };
        Ymfm {
            chip,
            memories,
            mix,
            outputs,
            rate: (kind == ChipType::Ym2149).then_some(clock / 8),
            data_port: if kind == ChipType::Ym2149 { 2 } else { 1 },
            has_silent_drums: kind == ChipType::Ym2608,
        }
    }

    /// Writes to a memory of the chip, which has the pages that are written to.
    pub fn load(&mut self, memory: Memory, start: u32, data: &[u8]) {
        let mut memories = self.memories.borrow_mut();
        memories.of(memory).write(start as usize, data);
    }
}

impl Core for Ymfm {
    fn rate(&self) -> u32 {
        self.rate.unwrap_or_else(|| self.chip.sample_rate())
    }

    fn write(&mut self, port: u8, register: u8, value: u8) {
        // Even ports have the same registers.
        if self.has_silent_drums && port.is_multiple_of(2) && register == DRUMS {
            return;
        }
        let address = 2 * u32::from(port & 3);
        self.chip.pin_mut().write(address, register);
        self.chip.pin_mut().write(address + self.data_port, value);
    }

    fn generate(&mut self, frames: &mut [[i32; 2]]) {
        let mut samples = [0; BATCH * OUTPUTS];
        for batch in frames.chunks_mut(BATCH) {
            let samples = &mut samples[..batch.len() * self.outputs];
            self.chip.pin_mut().generate(samples);
            for (frame, out) in batch.iter_mut().zip(samples.chunks_exact(self.outputs)) {
                *frame = match self.mix {
                    Mix::Sum => [out.iter().sum(); 2],
                    Mix::StereoAndBoth => [out[0] + out[2], out[1] + out[2]],
                    Mix::FifthAndSixth => [out[4], out[5]],
                    Mix::Stereo => [out[0], out[1]],
                    Mix::Mono => [out[0]; 2],
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Register 6 of the YMF278B's PCM part writes to the address that registers 3 to 5 say.
    #[test]
    fn registers_fill_the_ram_of_a_ymf278b() {
        let mut chip = Ymfm::new(ChipKind::Ymf278B, 33_868_800);
        // The PCM part is there, and its memory is for registers.
        chip.write(1, 0x05, 0x03);
        chip.write(2, 0x02, 0x01);
        let mut fill = |address: u32| {
            for (register, shift) in [(0x03, 16), (0x04, 8), (0x05, 0)] {
                chip.write(2, register, (address >> shift) as u8);
            }
            for value in 1..=16 {
                chip.write(2, 0x06, value);
            }
            let memories = chip.memories.borrow();
            (0..16)
                .map(move |place| memories.wave.get(address as usize + place))
                .collect::<Vec<u8>>()
        };
        let written: Vec<u8> = (1..=16).collect();
        assert_eq!(fill(WAVE_RAM), written);
        assert_eq!(fill(Memory::Wave.size() - 16), written);
        // What is in the ROM stays.
        assert_eq!(fill(WAVE_RAM - 16), [0; 16]);
    }
}
