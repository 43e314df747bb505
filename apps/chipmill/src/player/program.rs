//! A program that plays what comes over a pipe.
//!
//! A program that is there may still be of no use: too old, or without the server that it talks to.
//! It ends at once then, and the next one gets the sound from its beginning. That is why the first
//! bytes are kept, until more has been written than a pipe holds.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::sink::{Sink, SinkError};
use crate::output::Quantizer;

/// How often it is looked whether a program has played all that it has got.
const LOOK: Duration = Duration::from_millis(5);

/// How long the end of a program is waited for that is killed at the end of this one.
const LAST_WAIT: Duration = Duration::from_millis(20);

/// More than a pipe holds.
const PIPE: usize = 1 << 17;

/// The programs, in the order in which they are tried: of PipeWire, PulseAudio and ALSA. RATE
/// stands for the rate. Each holds a tenth of a second, so that a key is heard soon.
const PROGRAMS: [(&str, &str); 3] = [
    (
        "pw-cat",
        "--playback --raw --latency 100ms --format s16 --channels 2 --rate RATE -",
    ),
    (
        "pacat",
        "--playback --latency-msec=100 --format=s16le --channels=2 --rate RATE",
    ),
    (
        "aplay",
        "-q --buffer-time=100000 -t raw -f S16_LE -c 2 -r RATE",
    ),
];

/// The first program that plays.
pub struct ProcessSink {
    rate: u32,
    /// Where the next one is in the list.
    next: usize,
    running: Option<Running>,
    current: Arc<Mutex<Current>>,
    /// Why others do not play.
    failed: Vec<String>,
    quantizer: Quantizer,
    bytes: Vec<u8>,
    /// All bytes so far; `None` when the program has taken some of them.
    first: Option<Vec<u8>>,
}

/// The program that runs, for those that may end it.
#[derive(Default)]
struct Current {
    child: Option<Child>,
    /// Whether no other is to be started.
    stopped: bool,
}

/// Ends the sound of a [`ProcessSink`] from another thread.
pub struct Stopper(Arc<Mutex<Current>>);

impl Stopper {
    /// Ends the program that plays, whatever it does. The sink plays no more.
    ///
    /// Its end is hardly waited for: one that waits for a device which has gone ends when the
    /// system lets it.
    pub fn stop(&self) {
        let child = {
            let mut current = lock(&self.0);
            current.stopped = true;
            current.child.take()
        };
        let Some(mut child) = child else {
            return;
        };
        // One that has ended is no error.
        let _ = child.kill();
        let killed = Instant::now();
        while matches!(child.try_wait(), Ok(None)) && killed.elapsed() < LAST_WAIT {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn lock(current: &Mutex<Current>) -> MutexGuard<'_, Current> {
    // A program is stored as a whole.
    current.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program that runs, and waits for its end: not with the lock, which a stopper wants.
fn end(current: &Mutex<Current>) {
    let child = lock(current).child.take();
    if let Some(mut child) = child {
        // One that has ended is no error.
        let _ = child.kill();
        let _ = child.wait();
    }
}

struct Running {
    program: &'static str,
    current: Arc<Mutex<Current>>,
    /// `None` after the end.
    pipe: Option<ChildStdin>,
    /// What it says on its standard error. `None` where no file can be made for that.
    words: Option<File>,
}

impl ProcessSink {
    /// Starts the first program that there is.
    ///
    /// # Errors
    ///
    /// There is none of them.
    pub fn start(rate: u32) -> Result<Self, SinkError> {
        let mut sink = ProcessSink {
            rate,
            next: 0,
            running: None,
            current: Arc::default(),
            failed: Vec::new(),
            quantizer: Quantizer::new(16),
            bytes: Vec::new(),
            first: Some(Vec::new()),
        };
        sink.start_next()?;
        Ok(sink)
    }

    /// What ends the sound from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.current))
    }

    /// Starts the next program that takes what has been written so far.
    fn start_next(&mut self) -> Result<(), SinkError> {
        while let Some(&(program, arguments)) = PROGRAMS.get(self.next) {
            self.next += 1;
            let mut running = match Running::start(program, arguments, self.rate, &self.current) {
                Ok(running) => running,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    self.failed.push(format!("{program}: {error}"));
                    continue;
                }
            };
            match running.write(self.first.as_deref().unwrap_or_default()) {
                Ok(()) => {
                    self.running = Some(running);
                    return Ok(());
                }
                Err(error) => {
                    let why = running.why(&error.to_string());
                    self.failed.push(format!("{program}: {why}"));
                }
            }
        }
        Err(if self.failed.is_empty() {
            SinkError::NoProgram
        } else {
            SinkError::NoneWorks(self.failed.join("; "))
        })
    }

    /// What becomes of a program that has failed: another one takes its place, unless sound has
    /// been heard already.
    fn replace(&mut self, mut failed: Running, error: &str) -> Result<(), SinkError> {
        let why = failed.why(error);
        if self.first.is_none() {
            return Err(SinkError::Program(failed.program, why));
        }
        self.failed.push(format!("{}: {why}", failed.program));
        self.start_next()
    }
}

impl Sink for ProcessSink {
    fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), SinkError> {
        self.bytes.clear();
        for &sample in frames.as_flattened() {
            // It has 16 bits.
            let sample = self.quantizer.quantize(sample) as i16;
            self.bytes.extend_from_slice(&sample.to_le_bytes());
        }
        let Some(mut running) = self.running.take() else {
            return Ok(());
        };
        if let Some(first) = &mut self.first {
            first.extend_from_slice(&self.bytes);
        }
        match running.write(&self.bytes) {
            Ok(()) => self.running = Some(running),
            Err(error) => self.replace(running, &error.to_string())?,
        }
        self.first.take_if(|first| first.len() > PIPE);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        while let Some(mut running) = self.running.take() {
            match running.finish() {
                Ok(None) => {}
                Ok(Some(status)) if status.success() => {}
                Ok(Some(status)) => self.replace(running, &status.to_string())?,
                Err(error) => self.replace(running, &error.to_string())?,
            }
        }
        Ok(())
    }
}

impl Running {
    fn start(
        program: &'static str,
        arguments: &str,
        rate: u32,
        current: &Arc<Mutex<Current>>,
    ) -> io::Result<Self> {
        let mut place = lock(current);
        if place.stopped {
            return Err(ErrorKind::Interrupted.into());
        }
        // Without it, a failure of the program is told in the words of the system.
        let words = tempfile::tempfile().ok();
        let heard = match &words {
            Some(words) => Stdio::from(words.try_clone()?),
            None => Stdio::null(),
        };
        let rate = rate.to_string();
        let arguments = arguments.split(' ').map(|word| match word {
            "RATE" => &rate,
            word => word,
        });
        let mut command = Command::new(program);
        // Ctrl-C is for chipmill, which ends the program after what it does itself. In the group of
        // the terminal the program would get that signal too, and its end would be a failure.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(heard)
            .spawn()?;
        let pipe = child.stdin.take();
        if let Some(pipe) = &pipe {
            shorten(pipe);
        }
        place.child = Some(child);
        Ok(Running {
            program,
            current: Arc::clone(current),
            pipe,
            words,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.pipe {
            Some(pipe) => pipe.write_all(bytes),
            None => Ok(()),
        }
    }

    /// Waits until it has played what it has got, or has been ended.
    fn finish(&mut self) -> io::Result<Option<ExitStatus>> {
        self.pipe = None;
        loop {
            let ended = match &mut lock(&self.current).child {
                Some(child) => child.try_wait()?,
                None => return Ok(None),
            };
            if ended.is_some() {
                return Ok(ended);
            }
            // Not with the lock, which a stopper wants.
            thread::sleep(LOOK);
        }
    }

    /// The first line of what it has said, or the error.
    fn why(&mut self, error: &str) -> String {
        self.end();
        let mut bytes = Vec::new();
        if let Some(words) = &mut self.words {
            // What cannot be read is not there.
            let _ = words.rewind();
            let _ = words.take(4096).read_to_end(&mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or(error).to_owned()
    }

    fn end(&mut self) {
        self.pipe = None;
        end(&self.current);
    }
}

/// Makes a pipe hold a tenth of a second, instead of four.
#[cfg(target_os = "linux")]
fn shorten(pipe: &ChildStdin) {
    use nix::fcntl::{FcntlArg, fcntl};
    // A key is heard later if the system refuses that.
    let _ = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(1 << 14));
}

/// Leaves a pipe as it is.
#[cfg(not(target_os = "linux"))]
fn shorten(_: &ChildStdin) {}

/// Not that of a program that has failed: another one may run in its place.
impl Drop for ProcessSink {
    fn drop(&mut self) {
        self.running = None;
        end(&self.current);
    }
}
