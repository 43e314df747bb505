//! File names that are made of tags.

use super::Tags;
use super::file_name::component;
use std::str::FromStr;

/// A pattern for file names, such as `{track:02} {title}`.
///
/// | field | stands for |
/// |---|---|
/// | `{title}` | the title; the stem if there is none |
/// | `{album}` | the album |
/// | `{artist}` | the artist |
/// | `{system}` | the machine |
/// | `{track}` | the number in the list of songs; `{track:03}` has at least three digits |
/// | `{stem}` | the song file's name without its extension |
///
/// A field that a song does not have is empty. `{{` and `}}` are braces. A name is one component of
/// a path: a template cannot have separators, and those in tags are replaced, as is everything else
/// that some file system refuses.
///
/// ```
/// use chipmill::output::{Names, Tags, Template};
///
/// let template: Template = "{track:02} {title}".parse()?;
/// let tags = Tags { title: Some("Act 1/2".into()), ..Tags::default() };
/// assert_eq!(template.name(&tags, 7, "song"), "07 Act 1_2");
/// // Two songs may have the same name.
/// let mut names = Names::default();
/// assert_eq!(names.distinct(&template.name(&tags, 7, "song")), "07 Act 1_2");
/// # Ok::<(), chipmill::output::template::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Title,
    Album,
    Artist,
    System,
    Track {
        /// How many digits there are at least.
        width: usize,
    },
    Stem,
}

/// The error of a text that is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// There is nothing in it.
    #[error("the template is empty; one is \"{{track:02}} {{title}}\"")]
    Empty,
    /// There is no such field.
    #[error(
        "{{{0}}} is not a field of a template; there are {{title}}, {{album}}, {{artist}}, \
         {{system}}, {{track}}, {{track:02}} and {{stem}}"
    )]
    UnknownField(String),
    /// The digits of a track are not `0` and a number up to 20.
    #[error("{{track:{0}}} is not a number of digits; {{track:02}} has two, and 20 are the most")]
    Width(String),
    /// A brace has no partner.
    #[error("there is a single {0:?} in the template; write it twice to have it in the name")]
    SingleBrace(char),
    /// It has a separator of directories.
    #[error("a template names a file, so it cannot have {0:?}; name the directory separately")]
    Separator(char),
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(mut text: &str) -> Result<Self, TemplateError> {
        if text.is_empty() {
            return Err(TemplateError::Empty);
        }
        let mut pieces = Vec::new();
        let mut literal = String::new();
        while let Some(first) = text.chars().next() {
            if let Some(rest) = text.strip_prefix("{{").or_else(|| text.strip_prefix("}}")) {
                literal.push(first);
                text = rest;
            } else if let Some(rest) = text.strip_prefix('{') {
                let (field, rest) = rest
                    .split_once('}')
                    .ok_or(TemplateError::SingleBrace('{'))?;
                if !literal.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::field(field)?);
                text = rest;
            } else {
                match first {
                    '}' => return Err(TemplateError::SingleBrace('}')),
                    '/' | '\\' => return Err(TemplateError::Separator(first)),
                    _ => literal.push(first),
                }
                text = &text[first.len_utf8()..];
            }
        }
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal));
        }
        Ok(Self { pieces })
    }
}

impl Piece {
    fn field(field: &str) -> Result<Self, TemplateError> {
        if let Some(width) = field.strip_prefix("track:") {
            return parse_width(width)
                .map(|width| Self::Track { width })
                .ok_or_else(|| TemplateError::Width(width.to_owned()));
        }
        Ok(match field {
            "title" => Self::Title,
            "album" => Self::Album,
            "artist" => Self::Artist,
            "system" => Self::System,
            "track" => Self::Track { width: 1 },
            "stem" => Self::Stem,
            _ => return Err(TemplateError::UnknownField(field.to_owned())),
        })
    }
}

/// The number after a `0`.
fn parse_width(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('0')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .parse()
        .ok()
        .filter(|width| is_number && (1..=20).contains(width))
}

impl Template {
    /// Whether the name of a song's file depends on its tags.
    #[must_use]
    pub fn needs_tags(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Title | Piece::Album | Piece::Artist | Piece::System => true,
            Piece::Text(_) | Piece::Track { .. } | Piece::Stem => false,
        })
    }

    /// The name of a song's file, without an extension.
    ///
    /// `track` is the song's number in the list, and `stem` its own file's name. A name that would
    /// be empty is the stem, and `song` if that is empty, too. Several songs may have one name;
    /// [`Names`](super::Names) tells them apart.
    #[must_use]
    pub fn name(&self, tags: &Tags, track: usize, stem: &str) -> String {
        let mut name = String::new();
        for piece in &self.pieces {
            let text = match piece {
                Piece::Text(text) => Some(text.as_str()),
                Piece::Title => Some(present(&tags.title).unwrap_or(stem)),
                Piece::Album => present(&tags.album),
                Piece::Artist => present(&tags.artist),
                Piece::System => present(&tags.system),
                Piece::Track { width } => {
                    name.push_str(&format!("{track:0width$}"));
                    None
                }
                Piece::Stem => Some(stem),
            };
            name.push_str(text.unwrap_or_default());
        }
        [name.as_str(), stem, "song"]
            .into_iter()
            .map(component)
            .find(|name| !name.is_empty())
            .expect("the last one is not empty")
    }
}

/// The tag's text, without white space around it, if there is one.
fn present(tag: &Option<String>) -> Option<&str> {
    tag.as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::file_name::tests::{is_one_component, text};
    use super::*;
    use proptest::prelude::*;

    fn name(template: &str, tags: &Tags) -> String {
        template.parse::<Template>().unwrap().name(tags, 7, "stem")
    }

    fn tags() -> Tags {
        Tags {
            title: Some(" Green Hill ".into()),
            album: Some("Sonic/Knuckles".into()),
            artist: Some("M. N.".into()),
            system: Some("Mega Drive".into()),
            ..Tags::default()
        }
    }

    #[test]
    fn fields_are_filled_in() {
        let all = "{track:03} {title} - {artist} [{album}, {system}] {stem} {track}";
        let expected = "007 Green Hill - M. N. [Sonic_Knuckles, Mega Drive] stem 7";
        assert_eq!(name(all, &tags()), expected);
        assert_eq!(name("{{{title}}}", &tags()), "{Green Hill}");
    }

    #[test]
    fn names_of_numbers_and_stems_need_no_tags() {
        let needs_tags = |template: &str| template.parse::<Template>().unwrap().needs_tags();
        assert!(!needs_tags("song {track:02} {stem}"));
        for field in ["{title}", "{album}", "{artist}", "{system}"] {
            assert!(needs_tags(&format!("{{stem}} {field}")));
        }
    }

    #[test]
    fn what_is_missing_is_empty_or_the_stem() {
        let blank = Tags {
            title: Some(" ".into()),
            ..Tags::default()
        };
        assert_eq!(name("{track:02} {title}", &blank), "07 stem");
        assert_eq!(name("{album}", &blank), "stem");
        assert_eq!(name("{artist} {system}", &blank), "stem");
        let dots: Template = "...".parse().unwrap();
        assert_eq!(dots.name(&blank, 1, "..."), "song");
    }

    #[test]
    fn faults_say_what_to_do() {
        let fault = |text: &str| text.parse::<Template>().unwrap_err();
        assert_eq!(fault(""), TemplateError::Empty);
        assert_eq!(fault("{title"), TemplateError::SingleBrace('{'));
        assert_eq!(fault("title}"), TemplateError::SingleBrace('}'));
        assert_eq!(fault("{album}/{title}"), TemplateError::Separator('/'));
        assert_eq!(fault("a\\b"), TemplateError::Separator('\\'));
        for width in ["", "0", "2", "021", "0+2", "0x2", "02 "] {
            assert_eq!(
                fault(&format!("{{track:{width}}}")),
                TemplateError::Width(width.into())
            );
        }
        let text = fault("{titel}").to_string();
        for known in [
            "title", "album", "artist", "system", "track", "track:02", "stem",
        ] {
            assert!(text.contains(&format!("{{{known}}}")), "{text}");
        }
        assert!(text.starts_with("{titel} is not a field"), "{text}");
        assert_eq!(
            fault("{title:02}"),
            TemplateError::UnknownField("title:02".into())
        );
    }

    proptest! {
        #[test]
        fn a_name_is_always_one_component(
            template in text(),
            (title, stem) in (text(), text()),
            track in any::<usize>(),
        ) {
            let tags = Tags { title: Some(title.clone()), artist: Some(title), ..Tags::default() };
            for template in [&*template, "{title}", "{artist}", "{stem}", "{track:020}{title}"] {
                if let Ok(template) = template.parse::<Template>() {
                    let name = template.name(&tags, track, &stem);
                    prop_assert!(is_one_component(&name), "{name:?}");
                }
            }
        }

        #[test]
        fn doubled_braces_stand_for_themselves(text in "[a-c{} ]{0,10}x") {
            let doubled = text.replace('{', "{{").replace('}', "}}");
            let template: Template = doubled.parse().unwrap();
            prop_assert_eq!(template.name(&Tags::default(), 1, ""), text.trim_start());
        }
    }
}
