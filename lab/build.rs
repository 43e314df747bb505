//! Writes two things that the lab is compiled with: the lists of families, workloads and runtimes,
//! from the names of folders and files; and the facts about this build that every record carries.
//!
//! The lists are generated so that a new workload or runtime is one new file and nothing else. A
//! file `loop_of_joins.rs` must hold a public type `LoopOfJoins`. A file of runtimes that differ in
//! their settings only may hold several instead: rows of a macro, each of which begins on a line
//! `    runtime TypeName = `. A family is a folder of
//! `src/families`; `src/families/mod.rs` says what must be in it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A family: a folder with a file per workload and a file per runtime. Every workload is compiled
/// for every runtime of its own family.
struct Family {
    name: String,
    workloads: Files,
    runtimes: Files,
}

/// The Rust files of a directory as (stem, path), by name.
type Files = Vec<(String, PathBuf)>;

fn main() {
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));

    let families = families(&manifest.join("src/families"));
    fs::write(out.join("registry.rs"), registry(&families))
        .expect("the registry cannot be written");
    let modules_of = out.join("families");
    fs::create_dir_all(&modules_of).expect("a directory cannot be made");
    for family in &families {
        let path = modules_of.join(format!("{}.rs", family.name));
        fs::write(path, modules(family)).expect("the modules of a family cannot be written");
    }

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

/// What cargo says about this build. Where that changes, cargo runs this again without being asked
/// to. Asked to watch the variable, it would look at its own environment: there it has some of
/// these names where it was started by another cargo.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The families, by name.
fn families(directory: &Path) -> Vec<Family> {
    // Cargo looks for changes in all of it, at any depth.
    println!("cargo::rerun-if-changed={}", directory.display());
    let folders = entries(directory).into_iter().filter(|path| path.is_dir());
    folders
        .map(|folder| {
            let name = folder.file_name().expect("a folder has a name");
            Family {
                name: name.to_string_lossy().into_owned(),
                workloads: files(&folder.join("workloads")),
                runtimes: files(&folder.join("runtimes")),
            }
        })
        .collect()
}

fn files(directory: &Path) -> Files {
    let paths = entries(directory).into_iter();
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let stem = path.file_stem().expect("a file has a stem");
            (stem.to_string_lossy().into_owned(), path)
        })
        .collect()
}

/// What is in a directory, by name.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.expect("a directory entry cannot be read").path())
        .collect();
    found.sort();
    found
}

/// The modules of a family's workloads and runtimes, which its `mod.rs` includes.
fn modules(family: &Family) -> String {
    let mut text = String::new();
    for (module, files) in [
        ("workloads", &family.workloads),
        ("runtimes", &family.runtimes),
    ] {
        writeln!(
            text,
            "/// The {module} of the family, one file each.\npub mod {module} {{"
        )
        .unwrap();
        for (stem, path) in files {
            writeln!(text, "    #[path = {path:?}]\n    pub mod {stem};").unwrap();
        }
        writeln!(text, "}}").unwrap();
    }
    text
}

/// All families, their workloads and runtimes, and the pairs of these, as the source of four lists.
fn registry(families: &[Family]) -> String {
    let mut family_list = String::new();
    let mut workload_list = String::new();
    let mut runtime_list = String::new();
    let mut pair_list = String::new();
    for family in families {
        let module = format!("families::{}", family.name);
        let types = |part: &str, files: &Files| -> Vec<String> {
            let types = files.iter().flat_map(|(stem, path)| {
                let names = type_names(stem, path).into_iter();
                names.map(move |name| format!("{stem}::{name}"))
            });
            types
                .map(|path| format!("{module}::{part}::{path}"))
                .collect()
        };
        let workloads = types("workloads", &family.workloads);
        let runtimes = types("runtimes", &family.runtimes);
        writeln!(family_list, "    &{module}::FAMILY,").unwrap();
        for workload in &workloads {
            writeln!(workload_list, "    {module}::workload::<{workload}>(),").unwrap();
            for runtime in &runtimes {
                writeln!(pair_list, "    {module}::pair::<{workload}, {runtime}>(),").unwrap();
            }
        }
        for runtime in &runtimes {
            writeln!(runtime_list, "    {module}::runtime::<{runtime}>(),").unwrap();
        }
    }
    let list = |name: &str, item: &str, lines: &str| {
        format!("pub(super) static {name}: &[{item}] = &[\n{lines}];\n")
    };
    list("FAMILIES", "&Family", &family_list)
        + &list("WORKLOADS", "WorkloadEntry", &workload_list)
        + &list("RUNTIMES", "RuntimeEntry", &runtime_list)
        + &list("PAIRS", "Pair", &pair_list)
}

/// The types of a file: those of its rows, or the one that is named like the file.
fn type_names(stem: &str, path: &Path) -> Vec<String> {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows = text.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("    runtime ")?.split_once(" = ")?;
        Some(name.to_owned())
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        vec![camel(stem)]
    } else {
        rows
    }
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
