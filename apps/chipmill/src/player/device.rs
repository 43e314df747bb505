//! A device of the system plays the frames, by `cpal`.
//!
//! ```text
//! engine ── frames (a bounded channel) ──► callback of the device
//! ```
//! The callback never waits: where there is no frame in time, it plays silence.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, Error, ErrorKind, FromSample, SizedSample, Stream, StreamConfig};
use drumline::channel::spsc;
use drumline::channel::{SendTimeoutError, TryRecvError};

use super::sink::{Sink, SinkError};

/// A device that takes nothing for this long has gone.
const GONE: Duration = Duration::from_secs(2);

/// The system's own device.
pub struct DeviceSink {
    /// `None` after the end.
    frames: Option<spsc::Sender<[f32; 2]>>,
    shared: Arc<Shared>,
    ended: std::sync::mpsc::Receiver<()>,
    /// Plays until it is dropped.
    stream: Stream,
}

/// What the callback tells.
#[derive(Default)]
struct Shared {
    /// Whether there are no frames on purpose.
    paused: AtomicBool,
    underruns: AtomicU64,
    /// The last error.
    error: Mutex<Option<Error>>,
}

impl Shared {
    /// The last error, if it is one after which a device plays no more.
    fn end(&self) -> Option<Error> {
        let is_end = |error: &mut Error| {
            matches!(
                error.kind(),
                ErrorKind::DeviceNotAvailable
                    | ErrorKind::HostUnavailable
                    | ErrorKind::StreamInvalidated
            )
        };
        self.lock().take_if(is_end)
    }

    fn tell(&self, error: Error) {
        match error.kind() {
            // Relaxed: the number is shown, and nothing hangs on it.
            ErrorKind::Xrun => _ = self.underruns.fetch_add(1, Ordering::Relaxed),
            ErrorKind::DeviceChanged => {}
            // Most devices go on after most errors: one that does not takes no frames.
            _ => *self.lock() = Some(error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Error>> {
        // An error is stored as a whole.
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the callback plays.
struct Feed {
    frames: spsc::Receiver<[f32; 2]>,
    shared: Arc<Shared>,
    ends: SyncSender<()>,
    /// Whether the last frame that was asked for was there.
    flows: bool,
    /// How many frames of silence are played after the last frame: until then, it is heard.
    tail: u32,
}

impl Feed {
    fn fill<T: SizedSample + FromSample<f32>>(&mut self, samples: &mut [T]) {
        for frame in samples.chunks_mut(2) {
            let found = self.next();
            for (sample, value) in frame.iter_mut().zip(found) {
                *sample = T::from_sample(value);
            }
        }
    }

    fn next(&mut self) -> [f32; 2] {
        match self.frames.try_recv() {
            Ok(frame) => {
                self.flows = true;
                return frame;
            }
            Err(TryRecvError::Empty) => {
                // Relaxed: a pause that is seen late is counted as a gap, which it looked like.
                if self.flows && !self.shared.paused.load(Ordering::Relaxed) {
                    // Relaxed: see [`Shared::tell`].
                    self.shared.underruns.fetch_add(1, Ordering::Relaxed);
                }
            }
            Err(TryRecvError::Closed(_)) => {
                self.tail = self.tail.saturating_sub(1);
                if self.tail == 0 {
                    // The sink knows already, or has gone.
                    let _ = self.ends.try_send(());
                }
            }
        }
        self.flows = false;
        [0.0; 2]
    }
}

impl DeviceSink {
    /// Begins to play on the device that the system prefers.
    ///
    /// # Errors
    ///
    /// There is none, or it does not play at this rate.
    pub fn start(rate: u32) -> Result<Self, SinkError> {
        let device = cpal::default_host()
            .default_output_device()
            .ok_or_else(|| SinkError::Device("the system has none".to_owned()))?;
        let (frames, receiver) = spsc::bounded(rate.div_ceil(10) as usize);
        let (ends, ended) = sync_channel(1);
        let shared = Arc::new(Shared::default());
        let feed = Feed {
            frames: receiver,
            shared: Arc::clone(&shared),
            ends,
            flows: false,
            tail: rate / 4,
        };
        let config = StreamConfig {
            channels: 2,
            sample_rate: rate,
            buffer_size: BufferSize::Default,
        };
        let takes_floats = device
            .supported_output_configs()
            .map_err(failed)?
            .any(|range| range.sample_format() == f32::FORMAT);
        let stream = match takes_floats {
            true => stream::<f32>(&device, config, feed),
            false => stream::<i16>(&device, config, feed),
        }
        .map_err(failed)?;
        stream.play().map_err(failed)?;
        Ok(DeviceSink {
            frames: Some(frames),
            shared,
            ended,
            stream,
        })
    }
}

fn failed(error: Error) -> SinkError {
    SinkError::Device(error.to_string())
}

fn stream<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    mut feed: Feed,
) -> Result<Stream, Error> {
    let shared = Arc::clone(&feed.shared);
    device.build_output_stream(
        config,
        move |samples: &mut [T], _: &cpal::OutputCallbackInfo| feed.fill(samples),
        move |error| shared.tell(error),
        Some(GONE),
    )
}

impl Sink for DeviceSink {
    fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), SinkError> {
        let Some(sender) = &mut self.frames else {
            return Ok(());
        };
        // Relaxed: see [`Feed::next`].
        if self.shared.paused.swap(false, Ordering::Relaxed) {
            self.stream.play().map_err(failed)?;
        }
        for &frame in frames {
            match sender.send_timeout(frame, GONE) {
                Ok(()) => {}
                Err(SendTimeoutError::Timeout(_)) => {
                    let seconds = GONE.as_secs();
                    return Err(SinkError::Device(match self.shared.lock().take() {
                        Some(error) => error.to_string(),
                        None => format!("it has taken no sound for {seconds} seconds"),
                    }));
                }
                Err(SendTimeoutError::Closed(_)) => {
                    return Err(SinkError::Device("it has gone".to_owned()));
                }
            }
        }
        match self.shared.end() {
            Some(error) => Err(failed(error)),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.frames = None;
        // A device that plays on has played the rest long before.
        self.ended
            .recv_timeout(GONE)
            .map_err(|_| SinkError::Device("the end of the sound is lost".to_owned()))
    }

    fn underruns(&self) -> u64 {
        // Relaxed: see [`Shared::tell`].
        self.shared.underruns.load(Ordering::Relaxed)
    }

    fn pause(&mut self) {
        // Relaxed: see [`Feed::next`].
        self.shared.paused.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relaxed, here and below: there is one thread.
    #[test]
    fn a_callback_plays_what_is_there_and_counts_gaps() {
        let (mut frames, receiver) = spsc::bounded(8);
        let (ends, ended) = sync_channel(1);
        let shared = Arc::new(Shared::default());
        let mut feed = Feed {
            frames: receiver,
            shared: Arc::clone(&shared),
            ends,
            flows: false,
            tail: 3,
        };
        let mut fill = || {
            let mut samples = [9.0_f32; 4];
            feed.fill(&mut samples);
            samples
        };
        // Before the first frame there is no gap.
        assert_eq!(fill(), [0.0; 4]);
        frames.send([0.5, -0.5]).unwrap();
        assert_eq!(fill(), [0.5, -0.5, 0.0, 0.0]);
        assert_eq!(shared.underruns.load(Ordering::Relaxed), 1);
        // One gap, however long it is.
        assert_eq!(fill(), [0.0; 4]);
        assert_eq!(shared.underruns.load(Ordering::Relaxed), 1);
        frames.send([0.25; 2]).unwrap();
        frames.send([0.25; 2]).unwrap();
        assert_eq!(fill(), [0.25; 4]);
        shared.paused.store(true, Ordering::Relaxed);
        assert_eq!(fill(), [0.0; 4]);
        assert_eq!(shared.underruns.load(Ordering::Relaxed), 1);
        drop(frames);
        assert_eq!(fill(), [0.0; 4]);
        assert!(ended.try_recv().is_err());
        fill();
        assert!(ended.try_recv().is_ok());
    }

    #[test]
    fn an_overrun_is_a_gap_and_only_a_device_that_has_gone_is_the_end() {
        let shared = Shared::default();
        shared.tell(Error::new(ErrorKind::Xrun));
        assert_eq!(shared.underruns.load(Ordering::Relaxed), 1);
        shared.tell(Error::new(ErrorKind::BackendError));
        assert!(shared.end().is_none());
        shared.tell(Error::new(ErrorKind::DeviceNotAvailable));
        assert!(shared.end().is_some());
    }
}
