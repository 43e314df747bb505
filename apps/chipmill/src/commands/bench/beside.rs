//! One song at a time, beside ymfm's own program `vgmrender`.
//!
//! Both are whole processes that read a log and write a WAV file, and they take turns. The songs
//! are those of all machines, without the chips that `vgmrender` lacks, and without the AY8910: its
//! own makes an eighth of the frames that the chip does, and sounds three octaves low. (It also
//! lacks the streams of a YM2612's DAC, which are played here.)

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use chipmill::compose::{Machine, compose};
use chipmill::song::{MissingChips, Song};
use serde::Serialize;

/// The length of a song, in seconds.
const SECONDS: u32 = 60;

/// The fields of a header with the clocks of the SN76489, the AY8910 and the OKIM6258. A log
/// without the clock of a chip is one without the chip.
const LEFT_OUT: [usize; 3] = [0x0c, 0x74, 0x90];

/// How the rate of a chip becomes that of the file: as `chipmill render` does it if nothing is
/// said, and as `vgmrender` does.
const RESAMPLINGS: [&str; 2] = ["mean", "nearest"];

/// What the song of a machine has come to.
#[derive(Debug, Serialize)]
pub struct Beside {
    /// The chips of the machine.
    chips: String,
    /// The seconds that `vgmrender` took, in the middle of all rounds.
    vgmrender_seconds: f64,
    /// The time of `chipmill render` divided by that of `vgmrender`.
    mean: Ratio,
    /// The same with `--resample nearest`.
    nearest: Ratio,
}

/// Ratios, one for each round.
#[derive(Debug, Clone, Copy, Serialize)]
struct Ratio {
    median: f64,
    least: f64,
    most: f64,
}

impl Ratio {
    fn of(mut ratios: Vec<f64>) -> Self {
        Ratio {
            median: median(&mut ratios),
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(0.0, f64::max),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio {
            median,
            least,
            most,
        } = self;
        f.pad(&format!("{median:.2} ({least:.2} to {most:.2})"))
    }
}

impl Beside {
    /// The head of a table.
    pub fn head() -> String {
        format!(
            "{:16} {:>11} {:>24} {:>24}",
            "chips", "vgmrender s", "chipmill, mean ÷", "chipmill, nearest ÷"
        )
    }
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:16} {:>11.2} {:>24} {:>24}",
            self.chips, self.vgmrender_seconds, self.mean, self.nearest
        )
    }
}

/// Measures a song of each machine, each this number of times.
pub fn measure(vgmrender: &Path, rounds: u32, seed: u64) -> Result<Vec<Beside>> {
    let directory = tempfile::tempdir().context("no directory for the songs can be made")?;
    // The program runs in another directory: it looks for the ROM of a chip in its own. A bare name
    // is one in the search path.
    let vgmrender = match vgmrender.components().count() {
        1 => vgmrender.to_owned(),
        _ => std::path::absolute(vgmrender)?,
    };
    let mut rows = Vec::new();
    for machine in Machine::ALL {
        let mut bytes = compose(seed, machine, SECONDS).bytes;
        for clock in LEFT_OUT {
            bytes[clock..clock + 4].fill(0);
        }
        let song = Song::parse(&bytes, MissingChips::Refuse)?;
        let path = directory.path().join("song.vgm");
        std::fs::write(&path, &bytes)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        let pair = Pair {
            vgmrender: vgmrender.clone(),
            chipmill: std::env::current_exe().context("this program is not found")?,
            song: path,
        };
        let chips: Vec<&str> = song.chips.iter().map(|chip| chip.kind.name()).collect();
        rows.push(pair.measure(chips.join(", "), rounds)?);
    }
    Ok(rows)
}

struct Pair {
    vgmrender: PathBuf,
    chipmill: PathBuf,
    song: PathBuf,
}

impl Pair {
    fn measure(&self, chips: String, rounds: u32) -> Result<Beside> {
        let mut theirs = Vec::new();
        let mut ratios = [const { Vec::new() }; RESAMPLINGS.len()];
        for round in 0..rounds as usize {
            let by_vgmrender = self.by_vgmrender()?;
            theirs.push(by_vgmrender);
            // None of them is always the last one.
            for place in 0..RESAMPLINGS.len() {
                let place = (place + round) % RESAMPLINGS.len();
                ratios[place].push(self.by_chipmill(RESAMPLINGS[place])? / by_vgmrender);
            }
        }
        let [mean, nearest] = ratios.map(Ratio::of);
        Ok(Beside {
            chips,
            vgmrender_seconds: median(&mut theirs),
            mean,
            nearest,
        })
    }

    fn by_vgmrender(&self) -> Result<f64> {
        let mut command = Command::new(&self.vgmrender);
        command.arg(&self.song).arg("-o");
        command.arg(self.song.with_extension("theirs.wav"));
        if let Some(directory) = self.song.parent() {
            command.current_dir(directory);
        }
        seconds(&mut command)
    }

    fn by_chipmill(&self, resampling: &str) -> Result<f64> {
        let mut command = Command::new(&self.chipmill);
        command
            .args(["render", "--jobs", "1", "--loops", "1", "--fade", "0"])
            .args(["--resample", resampling, "--out"])
            .arg(self.song.with_extension("ours"))
            .arg(&self.song);
        seconds(&mut command)
    }
}

/// How long a command takes, from its start to its end.
fn seconds(command: &mut Command) -> Result<f64> {
    let name = command.get_program().display().to_string();
    let start = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{name} cannot be started"))?;
    let seconds = start.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {}\n{said}", output.status);
    Ok(seconds)
}

/// The middle of some times, of which there is one at least.
fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let (low, high) = ((times.len() - 1) / 2, times.len() / 2);
    f64::midpoint(times[low], times[high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_its_middle_and_its_ends() {
        let ratio = Ratio::of(vec![1.5, 0.5, 1.0, 1.25]);
        assert_eq!(ratio.to_string(), "1.12 (0.50 to 1.50)");
        assert_eq!(Ratio::of(vec![2.0]).to_string(), "2.00 (2.00 to 2.00)");
    }
}
