//! M3U playlists: a file on each line, and comments.

use super::track::{Track, one_line};
use super::{location, text};
use std::ops::ControlFlow;
use std::path::Path;

/// Gives `emit` each entry of a playlist that is in `directory`, until it breaks.
///
/// `#EXTINF:seconds,title` is the title of the next entry. Every other line that begins with `#` is
/// a comment. White space around a line does not count. Each line has an encoding for itself: where
/// names are bytes, a list of them can have several.
pub(super) fn parse(
    bytes: &[u8],
    directory: &Path,
    mut emit: impl FnMut(Track) -> ControlFlow<()>,
) {
    let decoded = text::from_utf16(bytes);
    let bytes = match &decoded {
        Some(text) => text.as_bytes(),
        None => text::without_mark(bytes),
    };
    let mut title = None;
    // Old Macintoshes end lines by CR alone.
    let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    for (bytes, number) in bytes.split(|byte| *byte == end).zip(1..) {
        let line = text::from_bytes(bytes);
        let line = line.trim();
        if let Some(rest) = line.strip_prefix('#') {
            if let Some(info) = strip_prefix_ignoring_case(rest, "EXTINF:") {
                title = extinf_title(info);
            }
        } else if !line.is_empty() {
            let location = Some(location::from_line(line, bytes.trim_ascii(), directory));
            let track = Track {
                line: number,
                location,
                title: title.take(),
                ..Track::default()
            };
            if emit(track).is_break() {
                return;
            }
        }
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// What follows the first comma. Some programs put attributes before it, and their values, which
/// are in quotation marks, may have commas.
fn extinf_title(info: &str) -> Option<Box<str>> {
    let mut quoted = false;
    let comma = info.find(|character| {
        quoted ^= character == '"';
        character == ',' && !quoted
    });
    // A lone quotation mark hides no comma.
    let comma = comma.or_else(|| info.find(','))?;
    one_line(&info[comma + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tracks(text: impl AsRef<[u8]>) -> Vec<Track> {
        let mut tracks = Vec::new();
        parse(text.as_ref(), Path::new("d"), |track| {
            tracks.push(track);
            ControlFlow::Continue(())
        });
        tracks
    }

    #[test]
    fn lines_may_end_by_cr_alone() {
        let [a, b] = &tracks("#EXTM3U\r#EXTINF:83,Hill\ra.vgm\r\rb.vgm\r")[..] else {
            panic!("two entries")
        };
        assert_eq!((a.line, a.title.as_deref()), (3, Some("Hill")));
        assert_eq!((b.line, &b.location), (5, &Some(Ok("d/b.vgm".into()))));
    }

    #[test]
    fn lines_are_files_and_extinf_is_their_title() {
        let text =
            "#EXTM3U\r\n#EXTINF:83,Green Hill\r\na.vgm\r\n\r\n# a comment\r\n  b c.vgz  \r\n";
        let [a, b] = &tracks(text)[..] else {
            panic!("two entries")
        };
        assert_eq!((a.line, a.title.as_deref()), (3, Some("Green Hill")));
        assert_eq!(a.location, Some(Ok("d/a.vgm".into())));
        assert_eq!((b.line, &b.title), (6, &None));
        assert_eq!(b.location, Some(Ok("d/b c.vgz".into())));
    }

    #[test]
    fn titles_follow_the_first_comma_that_is_not_quoted() {
        assert_eq!(extinf_title("-1,One, Two").as_deref(), Some("One, Two"));
        assert_eq!(extinf_title("1 a=\"x,y\" , T").as_deref(), Some("T"));
        assert_eq!(extinf_title("1 5\" disc, T").as_deref(), Some("T"));
        assert_eq!(extinf_title("12"), None);
        assert_eq!(extinf_title("12,  "), None);
    }

    #[test]
    fn the_last_of_two_titles_counts_and_only_once() {
        let [a, b] = &tracks("#EXTINF:1,x\n#extinf:1,y\na\nb")[..] else {
            panic!("two entries")
        };
        assert_eq!((a.title.as_deref(), b.title.as_deref()), (Some("y"), None));
    }

    #[test]
    fn emit_can_stop() {
        let mut count = 0;
        parse(b"a\nb\nc", Path::new(""), |_| {
            count += 1;
            if count == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(count, 2);
    }

    proptest! {
        #[test]
        fn any_bytes_give_one_entry_for_each_line_that_is_no_comment(
            bytes in prop::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'#'), Just(b','), any::<u8>()], 0..300),
        ) {
            let decoded = text::from_utf16(&bytes);
            let text = decoded.as_ref().map_or(text::without_mark(&bytes), |text| text.as_bytes());
            let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
            let expected = text
                .split(|byte| *byte == end)
                .map(|line| text::from_bytes(line).trim().to_owned())
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .count();
            prop_assert_eq!(tracks(&bytes).len(), expected);
        }
    }
}
