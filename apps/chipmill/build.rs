//! Compiles `src/chip/models.cpp`, which needs the headers of ymfm. They are in the package of
//! `ymfm-sys`, as are the models, which that package compiles.
//!
//! A package has no means to name its directory to those that depend on it, but `links`, which
//! `ymfm-sys` does not have. So it is looked for where cargo unpacks what it downloads. If it is not
//! there, but in a directory of vendored sources, cargo is asked.

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
    let headers = match unpacked()? {
        Some(package) => package.join(HEADERS),
        None => as_cargo_says()?.join(HEADERS),
    };
    if !headers.is_dir() {
        return Err(format!("{PACKAGE} has no headers in {}", headers.display()).into());
    }
    cc::Build::new()
        .cpp(true)
        .std("c++14")
        .include(headers)
        .flag_if_supported("-Wno-unused-parameter")
        .file(SHIM)
        .try_compile("chipmill-models")?;
    Ok(())
}

/// The package of the version that is used, in one of the directories of unpacked packages.
fn unpacked() -> Result<Option<PathBuf>, Box<dyn Error>> {
    let name = format!("{PACKAGE}-{}", locked_version()?);
    let Some(registries) =
        cargo_home().and_then(|home| fs::read_dir(home.join("registry/src")).ok())
    else {
        return Ok(None);
    };
    let mut packages = registries
        .filter_map(Result::ok)
        .map(|registry| registry.path().join(&name));
    Ok(packages.find(|package| package.join(HEADERS).is_dir()))
}

fn cargo_home() -> Option<PathBuf> {
    let said = env::var_os("CARGO_HOME").map(PathBuf::from);
    said.or_else(|| Some(env::home_dir()?.join(".cargo")))
}

/// The version in `Cargo.lock`.
fn locked_version() -> Result<String, Box<dyn Error>> {
    let lock = fs::read_to_string("Cargo.lock")?;
    let mut lines = lock.lines().map(str::trim);
    let name = format!("name = \"{PACKAGE}\"");
    lines.find(|line| *line == name);
    let version = lines
        .next()
        .and_then(|line| line.strip_prefix("version = \""))
        .and_then(|rest| rest.strip_suffix('"'));
    Ok(version
        .ok_or_else(|| format!("Cargo.lock has no {PACKAGE}"))?
        .to_owned())
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
