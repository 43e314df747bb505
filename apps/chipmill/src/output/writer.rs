//! An audio file that appears whole or not at all.

use super::encoder::{Encoder, Failure};
use super::{Format, OutputError, Tags};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes an audio file.
///
/// The frames go into a hidden temporary file beside the target. [`finish`](Self::finish) gives it
/// the target's name in one step; what had this name before is replaced then. A writer that is
/// dropped leaves nothing, and a write that fails removes the temporary file at once. (A program
/// that is killed leaves the temporary file. The name of that begins with `.chipmill-`.)
///
/// FLAC is encoded by parallel jobs of the pool that the calling thread is in. The bytes do not
/// depend on their number. A writer keeps one or two megabytes, however long the song is.
///
/// ```
/// use chipmill::output::{Format, Tags, Writer};
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("silence.flac");
/// let tags = Tags { title: Some("Silence".into()), ..Tags::default() };
/// let mut writer = Writer::create(&path, Format::Flac16, 44_100, &tags)?;
/// writer.write(&[[0.0, 0.0]; 1000])?;
/// assert!(!path.exists());
/// let finished = writer.finish()?;
/// assert_eq!(finished.frames, 1000);
/// assert_eq!(path.metadata()?.len(), finished.bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    target: PathBuf,
    format: Format,
    /// `None` after a write that failed.
    encoder: Option<Encoder<NamedTempFile>>,
}

/// What is in a finished file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The file's size in bytes.
    pub bytes: u64,
    /// How many frames it has; each has two samples.
    pub frames: u64,
    /// How many samples were beyond full scale and were clipped. [`Format::WavFloat`] clips
    /// nothing. Samples that are not a number are stored as 0 and counted in every format.
    pub clipped: u64,
}

impl Writer {
    /// Begins a file at `target` with `rate` frames per second.
    ///
    /// # Errors
    ///
    /// If the rate is 0 or above [`Format::max_rate`], if there is a directory or device at
    /// `target`, or if no file can be made in its directory. The directory is not made.
    pub fn create(
        target: impl Into<PathBuf>,
        format: Format,
        rate: u32,
        tags: &Tags,
    ) -> Result<Self, OutputError> {
        let target = target.into();
        check_rate(&target, format, rate)?;
        check_place(&target)?;
        let file =
            temporary(&target).map_err(|error| OutputError::io(&target, "created", error, 0))?;
        let encoder = Encoder::new(file, format.container(rate, tags));
        Ok(Self {
            target,
            format,
            encoder: Some(encoder),
        })
    }

    /// The most frames of a file of this format with these tags; 0 if the format has no such sample
    /// rate.
    pub fn max_frames(format: Format, rate: u32, tags: &Tags) -> u64 {
        match has_rate(format, rate) {
            true => format.container(rate, tags).max_frames(),
            false => 0,
        }
    }

    /// Whether a file of this format, which has [`max_frames`](Self::max_frames) at most, can hold
    /// a number of `frames`. Nothing is made.
    ///
    /// # Errors
    ///
    /// If the format has no such sample rate, if there is a directory or device at `target`, or if
    /// the file would be too long.
    pub fn check(
        target: &Path,
        format: Format,
        rate: u32,
        max_frames: u64,
        frames: u64,
    ) -> Result<(), OutputError> {
        check_rate(target, format, rate)?;
        check_place(target)?;
        if frames > max_frames {
            let failure = Failure::TooLong { max_frames };
            return Err(OutputError::failure(target, format, failure));
        }
        Ok(())
    }

    /// Writes frames (left, right) with a full scale of 1.0.
    ///
    /// # Errors
    ///
    /// If the disk is full, the file would be too long, or the system refuses to write. The
    /// temporary file is removed then, and all later calls fail.
    pub fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), OutputError> {
        let Some(encoder) = &mut self.encoder else {
            return Err(OutputError::GivenUp(self.target.clone()));
        };
        encoder.write(frames).map_err(|failure| {
            self.encoder = None;
            OutputError::failure(&self.target, self.format, failure)
        })
    }

    /// The hidden file that the frames go into; `None` after a write that failed.
    pub fn temporary(&self) -> Option<&Path> {
        self.encoder.as_ref().map(|encoder| encoder.out().path())
    }

    /// Writes what is missing, and gives the file its name.
    ///
    /// The data may be in the system's memory still; a computer that loses power now may lose it.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write), and if the file cannot be renamed. Nothing is left of it then.
    pub fn finish(self) -> Result<Finished, OutputError> {
        let Self {
            target,
            format,
            encoder,
        } = self;
        let Some(encoder) = encoder else {
            return Err(OutputError::GivenUp(target));
        };
        let (file, finished) = encoder
            .finish()
            .map_err(|failure| OutputError::failure(&target, format, failure))?;
        match file.persist(&target) {
            Ok(_) => Ok(finished),
            Err(persist) => Err(OutputError::io(
                &target,
                "put in place",
                persist.error,
                finished.bytes,
            )),
        }
    }
}

fn has_rate(format: Format, rate: u32) -> bool {
    (1..=format.max_rate()).contains(&rate)
}

/// A rename would replace a device, and would fail for a directory only after all the work.
fn check_place(target: &Path) -> Result<(), OutputError> {
    if fs::metadata(target).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(OutputError::NotRegular(target.to_owned()));
    }
    Ok(())
}

fn check_rate(target: &Path, format: Format, rate: u32) -> Result<(), OutputError> {
    if !has_rate(format, rate) {
        return Err(OutputError::Rate {
            path: target.to_owned(),
            format,
            rate,
        });
    }
    Ok(())
}

/// A hidden file in the directory of `target`, so that a rename does not copy.
///
/// # Errors
///
/// It cannot be made.
pub fn temporary(target: &Path) -> std::io::Result<NamedTempFile> {
    let directory = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chipmill-").suffix(".part");
    #[cfg(unix)]
    {
        // Temporary files are private. This one is to be a file like all others.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory.unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    static FRAMES: [[f32; 2]; 5000] = [[0.25, -0.25]; 5000];

    fn names(directory: &Path) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        fs::read_dir(directory)
            .unwrap()
            .map(|entry| name(entry.unwrap()))
            .collect()
    }

    #[test]
    fn the_file_appears_at_the_end_and_replaces_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let path = directory.path().join(format.name());
            fs::write(&path, "old").unwrap();
            let mut writer = Writer::create(&path, format, 44_100, &Tags::default()).unwrap();
            writer.write(&FRAMES).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            let finished = writer.finish().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), finished.bytes);
            assert_eq!((finished.frames, finished.clipped), (5000, 0));
        }
        assert_eq!(names(directory.path()).len(), Format::ALL.len());
    }

    #[test]
    fn a_dropped_writer_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let path = directory.path().join("song");
            let mut writer = Writer::create(&path, format, 44_100, &Tags::default()).unwrap();
            writer.write(&FRAMES).unwrap();
            assert_eq!(names(directory.path()).len(), 1);
            drop(writer);
            assert_eq!(names(directory.path()), [""; 0]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_cannot_be_put_in_place_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("song");
        let writer = Writer::create(&path, Format::Wav16, 44_100, &Tags::default()).unwrap();
        fs::create_dir(&path).unwrap();
        let text = writer.finish().unwrap_err().to_string();
        assert!(text.contains("song\" cannot be put in place: "), "{text}");
        assert_eq!(names(directory.path()), ["song"]);
    }

    #[test]
    fn directories_and_devices_are_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let create = |path: &Path| {
            Writer::create(path, Format::Wav16, 44_100, &Tags::default())
                .err()
                .unwrap()
        };
        assert!(matches!(
            create(directory.path()),
            OutputError::NotRegular(_)
        ));
        #[cfg(unix)]
        assert!(matches!(
            create(Path::new("/dev/null")),
            OutputError::NotRegular(_)
        ));
        let missing = directory.path().join("missing/song");
        let text = create(&missing).to_string();
        assert!(text.contains("song\" cannot be created: "), "{text}");
    }

    #[test]
    fn rates_are_checked() {
        let directory = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let create = |rate| {
                Writer::create(
                    directory.path().join("song"),
                    format,
                    rate,
                    &Tags::default(),
                )
            };
            assert!(create(format.max_rate()).is_ok());
            for rate in [0, format.max_rate() + 1] {
                let text = create(rate).err().unwrap().to_string();
                assert!(
                    text.contains(&format!("{rate} frames per second: {format} has")),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn a_write_that_fails_removes_the_file_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("song");
        let (_, temporary) = temporary(&path).unwrap().into_parts();
        // This handle cannot be written to.
        let file = NamedTempFile::from_parts(fs::File::open(&temporary).unwrap(), temporary);
        let format = Format::Wav16;
        let encoder = Encoder::new(file, format.container(44_100, &Tags::default()));
        let mut writer = Writer {
            target: path,
            format,
            encoder: Some(encoder),
        };
        let error = writer.write(&[[0.0; 2]; 100_000]).unwrap_err();
        assert!(
            matches!(
                error,
                OutputError::Io {
                    action: "written",
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(names(directory.path()), [""; 0]);
        assert!(matches!(
            writer.write(&FRAMES),
            Err(OutputError::GivenUp(_))
        ));
        assert!(matches!(writer.finish(), Err(OutputError::GivenUp(_))));
    }

    #[test]
    fn a_writer_can_go_to_another_thread() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("song");
        let mut writer = Writer::create(&path, Format::Flac24, 44_100, &Tags::default()).unwrap();
        let (written, finished) =
            drumline::join(|| writer.write(&FRAMES).map(|()| writer.finish()), || 1);
        assert_eq!(written.unwrap().unwrap().frames, 5000 * finished);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_the_permissions_of_a_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let [plain, song] = ["plain", "song"].map(|name| directory.path().join(name));
        fs::write(&plain, "").unwrap();
        let writer = Writer::create(&song, Format::Au16, 44_100, &Tags::default()).unwrap();
        writer.finish().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&song), mode(&plain));
    }
}
