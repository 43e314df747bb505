//! Playlists that are broken by chance.

use proptest::prelude::*;

/// Names of files, and what else a playlist can have in their place.
const NAMES: [&str; 16] = [
    "a.vgm",
    "./b c.vgz",
    "../x/../a.vgm",
    "b%20c.vgz",
    "%ff%00.vgm",
    "%",
    "file:///music/a.vgm",
    "file://host/a.vgm",
    "http://host/a.vgm",
    "C:\\music\\a.vgm",
    "list.m3u",
    "list.xspf",
    ".",
    "",
    "\u{feff}\u{3042}.vgm",
    "a\0b.vgm",
];

/// Lines of an M3U playlist.
const LINES: [&str; 8] = [
    "#EXTM3U",
    "#EXTINF:123,Author - Title",
    "#EXTINF:-1 group=\"a,b\",Title",
    "#EXTINF:",
    "#EXTINF:1",
    "#",
    "#PLAYLIST:\u{3042}",
    " \t ",
];

/// Pieces of an XSPF playlist, in no order.
const PIECES: [&str; 20] = [
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "<!DOCTYPE playlist [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]>",
    "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">",
    "<playlist xml:base=\"file:///music/\">",
    "</playlist>",
    "<trackList>",
    "</trackList>",
    "<track>",
    "</track>",
    "<track/>",
    "<location>",
    "</location>",
    "<title>",
    "</title>",
    "<creator>A &amp; B</creator>",
    "<album>&#x41;&#xd800;&a;</album>",
    "<trackNum>-1</trackNum>",
    "<!-- comment -->",
    "<![CDATA[ <a> ]]>",
    "<extension application=\"x\"><location>b.vgm</location></extension>",
];

/// How a text becomes bytes.
#[derive(Debug, Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Latin1,
}

fn encoded(text: &str, encoding: Encoding) -> Vec<u8> {
    let marked = || std::iter::once(0xfeff).chain(text.encode_utf16());
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf16Le => marked().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => marked().flat_map(u16::to_be_bytes).collect(),
        Encoding::Latin1 => text.chars().map(|letter| letter as u8).collect(),
    }
}

fn text_of(
    parts: &[&'static str],
    between: &'static [&'static str],
) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => prop::sample::select(parts.to_vec()).prop_map(str::to_owned),
        2 => prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let between = prop::sample::select(between);
    (prop::collection::vec(part, 0..40), between).prop_map(|(parts, between)| parts.join(between))
}

/// A track whose parts are in their places, so that what is behind the names is reached.
fn tracks() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(NAMES.to_vec()), 0..20).prop_map(|names| {
        let tracks: String = names
            .iter()
            .map(|name| format!("<track><location>{name}</location><title>T</title></track>\n"))
            .collect();
        format!("<playlist><trackList>{tracks}</trackList></playlist>")
    })
}

/// A playlist with the name of its kind, of which some bytes were changed and the end was cut.
pub fn mutated() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let lists = prop_oneof![
        text_of(&LINES, &["\n", "\r\n", "\r"]).prop_map(|text| ("list.m3u", text)),
        text_of(&PIECES, &["", "\n"]).prop_map(|text| ("list.xspf", text)),
        tracks().prop_map(|text| ("list.xspf", text)),
    ];
    let encodings = prop::sample::select(vec![
        Encoding::Utf8,
        Encoding::Utf8,
        Encoding::Utf16Le,
        Encoding::Utf16Be,
        Encoding::Latin1,
    ]);
    let place = any::<prop::sample::Index>;
    let changes = prop::collection::vec((place(), any::<u8>()), 0..4);
    let cut = prop::option::weighted(0.2, place());
    (lists, encodings, changes, cut).prop_map(|((name, text), encoding, changes, cut)| {
        let mut bytes = encoded(&text, encoding);
        bytes.push(b'\n');
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        (name, bytes)
    })
}
