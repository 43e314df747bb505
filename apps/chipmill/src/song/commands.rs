//! The commands of a register log, made to events.

use std::ops::Range;

use soundlog::vgm::command::{DacStreamChipType, Instance, LengthMode, VgmCommand};
use soundlog::vgm::header::ChipId;
use soundlog::{VgmDocument, VgmHeader};

use crate::chip::ymfm::DRUMS;

use super::block_data::BlockData;
use super::blocks::Blocks;
use super::chips::{ChipKind, ChipSpec};
use super::event::{Bank, Event, Memory, MemoryBlock, RegisterWrite, StreamCommand, StreamLength};
use super::events::Events;
use super::header::Header;
use super::window::{self, Window};
use super::{SongError, scan};

/// The bytes of commands that are parsed at a time: a parsed command has several times the size of
/// its event, so that not all are there at once.
const BATCH: usize = 1 << 11;

// The window holds all of them, the last of which begins within the batch.
const _: () = assert!(BATCH + scan::LONGEST <= window::SIZE);

/// The bytes before the commands in the file of a batch.
const HEADER: usize = 0x40;

/// The most commands for streams: a song has some thousands, and each takes 24 bytes.
const MAX_STREAM_COMMANDS: usize = 1 << 20;

/// The port of the YMF278B's registers for waves; those that strike one, by bit 7; and the one that
/// writes to the memory of waves.
const WAVE_PORT: u8 = 2;
const WAVE_KEYS: Range<u8> = 0x68..0x80;
const WAVE_DATA: u8 = 0x06;

/// What the commands come to.
#[derive(Default)]
pub struct Log {
    pub chips: Vec<ChipSpec>,
    pub events: Events,
    pub streams: Vec<StreamCommand>,
    pub memory: Vec<MemoryBlock>,
    pub banks: Vec<Bank>,
    pub loop_start: Option<usize>,
    pub samples: u64,
    pub loop_samples: u64,
}

/// Reads all commands of a file, from the place of the window on.
///
/// # Errors
///
/// A command that is no command, or cut short, wherever it is. If there is none, the first one that
/// makes no sense.
pub fn parse(
    window: &mut Window<'_>,
    header: &Header,
    remarks: &mut Vec<String>,
) -> Result<Log, SongError> {
    let mut reader = Reader {
        header,
        log: Log {
            chips: header.chips.clone(),
            ..Log::default()
        },
        blocks: Blocks::default(),
        sources: [0; 256],
        missing_blocks: Vec::new(),
        has_drums: false,
        has_waves: false,
        fills_waves: false,
        waiting: 0,
        loop_at: None,
        file: file_without_commands(),
        wrong: None,
    };
    let mut loop_wanted = header.loop_offset;
    loop {
        let offset = window.offset();
        if Some(offset) == loop_wanted {
            loop_wanted = None;
            reader.begin_loop();
        }
        let rest = window.at_least(BATCH + scan::LONGEST)?;
        match rest.first() {
            Some(&scan::BLOCK) => reader.block(BlockData::new(window)?, offset)?,
            Some(&scan::COPY) => {
                // The parser takes the bytes behind the command for its data. They are commands.
                let len = scan::command_len(rest, offset)?;
                window.take(len);
            }
            _ => {
                let len = scan::batch_len(rest, offset, BATCH, loop_wanted)?;
                if len == 0 {
                    break;
                }
                reader.batch(&rest[..len], offset);
                window.take(len);
            }
        }
    }
    if let Some(wrong) = reader.wrong {
        return Err(wrong);
    }
    if let Some(offset) = loop_wanted {
        remarks.push(format!(
            "repeats from offset {offset:#x}, where no command begins: it is played once"
        ));
    }
    Ok(reader.finish(remarks))
}

/// How many blocks are kept that were not there when a stream was to play them: one is enough for a
/// remark, and most songs have none.
const MAX_MISSING: usize = 16;

struct Reader<'a> {
    header: &'a Header,
    log: Log,
    blocks: Blocks,
    /// The bank of each stream.
    sources: [u8; 256],
    /// Blocks that a stream shall play and that were not there then, and their banks.
    missing_blocks: Vec<(u16, u8)>,
    /// Whether a drum of a YM2608 is struck.
    has_drums: bool,
    /// Whether a wave of a YMF278B is struck.
    has_waves: bool,
    /// Whether registers fill the memory of a YMF278B's waves.
    fills_waves: bool,
    /// The waits since the last event: they become one.
    waiting: u32,
    /// The place of the event and the sample with which the loop begins.
    loop_at: Option<(usize, u64)>,
    /// What the commands of a batch are parsed as.
    file: Vec<u8>,
    /// The first command that makes no sense: nothing is made of those behind it.
    wrong: Option<SongError>,
}

impl Reader<'_> {
    fn begin_loop(&mut self) {
        // The loop begins with an event of its own.
        self.end_wait();
        self.loop_at = Some((self.log.events.end(), self.log.samples));
    }

    fn finish(mut self, remarks: &mut Vec<String>) -> Log {
        self.end_wait();
        if let Some((start, samples)) = self.loop_at {
            let length = self.log.samples - samples;
            // A loop in which no time passes would never end.
            if length > 0 {
                self.log.loop_start = Some(start);
                self.log.loop_samples = length;
            } else {
                remarks.push("repeats a part that takes no time: it is played once".to_owned());
            }
        }
        // A stream plays a block also if it comes later.
        let missing = self.missing_blocks.iter();
        let mut missing = missing.filter(|(block, bank)| !self.blocks.has_block(*bank, *block));
        if let Some((block, bank)) = missing.next() {
            remarks.push(format!(
                "plays data block {block} of type {bank:#04x} by a stream, and there is none: \
                 that is left out"
            ));
        }
        if self.blocks.has_cut() {
            remarks.push(
                "has data behind the last address of a chip's memory: they are left out".to_owned(),
            );
        }
        if self.has_drums {
            remarks.push(
                "strikes drums of the YM2608, whose samples are in a ROM of the chip that is not \
                 here: they are silent"
                    .to_owned(),
            );
        }
        let has_memory = self
            .log
            .memory
            .iter()
            .any(|block| block.memory == Memory::Wave);
        if self.has_waves && !self.fills_waves && !has_memory {
            remarks.push(
                "plays waves of the YMF278B, whose samples are in a ROM that is not in the log: \
                 they are silent"
                    .to_owned(),
            );
        }
        self.log.banks = self.blocks.into_banks();
        self.log.events.shrink_to_fit();
        self.log.streams.shrink_to_fit();
        self.log
    }

    /// Reads a data block.
    fn block(&mut self, mut data: BlockData<'_, '_>, offset: usize) -> Result<(), SongError> {
        if self.wrong.is_some() {
            return data.finish();
        }
        let added = self
            .blocks
            .add(&mut data, &self.log.chips, &mut self.log.memory);
        // What was added is cut short if this fails.
        data.finish()?;
        match added {
            Ok(Some(event)) => self.push(event),
            Ok(None) => {}
            Err(what) => self.wrong = Some(SongError::Command { offset, what }),
        }
        Ok(())
    }

    /// Parses commands, none of which is a data block or the end.
    fn batch(&mut self, bytes: &[u8], offset: usize) {
        if self.wrong.is_some() {
            return;
        }
        let broken = |offset, what| SongError::Command { offset, what };
        let mut file = std::mem::take(&mut self.file);
        file.truncate(HEADER);
        file.extend_from_slice(bytes);
        let document = VgmDocument::try_from(file.as_slice());
        self.file = file;
        let parsed = document
            .map_err(|error| broken(offset, error.to_string()))
            .and_then(|document| {
                let mut at = 0;
                for command in document {
                    self.command(&command)
                        .map_err(|what| broken(offset + at, what))?;
                    at += scan::command_len(&bytes[at..], offset + at)?;
                }
                Ok(())
            });
        self.wrong = parsed.err();
    }

    fn wait(&mut self, samples: u32) {
        self.log.samples += u64::from(samples);
        match self.waiting.checked_add(samples) {
            Some(waiting) => self.waiting = waiting,
            None => {
                self.end_wait();
                self.waiting = samples;
            }
        }
    }

    fn end_wait(&mut self) {
        if self.waiting > 0 {
            self.log.events.push(Event::Wait(self.waiting));
            self.waiting = 0;
        }
    }

    fn push(&mut self, event: Event) {
        self.end_wait();
        self.log.events.push(event);
    }

    fn write(&mut self, id: ChipId, instance: Instance, port: u8, register: u8, value: u8) {
        // Bit 7 damps the drums that the others name.
        let strikes = value & 0x80 == 0 && value & 0x3f != 0;
        self.has_drums |= id == ChipId::Ym2608 && port == 0 && register == DRUMS && strikes;
        let is_of_waves = id == ChipId::Ymf278b && port == WAVE_PORT;
        self.has_waves |= is_of_waves && WAVE_KEYS.contains(&register) && value & 0x80 != 0;
        self.fills_waves |= is_of_waves && register == WAVE_DATA;
        if let Some(chip) = self.chip(id, instance) {
            self.push(Event::Write(RegisterWrite {
                chip,
                port,
                register,
                value,
            }));
        }
    }

    /// The place of a chip in the machine. Of an old log it has the FM chips that are written to.
    fn chip(&mut self, id: ChipId, instance: Instance) -> Option<u8> {
        let there = place(&self.log.chips, id, instance);
        if there.is_none()
            && let Some(chip) = self.header.old_fm.and_then(|fm| fm.chip(id, instance))
        {
            self.log.chips.push(chip);
            return place(&self.log.chips, id, instance);
        }
        there
    }

    fn stream(&mut self, command: StreamCommand) -> Result<(), String> {
        if self.log.streams.len() == MAX_STREAM_COMMANDS {
            return Err(format!(
                "more than {MAX_STREAM_COMMANDS} commands for streams, which take too much memory"
            ));
        }
        let place = self.log.streams.len() as u32;
        self.log.streams.push(command);
        self.push(Event::Stream(place));
        Ok(())
    }

    fn command(&mut self, command: &VgmCommand) -> Result<(), String> {
        use ChipId::*;
        use VgmCommand as C;
        match command {
            C::WaitSamples(wait) => self.wait(wait.0.into()),
            C::Wait735Samples(_) => self.wait(735),
            C::Wait882Samples(_) => self.wait(882),
            C::WaitNSample(wait) => self.wait(u32::from(wait.0 & 15) + 1),
            C::YM2612Port0Address2AWriteAndWaitN(wait) => {
                // A chip that was not there before is from now on.
                let _ = self.chip(Ym2612, Instance::Primary);
                let wait = wait.0 & 15;
                self.log.samples += u64::from(wait);
                self.push(Event::Dac { wait });
            }
            C::SeekOffset(to) => self.push(Event::Seek(to.0)),
            C::Sn76489Write(i, w) => self.write(Sn76489, *i, 0, 0, w.value),
            C::GameGearPsgWrite(i, w) => self.write(Sn76489, *i, 1, 0, w.value),
            C::Ym2413Write(i, w) => self.write(Ym2413, *i, 0, w.register, w.value),
            C::Ym2612Write(i, w) => self.write(Ym2612, *i, w.port, w.register, w.value),
            C::Ym2151Write(i, w) => self.write(Ym2151, *i, 0, w.register, w.value),
            C::Ym2203Write(i, w) => self.write(Ym2203, *i, 0, w.register, w.value),
            C::Ym2608Write(i, w) => self.write(Ym2608, *i, w.port, w.register, w.value),
            C::Ym2610bWrite(i, w) => self.write(Ym2610, *i, w.port, w.register, w.value),
            C::Ym3812Write(i, w) => self.write(Ym3812, *i, 0, w.register, w.value),
            C::Ym3526Write(i, w) => self.write(Ym3526, *i, 0, w.register, w.value),
            C::Y8950Write(i, w) => self.write(Y8950, *i, 0, w.register, w.value),
            C::Ymf262Write(i, w) => self.write(Ymf262, *i, w.port, w.register, w.value),
            C::Ymf278bWrite(i, w) => self.write(Ymf278b, *i, w.port, w.register, w.value),
            C::Ay8910Write(i, w) => self.write(Ay8910, *i, 0, w.register, w.value),
            C::Okim6258Write(i, w) => self.write(Okim6258, *i, 0, w.register, w.value),
            C::SetupStreamControl(setup) => {
                let DacStreamChipType { chip_id, instance } = setup.chip_type;
                let chip = self.chip(chip_id, instance);
                self.stream(StreamCommand::Target {
                    stream: setup.stream_id,
                    chip,
                    port: setup.write_port,
                    register: setup.write_command,
                })?;
            }
            C::SetStreamData(data) => {
                self.sources[usize::from(data.stream_id)] = data.data_bank_id;
                self.stream(StreamCommand::Source {
                    stream: data.stream_id,
                    bank: data.data_bank_id,
                    step: data.step_size,
                    base: data.step_base,
                })?;
            }
            C::SetStreamFrequency(rate) => self.stream(StreamCommand::Rate {
                stream: rate.stream_id,
                hertz: rate.frequency,
            })?,
            C::StartStream(start) => {
                let (length, reverse, looped) = length(start.length_mode, start.data_length);
                self.stream(StreamCommand::Start {
                    stream: start.stream_id,
                    from: u32::try_from(start.data_start_offset).ok(),
                    length,
                    reverse,
                    looped,
                })?;
            }
            C::StartStreamFastCall(start) => {
                let bank = self.sources[usize::from(start.stream_id)];
                let block = (start.block_id, bank);
                if !self.blocks.has_block(bank, start.block_id)
                    && self.missing_blocks.len() < MAX_MISSING
                    && !self.missing_blocks.contains(&block)
                {
                    self.missing_blocks.push(block);
                }
                self.stream(StreamCommand::StartBlock {
                    stream: start.stream_id,
                    block: start.block_id,
                    reverse: start.flags.reverse,
                    looped: start.flags.looped,
                })?;
            }
            C::StopStream(stop) => self.stream(StreamCommand::Stop {
                stream: (stop.stream_id != 0xff).then_some(stop.stream_id),
            })?,
            // Writes to chips without a model, and what the format keeps for later.
            _ => {}
        }
        Ok(())
    }
}

/// How long a stream plays: the mode, and whether it plays backwards and again.
fn length(mode: LengthMode, length: u32) -> (Option<StreamLength>, bool, bool) {
    match mode {
        LengthMode::Ignore { reverse, looped } => (Some(StreamLength::Unchanged), reverse, looped),
        LengthMode::CommandCount { reverse, looped } => {
            (Some(StreamLength::Writes(length)), reverse, looped)
        }
        LengthMode::Milliseconds { reverse, looped } => {
            (Some(StreamLength::Milliseconds(length)), reverse, looped)
        }
        LengthMode::PlayUntilEnd { reverse, looped } => (None, reverse, looped),
        LengthMode::Unknown(_) => (None, false, false),
    }
}

/// The place of a chip in the machine.
fn place(chips: &[ChipSpec], id: ChipId, instance: Instance) -> Option<u8> {
    let second = instance == Instance::Secondary;
    let place = chips
        .iter()
        .position(|chip| chip.second == second && id_of(chip.kind) == id)?;
    u8::try_from(place).ok()
}

fn id_of(kind: ChipKind) -> ChipId {
    match kind {
        ChipKind::Sn76489(_) => ChipId::Sn76489,
        ChipKind::Ym2413 => ChipId::Ym2413,
        ChipKind::Ym2612 => ChipId::Ym2612,
        ChipKind::Ym2151 => ChipId::Ym2151,
        ChipKind::Ym2203 => ChipId::Ym2203,
        ChipKind::Ym2608 => ChipId::Ym2608,
        ChipKind::Ym2610 | ChipKind::Ym2610B => ChipId::Ym2610,
        ChipKind::Ym3812 => ChipId::Ym3812,
        ChipKind::Ym3526 => ChipId::Ym3526,
        ChipKind::Y8950 => ChipId::Y8950,
        ChipKind::Ymf262 => ChipId::Ymf262,
        ChipKind::Ymf278B => ChipId::Ymf278b,
        ChipKind::Ay8910 => ChipId::Ay8910,
        ChipKind::Okim6258 { .. } => ChipId::Okim6258,
    }
}

/// A file of its own for some commands, without them: what parses them takes files only.
fn file_without_commands() -> Vec<u8> {
    let mut file = vec![0; HEADER];
    file[..4].copy_from_slice(b"Vgm ");
    file[0x08..0x0c].copy_from_slice(&0x150_u32.to_le_bytes());
    let data = (HEADER - 0x34) as u32;
    file[0x34..0x38].copy_from_slice(&data.to_le_bytes());
    debug_assert_eq!(VgmHeader::command_start(0x150, data), HEADER);
    file
}
