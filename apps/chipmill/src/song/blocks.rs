//! Data blocks: PCM data of streams, and the memories of chips.

use std::collections::HashSet;
use std::ops::Range;

use soundlog::vgm::command::DataBlock;
use soundlog::vgm::detail::{
    CompressedStream, CompressedStreamData, DataBlockType, DecompressionTable, RomRamChipType,
    RomRamDump, parse_data_block,
};

use crate::chip::paged_memory::PAGE;
use crate::chip::ymfm::WAVE_RAM;

use super::block_data::BlockData;
use super::chips::{ChipKind, ChipSpec};
use super::event::{Bank, BankBlock, Event, Memory, MemoryBlock};
use super::file::MAX_BYTES;

/// The types of data blocks: below the first of these they are PCM data, then compressed ones, and
/// from the second one on memories of chips.
const PACKED: u8 = 0x40;
const DUMP: u8 = 0x80;
/// The most bytes before the data of a memory: its size, and where they go.
const DUMP_HEAD: usize = 8;

/// The most data blocks for the memories of chips: a song has some hundreds, and each takes some 70
/// bytes, also one of a byte.
const MAX_BLOCKS: usize = 1 << 16;

/// The most data blocks that streams can name: a bank has as many numbers. Each takes 8 bytes, also
/// an empty one.
const MAX_NAMED: usize = 1 << 16;

/// The data blocks so far.
#[derive(Default)]
pub struct Blocks {
    banks: Vec<Bank>,
    /// The blocks of all banks that streams can name.
    named: usize,
    table: Option<DecompressionTable>,
    /// The bytes of all of them, uncompressed.
    total: usize,
    /// The pages of the chips' memories: the chip, the memory, and the number of the page.
    pages: HashSet<(usize, Memory, usize)>,
    /// Data lay behind the addresses of a chip.
    has_cut: bool,
}

impl Blocks {
    /// The banks, with no room for more data.
    pub fn into_banks(mut self) -> Vec<Bank> {
        for bank in &mut self.banks {
            bank.data.shrink_to_fit();
            bank.blocks.shrink_to_fit();
        }
        self.banks
    }

    /// Whether data were left out that lay behind the addresses of a chip.
    pub fn has_cut(&self) -> bool {
        self.has_cut
    }

    /// Whether a bank has a block with this number so far.
    pub fn has_block(&self, kind: u8, number: u16) -> bool {
        let bank = self.banks.iter().find(|bank| bank.kind == kind);
        bank.is_some_and(|bank| usize::from(number) < bank.blocks.len())
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

    /// Counts the pages that a chip has for these addresses: blocks of a byte take a page each.
    fn count_pages(
        &mut self,
        chip: usize,
        memory: Memory,
        addresses: Range<usize>,
    ) -> Result<(), String> {
        let pages = addresses.start / PAGE..addresses.end.div_ceil(PAGE);
        if !addresses.is_empty() {
            self.pages.extend(pages.map(|page| (chip, memory, page)));
        }
        if self.pages.len() > MAX_BYTES / PAGE {
            return Err(format!(
                "the memories of the chips have more than {} MiB",
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
                    ..Bank::default()
                });
                self.banks.len() - 1
            }
        };
        let bank = &mut self.banks[place];
        if self.named < MAX_NAMED {
            self.named += 1;
            bank.blocks.push(BankBlock {
                start: bank.data.len() as u32,
                len: len as u32,
            });
        }
        &mut bank.data
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
        if memory.len() == MAX_BLOCKS {
            return Err(format!(
                "more than {MAX_BLOCKS} data blocks for memories of chips, which take too much memory"
            ));
        }
        // The chip has no address for what is behind that, as in the dump of a board with banks.
        let room = which.size().saturating_sub(start) as usize;
        let len = data.left().min(room);
        self.has_cut |= len < data.left();
        if len == 0 {
            return Ok(None);
        }
        self.count(len)?;
        let start_at = start as usize;
        self.count_pages(chip, which, start_at..start_at + len)?;
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
