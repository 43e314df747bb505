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

/// The bytes before the text.
const HEAD: usize = 12;
/// The fields of the text, each of which ends with a unit of 0.
const FIELDS: usize = 11;

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
/// No more are kept than there is use for: the fields that there are, and no longer than the tags
/// say.
#[derive(Default)]
pub struct PassingTags {
    /// Where in the file they begin.
    at: usize,
    bytes: Vec<u8>,
    /// The bytes of whole units that have been looked at, and the fields that have ended in them.
    seen: usize,
    fields: usize,
    complete: bool,
}

impl PassingTags {
    /// Tags that begin at this place of the file.
    pub fn new(at: usize) -> Self {
        PassingTags {
            at,
            seen: HEAD,
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
        self.bytes.extend_from_slice(new);
        let Ok(Head { text }) = Head::parse(&self.bytes) else {
            self.complete = self.bytes.len() >= HEAD;
            self.bytes.truncate(HEAD);
            return;
        };
        let end = HEAD.saturating_add(text);
        self.complete = self.bytes.len() >= end;
        self.bytes.truncate(end);
        let (units, _) = self.bytes[self.seen..].as_chunks::<2>();
        for unit in units {
            self.seen += unit.len();
            self.fields += usize::from(*unit == [0, 0]);
            if self.fields == FIELDS {
                self.complete = true;
                self.bytes.truncate(self.seen);
                break;
            }
        }
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

/// The text of units of UTF-16 in little-endian order.
fn text_of(units: &[[u8; 2]]) -> String {
    char::decode_utf16(units.iter().map(|&unit| u16::from_le_bytes(unit)))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
