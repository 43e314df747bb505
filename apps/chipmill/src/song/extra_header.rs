//! The extra header of a log, which versions from 1.70 on can have: clocks of second chips, and
//! volumes.
//!
//! ```text
//! +0  size   +4  offset of clocks   +8  offset of volumes   (each from its own place)
//! clocks:    count, then for each:  chip, clock (four bytes)
//! volumes:   count, then for each:  chip, flags, volume (two bytes)
//! ```
//! A list is left out if it is broken, with a remark. Both lists end before the commands.

use super::SongError;
use super::chips::ChipKind;
use super::volumes::Volumes;
use super::window::Window;

/// The bit of a chip's number that some programs set for the second of two chips.
const SECOND: u8 = 1 << 7;

/// What an extra header says.
#[derive(Default)]
pub struct ExtraHeader {
    pub clocks: SecondClocks,
    pub volumes: Volumes,
    /// What is left out.
    pub remarks: Vec<&'static str>,
}

/// A list of an extra header.
#[derive(Clone, Copy)]
enum List {
    Clocks,
    Volumes,
}

impl List {
    /// The place of its offset in the extra header.
    fn field(self) -> usize {
        match self {
            List::Clocks => 4,
            List::Volumes => 8,
        }
    }

    /// The bytes of an entry.
    fn entry(self) -> usize {
        match self {
            List::Clocks => SecondClocks::ENTRY,
            List::Volumes => Volumes::ENTRY,
        }
    }

    fn broken(self) -> &'static str {
        match self {
            List::Clocks => {
                "has an extra header that is broken: each second chip has the clock of the first"
            }
            List::Volumes => "has an extra header that is broken: its volumes are left out",
        }
    }
}

impl ExtraHeader {
    /// Reads the extra header at `at`, which ends before `commands`. Goes on to no place behind it.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn read(window: &mut Window<'_>, at: usize, commands: usize) -> Result<Self, SongError> {
        let mut extra = ExtraHeader::default();
        let size = number(peek(window, at, 4, commands)?, 0);
        let mut lists = Vec::new();
        for list in [List::Clocks, List::Volumes] {
            let end = list.field() + 4;
            if size.is_some_and(|size| (4..end).contains(&size)) {
                // A short header has no such list.
                continue;
            }
            match number(peek(window, at, end, commands)?, list.field()) {
                Some(0) => {}
                Some(offset) => {
                    let place = at.saturating_add(list.field()).saturating_add(offset);
                    lists.push((place, list));
                }
                None => extra.remarks.push(list.broken()),
            }
        }
        // The window never goes back.
        lists.sort_by_key(|&(place, _)| place);
        for (place, list) in lists {
            match entries(window, place, list.entry(), commands)? {
                None => extra.remarks.push(list.broken()),
                Some(entries) => match list {
                    List::Clocks => extra.clocks = SecondClocks::of_entries(entries, place + 1),
                    List::Volumes => {
                        extra.volumes = Volumes::of_entries(entries);
                        extra.remarks.extend(extra.volumes.remark);
                    }
                },
            }
        }
        Ok(extra)
    }
}

/// The bytes at a place, none of which is taken. `None` if the window is behind it already, or if
/// the commands or the end of the file come before the last of them.
fn peek<'a>(
    window: &'a mut Window<'_>,
    at: usize,
    len: usize,
    commands: usize,
) -> Result<Option<&'a [u8]>, SongError> {
    let Some(ahead) = at.checked_sub(window.offset()) else {
        return Ok(None);
    };
    if at.saturating_add(len) > commands {
        return Ok(None);
    }
    window.skip(ahead)?;
    Ok(window.at_least(len)?.get(..len))
}

/// The entries of the list at a place.
fn entries<'a>(
    window: &'a mut Window<'_>,
    at: usize,
    entry: usize,
    commands: usize,
) -> Result<Option<&'a [u8]>, SongError> {
    let Some(&[count]) = peek(window, at, 1, commands)? else {
        return Ok(None);
    };
    let len = 1 + entry * usize::from(count);
    Ok(peek(window, at, len, commands)?.map(|list| &list[1..]))
}

/// The number of four bytes at a place.
fn number(bytes: Option<&[u8]>, at: usize) -> Option<usize> {
    let &number = bytes?.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(number) as usize)
}

/// The clocks of second chips, where they differ from those of the first.
#[derive(Default)]
pub struct SecondClocks(Vec<SecondClock>);

/// The clock of a second chip.
#[derive(Clone, Copy)]
pub struct SecondClock {
    chip: u8,
    /// As in the fields of the header, whose highest bit is another chip of the family.
    pub field: u32,
    /// Where it is, in bytes from the start of the uncompressed file.
    pub offset: usize,
}

impl SecondClocks {
    /// The bytes of an entry.
    const ENTRY: usize = 5;

    /// The clocks of entries of which the first is at `place`.
    fn of_entries(entries: &[u8], place: usize) -> Self {
        let entries = entries.as_chunks::<{ Self::ENTRY }>().0.iter();
        let places = (place + 1..).step_by(Self::ENTRY);
        let clock = |(&[chip, a, b, c, d], offset): (&[u8; Self::ENTRY], usize)| SecondClock {
            chip: chip & !SECOND,
            field: u32::from_le_bytes([a, b, c, d]),
            offset,
        };
        SecondClocks(entries.zip(places).map(clock).collect())
    }

    /// The clock of the second chip of a kind, if it has its own.
    pub fn of(&self, kind: ChipKind) -> Option<SecondClock> {
        let number = kind.number();
        self.0.iter().find(|clock| clock.chip == number).copied()
    }
}
