//! A number of jobs that is not known beforehand: a scope with jobs that borrow from the frame
//! around it, and spawn more jobs.
//!
//! Counts the lines of the Rust files below a directory (the current one, unless it is named).
//!
//! ```sh
//! cargo run --release -p drumline --example scoped_spawn -- crates
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use drumline::Scope;

#[derive(Debug, Default)]
struct Found {
    files: usize,
    lines: usize,
    failures: Vec<(PathBuf, io::Error)>,
}

fn main() {
    let root = std::env::args_os().nth(1).map_or(".".into(), PathBuf::from);
    let found = Mutex::new(Found::default());

    // `visit` and all that it spawns borrow `found`; the scope returns when the
    // last of them has ended.
    drumline::scope(|scope| visit(scope, root, &found));

    let found = found.into_inner().expect("no job panicked");
    let Found {
        files,
        lines,
        failures,
    } = found;
    // Without a reader there is nothing to print; `println!` would panic.
    let _ = writeln!(io::stdout(), "{lines} lines in {files} files");
    for (path, error) in failures {
        let _ = writeln!(io::stderr(), "{}: {error}", path.display());
    }
}

fn visit<'scope>(scope: &Scope<'scope>, dir: PathBuf, found: &'scope Mutex<Found>) {
    if let Err(error) = list(scope, &dir, found) {
        let mut found = found.lock().expect("no job panicked");
        found.failures.push((dir, error));
    }
}

/// Spawns a job for every directory and every Rust file in `dir`.
fn list<'scope>(scope: &Scope<'scope>, dir: &Path, found: &'scope Mutex<Found>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            scope.spawn(move |scope| visit(scope, path, found));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            scope.spawn(move |_| {
                let text = fs::read_to_string(&path);
                let mut found = found.lock().expect("no job panicked");
                match text {
                    Ok(text) => {
                        found.files += 1;
                        found.lines += text.lines().count();
                    }
                    Err(error) => found.failures.push((path, error)),
                }
            });
        }
    }
    Ok(())
}
