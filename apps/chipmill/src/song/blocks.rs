//! Data blocks: PCM data of streams, and the memories of chips.

use soundlog::vgm::command::DataBlock;
use soundlog::vgm::detail::{
    CompressedStream, CompressedStreamData, DataBlockType, DecompressionTable, RomRamChipType,
    RomRamDump, parse_data_block,
};

use super::chips::{ChipKind, ChipSpec};
use super::event::{Bank, Event, Memory, MemoryBlock};
use super::file::MAX_BYTES;
use super::scan::BLOCK_HEAD;

/// The address of the first byte of the YMF278B's wave memory that is RAM.
const WAVE_RAM: u32 = 0x20_0000;

/// Where a data block is in its bank.
#[derive(Clone, Copy)]
pub struct Place {
    pub start: u32,
    pub len: u32,
}

/// The data blocks so far.
#[derive(Default)]
pub struct Blocks {
    banks: Vec<Bank>,
    /// All blocks in the order of the file, by which a stream names them.
    places: Vec<Place>,
    table: Option<DecompressionTable>,
    /// The bytes of all of them, uncompressed.
    total: usize,
}

impl Blocks {
    pub fn into_banks(self) -> Vec<Bank> {
        self.banks
    }

    /// The block with this number.
    pub fn place(&self, number: u16) -> Option<Place> {
        self.places.get(usize::from(number)).copied()
    }

    /// Adds the block of a command, and returns what happens where it is.
    pub fn add(
        &mut self,
        command: &[u8],
        chips: &[ChipSpec],
        memory: &mut Vec<MemoryBlock>,
    ) -> Result<Option<Event>, String> {
        let (head, data) = command.split_at(BLOCK_HEAD);
        let kind = head[2];
        let block = DataBlock {
            marker: head[1],
            chip_instance: head[6] >> 7,
            data_type: kind,
            size: data.len() as u32,
            data: data.to_vec(),
        };
        let second = block.chip_instance != 0;
        match parse_data_block(block).map_err(|(_, error)| error.to_string())? {
            DataBlockType::UncompressedStream(stream) => self.add_to_bank(kind, &stream.data),
            DataBlockType::CompressedStream(stream) => {
                let data = self.uncompressed(stream)?;
                self.add_to_bank(kind & 0x3f, &data)
            }
            DataBlockType::DecompressionTable(table) => {
                self.table = Some(table);
                Ok(None)
            }
            DataBlockType::RomRamDump(dump) => self.add_to_memory(dump, second, chips, memory),
            // Memories of chips without a model.
            DataBlockType::RamWrite16(_) | DataBlockType::RamWrite32(_) => Ok(None),
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), String> {
        self.total = self.total.saturating_add(bytes);
        if self.total > MAX_BYTES {
            return Err(format!(
                "the data blocks have more than {} MiB uncompressed",
                MAX_BYTES >> 20
            ));
        }
        Ok(())
    }

    fn add_to_bank(&mut self, kind: u8, data: &[u8]) -> Result<Option<Event>, String> {
        self.count(data.len())?;
        let place = match self.banks.iter().position(|bank| bank.kind == kind) {
            Some(place) => place,
            None => {
                self.banks.push(Bank {
                    kind,
                    data: Vec::new(),
                });
                self.banks.len() - 1
            }
        };
        let bank = &mut self.banks[place].data;
        self.places.push(Place {
            start: bank.len() as u32,
            len: data.len() as u32,
        });
        bank.extend_from_slice(data);
        Ok(None)
    }

    fn uncompressed(&self, mut stream: CompressedStream) -> Result<Vec<u8>, String> {
        let room = MAX_BYTES - self.total;
        let (done, data) = match &mut stream.compression {
            CompressedStreamData::BitPacking(packed) => (
                packed.decompress(self.table.as_ref(), room),
                &mut packed.data,
            ),
            CompressedStreamData::Dpcm(packed) => {
                let table = self.table.as_ref();
                let table = table.ok_or("a compressed data block has no table before it")?;
                (packed.decompress(table, room), &mut packed.data)
            }
            CompressedStreamData::Unknown {
                compression_type, ..
            } => return Err(format!("compression {compression_type:#04x} is unknown")),
        };
        done.map_err(|error| error.to_string())?;
        let mut data = std::mem::take(data);
        // The last bits of the last byte can be one value more.
        data.truncate(stream.uncompressed_size as usize);
        Ok(data)
    }

    fn add_to_memory(
        &mut self,
        dump: RomRamDump,
        second: bool,
        chips: &[ChipSpec],
        memory: &mut Vec<MemoryBlock>,
    ) -> Result<Option<Event>, String> {
        use RomRamChipType as T;
        let start = match dump.chip_type {
            T::Ymf278bRam => WAVE_RAM.saturating_add(dump.start_address),
            _ => dump.start_address,
        };
        let (kinds, which): (&[ChipKind], Memory) = match dump.chip_type {
            T::Ym2608DeltaTRom => (&[ChipKind::Ym2608], Memory::AdpcmB),
            T::Ym2610AdpcmRom => (&[ChipKind::Ym2610, ChipKind::Ym2610B], Memory::AdpcmA),
            T::Ym2610DeltaTRom => (&[ChipKind::Ym2610, ChipKind::Ym2610B], Memory::AdpcmB),
            T::Ymf278bRom | T::Ymf278bRam => (&[ChipKind::Ymf278B], Memory::Wave),
            T::Y8950DeltaTRom => (&[ChipKind::Y8950], Memory::AdpcmB),
            _ => return Ok(None),
        };
        let chip = chips
            .iter()
            .position(|chip| chip.second == second && kinds.contains(&chip.kind));
        let Some(chip) = chip else {
            return Ok(None);
        };
        self.count(dump.data.len())?;
        // The memory of a chip is as large as its last byte's address.
        let end = start as usize + dump.data.len();
        if end > MAX_BYTES {
            return Err(format!(
                "a data block ends at address {end:#x} of a chip's memory, which has at most {:#x}",
                MAX_BYTES
            ));
        }
        let place = memory.len() as u32;
        memory.push(MemoryBlock {
            chip: chip as u8,
            memory: which,
            start,
            data: dump.data,
        });
        Ok(Some(Event::Memory(place)))
    }
}
