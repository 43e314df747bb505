//! Tests of [`expand`](super::expand) with files.

use super::{
    Entry, Expanded, Input, MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_PATHS, Place, ProblemKind,
    expand,
};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory with files in it.
struct Tree(TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            tree.write(name, content);
        }
        tree
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn expand(&self, names: &[&str]) -> Expanded {
        let inputs: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        expand(&inputs)
    }

    /// The entries' paths, relative to the directory.
    fn names(&self, list: &Expanded) -> Vec<String> {
        let name = |entry: &Entry| {
            let path = entry.path().unwrap();
            path.strip_prefix(self.0.path())
                .unwrap_or(path)
                .display()
                .to_string()
        };
        list.entries.iter().map(name).collect()
    }
}

fn messages(list: &Expanded) -> Vec<String> {
    list.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn escapes_in_a_list_of_lines_are_decoded_where_that_is_a_file() {
    let tree = Tree::new(&[
        ("01 Act.vgm", ""),
        ("100%25.vgm", ""),
        ("100%.vgm", ""),
        (
            "l.m3u",
            "01%20Act.vgm\n100%25.vgm\nnone%20there.vgm\n%ff.vgm\n",
        ),
    ]);
    let list = tree.expand(&["l.m3u"]);
    let names = ["01 Act.vgm", "100%25.vgm", "none%20there.vgm", "%ff.vgm"];
    assert_eq!(tree.names(&list), names);
}

/// Names are bytes there. A line that is no UTF-8 spoils no other line, is a name in Windows-1252,
/// and else has the bytes of a name.
#[cfg(target_os = "linux")]
#[test]
fn names_of_several_encodings_are_found_in_one_list() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new(&[("caf\u{e9}.vgm", ""), ("\u{fc}.vgm", ""), ("d/1.vgm", "")]);
    let named = OsStr::from_bytes(b"d/caf\xe9L.vgm");
    let shift_jis = OsStr::from_bytes(b"\x95\\.vgm");
    for name in [named, shift_jis] {
        fs::write(tree.0.path().join(name), "").unwrap();
    }
    let lines = "caf\u{e9}.vgm\n".as_bytes();
    tree.write(
        "l.m3u",
        [
            lines,
            b"# \x83\xff\n\xfc.vgm\nd\\caf\xe9L.vgm\nn\xf6.vgm\n\x95\\.vgm\n",
        ]
        .concat(),
    );
    let list = tree.expand(&["l.m3u"]);
    let root = tree.0.path();
    let paths = Vec::from_iter(list.entries.iter().map(|entry| entry.path().unwrap()));
    assert_eq!(
        paths,
        [
            root.join("caf\u{e9}.vgm"),
            root.join("\u{fc}.vgm"),
            root.join(named),
            root.join("n\u{f6}.vgm"),
            root.join(shift_jis),
        ]
    );
}

#[test]
fn inputs_keep_their_order() {
    let tree = Tree::new(&[
        ("d/10.vgm", ""),
        ("d/9.vgm", ""),
        ("l.m3u", "x.vgm\nd/9.vgm\n"),
    ]);
    let list = tree.expand(&["z.bin", "d", "l.m3u"]);
    assert_eq!(
        tree.names(&list),
        ["z.bin", "d/9.vgm", "d/10.vgm", "x.vgm", "d/9.vgm"]
    );
    assert_eq!(messages(&list), [""; 0]);
    assert_eq!(list.entries[0].place, Place::Argument);
    assert_eq!(
        list.entries[1].place,
        Place::Directory(tree.path("d").into())
    );
    let file = tree.path("l.m3u").into();
    assert_eq!(list.entries[4].place, Place::Playlist { file, line: 2 });
}

#[test]
fn standard_input_is_read_once() {
    let list = expand(&["-", "-"].map(OsString::from));
    assert!(matches!(
        &list.entries[..],
        [Entry {
            input: Input::Stdin,
            ..
        }]
    ));
    assert!(matches!(list.problems[0].kind, ProblemKind::StdinTwice));
}

#[test]
fn a_playlist_may_name_a_file_called_dash() {
    let tree = Tree::new(&[("l.m3u", "-\n")]);
    assert_eq!(tree.names(&tree.expand(&["l.m3u"])), ["-"]);
}

#[test]
fn both_kinds_of_playlists_give_titles() {
    let tree = Tree::new(&[("l.XSPF", "")]);
    tree.write("a.m3u", b"#EXTINF:1,Caf\xe9\nCaf\xe9.vgm");
    tree.write(
        "l.XSPF",
        "\u{feff}<playlist><trackList><track><location>b%20c.vgm</location><title>T</title>\
         <creator>A</creator><album>B</album><trackNum>3</trackNum></track></trackList></playlist>",
    );
    let list = tree.expand(&["a.m3u", "l.XSPF"]);
    assert_eq!(tree.names(&list), ["Café.vgm", "b c.vgm"]);
    let [first, second] = &list.entries[..] else {
        panic!("two entries")
    };
    assert_eq!(first.title.as_deref(), Some("Café"));
    let titles = [&second.title, &second.artist, &second.album].map(|title| title.as_deref());
    assert_eq!(
        (titles, second.track),
        ([Some("T"), Some("A"), Some("B")], Some(3))
    );
}

#[test]
fn playlists_are_followed_where_they_stand() {
    let tree = Tree::new(&[
        ("a.m3u", "1.vgm\nsub/b.m3u8\n3.vgm\n"),
        ("sub/b.m3u8", "2.vgm\nhttp://host/x.vgm\n"),
    ]);
    let list = tree.expand(&["a.m3u"]);
    assert_eq!(tree.names(&list), ["1.vgm", "sub/2.vgm", "3.vgm"]);
    let [message] = &messages(&list)[..] else {
        panic!("one problem")
    };
    assert!(
        message.contains("b.m3u8:2: ") && message.contains("download it first"),
        "{message}"
    );
}

#[test]
fn a_circle_is_a_problem_of_its_entry() {
    let tree = Tree::new(&[
        ("a.m3u", "1.vgm\nb.m3u\n4.vgm"),
        ("b.m3u", "2.vgm\na.m3u\n3.vgm"),
    ]);
    let list = tree.expand(&["a.m3u"]);
    assert_eq!(tree.names(&list), ["1.vgm", "2.vgm", "3.vgm", "4.vgm"]);
    let [message] = &messages(&list)[..] else {
        panic!("one problem")
    };
    assert!(
        message.contains("b.m3u:2: ") && message.contains("circle"),
        "{message}"
    );
}

#[test]
fn the_same_playlist_twice_is_no_circle() {
    let tree = Tree::new(&[("a.m3u", "b.m3u\nb.m3u"), ("b.m3u", "1.vgm")]);
    let list = tree.expand(&["a.m3u", "b.m3u"]);
    assert_eq!((list.entries.len(), list.problems.len()), (3, 0));
}

#[test]
fn depth_is_limited() {
    let tree = Tree::new(&[]);
    for depth in 0..=MAX_DEPTH + 1 {
        tree.write(
            &format!("{depth}.m3u"),
            format!("{depth}.vgm\n{}.m3u\n", depth + 1),
        );
    }
    let list = tree.expand(&["0.m3u"]);
    assert_eq!(list.entries.len(), MAX_DEPTH + 1);
    assert!(matches!(&list.problems[..], [one] if matches!(one.kind, ProblemKind::TooDeep(_))));
}

#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let tree = Tree::new(&[
        ("a.m3u", "missing.m3u\nd\n1.vgm"),
        ("d/x.vgm", ""),
        ("broken.xspf", "<playlist>\n<trackList>\n</playlist>"),
    ]);
    let list = tree.expand(&["gone.m3u", "a.m3u", "broken.xspf", "2.vgm"]);
    assert_eq!(tree.names(&list), ["1.vgm", "2.vgm"]);
    let kinds: Vec<_> = list.problems.iter().map(|problem| &problem.kind).collect();
    assert!(
        matches!(
            kinds[..],
            [
                ProblemKind::Unreadable { .. },
                ProblemKind::Unreadable { .. },
                ProblemKind::Directory(_),
                ProblemKind::Malformed(_)
            ]
        ),
        "{kinds:?}"
    );
    let text = list.problems[3].to_string();
    assert!(text.contains("broken.xspf:3: "), "{text}");
}

#[test]
fn entries_are_limited_over_all_playlists_of_an_input() {
    let half = "a\n".repeat(MAX_ENTRIES / 2);
    let tree = Tree::new(&[("a.m3u", "b.m3u\nb.m3u\nb.m3u\n"), ("b.m3u", &half)]);
    let list = tree.expand(&["a.m3u", "z.vgm"]);
    // Two entries are the playlists themselves.
    assert_eq!(list.entries.len(), MAX_ENTRIES - 2 + 1);
    assert!(
        matches!(&list.problems[..], [one] if matches!(one.kind, ProblemKind::TooManyEntries(_)))
    );
}

#[test]
fn bytes_are_limited_over_all_playlists_of_an_input() {
    let tree = Tree::new(&[("a.m3u", "half.m3u\nhalf.m3u\n1.vgm")]);
    let half = fs::File::create(tree.path("half.m3u")).unwrap();
    half.set_len(MAX_BYTES / 2).unwrap();
    fs::File::create(tree.path("large.m3u"))
        .unwrap()
        .set_len(MAX_BYTES + 1)
        .unwrap();
    let list = tree.expand(&["a.m3u", "large.m3u"]);
    let is_large = |kind: &ProblemKind| matches!(kind, ProblemKind::TooLarge(_));
    // The first half is one line of NULs.
    assert_eq!(
        list.problems
            .iter()
            .filter(|problem| is_large(&problem.kind))
            .count(),
        2
    );
    assert_eq!(tree.names(&list), ["1.vgm"]);
}

#[cfg(unix)]
#[test]
fn a_device_is_no_playlist_and_no_song_of_one() {
    let tree = Tree::new(&[("a.m3u", "zero.m3u\nzero.vgm\n1.vgm")]);
    for name in ["zero.m3u", "zero.vgm"] {
        std::os::unix::fs::symlink("/dev/zero", tree.path(name)).unwrap();
    }
    let list = tree.expand(&["a.m3u"]);
    assert_eq!(tree.names(&list), ["1.vgm"]);
    assert_eq!(list.problems.len(), 2);
    let is_no_file = |kind: &ProblemKind| matches!(kind, ProblemKind::NotRegular(_));
    assert!(
        list.problems
            .iter()
            .all(|problem| is_no_file(&problem.kind))
    );
}

#[test]
fn a_relative_playlist_gives_relative_paths() {
    let list = expand(&[Path::new("no-such-directory/a.vgm")]);
    assert_eq!(
        list.entries[0].path(),
        Some(Path::new("no-such-directory/a.vgm"))
    );
}

/// Some kilobytes of lines, in a playlist whose own path is long, would be gigabytes of paths.
#[test]
fn entries_with_long_paths_are_bounded() {
    let tree = Tree::new(&[("e/d/sub.m3u", &"a\n".repeat(5_000))]);
    let long = format!("e{}d/sub.m3u", "/".repeat(3_800));
    tree.write("list.m3u", format!("{long}\nlast.vgm\n"));
    let list = tree.expand(&["list.m3u"]);
    let paths = list.entries.iter().map(|entry| entry.path().unwrap());
    let bytes: usize = paths.map(|path| path.as_os_str().len()).sum();
    assert!(bytes <= MAX_PATHS, "{bytes}");
    assert!(list.entries.len() > 4_000);
    let [problem] = &messages(&list)[..] else {
        panic!("{:?}", messages(&list));
    };
    assert!(problem.contains("the rest is left out"), "{problem}");
}

/// The base of an XSPF playlist is part of the path of each track.
#[test]
fn a_long_base_is_a_problem_of_its_playlist() {
    let base = format!("{}/", "a".repeat(500_000));
    let track = "<track><location>a</location></track>";
    let text = format!(
        "<playlist xml:base=\"{base}\"><trackList>{}</trackList></playlist>",
        track.repeat(1_000)
    );
    let tree = Tree::new(&[("list.xspf", &text)]);
    let list = tree.expand(&["list.xspf"]);
    assert_eq!(list.entries.len(), 0);
    let [problem] = &messages(&list)[..] else {
        panic!("{} problems", list.problems.len());
    };
    assert!(problem.contains("which no system opens"), "{problem}");
    assert!(problem.len() < 1_000);
}
