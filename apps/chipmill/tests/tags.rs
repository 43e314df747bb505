//! Tags of files: any script, and broken ones.

mod log;

use chipmill::song::{Gd3, MissingChips, Song};

use log::Log;

/// The field of the header with the place of the tags.
const TAGS: usize = 0x14;

/// The song of a file with these bytes as its tags.
fn song_with(tags: &[u8]) -> Song {
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    // A wave for streams, so that the file has a block too.
    log.block(0, &[1, 2, 3]);
    log.push(&[0x52, 0x28, 0xf0]);
    log.wait(100);
    let mut file = log.finish();
    let place = (file.len() - TAGS) as u32;
    file[TAGS..TAGS + 4].copy_from_slice(&place.to_le_bytes());
    file.extend_from_slice(tags);
    Song::parse(&file, MissingChips::Refuse).unwrap()
}

/// Tags of these units of UTF-16.
fn tags(units: &[u16]) -> Vec<u8> {
    let text: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let length = text.len() as u32;
    [b"Gd3 \x00\x01\x00\x00", &length.to_le_bytes()[..], &text].concat()
}

fn units(fields: &[&str]) -> Vec<u16> {
    fields
        .iter()
        .flat_map(|field| field.encode_utf16().chain([0]))
        .collect()
}

#[test]
fn tags_of_any_script_are_read() {
    let fields = [
        "Star Light Zone",
        "スターライトゾーン",
        "Соник",
        "소닉",
        "ميجا درايف",
        "Μέγα 🎵𝄞",
        "name",
        "中村",
        "1991-06-23",
        "e\u{301}\u{200d}",
        "line\r\nline",
    ];
    let song = song_with(&tags(&units(&fields)));
    let Gd3 {
        title,
        game,
        system,
        author,
        date,
        ripper,
        notes,
    } = song.tags;
    let read = [
        title.english,
        title.origin,
        game.english,
        game.origin,
        system.english,
        system.origin,
        author.english,
        author.origin,
        date,
        ripper,
        notes,
    ];
    assert_eq!(read, fields);
    assert_eq!(song.remarks, [""; 0]);
}

#[test]
fn a_tag_in_one_script_is_found() {
    let song = song_with(&tags(&units(&["", "題", "game", ""])));
    assert_eq!(song.tags.title.any(), "題");
    assert_eq!(song.tags.game.any(), "game");
    assert_eq!(song.tags.author.any(), "");
    let blank = song_with(&tags(&units(&[" ", "題"])));
    assert_eq!(blank.tags.title.any(), "題");
}

#[test]
fn broken_utf16_becomes_replacement_characters() {
    // A half of a pair alone, a pair in the wrong order, and a half at the end.
    let broken = [0x41, 0xd83c, 0x42, 0, 0xdfb5, 0xd83c, 0, 0xd83c];
    let song = song_with(&tags(&broken));
    assert_eq!(song.tags.title.english, "A\u{fffd}B");
    assert_eq!(song.tags.title.origin, "\u{fffd}\u{fffd}");
    assert_eq!(song.tags.game.english, "\u{fffd}");
}

#[test]
fn tags_that_are_cut_keep_what_is_there() {
    let whole = tags(&units(&["title", "", "game"]));
    // An odd byte is no unit; a length behind the end is cut down.
    for length in [whole.len() as u32, 0x7fff_ffff, u32::MAX] {
        let mut long = whole.clone();
        long[8..12].copy_from_slice(&length.to_le_bytes());
        long.push(0x41);
        let song = song_with(&long);
        assert_eq!(song.tags.title.english, "title");
        assert_eq!(song.tags.game.english, "game");
        assert_eq!(song.tags.notes, "");
    }
    let mut short = whole.clone();
    short[8..12].copy_from_slice(&7_u32.to_le_bytes());
    assert_eq!(song_with(&short).tags.title.english, "tit");
    assert_eq!(song_with(&tags(&[])).tags, Gd3::default());
}

#[test]
fn what_is_no_tags_is_a_remark() {
    for bytes in [
        &b"Gd3"[..],
        b"",
        b"Gd4 \x00\x01\x00\x00\x02\x00\x00\x00a\x00",
    ] {
        let song = song_with(bytes);
        assert_eq!(song.tags, Gd3::default());
        assert_eq!(song.remarks.len(), 1);
        assert!(song.remarks[0].contains("tags"), "{}", song.remarks[0]);
    }
}

/// Tags before the commands, among them in a block, and behind them, in a file of many windows.
#[test]
fn tags_are_found_anywhere_in_the_file() {
    let tags = tags(&units(&[
        "title", "", "game", "", "", "", "", "", "", "", "",
    ]));
    for (before, inside, behind) in [
        (true, false, false),
        (false, true, false),
        (false, false, true),
    ] {
        for more in [0, 1, 40_000] {
            let mut log = Log::new();
            log.set(0x2c, 7_670_454);
            let mut place = log.bytes.len();
            if before {
                log.push(&tags);
                log.push(&vec![0; more]);
                log.set(0x34, (log.bytes.len() - 0x34) as u32);
            }
            if inside {
                log.block(0, &[&vec![1; more][..], &tags, &[2; 40_000]].concat());
                place += 7 + more;
            }
            log.push(&[0x52, 0x28, 0xf0].repeat(20_000));
            log.wait(100);
            let mut file = log.finish();
            if behind {
                file.extend(vec![0; more]);
                place = file.len();
                file.extend_from_slice(&tags);
            }
            file[TAGS..TAGS + 4].copy_from_slice(&((place - TAGS) as u32).to_le_bytes());
            let song = Song::parse(&file, MissingChips::Refuse).unwrap();
            assert_eq!(song.tags.title.english, "title");
            assert_eq!(song.tags.game.english, "game");
            assert_eq!(song.remarks, [""; 0]);
        }
    }
}

#[test]
fn tags_behind_the_end_are_a_remark() {
    for behind in [0, 1, 0x7000_0000] {
        let mut log = Log::new();
        log.set(0x2c, 7_670_454);
        log.wait(1);
        let mut file = log.finish();
        let place = (file.len() + behind - TAGS) as u32;
        file[TAGS..TAGS + 4].copy_from_slice(&place.to_le_bytes());
        let remarks = Song::parse(&file, MissingChips::Refuse).unwrap().remarks;
        let why = match behind {
            0 => "they are cut short",
            _ => "they are behind the end",
        };
        assert!(remarks[0].ends_with(why), "{remarks:?}");
    }
}

/// A field without an end, which would be most of a file, is cut like one that ends, and those
/// behind it are read.
#[test]
fn long_fields_are_cut_between_characters() {
    const MOST: usize = 16 << 10;
    for (letter, bytes) in [("a", 1), ("ü", 2), ("あ", 3), ("𝄞", 4)] {
        let long = letter.repeat(40_000);
        let song = song_with(&tags(&units(&[&long, "", "game", "", &long])));
        let kept = MOST / bytes * bytes;
        assert!(song.tags.title.english == long[..kept]);
        assert_eq!(song.tags.game.english, "game");
        assert_eq!(song.tags.system.english.len(), kept);
        assert_eq!(song.remarks, [""; 0]);
        let endless = song_with(&tags(&long.encode_utf16().collect::<Vec<_>>()));
        assert_eq!(endless.tags.title.english.len(), kept);
    }
}
