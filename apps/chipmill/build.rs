//! Compiles `src/chip/models.cpp`, which needs the headers of ymfm. They are in the package of
//! `ymfm-sys`, as are the models, which that package compiles.
//!
//! A package can name its directory to its dependents by `links` only, which
//! `ymfm-sys` does not have. So it is looked for where cargo unpacks what it downloads. If it is
//! not there, but vendored or patched, cargo is asked.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "ymfm-sys";
const SHIM: &str = "src/chip/models.cpp";
/// The headers, in the package.
const HEADERS: &str = "components/ymfm/src";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SHIM}");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let headers = match unpacked() {
        Some(package) => package.join(HEADERS),
        None => as_cargo_says()?.join(HEADERS),
    };
    if !headers.is_dir() {
        return Err(format!("{PACKAGE} has no headers in {}", headers.display()).into());
    }
    println!("cargo:rerun-if-changed={}", headers.display());
    cc::Build::new()
        .cpp(true)
        .std("c++14")
        .include(headers)
        .flag_if_supported("-Wno-unused-parameter")
        .file(SHIM)
        .try_compile("chipmill-models")?;
    Ok(())
}

/// The package of the version that is used, in one of the directories of unpacked packages. `None`
/// if it is not from a registry: the headers have to be those that the models are compiled with.
fn unpacked() -> Option<PathBuf> {
    let name = format!("{PACKAGE}-{}", locked_version()?);
    let mut packages = fs::read_dir(cargo_home()?.join("registry/src"))
        .ok()?
        .filter_map(Result::ok)
        .map(|registry| registry.path().join(&name));
    packages.find(|package| package.join(HEADERS).is_dir())
}

fn cargo_home() -> Option<PathBuf> {
    let said = env::var_os("CARGO_HOME").map(PathBuf::from);
    said.or_else(|| Some(env::home_dir()?.join(".cargo")))
}

/// The version in `Cargo.lock`, if it is from a registry. The manifest pins it: there is one.
fn locked_version() -> Option<String> {
    let lock = fs::read_to_string("Cargo.lock").ok()?;
    let mut lines = lock.lines().map(str::trim);
    let name = format!("name = \"{PACKAGE}\"");
    lines.find(|line| *line == name)?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    let is_of_registry = lines.next()?.starts_with("source = \"registry+");
    is_of_registry.then(|| version.trim_end_matches('"').to_owned())
}

/// The directory of the package by `cargo metadata`.
fn as_cargo_says() -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new(env::var("CARGO")?)
        .args(["metadata", "--format-version=1", "--filter-platform"])
        // Without the platform, cargo wants the packages of all others too, which need not be here.
        .arg(env::var("TARGET")?)
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata does not say where {PACKAGE} is: {said}").into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let manifest = metadata["packages"]
        .as_array()
        .and_then(|packages| packages.iter().find(|package| package["name"] == PACKAGE))
        .and_then(|package| package["manifest_path"].as_str())
        .and_then(|manifest| Path::new(manifest).parent());
    Ok(manifest
        .ok_or_else(|| format!("cargo metadata has no {PACKAGE}"))?
        .to_owned())
}
