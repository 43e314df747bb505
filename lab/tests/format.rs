//! `cargo fmt` follows `mod` declarations, and the workloads and runtimes have none: the registry
//! is generated. This looks after them instead.

use std::path::Path;
use std::process::Command;

#[test]
fn workloads_and_runtimes_are_formatted() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for directory in [
        "workloads",
        "runtimes",
        "crowds",
        "spawners",
        "loops",
        "loopers",
        "streams",
        "streamers",
    ] {
        for entry in std::fs::read_dir(source.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let arguments = ["--edition", "2024", "--check"];
            let Ok(output) = Command::new("rustfmt").args(arguments).arg(&path).output() else {
                eprintln!("skipped: rustfmt is missing");
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
}
