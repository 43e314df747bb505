//! The header of a register log.

use soundlog::vgm::VgmHeaderField as Field;
use soundlog::{ParseError, VgmHeader};

use crate::chip::sn76489::{Sn76489Config, Sn76489ConfigError};

use super::chips::{ChipKind, ChipSpec, Silent};
use super::extra_header::{ExtraHeader, SecondClock};
use super::old_fm::OldFm;
use super::volumes;
use super::window::Window;
use super::{LoopScale, SongError};

/// The most bytes that have fields.
const HEAD: usize = 0x100;

/// What the field of the commands' place stands for if it is 0, or not there: they begin at 0x40.
/// The parser would have them directly behind the last field of the version.
const USUAL: u32 = 0x40 - 0x34;

/// The bit of a clock that says that the machine has two of these chips.
pub const TWO: u32 = 1 << 30;
/// The bit of a clock that says that the chip is another one of its family.
const VARIANT: u32 = 1 << 31;
/// The clock itself.
pub const CLOCK: u32 = TWO - 1;
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
    /// The FM chips of an old log, of which those are there that it writes to.
    pub old_fm: Option<OldFm>,
    /// What is odd about the chips.
    pub remarks: Vec<String>,
    /// Where a repetition begins, if the song repeats.
    pub loop_offset: Option<usize>,
    pub loop_scale: LoopScale,
    /// What all samples are multiplied with.
    pub volume: f32,
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
        let extra = match relative(Field::ExtraHeaderOffset, fields.extra_header_offset) {
            Some(at) => ExtraHeader::read(window, at, commands)?,
            None => ExtraHeader::default(),
        };
        let left = commands - window.offset();
        if window.skip(left)? < left {
            let available = window.offset();
            let error = ParseError::OffsetOutOfRange {
                offset: commands,
                needed: commands,
                available,
                context: Some("header_size".to_owned()),
            };
            return Err(broken_at(available, &error));
        }
        let mut remarks = variants(&fields);
        remarks.extend(extra.remarks.iter().copied().map(str::to_owned));
        Ok(Header {
            version: fields.version,
            chips: chips(&fields, &extra)?,
            silent: silent(&fields),
            old_fm: OldFm::of(&fields)?,
            remarks,
            loop_offset: relative(Field::LoopOffset, fields.loop_offset),
            loop_scale: LoopScale {
                sixteenths: fields.loop_modifier,
                less: fields.loop_base,
            },
            volume: volumes::of_all(fields.volume_modifier),
        })
    }
}

/// Parses the first [`HEAD`] bytes of a file, or all that it has. Returns the fields, and where the
/// commands begin.
fn parse(head: &[u8]) -> Result<(VgmHeader, usize), ParseError> {
    let mut head = head.to_vec();
    let mut stated = None;
    let place = Field::DataOffset.offset();
    let is_long = head.len() == HEAD;
    if let Some(field) = head.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
        let offset = match u32::from_le_bytes(*field) {
            0 => USUAL,
            offset => offset,
        };
        // The parser wants all bytes before the commands, of which it looks at no more than these.
        let seen = if is_long {
            offset.min((HEAD - place) as u32)
        } else {
            offset
        };
        *field = seen.to_le_bytes();
        stated = Some(offset);
    }
    let fields = VgmHeader::from_bytes(&head)?;
    // Versions before 1.50 have no such field, for which the parser has 0.
    let offset = match fields.data_offset {
        0 => USUAL,
        parsed => stated.unwrap_or(parsed),
    };
    let commands = VgmHeader::command_start(fields.version, offset);
    Ok((fields, commands))
}

/// What the parser says of a header of which there are bytes up to `end`.
fn broken_at(end: usize, error: &ParseError) -> SongError {
    let offset = match *error {
        ParseError::OffsetOutOfRange { offset, .. } => offset.min(end),
        _ => end,
    };
    SongError::Header {
        offset,
        what: error.to_string(),
    }
}

fn broken(bytes: &[u8], error: &ParseError) -> SongError {
    match bytes.first_chunk::<4>() {
        Some(b"Vgm ") => broken_at(bytes.len(), error),
        Some(other) => SongError::NotVgm(format!("\"{}\"", other.escape_ascii())),
        None => SongError::NotVgm(match bytes.len() {
            0 => "nothing: it is empty".to_owned(),
            some => format!("{some} bytes and ends"),
        }),
    }
}

/// The chips that there are models of.
fn chips(header: &VgmHeader, extra: &ExtraHeader) -> Result<Vec<ChipSpec>, SongError> {
    let psg = Sn76489Config::from_header(
        header.sn76489_feedback.into(),
        header.sn76489_shift_register_width.into(),
        header.sn76489_flags.into(),
    );
    let psg_clock = psg_clock(header);
    let psg = match psg {
        Ok(config) => ChipKind::Sn76489(config),
        Err(_) if psg_clock == 0 => ChipKind::Sn76489(Sn76489Config::default()),
        Err(error) => {
            let field = match error {
                Sn76489ConfigError::Width(_) => Field::Sn76489ShiftRegisterWidth,
                Sn76489ConfigError::Taps { .. } => Field::Sn76489Feedback,
            };
            return Err(SongError::Header {
                offset: field.offset(),
                what: error.to_string(),
            });
        }
    };
    let adpcm = ChipKind::Okim6258 {
        flags: header.okim6258_flags.into(),
    };
    let opll = match OldFm::of(header)? {
        None => header.ym2413_clock,
        Some(_) => 0,
    };
    let clocks = [
        (psg, psg_clock, Field::Sn76489Clock),
        (ChipKind::Ym2413, opll, Field::Ym2413Clock),
        (ChipKind::Ym2612, header.ym2612_clock, Field::Ym2612Clock),
        (ChipKind::Ym2151, header.ym2151_clock, Field::Ym2151Clock),
        (ChipKind::Ym2203, header.ym2203_clock, Field::Ym2203Clock),
        (ChipKind::Ym2608, header.ym2608_clock, Field::Ym2608Clock),
        (
            opnb(header.ym2610b_clock),
            header.ym2610b_clock,
            Field::Ym2610bClock,
        ),
        (ChipKind::Ym3812, header.ym3812_clock, Field::Ym3812Clock),
        (ChipKind::Ym3526, header.ym3526_clock, Field::Ym3526Clock),
        (ChipKind::Y8950, header.y8950_clock, Field::Y8950Clock),
        (ChipKind::Ymf262, header.ymf262_clock, Field::Ymf262Clock),
        (ChipKind::Ymf278B, header.ymf278b_clock, Field::Ymf278bClock),
        (
            ChipKind::Ay8910,
            ssg_clock(header, header.ay8910_clock),
            Field::Ay8910Clock,
        ),
        (adpcm, header.okim6258_clock, Field::Okim6258Clock),
    ];
    let mut chips = Vec::new();
    for (kind, field, place) in clocks {
        let clock = checked_clock(kind, field, place.offset())?;
        if clock == 0 {
            continue;
        }
        let chip = |kind, clock, second| ChipSpec {
            kind,
            clock,
            second,
            volume: extra.volumes.of(kind, second),
        };
        chips.push(chip(kind, clock, false));
        if field & TWO != 0 {
            let own = extra.clocks.of(kind);
            let own = own.map(|own| second(header, kind, own)).transpose()?;
            let own = own.filter(|&(_, clock)| clock != 0);
            let (kind, clock) = own.unwrap_or((kind, clock));
            chips.push(chip(kind, clock, true));
        }
    }
    Ok(chips)
}

/// The second chip of a kind that has its own clock: its kind, and that clock.
fn second(
    header: &VgmHeader,
    kind: ChipKind,
    own: SecondClock,
) -> Result<(ChipKind, u32), SongError> {
    let (kind, field) = match kind {
        ChipKind::Ym2610 | ChipKind::Ym2610B => (opnb(own.field), own.field),
        ChipKind::Ay8910 => (kind, ssg_clock(header, own.field)),
        kind => (kind, own.field),
    };
    Ok((kind, checked_clock(kind, field, own.offset)?))
}

/// The YM2610 of a clock.
fn opnb(field: u32) -> ChipKind {
    match field & VARIANT {
        0 => ChipKind::Ym2610,
        _ => ChipKind::Ym2610B,
    }
}

/// The chips of the header that sound as their relatives.
fn variants(header: &VgmHeader) -> Vec<String> {
    let is_variant = |field: u32| field & CLOCK != 0 && field & VARIANT != 0;
    let mut remarks = Vec::new();
    if is_variant(header.ym2413_clock) {
        remarks.push("has a VRC7, which is played with the instruments of the YM2413");
    }
    if is_variant(header.ym2612_clock) {
        remarks.push("has a YM3438, which is played as a YM2612");
    }
    if is_variant(header.ym3812_clock) && header.ym3812_clock & TWO != 0 {
        remarks.push("has a YM3812 for each side, and both are played in the middle");
    }
    remarks.into_iter().map(str::to_owned).collect()
}

/// The clock in the field of a chip, which is at `offset`; 0 if there is no such chip.
///
/// # Errors
///
/// No chip works with it.
pub fn checked_clock(kind: ChipKind, field: u32, offset: usize) -> Result<u32, SongError> {
    let clock = field & CLOCK;
    if clock != 0 && !(MIN_CLOCK..=MAX_CLOCK).contains(&clock) {
        return Err(SongError::Header {
            offset,
            what: format!(
                "the {} has a clock of {clock} Hz, and such chips work between {MIN_CLOCK} and \
                 {MAX_CLOCK}",
                kind.name()
            ),
        });
    }
    Ok(clock)
}

/// The clock of the SN76489. The T6W28, with two halves that share their registers, is another
/// chip.
fn psg_clock(header: &VgmHeader) -> u32 {
    match header.sn76489_clock & VARIANT {
        0 => header.sn76489_clock,
        _ => 0,
    }
}

/// The clock of an AY8910. Its relatives by Yamaha have a pin that halves it.
fn ssg_clock(header: &VgmHeader, field: u32) -> u32 {
    let is_yamaha = u8::from(header.ay_chip_type) & 0xf0 == 0x10;
    match is_yamaha && header.ay8910_flags.ym_pin26_low {
        true => (field & !CLOCK) | ((field & CLOCK) / 2),
        false => field,
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
