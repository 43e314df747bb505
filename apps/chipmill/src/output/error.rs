//! Why a file could not be written.

use super::Format;
use super::encoder::Failure;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be written. Nothing is left of it then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The format has no such sample rate.
    #[error(
        "{path:?} cannot have {rate} frames per second: {format} has rates from 1 to {max}; \
         choose another rate or format",
        max = format.max_rate()
    )]
    Rate {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// The rate that was wanted.
        rate: u32,
    },
    /// There is something at this path, and it is no regular file.
    #[error("{0:?} is a directory or a device, and would be replaced; choose another name")]
    NotRegular(PathBuf),
    /// The song is longer than a file of this format can be.
    #[error(
        "{path:?} would be too long: {format} holds {max_frames} frames here{advice}",
        advice = advice(*format)
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// How many frames the file could have.
        max_frames: u64,
    },
    /// The disk or a quota is full.
    #[error(
        "{path:?}: the disk (or your share of it) is full after {written} bytes; they are removed \
         again; make room, or choose another directory"
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// How many bytes there was room for.
        written: u64,
    },
    /// The system refuses for another reason.
    #[error("{path:?} cannot be {action}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: `created`, `written` or `put in place`.
        action: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// An earlier write failed, and the file is gone.
    #[error("{0:?} is given up, because an earlier write failed")]
    GivenUp(PathBuf),
}

fn advice(format: Format) -> &'static str {
    match format {
        Format::Flac16 | Format::Flac24 => "; make it shorter",
        _ => ", and 4 GiB; make it shorter, or choose flac, which has no such limit",
    }
}

impl OutputError {
    pub(super) fn io(path: &Path, action: &'static str, error: io::Error, written: u64) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { path, written }
            }
            _ => Self::Io {
                path,
                action,
                error,
            },
        }
    }

    pub(super) fn failure(path: &Path, format: Format, failure: Failure) -> Self {
        match failure {
            Failure::TooLong { max_frames } => Self::TooLong {
                path: path.to_owned(),
                format,
                max_frames,
            },
            Failure::Io { error, written } => Self::io(path, "written", error, written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_how_much_was_written_and_what_to_do() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            let failure = Failure::Io {
                error: kind.into(),
                written: 4_096,
            };
            let text = OutputError::failure("a.wav".as_ref(), Format::Wav16, failure).to_string();
            assert!(text.starts_with("\"a.wav\": the disk"), "{text}");
            assert!(
                text.contains("4096 bytes") && text.contains("make room"),
                "{text}"
            );
        }
    }

    #[test]
    fn other_errors_keep_the_words_of_the_system() {
        let error = io::Error::other("no such luck");
        let failure = Failure::Io { error, written: 0 };
        let text = OutputError::failure("a.wav".as_ref(), Format::Wav16, failure).to_string();
        assert_eq!(text, "\"a.wav\" cannot be written: no such luck");
    }

    #[test]
    fn a_file_that_is_too_long_is_told_of_flac() {
        let text = |format| {
            let failure = Failure::TooLong { max_frames: 7 };
            OutputError::failure("a".as_ref(), format, failure).to_string()
        };
        assert!(text(Format::Wav16).contains("holds 7 frames here, and 4 GiB"));
        assert!(text(Format::Wav16).contains("choose flac"));
        assert!(!text(Format::Flac16).contains("choose"));
    }
}
