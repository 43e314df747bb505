//! XSPF playlists: XML with a list of tracks.
//!
//! Only the five predefined entities and character references are known. A document type is
//! skipped, so entities that expand to entities do not exist here.

use super::location::{self, Base};
use super::track::{Track, one_line};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::reader::NsReader;
use std::ops::ControlFlow;
use std::path::Path;

const NAMESPACE: &str = "http://xspf.org/ns/0/";

/// How deep elements may nest. Tracks are at depth 4, and extensions need little more.
const MAX_NESTING: usize = 100;

/// What is wrong with a playlist, and in which line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub line: u32,
    pub message: String,
}

/// Gives `emit` each track of a playlist that is in `directory`, until it breaks.
///
/// Elements of other namespaces are skipped. Elements without any namespace are read as XSPF,
/// because programs forget it.
///
/// # Errors
///
/// If the text is not well-formed or has no `playlist`. The tracks before the fault have been
/// emitted then.
pub(super) fn parse(
    text: &str,
    directory: &Path,
    emit: impl FnMut(Track) -> ControlFlow<()>,
) -> Result<(), Malformed> {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut lines = Lines {
        text,
        position: 0,
        line: 1,
    };
    let mut parser = Parser {
        depth: 0,
        level: Level::Document,
        bases: vec![Base::Directory(directory.to_owned())],
        has_playlist: false,
        track: Track::default(),
        content: String::new(),
        emit,
    };
    loop {
        let step = match reader.read_event() {
            Ok(Event::Eof) => {
                return parser
                    .end_of_file()
                    .map_err(|message| lines.malformed(message));
            }
            Ok(event) => {
                lines.advance(reader.buffer_position());
                let foreign = match &event {
                    Event::Start(start) => matches!(
                        reader.resolver().resolve_element(start.name()).0,
                        ResolveResult::Bound(Namespace(name)) if name != NAMESPACE
                    ),
                    _ => false,
                };
                parser.event(&event, foreign, lines.line)
            }
            Err(error) => {
                lines.advance(reader.error_position());
                Err(error.to_string())
            }
        };
        match step {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return Ok(()),
            Err(message) => return Err(lines.malformed(message)),
        }
    }
}

/// Which element of the structure of XSPF the parser is in. Elements that are not part of it are
/// skipped, with all that is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Document,
    Playlist,
    TrackList,
    Track,
    Field(Field),
}

impl Level {
    /// How deep the element is.
    fn depth(self) -> usize {
        match self {
            Self::Document => 0,
            Self::Playlist => 1,
            Self::TrackList => 2,
            Self::Track => 3,
            Self::Field(_) => 4,
        }
    }

    fn outer(self) -> Self {
        match self {
            Self::Document | Self::Playlist => Self::Document,
            Self::TrackList => Self::Playlist,
            Self::Track => Self::TrackList,
            Self::Field(_) => Self::Track,
        }
    }

    fn inner(self, name: &str) -> Option<Self> {
        Some(match (self, name) {
            (Self::Document, "playlist") => Self::Playlist,
            (Self::Playlist, "trackList") => Self::TrackList,
            (Self::TrackList, "track") => Self::Track,
            (Self::Track, "location") => Self::Field(Field::Location),
            (Self::Track, "title") => Self::Field(Field::Title),
            (Self::Track, "creator") => Self::Field(Field::Creator),
            (Self::Track, "album") => Self::Field(Field::Album),
            (Self::Track, "trackNum") => Self::Field(Field::TrackNumber),
            _ => return None,
        })
    }
}

/// An element of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Location,
    Title,
    Creator,
    Album,
    TrackNumber,
}

struct Parser<E> {
    /// How many elements are open, the skipped ones included.
    depth: usize,
    level: Level,
    /// The base of the document, and those of the open elements of the structure.
    bases: Vec<Base>,
    /// Whether the document has its element `playlist`.
    has_playlist: bool,
    track: Track,
    /// The text of the open field.
    content: String,
    emit: E,
}

impl<E: FnMut(Track) -> ControlFlow<()>> Parser<E> {
    fn event(
        &mut self,
        event: &Event<'_>,
        foreign: bool,
        line: u32,
    ) -> Result<ControlFlow<()>, String> {
        match event {
            Event::Start(start) => self.start(start, foreign, line)?,
            Event::End(_) => return Ok(self.end(line)),
            Event::Text(text) if self.is_in_field() => self.content.push_str(&text.xml10_content()),
            Event::CData(data) if self.is_in_field() => {
                self.content.push_str(&data.xml10_content())
            }
            Event::GeneralRef(reference) if self.is_in_field() => self.reference(reference)?,
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn start(&mut self, start: &BytesStart<'_>, foreign: bool, line: u32) -> Result<(), String> {
        let is_child = self.depth == self.level.depth();
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(format!("elements nest deeper than {MAX_NESTING}"));
        }
        let name = start.local_name();
        let inner = self
            .level
            .inner(name.as_ref())
            .filter(|_| is_child && !foreign);
        let Some(level) = inner else {
            return if self.depth == 1 {
                Err(format!(
                    "the document is a <{}>, not an XSPF <playlist>",
                    name.as_ref()
                ))
            } else {
                Ok(())
            };
        };
        self.level = level;
        self.has_playlist = true;
        self.bases.push(self.base_of(start)?);
        self.content.clear();
        if level == Level::Track {
            self.track = Track {
                line,
                ..Track::default()
            };
        }
        Ok(())
    }

    /// The base in an element: the one outside, or what `xml:base` makes of it.
    fn base_of(&self, start: &BytesStart<'_>) -> Result<Base, String> {
        let outer = self
            .bases
            .last()
            .expect("the document's base is never removed");
        // The check for duplicates takes quadratic time.
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| error.to_string())?;
            if attribute.key.as_ref() == "xml:base" {
                let value = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_err(|error| error.to_string())?;
                return outer.join(value.trim()).map_err(|error| error.to_string());
            }
        }
        Ok(outer.clone())
    }

    fn end(&mut self, line: u32) -> ControlFlow<()> {
        let is_known = self.depth == self.level.depth();
        self.depth -= 1;
        if !is_known {
            return ControlFlow::Continue(());
        }
        let level = self.level;
        self.level = level.outer();
        let step = match level {
            Level::Field(field) => {
                self.end_of_field(field, line);
                ControlFlow::Continue(())
            }
            Level::Track => (self.emit)(std::mem::take(&mut self.track)),
            _ => ControlFlow::Continue(()),
        };
        self.bases.pop();
        step
    }

    /// The first of several fields of one kind counts: further locations are alternatives.
    fn end_of_field(&mut self, field: Field, line: u32) {
        let track = &mut self.track;
        let text = match field {
            Field::Location => {
                if track.location.is_none() && !self.content.trim().is_empty() {
                    let base = self
                        .bases
                        .last()
                        .expect("the document's base is never removed");
                    track.location = Some(location::from_uri(self.content.trim(), base));
                    track.line = line;
                }
                return;
            }
            Field::TrackNumber => {
                track.track = track.track.or_else(|| self.content.trim().parse().ok());
                return;
            }
            Field::Title => &mut track.title,
            Field::Creator => &mut track.artist,
            Field::Album => &mut track.album,
        };
        if text.is_none() {
            *text = one_line(&self.content);
        }
    }

    fn is_in_field(&self) -> bool {
        matches!(self.level, Level::Field(_)) && self.depth == self.level.depth()
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), String> {
        if let Some(character) = reference
            .resolve_char_ref()
            .map_err(|error| error.to_string())?
        {
            self.content.push(character);
            return Ok(());
        }
        let text = resolve_predefined_entity(reference).ok_or_else(|| {
            format!(
                "the entity &{}; is not known, because document types are not read",
                &**reference
            )
        })?;
        self.content.push_str(text);
        Ok(())
    }

    fn end_of_file(&self) -> Result<(), String> {
        if self.depth > 0 {
            Err("the file ends inside an element; it is cut off".to_owned())
        } else if !self.has_playlist {
            Err("the file has no <playlist>".to_owned())
        } else {
            Ok(())
        }
    }
}

/// Finds the line of a position. Positions only grow, so the text is read once.
struct Lines<'a> {
    text: &'a str,
    position: usize,
    line: u32,
}

impl Lines<'_> {
    fn advance(&mut self, position: u64) {
        let end = usize::try_from(position)
            .unwrap_or(usize::MAX)
            .min(self.text.len());
        let passed = self
            .text
            .as_bytes()
            .get(self.position..end)
            .unwrap_or_default();
        let breaks = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = self
            .line
            .saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.position = self.position.max(end);
    }

    fn malformed(&self, message: String) -> Malformed {
        Malformed {
            line: self.line,
            message,
        }
    }
}
