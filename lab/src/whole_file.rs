//! Files that are there with all of their text, or not at all.
//!
//! A text is written to a file beside the place that it is for, and then moved there. So what a
//! full disk cuts off, or a signal, is never taken for the whole text.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file in the place of the one that may be there, which is left as it is if that fails.
/// Makes the directory that it is in.
pub fn replace(to: &Path, text: &str) -> io::Result<()> {
    let beside = write_beside(to, text)?;
    fs::rename(&beside, to).inspect_err(|_| remove(&beside))
}

/// Writes a file that must not be there yet, also if another process has just made it. Makes the
/// directory that it is in.
pub fn create(to: &Path, text: &str) -> io::Result<()> {
    let beside = write_beside(to, text)?;
    // Of several that try, one makes the name.
    let linked = match fs::hard_link(&beside, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !to.exists() => {
            // This file system may have no further names of a file.
            return fs::rename(&beside, to).inspect_err(|_| remove(&beside));
        }
        linked => linked,
    };
    remove(&beside);
    linked
}

/// Writes a text to a file of this process beside `to`.
fn write_beside(to: &Path, text: &str) -> io::Result<PathBuf> {
    if let Some(directory) = to.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut beside = to.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().inspect_err(|_| remove(&beside))?;
    Ok(beside)
}

/// What remains is told by the error of what went wrong first.
fn remove(file: &Path) {
    let _ = fs::remove_file(file);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = entries.map(|entry| name(entry).into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("deep").join("file");
        for text in ["one", "two"] {
            replace(&file, text).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        assert_eq!(names(file.parent().unwrap()), ["file"]);
    }

    #[test]
    fn a_file_that_is_there_is_not_made() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        create(&file, "one").unwrap();
        let error = create(&file, "two").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        assert_eq!(names(directory.path()), ["file"]);
    }

    /// A directory in the place of the file keeps it from being moved there.
    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("place");
        fs::create_dir(&place).unwrap();
        assert!(replace(&place, "text").is_err());
        assert!(create(&place, "text").is_err());
        assert_eq!(names(directory.path()), ["place"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn half_a_text_is_no_file() {
        // Its name is too long as soon as something is added to it.
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x".repeat(255));
        assert!(create(&file, "text").is_err());
        assert_eq!(names(directory.path()), [""; 0]);
    }
}
