//! How songs sound, in a file and in a player.

use chipmill::render::{Options, Resampling};
use clap::{Args, ValueEnum};

/// The options for the sound.
#[derive(Args)]
pub struct Sound {
    /// Frames per second.
    #[arg(
        long,
        default_value_t = 44_100,
        value_parser = clap::value_parser!(u32).range(1000..=768_000),
        value_name = "HERTZ"
    )]
    pub rate: u32,
    /// How many times the part of a song that repeats is played.
    #[arg(
        long,
        default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(1..),
        value_name = "TIMES"
    )]
    loops: u32,
    /// For how many seconds a song that repeats fades out.
    #[arg(long, default_value_t = 8.0, value_parser = seconds, value_name = "SECONDS")]
    fade: f64,
    /// How the rates of the chips become that of the output.
    #[arg(long, value_enum, default_value_t = Resample::Mean, value_name = "HOW")]
    resample: Resample,
}

#[derive(Clone, Copy, ValueEnum)]
enum Resample {
    /// The mean of what a chip sounds in a frame.
    Mean,
    /// What a chip sounds at the beginning of a frame, as ymfm's own program does it.
    Nearest,
}

impl Sound {
    /// The options of a renderer with the gain 1.
    pub fn options(&self) -> Options {
        Options {
            rate: self.rate,
            loops: self.loops,
            fade: self.fade,
            gain: 1.0,
            resampling: match self.resample {
                Resample::Mean => Resampling::Mean,
                Resample::Nearest => Resampling::Nearest,
            },
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=3600.0).contains(&value) => Ok(value),
        _ => Err("a number of seconds from 0 to 3600 is wanted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_is_a_number_of_seconds() {
        assert_eq!(seconds("2.5"), Ok(2.5));
        assert!(seconds("-1").is_err());
        assert!(seconds("NaN").is_err());
    }
}
