//! `cargo fmt` follows `mod` declarations, and the workloads and runtimes have none: their modules
//! are generated. This looks after them instead.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn workloads_and_runtimes_are_formatted() {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/families");
    let folders = entries(&families).into_iter().filter(|path| path.is_dir());
    let parts = folders.flat_map(|family| [family.join("workloads"), family.join("runtimes")]);
    let files: Vec<PathBuf> = parts.flat_map(|part| entries(&part)).collect();
    assert!(!files.is_empty(), "{} has no families", families.display());
    for path in files {
        let arguments = ["--edition", "2024", "--check"];
        let Ok(output) = Command::new("rustfmt").args(arguments).arg(&path).output() else {
            // Written past the test harness, which hides what a test prints that passes.
            let _ = io::stderr().write_all(b"skipped: rustfmt is missing\n");
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "run rustfmt on {}:\n{text}",
            path.display()
        );
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
