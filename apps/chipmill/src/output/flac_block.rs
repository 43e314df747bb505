//! Encodes one block of a FLAC file.

use flacenc::bitsink::ByteSink;
use flacenc::component::{BitRepr, Frame, Lpc, StreamInfo, SubFrame};
use flacenc::config;
use flacenc::encode_fixed_size_frame;
use flacenc::error::{Verified, Verify};
use flacenc::source::{Fill, FrameBuf};
use std::io;

/// How many frames each block has, except the last.
pub(super) const BLOCK_FRAMES: usize = 4096;

const CHANNELS: usize = 2;

/// Encodes blocks of stereo samples, in any order and on any thread.
///
/// The encoder of `flacenc` has two gaps, and [`is_sound`] finds the blocks that are in one. They
/// are encoded again with fewer predictors, until the last plan, which has none and is always
/// sound.
pub(super) struct BlockEncoder {
    info: StreamInfo,
    /// From the smallest blocks to the surest.
    plans: [Verified<config::Encoder>; 4],
}

impl BlockEncoder {
    /// An encoder for the rate and the bits of `info`.
    pub(super) fn new(info: StreamInfo) -> Self {
        Self {
            info,
            plans: [
                plan(true, true),
                plan(true, false),
                plan(false, true),
                plan(false, false),
            ],
        }
    }

    /// The bytes of block `number`. `samples` are left and right in turn, at most
    /// [`BLOCK_FRAMES`] of each.
    ///
    /// # Errors
    ///
    /// If `flacenc` refuses the samples, which it does if they do not fit in the file's bits.
    pub(super) fn encode(&self, samples: &[i32], number: usize) -> io::Result<Vec<u8>> {
        let mut buffer = FrameBuf::with_size(CHANNELS, BLOCK_FRAMES).map_err(refusal)?;
        buffer.fill_interleaved(samples).map_err(refusal)?;
        let plans = if samples.len() == CHANNELS * BLOCK_FRAMES {
            &self.plans[..]
        } else {
            // Every thread keeps a window for linear prediction for every length that it has seen.
            // The last block of a song can have any, and there may be many songs.
            &self.plans[2..]
        };
        let mut frame = None;
        for plan in plans {
            let encoded =
                encode_fixed_size_frame(plan, &buffer, number, &self.info).map_err(refusal)?;
            let is_sound = is_sound(&encoded, self.info.bits_per_sample());
            frame = Some(encoded);
            if is_sound {
                break;
            }
        }
        let mut bytes = ByteSink::new();
        frame
            .expect("there is a plan")
            .write(&mut bytes)
            .map_err(refusal)?;
        Ok(bytes.into_inner())
    }
}

/// An error of `flacenc`, which cannot go to another thread itself.
fn refusal(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("the FLAC encoder refuses: {error}"))
}

fn plan(use_linear: bool, use_fixed: bool) -> Verified<config::Encoder> {
    let mut plan = config::Encoder::default();
    plan.block_size = BLOCK_FRAMES;
    plan.subframe_coding.use_lpc = use_linear;
    plan.subframe_coding.use_fixed = use_fixed;
    plan.into_verified()
        .map_err(|(_, error)| error)
        .expect("the defaults are valid")
}

/// Whether all channels of a block are right, and no larger than they would be unencoded.
///
/// - The size of a fixed predictor's residuals is estimated before they are coded, with parameters
///   that end at 14 bits. A loud block of 24 bits may become many times larger than its samples.
/// - Residuals are 32 bits wide. Coefficients of linear prediction that are large make larger ones
///   of some samples of 24 bits, and they wrap.
fn is_sound(frame: &Frame, bits: usize) -> bool {
    // The difference of the channels has one bit more than each.
    let largest = 8 + frame.block_size() * (bits + 1);
    (0..frame.subframe_count())
        .filter_map(|channel| frame.subframe(channel))
        .all(|subframe| {
            let may_wrap = match subframe {
                SubFrame::Lpc(linear) => may_wrap(linear),
                _ => false,
            };
            !may_wrap && subframe.count_bits() <= largest
        })
}

/// Whether some samples would give a residual that has no room in 32 bits.
fn may_wrap(linear: &Lpc) -> bool {
    let parameters = linear.parameters();
    let sum: i64 = (0..parameters.order())
        .filter_map(|index| parameters.coefficient(index))
        .map(|coefficient| i64::from(coefficient).abs())
        .sum();
    let peak = 1i64 << (linear.bits_per_sample() - 1);
    ((sum * peak) >> parameters.shift()) + peak >= i64::from(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flacenc::component::{QuantizedParameters, Residual};

    /// A block of 64 frames. Its channels have a predictor with these coefficients, and no
    /// residual.
    fn predicted(coefficients: &[i16], shift: i8) -> Frame {
        const FRAMES: usize = 64;
        let info = StreamInfo::new(44_100, CHANNELS, 24).unwrap();
        let mut buffer = FrameBuf::with_size(CHANNELS, FRAMES).unwrap();
        buffer.fill_interleaved(&[0; CHANNELS * FRAMES]).unwrap();
        let silence = encode_fixed_size_frame(&plan(false, false), &buffer, 0, &info).unwrap();
        let order = coefficients.len();
        let parameters = QuantizedParameters::new(coefficients, order, shift, 15).unwrap();
        let zeros = [0; FRAMES];
        let residual = Residual::new(0, FRAMES, order, &[0], &zeros, &zeros).unwrap();
        let linear = Lpc::new(&[0; FRAMES][..order], parameters, residual, 24);
        let (header, _) = silence.into_parts();
        let channel = SubFrame::from(linear.unwrap());
        Frame::new(header, [channel.clone(), channel].into_iter()).unwrap()
    }

    #[test]
    fn coefficients_that_may_wrap_are_not_sound() {
        // The sum is 2^14: samples of 24 bits with a peak of 2^23 give at most 2^37 >> shift.
        let coefficients = [-8192, 8192];
        assert!(!is_sound(&predicted(&coefficients, 6), 24));
        assert!(is_sound(&predicted(&coefficients, 7), 24));
        // The prediction alone has room, but not with the peak of the sample on top.
        assert!(!is_sound(&predicted(&[-16_383, 16_383, 1], 7), 24));
        assert!(is_sound(&predicted(&[-16_383, 16_383, 1], 8), 24));
    }
}
