//! Writes two things that the lab is compiled with: the registry, from the names of the files in
//! `src/workloads` and `src/runtimes`, and the facts about this build that every record carries.
//!
//! The registry is generated so that a new workload or runtime is one new file and nothing else.
//! A file `loop_of_joins.rs` must hold a public type `LoopOfJoins`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));

    let workloads = files(&manifest.join("src/workloads"));
    let runtimes = files(&manifest.join("src/runtimes"));
    fs::write(out.join("registry.rs"), registry(&workloads, &runtimes))
        .expect("the registry cannot be written");

    let lock = manifest.join("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let versions = versions(&fs::read_to_string(&lock).unwrap_or_default());
    fs::write(out.join("versions.rs"), versions).expect("the versions cannot be written");

    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=LAB_RUSTC={}", rustc_version());
    for name in ["TARGET", "PROFILE", "OPT_LEVEL", "DEBUG"] {
        println!("cargo::rustc-env=LAB_{name}={}", variable(name));
    }
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=LAB_RUSTFLAGS={flags}");
    println!(
        "cargo::rustc-env=LAB_TARGET_FEATURES={}",
        variable("CARGO_CFG_TARGET_FEATURE")
    );
}

fn variable(name: &str) -> String {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).unwrap_or_default()
}

/// The Rust files of a directory as (stem, path), by name.
fn files(directory: &Path) -> Vec<(String, PathBuf)> {
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut found: Vec<_> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.expect("a directory entry cannot be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let stem = path.file_stem().expect("a file has a stem");
            (stem.to_string_lossy().into_owned(), path)
        })
        .collect();
    found.sort();
    found
}

fn registry(workloads: &[(String, PathBuf)], runtimes: &[(String, PathBuf)]) -> String {
    let mut text = String::new();
    for (name, files, about) in [
        ("workloads", workloads, "The workloads, one file each."),
        ("runtimes", runtimes, "The runtimes, one file each."),
    ] {
        writeln!(text, "/// {about}\npub mod {name} {{").unwrap();
        for (stem, path) in files {
            writeln!(text, "    #[path = {path:?}]\n    pub mod {stem};").unwrap();
        }
        writeln!(text, "}}").unwrap();
    }
    let list = |name: &str, item: &str, files: &[(String, PathBuf)]| {
        let mut text = format!("pub(super) static {name}: &[{item}] = &[\n");
        for (stem, _) in files {
            let module = name.to_lowercase();
            let kind = camel(stem);
            writeln!(text, "    {item}::of::<{module}::{stem}::{kind}>(),").unwrap();
        }
        text + "];\n"
    };
    text += &list("WORKLOADS", "WorkloadEntry", workloads);
    text += &list("RUNTIMES", "RuntimeEntry", runtimes);
    text += "pub(super) static PAIRS: &[Pair] = &[\n";
    for (workload, _) in workloads {
        for (runtime, _) in runtimes {
            writeln!(
                text,
                "    Pair::of::<workloads::{workload}::{}, runtimes::{runtime}::{}>(),",
                camel(workload),
                camel(runtime),
            )
            .unwrap();
        }
    }
    text + "];\n"
}

fn camel(stem: &str) -> String {
    stem.split('_')
        .map(|word| {
            let (head, tail) = word.split_at(word.len().min(1));
            head.to_uppercase() + tail
        })
        .collect()
}

/// The versions of all packages in the lock file, as the source of a list of pairs.
fn versions(lock: &str) -> String {
    let mut name = None;
    let mut text = String::from("&[\n");
    for line in lock.lines() {
        if let Some(value) = line.strip_prefix("name = ") {
            name = Some(value);
        } else if let (Some(value), Some(name)) = (line.strip_prefix("version = "), name.take()) {
            writeln!(text, "    ({name}, {value}),").unwrap();
        }
    }
    text + "]\n"
}

fn rustc_version() -> String {
    Command::new(variable("RUSTC"))
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| text.trim().to_owned())
        .unwrap_or_default()
}
