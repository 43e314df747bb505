//! Where frames are heard.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::output::{Format, OutputError, Tags, Writer};

/// Takes frames as fast as they are heard.
pub trait Sink: Send {
    /// Takes frames with a full scale of 1, and returns when it can take more.
    fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), SinkError>;

    /// Ends the sound, after what has been written.
    fn finish(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    /// How many times the sink has waited for frames.
    fn underruns(&self) -> u64 {
        0
    }

    /// Time passes in which there are no frames on purpose.
    fn pause(&mut self) {}
}

/// Why there is no sound.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// There is no program that plays sound.
    #[error(
        "no program that plays sound is found (pw-cat, pacat or aplay); install one of them, or \
         use `--audio null` or `--audio FILE.wav`"
    )]
    NoProgram,
    /// No program that is there plays.
    #[error(
        "nothing plays the sound ({0}); `--audio null` and `--audio FILE.wav` need none of these"
    )]
    NoneWorks(String),
    /// The program that plays sound has ended.
    #[error("{0} has stopped playing: {1}")]
    Program(&'static str, String),
    /// The device does not play.
    #[error("the sound device: {0}; `--audio null` or another `--rate` may help")]
    Device(String),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The program ends before the file is whole.
    #[error(
        "{0:?} could not be ended in time, and has not been written; `chipmill render` makes files \
         at its leisure"
    )]
    NotWhole(PathBuf),
    /// No frame has come for the file.
    #[error("{0:?} has not been written: nothing was played before the end")]
    Empty(PathBuf),
}

/// The clock of a sink without a sound of its own: a buffer that empties as time passes.
#[derive(Debug)]
pub struct Paced {
    rate: u32,
    /// The frames that the buffer has at most.
    room: u64,
    /// When the first frame was heard, and how many have been written since.
    began: Option<Instant>,
    written: u64,
    underruns: u64,
}

impl Paced {
    /// A buffer for frames of this rate, which holds `room` of them.
    pub fn new(rate: u32, room: u64) -> Self {
        Paced {
            rate,
            room,
            began: None,
            written: 0,
            underruns: 0,
        }
    }

    /// Adds frames, and returns how long it takes until there is room for them.
    pub fn add(&mut self, frames: u64, now: Instant) -> Duration {
        let began = *self.began.get_or_insert(now);
        let heard = now.saturating_duration_since(began).as_secs_f64() * f64::from(self.rate);
        let heard = heard as u64;
        if heard > self.written {
            self.underruns += 1;
            // The sound goes on from here.
            self.began = Some(now);
            self.written = 0;
        }
        self.written += frames;
        let heard = heard.min(self.written);
        let waiting = (self.written - heard).saturating_sub(self.room);
        Duration::from_secs_f64(waiting as f64 / f64::from(self.rate))
    }
}

/// Nothing is heard, at the pace at which it would be.
#[derive(Debug)]
pub struct NullSink {
    paced: Paced,
}

impl NullSink {
    /// A sink for frames of this rate, with a buffer of a tenth of a second.
    pub fn new(rate: u32) -> Self {
        NullSink {
            paced: Paced::new(rate, u64::from(rate) / 10),
        }
    }
}

impl Sink for NullSink {
    fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), SinkError> {
        let wait = self.paced.add(frames.len() as u64, Instant::now());
        thread::sleep(wait);
        Ok(())
    }

    fn underruns(&self) -> u64 {
        self.paced.underruns
    }

    fn pause(&mut self) {
        self.paced.began = None;
        self.paced.written = 0;
    }
}

/// The file of a sink, for a program that ends before the sink does.
#[derive(Clone)]
pub struct Unfinished {
    target: PathBuf,
    /// What is written to, before it gets the name of the target.
    temporary: PathBuf,
    /// `None` after its end.
    open: Arc<Mutex<Option<Open>>>,
}

/// A file that is being written.
struct Open {
    writer: Writer,
    has_frames: bool,
}

impl Unfinished {
    /// Makes the file whole with the frames that it has got, whatever the engine is at: the reading
    /// of a song, or the way to a place in it. Returns whether it has been open. If it has not, the
    /// sink has given the file its name or has failed, and its result is due. One without a frame
    /// is removed, which is an error: a file that was there is replaced by sound, and by nothing
    /// else.
    ///
    /// This waits for the block that is being written.
    ///
    /// # Errors
    ///
    /// It cannot be written, or it has no frame.
    pub fn finish(&self) -> Result<bool, SinkError> {
        match self.take() {
            Some(Open {
                writer,
                has_frames: true,
            }) => Ok(writer.finish().map(|_| true)?),
            Some(_) => Err(SinkError::Empty(self.target.clone())),
            None => Ok(false),
        }
    }

    /// Removes what there is of the file. If there is nothing, the file has its name, or writing
    /// has failed, and the result is due: a file with that name can be an older one.
    ///
    /// # Errors
    ///
    /// The file was not whole.
    pub fn give_up(&self) -> Result<(), SinkError> {
        match std::fs::remove_file(&self.temporary) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            _ => Err(SinkError::NotWhole(self.target.clone())),
        }
    }

    fn take(&self) -> Option<Open> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        // A writer in which a write has panicked is not used again.
        self.open.lock().unwrap_or_else(|poisoned| {
            let mut open = poisoned.into_inner();
            *open = None;
            open
        })
    }
}

/// A file gets all frames, as fast as they are made.
pub struct WavSink(Unfinished);

impl WavSink {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn create(path: impl Into<PathBuf>, rate: u32) -> Result<Self, SinkError> {
        let target = path.into();
        let writer = Writer::create(&target, Format::Wav16, rate, &Tags::default())?;
        let temporary = writer.temporary().map(PathBuf::from).unwrap_or_default();
        Ok(WavSink(Unfinished {
            target,
            temporary,
            open: Arc::new(Mutex::new(Some(Open {
                writer,
                has_frames: false,
            }))),
        }))
    }

    /// The file that it writes, as long as it is not finished.
    pub fn unfinished(&self) -> Unfinished {
        self.0.clone()
    }
}

/// A file that is not finished leaves nothing.
impl Drop for WavSink {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

impl Sink for WavSink {
    fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), SinkError> {
        let mut open = self.0.lock();
        let written = match &mut *open {
            Some(Open { writer, has_frames }) => {
                *has_frames |= !frames.is_empty();
                writer.write(frames)
            }
            // One that has been finished from outside takes no more.
            None => Ok(()),
        };
        if written.is_err() {
            // The error is told by this call, and by no other.
            *open = None;
        }
        Ok(written?)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.0.finish().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paced_sink_counts_what_has_not_come_in_time() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut paced = Paced::new(1000, 100);
        assert_eq!(paced.add(100, at(0)), Duration::ZERO);
        // All is there still, and there is room for a hundred.
        assert_eq!(paced.add(50, at(0)), Duration::from_millis(50));
        assert_eq!(paced.add(50, at(100)), Duration::ZERO);
        assert_eq!(paced.underruns, 0);
        // 200 frames have been written, and the 201st should have been heard.
        assert_eq!(paced.add(10, at(250)), Duration::ZERO);
        assert_eq!(paced.underruns, 1);
        assert_eq!(paced.add(90, at(255)), Duration::ZERO);
        assert_eq!(paced.underruns, 1);
    }
    /// A program that cannot wait leaves no half file, and no temporary one.
    #[test]
    fn a_file_that_is_given_up_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        let mut sink = WavSink::create(&target, 8_000).unwrap();
        sink.write(&[[0.5; 2]; 10]).unwrap();
        let unfinished = sink.unfinished();
        assert_eq!(directory.path().read_dir().unwrap().count(), 1);
        let given_up = unfinished.give_up();
        assert!(matches!(given_up, Err(SinkError::NotWhole(path)) if path == target));
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
        assert!(sink.finish().is_err());
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    }

    /// An engine that is at something else does not keep the file from its end.
    #[test]
    fn a_file_is_finished_from_outside_with_what_it_has_got() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        let mut sink = WavSink::create(&target, 8_000).unwrap();
        sink.write(&[[0.5; 2]; 10]).unwrap();
        let unfinished = sink.unfinished();
        assert!(unfinished.finish().unwrap());
        unfinished.give_up().unwrap();
        sink.write(&[[0.5; 2]; 10]).unwrap();
        sink.finish().unwrap();
        assert!(!unfinished.finish().unwrap());
        drop(sink);
        assert_eq!(hound::WavReader::open(&target).unwrap().duration(), 10);
        assert_eq!(directory.path().read_dir().unwrap().count(), 1);
    }

    /// From inside, and from outside.
    #[test]
    fn a_file_without_a_frame_takes_no_place() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        std::fs::write(&target, "older").unwrap();
        let mut sink = WavSink::create(&target, 8_000).unwrap();
        sink.write(&[]).unwrap();
        assert!(matches!(sink.finish(), Err(SinkError::Empty(path)) if path == target));
        let sink = WavSink::create(&target, 8_000).unwrap();
        let finished = sink.unfinished().finish();
        assert!(matches!(finished, Err(SinkError::Empty(path)) if path == target));
        assert_eq!(std::fs::read(&target).unwrap(), b"older");
        assert_eq!(directory.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_whole_stays() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        let mut sink = WavSink::create(&target, 8_000).unwrap();
        let unfinished = sink.unfinished();
        sink.write(&[[0.5; 2]; 10]).unwrap();
        sink.finish().unwrap();
        unfinished.give_up().unwrap();
        assert!(target.exists());
    }
}
