//! A directory with a source and a place for the destination.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use file_transfer::{Settings, partial_path};
use tempfile::TempDir;

/// The length of the chunks in these tests.
pub const CHUNK: usize = 1024;

pub struct Files {
    dir: TempDir,
    pub data: Vec<u8>,
}

impl Files {
    /// A source of this length, in which no two chunks are the same.
    pub fn with_source(len: usize) -> Self {
        let data: Vec<u8> = (0..len as u32)
            .map(|n| (n ^ (n >> 8) ^ (n >> 16)) as u8)
            .collect();
        let files = Files {
            dir: tempfile::tempdir().unwrap(),
            data,
        };
        fs::write(files.source(), &files.data).unwrap();
        files
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn source(&self) -> PathBuf {
        self.path("source")
    }

    pub fn destination(&self) -> PathBuf {
        self.path("destination")
    }

    pub fn partial(&self) -> PathBuf {
        partial_path(&self.destination())
    }

    /// Chunks of 1 KiB, two of which may be on their way.
    pub fn settings(&self) -> Settings {
        self.settings_to(&self.destination())
    }

    pub fn settings_to(&self, destination: &Path) -> Settings {
        Settings {
            chunk_len: NonZero::new(CHUNK).unwrap(),
            window: NonZero::new(2).unwrap(),
            ..Settings::new(self.source(), destination)
        }
    }

    /// What the directory has, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The source is at the destination, and nothing else was left.
    #[track_caller]
    pub fn are_the_same(&self) {
        assert_eq!(self.names(), ["destination", "source"]);
        assert!(fs::read(self.destination()).unwrap() == self.data);
        assert!(fs::read(self.source()).unwrap() == self.data);
    }
}
