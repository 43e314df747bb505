//! The tags of a song.

use serde::Serialize;

/// The tags of a song (GD3): each in English and in the script of its origin, where it has both.
/// Each text has 16 KiB at most, which is as much as an audio file keeps of it; the rest is cut
/// off.
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
    /// The one that is there, English first. White space is nothing.
    pub fn any(&self) -> &str {
        if self.english.trim().is_empty() {
            &self.origin
        } else {
            &self.english
        }
    }
}

/// The bytes before the text.
const HEAD: usize = 12;
/// The fields of the text, each of which ends with a unit of 0.
const FIELDS: usize = 11;

/// The bytes that are kept of a field. A file of 32 MiB can be one field.
const MAX_FIELD: usize = 16 << 10;
/// The units that are kept of a field: each becomes a byte at least.
const MAX_UNITS: usize = MAX_FIELD;

/// What is before the text.
struct Head {
    /// The bytes of the text, of which the file may have fewer.
    text: usize,
}

impl Head {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let head: &[u8; HEAD] = bytes.first_chunk().ok_or("they are cut short")?;
        if !head.starts_with(b"Gd3 ") {
            return Err("they do not begin with \"Gd3 \"".to_owned());
        }
        let text = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        Ok(Head {
            text: usize::try_from(text).unwrap_or(usize::MAX),
        })
    }
}

impl Gd3 {
    /// Reads tags from the bytes of a file that begin with them. What is no UTF-16 becomes U+FFFD,
    /// and fields that are missing are empty.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Head { text: length } = Head::parse(bytes)?;
        let text = &bytes[HEAD..];
        let (units, _) = text[..length.min(text.len())].as_chunks::<2>();
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

/// The bytes of tags, picked out of a file that passes by.
///
/// No more are kept than there is use for: the fields that there are, the front of each, and no
/// more than the tags say.
#[derive(Default)]
pub struct PassingTags {
    /// Where in the file they begin.
    at: usize,
    /// The bytes before the text, and the units that are kept.
    bytes: Vec<u8>,
    /// The first byte of a unit of which the second is still to come.
    half: Option<u8>,
    /// The bytes of the text that have passed.
    passed: usize,
    /// The units that are kept of the field that has not ended, and the fields that have.
    units: usize,
    fields: usize,
    complete: bool,
}

impl PassingTags {
    /// Tags that begin at this place of the file.
    pub fn new(at: usize) -> Self {
        PassingTags {
            at,
            ..PassingTags::default()
        }
    }

    /// Takes what there is of the tags in `bytes`, the next ones of the file, which begin at
    /// `offset`.
    pub fn pass(&mut self, offset: usize, bytes: &[u8]) {
        let Some(new) = bytes.get(self.at.saturating_sub(offset)..) else {
            return;
        };
        if self.complete {
            return;
        }
        let missing = HEAD.saturating_sub(self.bytes.len()).min(new.len());
        let (head, text) = new.split_at(missing);
        self.bytes.extend_from_slice(head);
        let Ok(Head { text: length }) = Head::parse(&self.bytes) else {
            self.complete = self.bytes.len() == HEAD;
            return;
        };
        let left = length - self.passed;
        let text = &text[..text.len().min(left)];
        self.passed += text.len();
        self.complete = self.passed == length;
        for &byte in text {
            match self.half.take() {
                None => self.half = Some(byte),
                Some(low) => self.unit([low, byte]),
            }
            if self.fields == FIELDS {
                self.complete = true;
                break;
            }
        }
    }

    fn unit(&mut self, unit: [u8; 2]) {
        if unit == [0, 0] {
            self.fields += 1;
            self.units = 0;
        } else if self.units < MAX_UNITS {
            self.units += 1;
        } else {
            return;
        }
        self.bytes.extend_from_slice(&unit);
    }

    /// Reads them, of a file of this length that has passed. A song sounds without them as well, so
    /// what is wrong is a remark.
    pub fn parse(self, file_len: usize, remarks: &mut Vec<String>) -> Gd3 {
        let tags = match self.at <= file_len {
            true => Gd3::parse(&self.bytes),
            false => Err("they are behind the end".to_owned()),
        };
        tags.unwrap_or_else(|why| {
            remarks.push(format!("has no tags at offset {:#x}: {why}", self.at));
            Gd3::default()
        })
    }
}

/// The text of units of UTF-16 in little-endian order: its front, if it is long.
fn text_of(units: &[[u8; 2]]) -> String {
    let mut text = String::new();
    for unit in char::decode_utf16(units.iter().map(|&unit| u16::from_le_bytes(unit))) {
        let letter = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
        if text.len() + letter.len_utf8() > MAX_FIELD {
            break;
        }
        text.push(letter);
    }
    text
}
