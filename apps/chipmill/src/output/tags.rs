//! What a file says of its song.

/// What a file says of its song. What is `None`, or only white space, is not stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// The song's title.
    pub title: Option<String>,
    /// The album; for most songs, the game.
    pub album: Option<String>,
    /// The composer.
    pub artist: Option<String>,
    /// When it was published, as free text.
    pub date: Option<String>,
    /// The machine that it is from.
    pub system: Option<String>,
    /// Notes.
    pub comment: Option<String>,
    /// The number on its album; the first is 1.
    pub track: Option<u32>,
}

/// The meaning of a tag. Every container has its own word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    Title,
    Album,
    Artist,
    Date,
    Track,
    System,
    Comment,
}

impl Tags {
    /// The tags that there are, without NULs and white space around them.
    ///
    /// Notes in song files may be long. What is longer than a file's header should be is cut.
    pub(super) fn list(&self) -> Vec<(TagKind, String)> {
        let track = self.track.map(|track| track.to_string());
        [
            (TagKind::Title, &self.title),
            (TagKind::Album, &self.album),
            (TagKind::Artist, &self.artist),
            (TagKind::Date, &self.date),
            (TagKind::Track, &track),
            (TagKind::System, &self.system),
            (TagKind::Comment, &self.comment),
        ]
        .into_iter()
        .filter_map(|(kind, text)| Some((kind, clean(text.as_deref()?)?)))
        .collect()
    }
}

fn clean(text: &str) -> Option<String> {
    const MAX_BYTES: usize = 16 << 10;
    let text = prefix(text, MAX_BYTES).replace('\0', "");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The longest front of `text` that has at most `bytes` bytes and ends between characters.
pub(super) fn prefix(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_tags_are_left_out_and_the_others_cleaned() {
        let tags = Tags {
            title: Some(" a\0b ".into()),
            album: Some(" \0".into()),
            track: Some(7),
            ..Tags::default()
        };
        assert_eq!(
            tags.list(),
            [(TagKind::Title, "ab".into()), (TagKind::Track, "7".into())]
        );
    }

    #[test]
    fn long_tags_are_cut_between_characters() {
        let tags = Tags {
            comment: Some("ü".repeat(100_000)),
            ..Tags::default()
        };
        assert_eq!(tags.list()[0].1.len(), 16 << 10);
        assert_eq!(prefix("aü", 2), "a");
        assert_eq!(prefix("aü", 3), "aü");
    }
}
