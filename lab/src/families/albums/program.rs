//! The program that renders albums.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::machine::{target_directory, workspace};
use crate::measurement::Measurement;

/// A variable of the environment that says where the program is, if it is not where cargo builds
/// it; an empty one, that it is nowhere.
const PROGRAM: &str = "LAB_CHIPMILL";

/// Why a row has no figure where there is no program.
pub const HOW_TO_GET: &str = "chipmill is not there: run `cargo build --release` in apps/chipmill \
                              (it needs a C++ compiler), or say in LAB_CHIPMILL where it is";

/// Where the program is, if it is anywhere.
///
/// # Errors
///
/// The variable names a file that is not there.
pub fn find() -> Result<Option<PathBuf>> {
    if let Some(path) = std::env::var_os(PROGRAM).map(PathBuf::from) {
        let is_given = !path.as_os_str().is_empty();
        ensure!(
            !is_given || path.is_file(),
            "{PROGRAM} says {}, where no program is",
            path.display()
        );
        return Ok(Some(path).filter(|_| is_given));
    }
    let name = format!("chipmill{}", std::env::consts::EXE_SUFFIX);
    let own = workspace().join("apps/chipmill/target");
    Ok([own, target_directory()]
        .into_iter()
        .map(|directory| directory.join("release").join(&name))
        .find(|path| path.is_file()))
}

/// Measures a row once, with this number of songs. The program composes the songs, and measures in
/// a process of its own; its time begins when it knows what there is to render.
pub fn measure(program: &Path, songs: u64, row: &str) -> Result<Measurement> {
    let output = Command::new(program)
        .args(["bench", "--json", "--rounds", "1", "--songs"])
        .arg(songs.to_string())
        .args(["--row", row])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    ensure!(
        output.status.success(),
        "{} ended with {}; if it is older than the lab, build it again",
        program.display(),
        output.status
    );
    serde_json::from_slice(&output.stdout).with_context(|| {
        let program = program.display();
        format!("{program} answers nonsense; if it is older than the lab, build it again")
    })
}
