//! The tags of a song.

use serde::Serialize;

/// The tags of a song (GD3): each in English and in the script of its origin, where it has both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Gd3 {
    /// The title.
    pub title: Tag,
    /// The game, or album.
    pub game: Tag,
    /// The machine.
    pub system: Tag,
    /// The author.
    pub author: Tag,
    /// The date of the release, as the file has it.
    pub date: String,
    /// The maker of the file.
    pub ripper: String,
    /// Notes.
    pub notes: String,
}

/// A tag in English and in the script of its origin. Either can be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tag {
    /// In English.
    pub english: String,
    /// In the script of its origin.
    pub origin: String,
}

impl Tag {
    /// The one that is there, English first.
    pub fn any(&self) -> &str {
        if self.english.is_empty() {
            &self.origin
        } else {
            &self.english
        }
    }
}

impl Gd3 {
    /// Reads tags from the bytes of a file that begin with them. What is no UTF-16 becomes U+FFFD,
    /// and fields that are missing are empty.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let head: &[u8; 12] = bytes.first_chunk().ok_or("they are cut short")?;
        if !head.starts_with(b"Gd3 ") {
            return Err("they do not begin with \"Gd3 \"".to_owned());
        }
        let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        let text = &bytes[head.len()..];
        let length = usize::try_from(length).map_or(text.len(), |length| length.min(text.len()));
        let (units, _) = text[..length].as_chunks::<2>();
        let mut fields = units.split(|&unit| unit == [0, 0]).map(text_of);
        let mut next = || fields.next().unwrap_or_default();
        let mut tag = || Tag {
            english: next(),
            origin: next(),
        };
        let (title, game, system, author) = (tag(), tag(), tag(), tag());
        Ok(Gd3 {
            title,
            game,
            system,
            author,
            date: next(),
            ripper: next(),
            notes: next(),
        })
    }
}

/// The text of units of UTF-16 in little-endian order.
fn text_of(units: &[[u8; 2]]) -> String {
    char::decode_utf16(units.iter().map(|&unit| u16::from_le_bytes(unit)))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
