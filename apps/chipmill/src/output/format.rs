//! The formats of audio files.

use super::Tags;
use super::au::Au;
use super::container::Container;
use super::flac::Flac;
use super::wav::{SampleFormat, Wav};
use std::fmt;
use std::str::FromStr;

/// A kind of audio file, and how its samples are stored. All are stereo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// WAV with samples of 16 bits.
    Wav16,
    /// WAV with samples of 24 bits.
    Wav24,
    /// WAV with samples of 32-bit floating point. Nothing is clipped.
    WavFloat,
    /// FLAC with samples of 16 bits.
    Flac16,
    /// FLAC with samples of 24 bits.
    Flac24,
    /// Sun's AU with samples of 16 bits.
    Au16,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Wav16,
        Self::Wav24,
        Self::WavFloat,
        Self::Flac16,
        Self::Flac24,
        Self::Au16,
    ];

    /// The name that a user gives, which [`from_str`](FromStr::from_str) reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wav16 => "wav",
            Self::Wav24 => "wav24",
            Self::WavFloat => "wav-float",
            Self::Flac16 => "flac",
            Self::Flac24 => "flac24",
            Self::Au16 => "au",
        }
    }

    /// The extension of its files, without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wav16 | Self::Wav24 | Self::WavFloat => "wav",
            Self::Flac16 | Self::Flac24 => "flac",
            Self::Au16 => "au",
        }
    }

    /// The highest sample rate in frames per second.
    #[must_use]
    pub const fn max_rate(self) -> u32 {
        match self {
            // The encoder knows no higher rates.
            Self::Flac16 | Self::Flac24 => 96_000,
            _ => 768_000,
        }
    }

    /// An empty file of this format. `rate` is not above [`max_rate`](Self::max_rate), and not 0.
    pub(super) fn container(self, rate: u32, tags: &Tags) -> Box<dyn Container> {
        match self {
            Self::Wav16 => Box::new(Wav::new(SampleFormat::Int16, rate, tags)),
            Self::Wav24 => Box::new(Wav::new(SampleFormat::Int24, rate, tags)),
            Self::WavFloat => Box::new(Wav::new(SampleFormat::Float, rate, tags)),
            Self::Flac16 => Box::new(Flac::new(16, rate, tags)),
            Self::Flac24 => Box::new(Flac::new(24, rate, tags)),
            Self::Au16 => Box::new(Au::new(rate, tags)),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFormat(text.into()))
    }
}

/// The error of a name that is no format's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a format; there are {names}",
    names = Format::ALL.map(Format::name).join(", ")
)]
pub struct UnknownFormat(Box<str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().to_uppercase().parse(), Ok(format));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let text = "mp3".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            text,
            "\"mp3\" is not a format; there are wav, wav24, wav-float, flac, flac24, au"
        );
    }
}
