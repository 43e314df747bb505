//! Tests of the parser of XSPF playlists.

use super::track::Track;
use super::xspf::{Malformed, parse};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;

fn parse_all(text: &str) -> (Vec<Track>, Result<(), Malformed>) {
    let mut tracks = Vec::new();
    let result = parse(text, Path::new("/d"), |track| {
        tracks.push(track);
        ControlFlow::Continue(())
    });
    (tracks, result)
}

fn tracks(text: &str) -> Vec<Track> {
    let (tracks, result) = parse_all(text);
    assert_eq!(result, Ok(()));
    tracks
}

/// A playlist with these tracks and nothing else.
fn list(tracks: &str) -> String {
    let open = format!(
        r#"<playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>{tracks}</trackList>"#
    );
    open + "</playlist>"
}

#[test]
fn a_track_has_its_titles_and_the_line_of_its_location() {
    let text = r#"<?xml version="1.0" encoding="UTF-8"?>
<playlist version="1" xmlns="http://xspf.org/ns/0/">
  <title>Not of a track</title>
  <trackList>
<track>
  <title>Green
    &amp; Hill&#x21;</title>
  <creator><![CDATA[<M.N.>]]></creator>
  <album>Sonic</album><trackNum>12</trackNum>
  <location>sub/Green%20Hill.vgz</location>
</track>
  </trackList>
</playlist>"#;
    let expected = Track {
        line: 10,
        location: Some(Ok("/d/sub/Green Hill.vgz".into())),
        title: Some("Green & Hill!".into()),
        artist: Some("<M.N.>".into()),
        album: Some("Sonic".into()),
        track: Some(12),
    };
    assert_eq!(tracks(text), [expected]);
}

#[test]
fn other_namespaces_are_skipped_and_none_is_ours() {
    let text = r#"<x:playlist xmlns:x="http://xspf.org/ns/0/" xmlns:o="urn:other">
        <x:trackList><x:track>
            <x:extension><o:deep><x:location>no.vgm</x:location></o:deep></x:extension>
            <o:location>no.vgm</o:location><x:location>a.vgm</x:location>
            <o:title>no</o:title>
        </x:track></x:trackList></x:playlist>"#;
    let [track] = &tracks(text)[..] else {
        panic!("one track")
    };
    assert_eq!(
        (&track.location, &track.title),
        (&Some(Ok("/d/a.vgm".into())), &None)
    );
    let bare = "<playlist><trackList><track><location>a</location></track></trackList></playlist>";
    assert_eq!(tracks(bare)[0].location, Some(Ok("/d/a".into())));
}

#[test]
fn the_first_location_counts() {
    let text = list("<track><location> a </location><location>b</location></track><track/>");
    let [first, second] = &tracks(&text)[..] else {
        panic!("two tracks")
    };
    assert_eq!(first.location, Some(Ok("/d/a".into())));
    assert_eq!(second.location, None);
}

#[test]
fn bases_are_inherited_and_end_with_their_element() {
    let text = r#"<playlist xml:base="one/"><trackList>
        <track xml:base="two/"><location xml:base="file:///abs/">a</location></track>
        <track xml:base="two/"><location>b</location></track>
        <track><location>c</location></track>
        <track xml:base="http://host/"><location>d</location></track>
        </trackList></playlist>"#;
    let tracks = tracks(text);
    let path = |index: usize| tracks[index].location.clone().unwrap();
    assert_eq!(path(0), Ok("/abs/a".into()));
    assert_eq!(path(1), Ok("/d/one/two/b".into()));
    assert_eq!(path(2), Ok("/d/one/c".into()));
    assert!(path(3).unwrap_err().to_string().contains("download"));
}

#[test]
fn what_is_before_a_fault_is_kept() {
    let text = list("<track><location>a</location></track>\n<track></wrong>");
    let (tracks, result) = parse_all(&text);
    assert_eq!(tracks.len(), 1);
    assert_eq!(result.unwrap_err().line, 2);
}

#[test]
fn a_file_that_is_cut_off_is_malformed() {
    let text = list("<track><location>a</location></track>");
    for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(parse_all(&text[..end]).1.is_err(), "{}", &text[..end]);
    }
}

#[test]
fn documents_of_other_kinds_are_named() {
    let message = |text| parse_all(text).1.unwrap_err().message;
    assert!(message("<html/>").contains("<html>"));
    assert!(message(r#"<playlist xmlns="urn:other"/>"#).contains("<playlist>"));
    assert!(message("").contains("no <playlist>"));
}

#[test]
fn entities_do_not_expand() {
    let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>"#.to_owned()
        + &list("<track><title>&b;</title><location>a</location></track>");
    let (tracks, result) = parse_all(&bomb);
    assert_eq!(tracks, []);
    assert!(result.unwrap_err().message.contains("&b;"));
}

#[test]
fn deep_nesting_is_refused() {
    let text = list(&"<x>".repeat(100_000));
    assert!(parse_all(&text).1.unwrap_err().message.contains("nest"));
}

#[test]
fn emit_can_stop() {
    let text = list("<track/><track/><track/>");
    let mut count = 0;
    let result = parse(&text, Path::new(""), |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert_eq!((count, result), (1, Ok(())));
}

/// Pieces of a playlist, and of things that look like one.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "<playlist>",
        "</playlist>",
        "<trackList>",
        "</trackList>",
        "<track>",
        "</track>",
        "<track/>",
        "<location>",
        "</location>",
        "<title xml:base='../'>",
        "</title>",
        "a%zz",
        "&amp;",
        "&x;",
        "&#0;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?xml",
        "?>",
        "<!DOCTYPE",
        "xmlns:a='b'",
        "<",
        ">",
        "\"",
        "\n",
    ])
}

proptest! {
    #[test]
    fn any_text_gives_tracks_only_from_track_elements(
        pieces in prop::collection::vec(piece(), 0..40),
    ) {
        let text = pieces.concat();
        let (tracks, result) = parse_all(&text);
        prop_assert!(tracks.len() <= text.matches("<track").count());
        if let Err(malformed) = result {
            prop_assert!(malformed.line as usize <= text.matches('\n').count() + 1);
            prop_assert!(!malformed.message.is_empty());
        }
    }
}
