//! The header of a register log.

use soundlog::vgm::VgmHeaderField as Field;
use soundlog::{ParseError, VgmHeader};

use crate::chip::sn76489::Sn76489Config;

use super::chips::{ChipKind, ChipSpec, Silent};
use super::window::Window;
use super::{LoopScale, SongError};

/// The most bytes that have fields.
const HEAD: usize = 0x100;

/// The bit of a clock that says that the machine has two of these chips.
const TWO: u32 = 1 << 30;
/// The bit of a clock that says that the chip is another one of its family.
const VARIANT: u32 = 1 << 31;
/// The clock itself.
const CLOCK: u32 = TWO - 1;
/// The fastest clock of a chip, in hertz. The fastest one in use is that of the YMF278B, some
/// 34 MHz; one of a billion would take as many frames of the chip per second.
const MAX_CLOCK: u32 = 64_000_000;
/// The slowest clock of a chip, in hertz. No chip works with as little. Of one below its divider
/// ymfm makes a rate of 0 and divides by it, which ends the process.
const MIN_CLOCK: u32 = 10_000;

/// What the header says.
pub struct Header {
    pub version: u32,
    pub chips: Vec<ChipSpec>,
    pub silent: Vec<Silent>,
    /// Where a repetition begins, if the song repeats.
    pub loop_offset: Option<usize>,
    pub loop_scale: LoopScale,
}

impl Header {
    /// Reads the header of a file, and goes on to its commands. The tags are collected from then
    /// on.
    pub fn read(window: &mut Window<'_>) -> Result<Self, SongError> {
        let head = window.at_least(HEAD)?;
        let head = &head[..head.len().min(HEAD)];
        let (fields, commands) = parse(head).map_err(|error| broken(head, &error))?;
        let relative = |field: Field, value: u32| {
            (value != 0).then(|| field.offset().saturating_add(value as usize))
        };
        if let Some(tags) = relative(Field::Gd3Offset, fields.gd3_offset) {
            window.collect_tags(tags);
        }
        if window.skip(commands)? < commands {
            let available = window.offset();
            let error = ParseError::OffsetOutOfRange {
                offset: commands,
                needed: commands,
                available,
                context: Some("header_size".to_owned()),
            };
            return Err(SongError::Header(error.to_string()));
        }
        Ok(Header {
            version: fields.version,
            chips: chips(&fields)?,
            silent: silent(&fields),
            loop_offset: relative(Field::LoopOffset, fields.loop_offset),
            loop_scale: LoopScale {
                sixteenths: fields.loop_modifier,
                less: fields.loop_base,
            },
        })
    }
}

/// Parses the first [`HEAD`] bytes of a file, or all that it has. Returns the fields, and where the
/// commands begin.
fn parse(head: &[u8]) -> Result<(VgmHeader, usize), ParseError> {
    let mut head = head.to_vec();
    let mut stated = None;
    let place = Field::DataOffset.offset();
    if head.len() == HEAD
        && let Some(field) = head[place..].first_chunk_mut()
    {
        // The parser wants all bytes before the commands, of which it looks at no more than these.
        let offset = u32::from_le_bytes(*field);
        *field = offset.min((HEAD - place) as u32).to_le_bytes();
        stated = Some(offset);
    }
    let fields = VgmHeader::from_bytes(&head)?;
    // Old versions have no such field, for which the parser has 0.
    let offset = match fields.data_offset {
        0 => 0,
        parsed => stated.unwrap_or(parsed),
    };
    let commands = VgmHeader::command_start(fields.version, offset);
    Ok((fields, commands))
}

fn broken(bytes: &[u8], error: &ParseError) -> SongError {
    match bytes.first_chunk::<4>() {
        Some(b"Vgm ") => SongError::Header(error.to_string()),
        Some(other) => SongError::NotVgm(format!("\"{}\"", other.escape_ascii())),
        None => SongError::NotVgm(match bytes.len() {
            0 => "nothing: it is empty".to_owned(),
            some => format!("{some} bytes and ends"),
        }),
    }
}

/// The chips that there are models of.
fn chips(header: &VgmHeader) -> Result<Vec<ChipSpec>, SongError> {
    let old = header.misc();
    let psg = Sn76489Config::from_header(
        header.sn76489_feedback.into(),
        header.sn76489_shift_register_width.into(),
        header.sn76489_flags.into(),
    );
    let psg_clock = psg_clock(header);
    let psg = match psg {
        Ok(config) => ChipKind::Sn76489(config),
        Err(_) if psg_clock == 0 => ChipKind::Sn76489(Sn76489Config::default()),
        Err(error) => return Err(SongError::Header(error.to_string())),
    };
    let adpcm = ChipKind::Okim6258 {
        flags: header.okim6258_flags.into(),
    };
    let opnb = match header.ym2610b_clock & VARIANT {
        0 => ChipKind::Ym2610,
        _ => ChipKind::Ym2610B,
    };
    // Before version 1.10 all FM chips had the field of the YM2413.
    let opn2 = old.use_ym2413_clock_for_ym2612;
    let opm = old.use_ym2413_clock_for_ym2151;
    let opll = match (opn2, opm) {
        (Some(clock), _) | (_, Some(clock)) if clock != 0 => 0,
        _ => header.ym2413_clock,
    };
    let clocks = [
        (psg, psg_clock),
        (ChipKind::Ym2413, opll),
        (ChipKind::Ym2612, opn2.unwrap_or(header.ym2612_clock)),
        (ChipKind::Ym2151, opm.unwrap_or(header.ym2151_clock)),
        (ChipKind::Ym2203, header.ym2203_clock),
        (ChipKind::Ym2608, header.ym2608_clock),
        (opnb, header.ym2610b_clock),
        (ChipKind::Ym3812, header.ym3812_clock),
        (ChipKind::Ym3526, header.ym3526_clock),
        (ChipKind::Y8950, header.y8950_clock),
        (ChipKind::Ymf262, header.ymf262_clock),
        (ChipKind::Ymf278B, header.ymf278b_clock),
        (ChipKind::Ay8910, header.ay8910_clock),
        (adpcm, header.okim6258_clock),
    ];
    let mut chips = Vec::new();
    for (kind, field) in clocks {
        let clock = field & CLOCK;
        if clock != 0 && !(MIN_CLOCK..=MAX_CLOCK).contains(&clock) {
            return Err(SongError::Header(format!(
                "the {} has a clock of {clock} Hz, and such chips work between {MIN_CLOCK} and \
                 {MAX_CLOCK}",
                kind.name()
            )));
        }
        if clock != 0 {
            let chip = |second| ChipSpec {
                kind,
                clock,
                second,
            };
            chips.push(chip(false));
            if field & TWO != 0 {
                chips.push(chip(true));
            }
        }
    }
    Ok(chips)
}

/// The clock of the SN76489. The T6W28, with two halves that share their registers, is another
/// chip.
fn psg_clock(header: &VgmHeader) -> u32 {
    match header.sn76489_clock & VARIANT {
        0 => header.sn76489_clock,
        _ => 0,
    }
}

/// The chips that there are no models of.
fn silent(header: &VgmHeader) -> Vec<Silent> {
    let half_of_two = header.sn76489_clock - psg_clock(header);
    let clocks = [
        ("T6W28", half_of_two, Field::Sn76489Clock),
        ("Sega PCM", header.sega_pcm_clock, Field::SegaPcmClock),
        ("RF5C68", header.rf5c68_clock, Field::Rf5c68Clock),
        ("YMF271", header.ymf271_clock, Field::Ymf271Clock),
        ("YMZ280B", header.ymz280b_clock, Field::Ymz280bClock),
        ("RF5C164", header.rf5c164_clock, Field::Rf5c164Clock),
        ("PWM", header.pwm_clock, Field::PwmClock),
        ("Game Boy DMG", header.gb_dmg_clock, Field::GbDmgClock),
        ("NES APU", header.nes_apu_clock, Field::NesApuClock),
        ("MultiPCM", header.multipcm_clock, Field::MultipcmClock),
        ("uPD7759", header.upd7759_clock, Field::Upd7759Clock),
        ("OKIM6295", header.okim6295_clock, Field::Okim6295Clock),
        ("K051649", header.k051649_clock, Field::K051649Clock),
        ("K054539", header.k054539_clock, Field::K054539Clock),
        ("HuC6280", header.huc6280_clock, Field::Huc6280Clock),
        ("C140", header.c140_clock, Field::C140Clock),
        ("K053260", header.k053260_clock, Field::K053260Clock),
        ("Pokey", header.pokey_clock, Field::PokeyClock),
        ("QSound", header.qsound_clock, Field::QsoundClock),
        ("SCSP", header.scsp_clock, Field::ScspClock),
        ("WonderSwan", header.wonderswan_clock, Field::WonderSwan),
        ("Virtual Boy VSU", header.vsu_clock, Field::Vsu),
        ("SAA1099", header.saa1099_clock, Field::Saa1099),
        ("ES5503", header.es5503_clock, Field::Es5503),
        ("ES5506", header.es5506_clock, Field::Es5506),
        ("X1-010", header.x1_010_clock, Field::X1_010),
        ("C352", header.c352_clock, Field::C352),
        ("GA20", header.ga20_clock, Field::Ga20),
        ("Mikey", header.mikey_clock, Field::Mikey),
    ];
    clocks
        .into_iter()
        .filter(|&(_, field, _)| field & CLOCK != 0)
        .map(|(name, field, place)| Silent {
            name,
            clock: field & CLOCK,
            offset: place.offset(),
        })
        .collect()
}
