//! The machines that songs are composed for.

mod arcade;
mod cabinet;
mod mega_drive;
mod msx;
mod opl;
mod opn;
mod parts;
mod pc98;
mod square_drums;
mod x68000;

use super::dice::Dice;
use super::log::Log;
use super::score::{Note, Score};
use arcade::Arcade;
use cabinet::Cabinet;
use mega_drive::MegaDrive;
use msx::Msx;
use opl::OplVoices;
use pc98::Pc98;
use x68000::X68000;

/// A machine with its sound chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// YM2612 and SN76489; drums by the DAC.
    MegaDrive,
    /// YM2151 and OKIM6258; drums by ADPCM.
    X68000,
    /// YM2610; drums by ADPCM-A, a string by ADPCM-B.
    Arcade,
    /// YM2413 and AY8910; drums by square waves and noise.
    Msx,
    /// YM2608; drums by ADPCM-B.
    Pc98,
    /// Two YM2203; drums by square waves and noise.
    Cabinet,
    /// YM3812; drums by its rhythm mode.
    AdLib,
    /// YMF262; drums by its rhythm mode.
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

    /// Its name in Japanese.
    fn name_in_japanese(self) -> &'static str {
        match self {
            Machine::MegaDrive => "メガドライブ",
            Machine::X68000 => "X68000",
            Machine::Arcade => "アーケード (YM2610)",
            Machine::Msx => "MSX",
            Machine::Pc98 => "PC-98",
            Machine::Cabinet => "アーケード (YM2203 2個)",
            Machine::AdLib => "アドリブ",
            Machine::SoundBlaster => "サウンドブラスター",
        }
    }

    /// The bytes of a register log in which the machine plays a score.
    pub(super) fn play(self, score: &Score, dice: &mut Dice) -> Vec<u8> {
        let (clocks, mut voices): (Vec<(usize, u32)>, Box<dyn Voices>) = match self {
            Machine::MegaDrive => (vec![OPN2, SN], Box::new(MegaDrive::new(dice))),
            Machine::X68000 => (vec![OPM, OKI], Box::new(X68000::new(dice))),
            Machine::Arcade => (vec![OPNB], Box::new(Arcade::new(dice))),
            Machine::Msx => (vec![OPLL, AY], Box::new(Msx::new())),
            Machine::Pc98 => (vec![OPNA], Box::new(Pc98::new(dice))),
            Machine::Cabinet => (vec![(OPN.0, OPN.1 | TWO)], Box::new(Cabinet::new())),
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
            self.name_in_japanese(),
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
