//! Data blocks: PCM data of streams, and the memories of chips.

use soundlog::vgm::command::DataBlock;
use soundlog::vgm::detail::{
    CompressedStream, CompressedStreamData, DataBlockType, DecompressionTable, RomRamChipType,
    RomRamDump, parse_data_block,
};

use super::block_data::BlockData;
use super::chips::{ChipKind, ChipSpec};
use super::event::{Bank, Event, Memory, MemoryBlock};
use super::file::MAX_BYTES;

/// The types of data blocks: below the first of these they are PCM data, then compressed ones, and
/// from the second one on memories of chips.
const PACKED: u8 = 0x40;
const DUMP: u8 = 0x80;
/// The most bytes before the data of a memory: its size, and where they go.
const DUMP_HEAD: usize = 8;

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
    /// The banks, with no room for more data.
    pub fn into_banks(mut self) -> Vec<Bank> {
        for bank in &mut self.banks {
            bank.data.shrink_to_fit();
        }
        self.banks
    }

    /// The block with this number.
    pub fn place(&self, number: u16) -> Option<Place> {
        self.places.get(usize::from(number)).copied()
    }

    /// Adds a block, and returns what happens where it is. Data for which there is no use are left
    /// where they are.
    ///
    /// # Errors
    ///
    /// What is wrong with the block.
    pub fn add(
        &mut self,
        data: &mut BlockData<'_, '_>,
        chips: &[ChipSpec],
        memory: &mut Vec<MemoryBlock>,
    ) -> Result<Option<Event>, String> {
        let kind = data.kind;
        let parsed = match kind {
            ..PACKED => return self.add_to_bank(data),
            // Both are uncompressed, or looked up, as a whole.
            PACKED..DUMP => data.left(),
            _ => DUMP_HEAD,
        };
        let mut bytes = Vec::new();
        data.copy(parsed, &mut bytes);
        let block = DataBlock {
            marker: data.mark,
            chip_instance: data.second.into(),
            data_type: kind,
            size: bytes.len() as u32,
            data: bytes,
        };
        match parse_data_block(block).map_err(|(_, error)| error.to_string())? {
            DataBlockType::CompressedStream(stream) => self.add_uncompressed(kind & 0x3f, stream),
            DataBlockType::DecompressionTable(table) => {
                self.table = Some(table);
                Ok(None)
            }
            DataBlockType::RomRamDump(dump) => self.add_to_memory(&dump, data, chips, memory),
            // Memories of chips without a model.
            _ => Ok(None),
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

    fn add_to_bank(&mut self, data: &mut BlockData<'_, '_>) -> Result<Option<Event>, String> {
        let len = data.left();
        self.count(len)?;
        let bank = self.bank(data.kind, len);
        data.copy(len, bank);
        Ok(None)
    }

    fn add_uncompressed(
        &mut self,
        kind: u8,
        stream: CompressedStream,
    ) -> Result<Option<Event>, String> {
        let data = self.uncompressed(stream)?;
        self.count(data.len())?;
        let bank = self.bank(kind, data.len());
        if bank.is_empty() {
            *bank = data;
        } else {
            bank.extend_from_slice(&data);
        }
        Ok(None)
    }

    /// The bank of a type, and has it that a block with this number of bytes comes to its end.
    fn bank(&mut self, kind: u8, len: usize) -> &mut Vec<u8> {
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
            len: len as u32,
        });
        bank
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
        dump: &RomRamDump,
        data: &mut BlockData<'_, '_>,
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
            .position(|chip| chip.second == data.second && kinds.contains(&chip.kind));
        let Some(chip) = chip else {
            return Ok(None);
        };
        let len = data.left();
        self.count(len)?;
        // The memory of a chip is as large as its last byte's address.
        let end = start as usize + len;
        if end > MAX_BYTES {
            return Err(format!(
                "a data block ends at address {end:#x} of a chip's memory, which has at most {:#x}",
                MAX_BYTES
            ));
        }
        let mut bytes = Vec::new();
        data.copy(len, &mut bytes);
        bytes.shrink_to_fit();
        let place = memory.len() as u32;
        memory.push(MemoryBlock {
            chip: chip as u8,
            memory: which,
            start,
            data: bytes,
        });
        Ok(Some(Event::Memory(place)))
    }
}
