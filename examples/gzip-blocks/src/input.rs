//! What is compressed.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::file_id::FileId;

/// Standard input, or a file.
pub struct Input {
    /// The bytes.
    pub reader: Box<dyn Read + Send>,
    /// What it is called in messages.
    pub name: String,
    /// Which file it is, where that is known.
    pub id: Option<FileId>,
    /// The permissions of the file; `None` for standard input and special files.
    pub permissions: Option<Permissions>,
    /// Whether it is standard input.
    pub is_stdin: bool,
}

impl Input {
    /// Opens a file, or standard input.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Input {
                reader: Box::new(io::stdin()),
                name: "standard input".to_owned(),
                id: FileId::of_stdin(),
                permissions: None,
                is_stdin: true,
            });
        };
        let name = path.display().to_string();
        let failure = || format!("cannot open {name}");
        let file = File::open(path).with_context(failure)?;
        let about = file.metadata().with_context(failure)?;
        ensure!(!about.is_dir(), "{name} is a directory; name a file");
        Ok(Input {
            id: Some(FileId::of_file(&file, path).with_context(failure)?),
            permissions: Some(about)
                .filter(Metadata::is_file)
                .map(|about| about.permissions()),
            reader: Box::new(file),
            name,
            is_stdin: false,
        })
    }
}
