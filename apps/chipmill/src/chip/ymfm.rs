//! Yamaha's chips, by the models of ymfm.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Compiles the models that `models.cpp` is linked with.
use ymfm_sys as _;

use super::Core;
use super::paged_memory::PagedMemory;
use crate::song::{ChipKind, Memory};

/// The RAM that a YM2608 or Y8950 can have for samples, and fill through its registers, in bytes.
const SAMPLE_RAM: u32 = 256 << 10;

/// The first address of the YMF278B's wave memory that is RAM, which registers can fill.
pub const WAVE_RAM: u32 = 0x20_0000;

/// The register with which the YM2608 strikes its six drums.
pub const DRUMS: u8 = 0x10;

/// A model of ymfm. The order is that of `create` in `models.cpp`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Model {
    Ym2413,
    Ym2612,
    Ym2151,
    Ym2203,
    Ym2608,
    Ym2610,
    Ym2610B,
    Ym3812,
    Ym3526,
    Y8950,
    Ymf262,
    Ymf278B,
    Ym2149,
}

/// The models, as `models.cpp` has them.
mod ffi {
    use std::ffi::c_void;

    /// A chip: a C++ object.
    #[repr(C)]
    pub struct Chip {
        _private: [u8; 0],
    }

    /// Where a chip reads its samples, and writes them.
    #[repr(C)]
    pub struct Bus {
        pub memories: *mut c_void,
        pub read: unsafe extern "C" fn(*mut c_void, u32, u32) -> u8,
        pub write: unsafe extern "C" fn(*mut c_void, u32, u32, u8),
    }

    // SAFETY: these are the signatures in `models.cpp`, and `Bus` has its layout.
    unsafe extern "C" {
        pub fn chipmill_chip_new(model: u32, clock: u32, bus: *const Bus) -> *mut Chip;
        pub fn chipmill_chip_free(chip: *mut Chip);
        pub fn chipmill_chip_rate(chip: *const Chip) -> u32;
        pub fn chipmill_chip_write(chip: *mut Chip, port: u32, value: u8);
        pub fn chipmill_chip_generate(chip: *mut Chip, frames: *mut [i32; 2], count: usize);
    }
}

/// A chip of Yamaha's.
pub struct Ymfm {
    /// It is this one's own, and so are its memories, until it is dropped.
    chip: NonNull<ffi::Chip>,
    memories: NonNull<Memories>,
    _owned: PhantomData<Box<Memories>>,
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

/// The memory that ymfm means with the number of an access, if it is one for samples.
fn memory_of(access: u32) -> Option<Memory> {
    match access {
        1 => Some(Memory::AdpcmA),
        2 => Some(Memory::AdpcmB),
        3 => Some(Memory::Wave),
        // A port.
        _ => None,
    }
}

/// Reads a sample for a chip.
///
/// # Safety
///
/// `memories` is that of a [`Ymfm`] which has called its chip.
unsafe extern "C" fn read(memories: *mut c_void, access: u32, address: u32) -> u8 {
    // SAFETY: by the contract. The caller of the chip has borrowed the `Ymfm`, and no reference to
    // its memories lives beside that.
    let memories = unsafe { &mut *memories.cast::<Memories>() };
    memory_of(access).map_or(0, |memory| memories.of(memory).get(address as usize))
}

/// Writes a sample of a chip.
///
/// # Safety
///
/// As that of [`read`].
unsafe extern "C" fn write(memories: *mut c_void, access: u32, address: u32, value: u8) {
    let memory = match memory_of(access) {
        Some(Memory::AdpcmB) if address < SAMPLE_RAM => Memory::AdpcmB,
        Some(Memory::Wave) if (WAVE_RAM..Memory::Wave.size()).contains(&address) => Memory::Wave,
        _ => return,
    };
    // SAFETY: as in `read`.
    let memories = unsafe { &mut *memories.cast::<Memories>() };
    memories.of(memory).write(address as usize, &[value]);
}

// SAFETY: `Ymfm` is the only owner of the chip and of the memories, and the chip knows no other
// place than these. So all of them move to another thread together. The C++ models keep their state
// in their own memory, and have no static or thread-local data that is not constant.
unsafe impl Send for Ymfm {}

impl Ymfm {
    /// A chip with this clock, in hertz, after its reset.
    ///
    /// # Panics
    ///
    /// The kind is not Yamaha's, or there is no memory.
    pub fn new(kind: ChipKind, clock: u32) -> Self {
        let model = match kind {
            ChipKind::Ym2413 => Model::Ym2413,
            ChipKind::Ym2612 => Model::Ym2612,
            ChipKind::Ym2151 => Model::Ym2151,
            ChipKind::Ym2203 => Model::Ym2203,
            ChipKind::Ym2608 => Model::Ym2608,
            ChipKind::Ym2610 => Model::Ym2610,
            ChipKind::Ym2610B => Model::Ym2610B,
            ChipKind::Ym3812 => Model::Ym3812,
            ChipKind::Ym3526 => Model::Ym3526,
            ChipKind::Y8950 => Model::Y8950,
            ChipKind::Ymf262 => Model::Ymf262,
            ChipKind::Ymf278B => Model::Ymf278B,
            ChipKind::Ay8910 => Model::Ym2149,
            ChipKind::Sn76489(_) | ChipKind::Okim6258 { .. } => {
                panic!("the {} is no chip of Yamaha's", kind.name())
            }
        };
        let memories = NonNull::from(Box::leak(Box::<Memories>::default()));
        let bus = ffi::Bus {
            memories: memories.as_ptr().cast(),
            read,
            write,
        };
        // SAFETY: `bus` is copied. Its functions are called with its memories, which live as long
        // as the chip, and only while the chip is called.
        let chip = unsafe { ffi::chipmill_chip_new(model as u32, clock, &raw const bus) };
        let Some(chip) = NonNull::new(chip) else {
            // SAFETY: it comes from a box, and there is no chip that has it.
            drop(unsafe { Box::from_raw(memories.as_ptr()) });
            panic!(
                "a {} cannot be made: there is no memory for it",
                kind.name()
            );
        };
        Ymfm {
            chip,
            memories,
            _owned: PhantomData,
            rate: (model == Model::Ym2149).then_some(clock / 8),
            data_port: if model == Model::Ym2149 { 2 } else { 1 },
            has_silent_drums: model == Model::Ym2608,
        }
    }

    /// Writes to a memory of the chip, which has the pages that are written to.
    pub fn load(&mut self, memory: Memory, start: u32, data: &[u8]) {
        self.memories().of(memory).write(start as usize, data);
    }

    fn memories(&mut self) -> &mut Memories {
        // SAFETY: they are this one's own, and the chip is not called while they are borrowed.
        unsafe { self.memories.as_mut() }
    }
}

impl Drop for Ymfm {
    fn drop(&mut self) {
        // SAFETY: both are this one's own. The chip goes first, as it has a pointer to the others.
        unsafe {
            ffi::chipmill_chip_free(self.chip.as_ptr());
            drop(Box::from_raw(self.memories.as_ptr()));
        }
    }
}

impl Core for Ymfm {
    fn rate(&self) -> u32 {
        // SAFETY: the chip is this one's own.
        let said = || unsafe { ffi::chipmill_chip_rate(self.chip.as_ptr()) };
        self.rate.unwrap_or_else(said)
    }

    fn write(&mut self, port: u8, register: u8, value: u8) {
        // Even ports have the same registers.
        if self.has_silent_drums && port.is_multiple_of(2) && register == DRUMS {
            return;
        }
        let address = 2 * u32::from(port & 3);
        // SAFETY: the chip is this one's own, and its memories are not borrowed.
        unsafe {
            ffi::chipmill_chip_write(self.chip.as_ptr(), address, register);
            ffi::chipmill_chip_write(self.chip.as_ptr(), address + self.data_port, value);
        }
    }

    fn generate(&mut self, frames: &mut [[i32; 2]]) {
        // SAFETY: as in `write`, and the chip writes as many frames as there are.
        unsafe {
            ffi::chipmill_chip_generate(self.chip.as_ptr(), frames.as_mut_ptr(), frames.len());
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
            let memories = chip.memories();
            (0..16)
                .map(|place| memories.wave.get(address as usize + place))
                .collect::<Vec<u8>>()
        };
        let written: Vec<u8> = (1..=16).collect();
        assert_eq!(fill(WAVE_RAM), written);
        assert_eq!(fill(Memory::Wave.size() - 16), written);
        // What is in the ROM stays.
        assert_eq!(fill(WAVE_RAM - 16), [0; 16]);
    }
}
