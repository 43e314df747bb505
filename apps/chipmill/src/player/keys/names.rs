//! The names of the voices of a chip: each voice that sounds has one.

use crate::song::ChipKind;

/// The drums of OPL chips.
const BD: (&str, u8) = ("BD", 1);
const SD: (&str, u8) = ("SD", 1);
const TOM: (&str, u8) = ("TOM", 1);
const CYM: (&str, u8) = ("CYM", 1);
const HH: (&str, u8) = ("HH", 1);

/// Voices that are named alike, and how many there are: FM has numbers only, `S` is a square wave,
/// `A` and `B` are the kinds of ADPCM, `P` is PCM.
///
/// The drums of the YM2608 are not among them. They are silent, because their samples are in a ROM
/// that is not here. The same is so of two FM voices of the YM2610, which have no output.
fn groups(kind: ChipKind) -> &'static [(&'static str, u8)] {
    match kind {
        ChipKind::Sn76489(_) => &[("", 4)],
        ChipKind::Ym2413 | ChipKind::Ym3812 | ChipKind::Ym3526 => &[("", 9), BD, SD, TOM, CYM, HH],
        ChipKind::Y8950 => &[("", 9), BD, SD, TOM, CYM, HH, ("B", 1)],
        ChipKind::Ym2151 => &[("", 8)],
        ChipKind::Ym2203 => &[("", 3), ("S", 3)],
        ChipKind::Ym2608 => &[("", 6), ("S", 3), ("B", 1)],
        ChipKind::Ym2610 => &[
            ("2", 1),
            ("3", 1),
            ("5", 1),
            ("6", 1),
            ("S", 3),
            ("A", 6),
            ("B", 1),
        ],
        ChipKind::Ym2610B => &[("", 6), ("S", 3), ("A", 6), ("B", 1)],
        ChipKind::Ym2612 => &[("", 6), ("DAC", 1)],
        ChipKind::Ymf262 => &[("", 18), BD, SD, TOM, CYM, HH],
        ChipKind::Ymf278B => &[("", 18), BD, SD, TOM, CYM, HH, ("P", 24)],
        ChipKind::Ay8910 => &[("", 3)],
        ChipKind::Okim6258 { .. } => &[("", 1)],
    }
}

/// The names of a chip's voices, in their order.
pub(super) fn of(kind: ChipKind) -> impl Iterator<Item = String> {
    groups(kind).iter().flat_map(move |&(name, count)| {
        (1..=count).map(move |number| match (name, count) {
            (name, 1) if !name.is_empty() => format!("{} {name}", kind.name()),
            _ => format!("{} {name}{number}", kind.name()),
        })
    })
}
