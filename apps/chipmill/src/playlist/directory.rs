//! The songs of a directory and of the directories in it.

use super::natural;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A song, or a directory that cannot be read and why.
pub(super) type Found = Result<PathBuf, (PathBuf, io::Error)>;

/// Whether the name is that of a VGM file.
pub(super) fn is_song(path: &Path) -> bool {
    has_extension(path, &["vgm", "vgz"])
}

/// Whether the path's extension is one of these, whatever its case.
pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .is_some_and(|found| extensions.iter().any(|one| found.eq_ignore_ascii_case(one)))
}

/// Gives `emit` the songs below `root`, until it breaks.
///
/// Names are in natural order, and a directory's songs stand at its place. Hidden names are
/// skipped. Links are followed, but a directory is read only once, however many links lead to it;
/// so circles end.
pub(super) fn walk(root: &Path, mut emit: impl FnMut(Found) -> ControlFlow<()>) {
    let mut visited = HashSet::new();
    let mut pending = vec![Node::Directory {
        path: root.to_owned(),
        real: fs::canonicalize(root),
    }];
    while let Some(node) = pending.pop() {
        let step = match node {
            Node::Song(path) => emit(Ok(path)),
            Node::Directory { path, real } => {
                let listed = real.and_then(|real| {
                    if visited.contains(&real) {
                        return Ok(Vec::new());
                    }
                    let nodes = list(&path, &real);
                    visited.insert(real);
                    nodes
                });
                match listed {
                    Ok(nodes) => {
                        pending.extend(nodes.into_iter().rev());
                        ControlFlow::Continue(())
                    }
                    Err(error) => emit(Err((path, error))),
                }
            }
        };
        if step.is_break() {
            return;
        }
    }
}

enum Node {
    Song(PathBuf),
    Directory {
        path: PathBuf,
        /// The path without links, by which a directory is known again.
        real: io::Result<PathBuf>,
    },
}

/// What is in the directory `path`, in natural order.
fn list(path: &Path, real: &Path) -> io::Result<Vec<Node>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        if !is_hidden(&name) {
            entries.push((name, entry.file_type()?));
        }
    }
    entries.sort_unstable_by(|(left, _), (right, _)| natural::compare(left, right));

    let nodes = entries.into_iter().filter_map(|(name, kind)| {
        let path = path.join(&name);
        if kind.is_dir() {
            return Some(Node::Directory {
                real: Ok(real.join(&name)),
                path,
            });
        }
        if kind.is_symlink() {
            return match fs::metadata(&path) {
                Ok(target) if target.is_dir() => Some(Node::Directory {
                    real: fs::canonicalize(&path),
                    path,
                }),
                Ok(target) => (target.is_file() && is_song(&path)).then_some(Node::Song(path)),
                // A broken link to a song is an entry, as is every file that is missing.
                Err(_) => is_song(&path).then_some(Node::Song(path)),
            };
        }
        (kind.is_file() && is_song(&path)).then_some(Node::Song(path))
    });
    Ok(nodes.collect())
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }

    /// The names of the songs, relative to the directory.
    fn songs(root: &Path) -> Vec<String> {
        let mut songs = Vec::new();
        walk(root, |found| {
            let path = found.unwrap();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            songs.push(name.replace('\\', "/"));
            ControlFlow::Continue(())
        });
        songs
    }

    #[test]
    fn songs_are_in_natural_order_and_nothing_else_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let names = [
            "10.vgm", "2.VGZ", "3/b.vgm", "3/a.vgm", "x.m3u", "x.txt", ".h.vgm", ".h/a.vgm",
        ];
        touch(root.path(), &names);
        assert_eq!(
            songs(root.path()),
            ["2.VGZ", "3/a.vgm", "3/b.vgm", "10.vgm"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn circles_of_links_end_and_a_directory_counts_once() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), &["a/1.vgm", "b/2.vgm"]);
        symlink("..", root.path().join("a/up")).unwrap();
        symlink("../b", root.path().join("a/to-b")).unwrap();
        symlink("self", root.path().join("self")).unwrap();
        symlink("nowhere", root.path().join("c.vgm")).unwrap();
        symlink("a/1.vgm", root.path().join("d.vgm")).unwrap();
        assert_eq!(
            songs(root.path()),
            ["a/1.vgm", "a/to-b/2.vgm", "c.vgm", "d.vgm"]
        );
    }

    #[test]
    fn a_directory_that_cannot_be_read_is_reported() {
        let root = tempfile::tempdir().unwrap();
        let missing = root.path().join("missing");
        let mut found = Vec::new();
        walk(&missing, |one| {
            found.push(one);
            ControlFlow::Continue(())
        });
        assert!(matches!(&found[..], [Err((path, _))] if *path == missing));
    }
}
