//! Which voices and patches the parts of a score have.

use crate::compose::dice::Dice;
use crate::compose::fm::Patch;
use crate::compose::score::Part;

/// The FM voice of a part, of five; `None` is for another chip.
pub(super) fn fm_voice(part: Part) -> Option<u8> {
    match part {
        Part::Bass => Some(0),
        Part::Chord(voice) => Some(1 + voice),
        Part::Melody => Some(4),
        Part::Arpeggio | Part::Drum(_) => None,
    }
}

/// The patches of the parts: bass, chords, melody.
pub(super) fn patches(dice: &mut Dice) -> [Patch; 5] {
    let (bass, chord, melody) = (
        Patch::new(dice, true),
        Patch::new(dice, false),
        Patch::new(dice, false),
    );
    [bass, chord, chord, chord, melody]
}

/// The voice of a part on a chip with eight.
pub(super) fn opm_voice(part: Part) -> Option<u8> {
    match part {
        Part::Arpeggio => Some(5),
        other => fm_voice(other),
    }
}
