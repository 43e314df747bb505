//! The songs that a user names.

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::{Result, ensure};
use chipmill::playlist::{self, Entry};
use chipmill::song::MissingChips;
use clap::{Args, ValueEnum};

use super::text::printable;

/// The options for songs.
#[derive(Args)]
pub struct Songs {
    /// Songs (VGM, VGZ), directories, playlists (M3U, XSPF); `-` is a song on standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,
    /// What becomes of a song for a machine with a chip that there is no model of.
    #[arg(long, value_enum, default_value_t = Missing::Refuse, value_name = "WHAT")]
    missing_chips: Missing,
}

#[derive(Clone, Copy, ValueEnum)]
enum Missing {
    /// It is an error.
    Refuse,
    /// The chip is silent.
    Silent,
}

impl Songs {
    /// The songs in their order, and what was wrong with inputs, which is reported.
    pub fn entries(&self) -> Result<(Vec<Entry>, Vec<String>)> {
        let expanded = playlist::expand(&self.inputs);
        let problems: Vec<String> = expanded.problems.iter().map(ToString::to_string).collect();
        problems.iter().for_each(|problem| report(problem));
        ensure!(
            !(expanded.entries.is_empty() && problems.is_empty()),
            "there is no song in what was named: no file ends with .vgm or .vgz, and no playlist names \
             a song"
        );
        Ok((expanded.entries, problems))
    }

    /// What becomes of a song for a machine with a chip without a model.
    pub fn missing(&self) -> MissingChips {
        match self.missing_chips {
            Missing::Refuse => MissingChips::Refuse,
            Missing::Silent => MissingChips::Silent,
        }
    }
}

/// Says what is wrong with one song, while the others go on.
pub fn report(what: &str) {
    // Without a reader there is no other place for it.
    let _ = writeln!(io::stderr(), "{}", error_line(what));
}

/// What is said of a song that is wrong.
pub fn error_line(what: &str) -> String {
    format!("error: {}", printable(what))
}

/// Says what is not as it was asked for, and no fault.
pub fn warn(what: &str) {
    // As above.
    let _ = writeln!(io::stderr(), "warning: {}", printable(what));
}
