//! The machines that songs are composed for.

use super::dice::Dice;
use super::fm::{Patch, block_and_number, opm_key, opn_key};
use super::log::Log;
use super::psg::period;
use super::samples::{Kit, PCM_RATE};
use super::score::{Drum, Note, Part, Score, TICKS};
use crate::song::LOG_RATE;

/// A machine with its sound chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// YM2612 and SN76489; drums by the DAC.
    MegaDrive,
    /// YM2151 and OKIM6258; drums by ADPCM.
    X68000,
    /// YM2610; drums by ADPCM-A.
    Arcade,
    /// YM2413 and AY8910.
    Msx,
    /// YM2608.
    Pc98,
    /// Two YM2203.
    Cabinet,
    /// YM3812.
    AdLib,
    /// YMF262.
    SoundBlaster,
}

/// The clocks of the chips, in hertz, and their places in the header.
const OPN2: (usize, u32) = (0x2c, 7_670_454);
const SN: (usize, u32) = (0x0c, 3_579_545);
const OPM: (usize, u32) = (0x30, 4_000_000);
const OKI: (usize, u32) = (0x90, 8_000_000);
const OPNB: (usize, u32) = (0x4c, 8_000_000);
const OPLL: (usize, u32) = (0x10, 3_579_545);
const AY: (usize, u32) = (0x74, 1_789_772);
const OPNA: (usize, u32) = (0x48, 7_987_200);
const OPN: (usize, u32) = (0x44, 3_993_600);
const OPL2: (usize, u32) = (0x50, 3_579_545);
const OPL3: (usize, u32) = (0x5c, 14_318_180);
/// The bit of a clock that says that there are two of the chip.
const TWO: u32 = 1 << 30;

/// The samples of the log for each byte of PCM, and the bytes of a tick.
const PCM_SAMPLES: u8 = (LOG_RATE / PCM_RATE) as u8;
const PCM_TICK: u32 = PCM_RATE / TICKS;

/// What a machine does for a note.
trait Voices {
    /// Writes what has to be there before the first note.
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice);
    /// Begins a note.
    fn on(&mut self, log: &mut Log, note: &Note);
    /// Ends a note.
    fn off(&mut self, log: &mut Log, note: &Note);
    /// A tick passes.
    fn tick(&mut self, log: &mut Log) {
        log.wait(1);
    }
}

impl Machine {
    /// All machines, in the order of an album.
    pub const ALL: [Machine; 8] = [
        Machine::MegaDrive,
        Machine::X68000,
        Machine::Arcade,
        Machine::Msx,
        Machine::Pc98,
        Machine::Cabinet,
        Machine::AdLib,
        Machine::SoundBlaster,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Machine::MegaDrive => "Mega Drive",
            Machine::X68000 => "X68000",
            Machine::Arcade => "Arcade (YM2610)",
            Machine::Msx => "MSX",
            Machine::Pc98 => "PC-98",
            Machine::Cabinet => "Arcade (2 YM2203)",
            Machine::AdLib => "AdLib",
            Machine::SoundBlaster => "Sound Blaster",
        }
    }

    /// The bytes of a register log in which the machine plays a score.
    pub(super) fn play(self, score: &Score, dice: &mut Dice) -> Vec<u8> {
        let (clocks, mut voices): (Vec<(usize, u32)>, Box<dyn Voices>) = match self {
            Machine::MegaDrive => (vec![OPN2, SN], Box::new(MegaDrive::new(dice))),
            Machine::X68000 => (vec![OPM, OKI], Box::new(X68000::new(dice))),
            Machine::Arcade => (vec![OPNB], Box::new(OpnbVoices::new(dice))),
            Machine::Msx => (vec![OPLL, AY], Box::new(Msx)),
            Machine::Pc98 => (vec![OPNA], Box::new(OpnVoices::opna())),
            Machine::Cabinet => (vec![(OPN.0, OPN.1 | TWO)], Box::new(OpnVoices::two_opn())),
            Machine::AdLib => (vec![OPL2], Box::new(OplVoices::opl2())),
            Machine::SoundBlaster => (vec![OPL3], Box::new(OplVoices::opl3())),
        };
        let mut log = Log::new(&clocks);
        if self == Machine::X68000 {
            // A divider of 512, samples of 4 bits, an output of 12.
            log.set(0x94, 0x0a);
        }
        if self == Machine::MegaDrive {
            log.set(0x28, 0x0010_0009);
        }
        voices.set_up(&mut log, dice);
        perform(score, voices.as_mut(), &mut log);
        log.finish([
            &score.name,
            &score.name_in_japanese,
            "Drumline's Album",
            "ドラムラインの曲集",
            self.name(),
            self.name(),
            "chipmill",
            "チップミル",
            "2026/11/28",
            "chipmill",
            "Composed by a program.",
        ])
    }
}

fn perform(score: &Score, voices: &mut dyn Voices, log: &mut Log) {
    let mut starts = score.notes.iter().peekable();
    let mut sounding: Vec<&Note> = Vec::new();
    for tick in 0..score.ticks {
        if tick == score.loop_tick {
            log.begin_loop();
        }
        sounding.retain(|note| {
            let ends = note.tick + note.ticks <= tick;
            if ends {
                voices.off(log, note);
            }
            !ends
        });
        while let Some(note) = starts.next_if(|note| note.tick <= tick) {
            voices.on(log, note);
            sounding.push(note);
        }
        voices.tick(log);
    }
    for note in sounding {
        voices.off(log, note);
    }
}

/// The FM voice of a part, of five; `None` is for another chip.
fn fm_voice(part: Part) -> Option<u8> {
    match part {
        Part::Bass => Some(0),
        Part::Chord(voice) => Some(1 + voice),
        Part::Melody => Some(4),
        Part::Arpeggio | Part::Drum(_) => None,
    }
}

/// The patches of the parts: bass, chords, melody.
fn patches(dice: &mut Dice) -> [Patch; 5] {
    let (bass, chord, melody) = (
        Patch::new(dice, true),
        Patch::new(dice, false),
        Patch::new(dice, false),
    );
    [bass, chord, chord, chord, melody]
}

struct MegaDrive {
    kit: Kit,
    /// The bytes of a drum that go to the DAC with the ticks.
    drum: Option<(u32, u32)>,
}

impl MegaDrive {
    fn new(dice: &mut Dice) -> Self {
        MegaDrive {
            kit: Kit::pcm(dice),
            drum: None,
        }
    }

    fn square(log: &mut Log, channel: u8, period: u16, attenuation: u8) {
        let latch = 0x80 | channel << 5;
        log.command(&[0x50, latch | (period & 15) as u8]);
        log.command(&[0x50, (period >> 4) as u8]);
        log.command(&[0x50, latch | 0x10 | attenuation]);
    }

    fn attenuate(log: &mut Log, channel: u8, attenuation: u8) {
        log.command(&[0x50, 0x90 | channel << 5 | attenuation]);
    }
}

impl Voices for MegaDrive {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        // A stream plays one of the blocks.
        self.kit.drums().for_each(|drum| log.block(0, drum));
        (0..4).for_each(|channel| Self::attenuate(log, channel, 15));
        // White noise of the highest pitch.
        log.command(&[0x50, 0xe4]);
        log.command(&[0x52, 0x2b, 0x80]);
        // Stream 0: the DAC of the YM2612, from bank 0.
        log.command(&[0x90, 0, 0x02, 0, 0x2a]);
        log.command(&[0x91, 0, 0, 1, 0]);
        log.command(&[0x92, 0]);
        log.command(&PCM_RATE.to_le_bytes());
        for (voice, patch) in (0..).zip(patches(dice)) {
            patch.to_opn(voice, |port, register, value| {
                log.command(&[0x52 + port, register, value]);
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            let (block, number) = block_and_number(note.pitch, OPN2.1, 144, 20, 11);
            let (command, channel) = (0x52 + voice / 3, voice % 3);
            log.command(&[command, 0xa4 + channel, block << 3 | (number >> 8) as u8]);
            log.command(&[command, 0xa0 + channel, number as u8]);
            opn_key(log, 0x52, voice, true);
        }
        match note.part {
            Part::Arpeggio => Self::square(log, 0, period(note.pitch, SN.1, 32, 1023), 5),
            Part::Drum(Drum::Hat) => Self::attenuate(log, 3, 6),
            // The snare by bytes between the waits, the kick by a stream.
            Part::Drum(Drum::Snare) => {
                log.command(&[0x94, 0]);
                let place = self.kit.place(Drum::Snare);
                self.drum = Some((place.start, place.start + place.len));
            }
            Part::Drum(Drum::Kick) => {
                self.drum = None;
                log.command(&[0x95, 0, Drum::Kick as u8, 0, 0]);
            }
            _ => {}
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        match (fm_voice(note.part), note.part) {
            (Some(voice), _) => opn_key(log, 0x52, voice, false),
            (None, Part::Arpeggio) => Self::attenuate(log, 0, 15),
            (None, Part::Drum(Drum::Hat)) => Self::attenuate(log, 3, 15),
            _ => {}
        }
    }

    fn tick(&mut self, log: &mut Log) {
        let Some((from, end)) = self.drum else {
            return log.wait(1);
        };
        let bytes = PCM_TICK.min(end - from);
        log.dac(from, bytes, PCM_SAMPLES);
        let rest = (PCM_TICK - bytes) * u32::from(PCM_SAMPLES);
        if rest > 0 {
            log.wait_samples(rest as u16);
        }
        self.drum = (from + bytes < end).then_some((from + bytes, end));
    }
}

struct X68000 {
    kit: Kit,
}

impl X68000 {
    fn new(dice: &mut Dice) -> Self {
        X68000 {
            kit: Kit::oki(dice),
        }
    }
}

/// The voice of a part on a chip with eight.
fn opm_voice(part: Part) -> Option<u8> {
    match part {
        Part::Arpeggio => Some(5),
        other => fm_voice(other),
    }
}

impl Voices for X68000 {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        // A stream plays one of the blocks.
        self.kit.drums().for_each(|drum| log.block(4, drum));
        // Stream 0: the data register of the OKIM6258, from bank 4. A byte has two samples.
        log.command(&[0x90, 0, 0x17, 0, 0x01]);
        log.command(&[0x91, 0, 4, 1, 0]);
        log.command(&[0x92, 0]);
        log.command(&(OKI.1 / 512 / 2).to_le_bytes());
        for (voice, patch) in (0..).zip(patches(dice).into_iter().chain([Patch::new(dice, false)]))
        {
            patch.to_opm(voice, |register, value| {
                log.command(&[0x54, register, value])
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            let (code, fraction) = opm_key(note.pitch);
            log.command(&[0x54, 0x28 + voice, code]);
            log.command(&[0x54, 0x30 + voice, fraction << 2]);
            log.command(&[0x54, 0x08, 0x78 | voice]);
        }
        if let Part::Drum(drum) = note.part {
            // Stop, play, and the bytes.
            log.command(&[0xb7, 0x00, 0x01]);
            log.command(&[0xb7, 0x00, 0x02]);
            log.command(&[0x95, 0, drum as u8, 0, 0]);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            log.command(&[0x54, 0x08, voice]);
        }
    }
}

/// The voices of OPN chips: FM, and square waves behind them.
struct OpnVoices {
    clock: u32,
    /// The ticks of the clock for a frame of FM, and for a step of a square wave's period.
    divider: u32,
    square_divider: u32,
    /// How many FM voices a chip has.
    per_chip: u8,
    /// The command for a bank of registers of a chip: the first chip's, the second one's.
    commands: [u8; 2],
}

impl OpnVoices {
    fn opna() -> Self {
        OpnVoices {
            clock: OPNA.1,
            divider: 144,
            square_divider: 64,
            per_chip: 6,
            commands: [0x56, 0x56],
        }
    }

    fn two_opn() -> Self {
        OpnVoices {
            clock: OPN.1,
            divider: 72,
            square_divider: 64,
            per_chip: 3,
            commands: [0x55, 0xa5],
        }
    }

    fn opnb() -> Self {
        OpnVoices {
            clock: OPNB.1,
            divider: 144,
            square_divider: 64,
            per_chip: 6,
            commands: [0x58, 0x58],
        }
    }

    /// The command of the chip of a voice, and the voice in it.
    fn of(&self, voice: u8) -> (u8, u8) {
        let chip = voice / self.per_chip;
        (self.commands[usize::from(chip)], voice % self.per_chip)
    }

    /// The FM voices of this chip that sound: the YM2610 has the first and the fourth of neither.
    fn fm(&self, part: Part) -> Option<u8> {
        let voice = fm_voice(part)?;
        match self.commands[0] {
            0x58 => [1, 2, 4, 5]
                .get(usize::from(voice.saturating_sub(u8::from(voice > 1))))
                .copied(),
            _ => Some(voice),
        }
    }
}

impl Voices for OpnVoices {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        if self.per_chip == 6 {
            // All six voices.
            log.command(&[self.commands[0], 0x29, 0x80]);
        }
        for command in self.commands {
            // Tones on all square waves, noise on none.
            log.command(&[command, 0x07, 0x38]);
            (0x08..0x0b).for_each(|level| log.command(&[command, level, 0]));
        }
        let parts = [
            Part::Bass,
            Part::Chord(0),
            Part::Chord(1),
            Part::Chord(2),
            Part::Melody,
        ];
        for (part, patch) in parts.into_iter().zip(patches(dice)) {
            let Some(voice) = self.fm(part) else {
                continue;
            };
            let (command, voice) = self.of(voice);
            patch.to_opn(voice, |port, register, value| {
                log.command(&[command + port, register, value]);
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = self.fm(note.part) {
            let (block, number) = block_and_number(note.pitch, self.clock, self.divider, 20, 11);
            let (command, voice) = self.of(voice);
            let (port, channel) = (voice / 3, voice % 3);
            log.command(&[
                command + port,
                0xa4 + channel,
                block << 3 | (number >> 8) as u8,
            ]);
            log.command(&[command + port, 0xa0 + channel, number as u8]);
            opn_key(log, command, voice, true);
        }
        if note.part == Part::Arpeggio {
            let command = self.commands[0];
            let divider = self.square_divider / if self.per_chip == 3 { 2 } else { 1 };
            let period = period(note.pitch, self.clock, divider, 0xfff);
            log.command(&[command, 0x00, period as u8]);
            log.command(&[command, 0x01, (period >> 8) as u8]);
            log.command(&[command, 0x08, 11]);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = self.fm(note.part) {
            let (command, voice) = self.of(voice);
            opn_key(log, command, voice, false);
        }
        if note.part == Part::Arpeggio {
            log.command(&[self.commands[0], 0x08, 0]);
        }
    }
}

/// YM2610: as the other OPN chips, with drums of ADPCM-A.
struct OpnbVoices {
    kit: Kit,
    fm: OpnVoices,
}

impl OpnbVoices {
    fn new(dice: &mut Dice) -> Self {
        OpnbVoices {
            kit: Kit::adpcm_a(dice),
            fm: OpnVoices::opnb(),
        }
    }
}

impl Voices for OpnbVoices {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        log.memory(0x82, &self.kit.data);
        self.fm.set_up(log, dice);
        log.command(&[0x59, 0x01, 0x3f]);
        for drum in [Drum::Kick, Drum::Snare, Drum::Hat] {
            let (voice, place) = (drum as u8, self.kit.place(drum));
            let (first, last) = (place.start / 256, (place.start + place.len - 1) / 256);
            log.command(&[0x59, 0x08 + voice, 0xda]);
            log.command(&[0x59, 0x10 + voice, first as u8]);
            log.command(&[0x59, 0x18 + voice, (first >> 8) as u8]);
            log.command(&[0x59, 0x20 + voice, last as u8]);
            log.command(&[0x59, 0x28 + voice, (last >> 8) as u8]);
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        match note.part {
            Part::Drum(drum) => log.command(&[0x59, 0x00, 1 << drum as u8]),
            _ => self.fm.on(log, note),
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        self.fm.off(log, note);
    }
}

/// The voices of OPL chips.
struct OplVoices {
    command: u8,
    clock: u32,
    divider: u32,
    is_opl3: bool,
}

impl OplVoices {
    fn opl2() -> Self {
        OplVoices {
            command: 0x5a,
            clock: OPL2.1,
            divider: 72,
            is_opl3: false,
        }
    }

    fn opl3() -> Self {
        OplVoices {
            command: 0x5e,
            clock: OPL3.1,
            divider: 288,
            is_opl3: true,
        }
    }

    fn key(&self, log: &mut Log, voice: u8, pitch: u8, on: bool) {
        let (block, number) = block_and_number(pitch, self.clock, self.divider, 20, 10);
        let key = if on { 0x20 } else { 0 };
        log.command(&[self.command, 0xa0 + voice, number as u8]);
        log.command(&[
            self.command,
            0xb0 + voice,
            key | block << 2 | (number >> 8) as u8,
        ]);
    }
}

impl Voices for OplVoices {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        if self.is_opl3 {
            log.command(&[self.command + 1, 0x05, 1]);
        }
        let command = self.command;
        for (voice, patch) in (0..).zip(patches(dice).into_iter().chain([Patch::new(dice, false)]))
        {
            patch.to_opl(voice, |register, value| {
                log.command(&[command, register, value])
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            self.key(log, voice, note.pitch, true);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            self.key(log, voice, note.pitch, false);
        }
    }
}

/// YM2413 with the patches that it has, and AY8910.
struct Msx;

impl Msx {
    fn key(log: &mut Log, voice: u8, pitch: u8, on: bool) {
        let (block, number) = block_and_number(pitch, OPLL.1, 72, 19, 9);
        let key = if on { 0x10 } else { 0 };
        log.command(&[0x51, 0x10 + voice, number as u8]);
        log.command(&[0x51, 0x20 + voice, key | block << 1 | (number >> 8) as u8]);
    }
}

impl Voices for Msx {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        for voice in 0..5 {
            let patch = *dice.pick(&[1, 3, 4, 5, 7, 12]);
            log.command(&[0x51, 0x30 + voice, patch << 4 | 2]);
        }
        // Tone on the first square wave, noise on the third.
        log.command(&[0xa0, 0x07, 0b01_1110]);
        log.command(&[0xa0, 0x06, 4]);
        (0x08..0x0b).for_each(|level| log.command(&[0xa0, level, 0]));
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            Self::key(log, voice, note.pitch, true);
        }
        match note.part {
            Part::Arpeggio => {
                let period = period(note.pitch, AY.1, 16, 0xfff);
                log.command(&[0xa0, 0x00, period as u8]);
                log.command(&[0xa0, 0x01, (period >> 8) as u8]);
                log.command(&[0xa0, 0x08, 11]);
            }
            Part::Drum(Drum::Snare | Drum::Hat) => log.command(&[0xa0, 0x0a, 11]),
            _ => {}
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            Self::key(log, voice, note.pitch, false);
        }
        match note.part {
            Part::Arpeggio => log.command(&[0xa0, 0x08, 0]),
            Part::Drum(_) => log.command(&[0xa0, 0x0a, 0]),
            _ => {}
        }
    }
}
