//! How long the first build of the lab took, with all that it depends on.
//!
//! Cargo notes the begin of each compilation in a file beside what comes of it. The first one of a
//! target directory that was empty, and the time of the program's own file, are the two ends. Later
//! builds are shorter, and move the second end only; so this is asked for the first run alone.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The file that cargo makes when it begins to compile a package.
const BEGUN: &str = "invoked.timestamp";

/// A build that would have taken longer than this is several ones, with a pause in between.
const LONGEST: Duration = Duration::from_secs(2 * 60 * 60);

/// How long it took until there was this program; `None` if the files do not tell.
pub fn of(program: &Path) -> Option<Duration> {
    let end = modified(program)?;
    let units = fs::read_dir(program.parent()?.join(".fingerprint")).ok()?;
    let begun = units.filter_map(|unit| modified(&unit.ok()?.path().join(BEGUN)));
    let took = end.duration_since(begun.min()?).ok()?;
    (took <= LONGEST).then_some(took)
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).ok()?.modified().ok()
}

/// Says it in minutes and seconds.
pub fn text(took: Duration) -> String {
    let (minutes, seconds) = (took.as_secs() / 60, took.as_secs() % 60);
    format!("built in {minutes}:{seconds:02} minutes, with all that the lab compares")
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn the_first_compilation_is_the_begin() {
        let target = tempfile::tempdir().unwrap();
        let end = SystemTime::now();
        let put = |file: &Path, before: u64| {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let file = File::create(file).unwrap();
            file.set_modified(end - Duration::from_secs(before))
                .unwrap();
        };
        let program = target.path().join("drumline-lab");
        put(&program, 0);
        assert_eq!(of(&program), None, "cargo has not built it");
        let units = target.path().join(".fingerprint");
        put(&units.join("late-1").join(BEGUN), 50);
        put(&units.join("first-2").join(BEGUN), 425);
        put(&units.join("other-3").join("dep"), 9_000);
        let took = of(&program).unwrap();
        assert_eq!(took.as_secs(), 425);
        assert_eq!(
            text(took),
            "built in 7:05 minutes, with all that the lab compares"
        );
        put(&units.join("yesterday-4").join(BEGUN), 80_000);
        assert_eq!(of(&program), None, "this is no single build");
    }
}
