//! Writes two things that the lab is compiled with: the registry, from the names of the files in
//! the directories of each family, and the facts about this build that every record carries.
//!
//! The registry is generated so that a new workload or runtime is one new file and nothing else.
//! A file `loop_of_joins.rs` must hold a public type `LoopOfJoins`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A family: what is computed, who computes it, and the constructor of a pair of them. Every
/// workload is compiled for every runtime of its own family.
struct Family {
    workloads: &'static str,
    runtimes: &'static str,
    constructor: &'static str,
}

const FAMILIES: [Family; 5] = [
    Family {
        workloads: "workloads",
        runtimes: "runtimes",
        constructor: "fork_join",
    },
    Family {
        workloads: "crowds",
        runtimes: "spawners",
        constructor: "tasks",
    },
    Family {
        workloads: "loops",
        runtimes: "loopers",
        constructor: "loops",
    },
    Family {
        workloads: "streams",
        runtimes: "streamers",
        constructor: "streams",
    },
    Family {
        workloads: "virtual_workloads",
        runtimes: "virtual_runtimes",
        constructor: "virtual_cores",
    },
];

/// The Rust files of a directory as (stem, path), by name.
type Files = Vec<(String, PathBuf)>;

fn main() {
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));

    let source = manifest.join("src");
    let found = FAMILIES.map(|family| {
        let workloads = files(&source.join(family.workloads));
        let runtimes = files(&source.join(family.runtimes));
        (family, workloads, runtimes)
    });
    fs::write(out.join("registry.rs"), registry(&found)).expect("the registry cannot be written");

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

fn files(directory: &Path) -> Files {
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

fn registry(families: &[(Family, Files, Files)]) -> String {
    let mut modules = String::new();
    let mut workload_list = String::new();
    let mut runtime_list = String::new();
    let mut pair_list = String::new();
    for (family, workloads, runtimes) in families {
        let constructor = family.constructor;
        for (module, files, item, list) in [
            (
                family.workloads,
                workloads,
                "WorkloadEntry",
                &mut workload_list,
            ),
            (family.runtimes, runtimes, "RuntimeEntry", &mut runtime_list),
        ] {
            writeln!(
                modules,
                "/// The {module}, one file each.\npub mod {module} {{"
            )
            .unwrap();
            for (stem, path) in files {
                writeln!(modules, "    #[path = {path:?}]\n    pub mod {stem};").unwrap();
                let kind = camel(stem);
                writeln!(
                    list,
                    "    {item}::{constructor}::<{module}::{stem}::{kind}>(),"
                )
                .unwrap();
            }
            writeln!(modules, "}}").unwrap();
        }
        for (workload, _) in workloads {
            for (runtime, _) in runtimes {
                writeln!(
                    pair_list,
                    "    Pair::{constructor}::<{}::{workload}::{}, {}::{runtime}::{}>(),",
                    family.workloads,
                    camel(workload),
                    family.runtimes,
                    camel(runtime),
                )
                .unwrap();
            }
        }
    }
    let list = |name: &str, item: &str, lines: &str| {
        format!("pub(super) static {name}: &[{item}] = &[\n{lines}];\n")
    };
    modules
        + &list("WORKLOADS", "WorkloadEntry", &workload_list)
        + &list("RUNTIMES", "RuntimeEntry", &runtime_list)
        + &list("PAIRS", "Pair", &pair_list)
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
