//! The packages that take the places of rayon and of its core.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::BUILD;
use crate::workspace;

/// The packages that are replaced. Some programs name the core by itself.
pub const PACKAGES: [&str; 2] = ["rayon", "rayon-core"];

/// Where the packages are that take their places.
pub fn directory() -> PathBuf {
    let target = workspace::target_dir(BUILD);
    workspace::root().join(target).join("facade")
}

/// The version of a package in this workspace; the facade has the interface of that.
pub fn version(package: &str) -> Result<String> {
    let lock = fs::read_to_string(workspace::root().join("Cargo.lock"))?;
    version_in(&lock, package).with_context(|| format!("Cargo.lock does not have {package}"))
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let (_, rest) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// Writes both: the sources of `crates/rayon-facade` under the name and the version of rayon, and a
/// core that is the same crate.
pub fn write() -> Result<()> {
    let root = workspace::root();
    let sources = root.join("crates/rayon-facade/src/lib.rs");
    let drumline = root.join("crates/drumline");
    put(
        "rayon",
        &format!(
            "edition = \"2024\"\n\n[workspace]\n\n[lib]\npath = {sources:?}\n\n\
             [features]\nweb_spin_lock = []\n\n\
             [dependencies]\ndrumline = {{ path = {drumline:?}, features = [\"either\"] }}\n\
             ref-cast = \"1\"\n"
        ),
    )?;
    put(
        "rayon-core",
        "edition = \"2024\"\n\n[workspace]\n\n[features]\nweb_spin_lock = []\n\n\
         [dependencies]\nrayon = { path = \"../rayon\" }\n",
    )?;
    let core = directory().join("rayon-core/src");
    fs::create_dir_all(&core)?;
    fs::write(core.join("lib.rs"), "pub use rayon::*;\n").context("the core cannot be written")
}

fn put(package: &str, manifest: &str) -> Result<()> {
    let directory = directory().join(package);
    fs::create_dir_all(&directory)?;
    let version = version(package)?;
    let head = "# Made by `cargo xtask clients`.\n[package]\n";
    let manifest = format!("{head}name = {package:?}\nversion = {version:?}\n{manifest}");
    fs::write(directory.join("Cargo.toml"), manifest).context("the facade cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        let lock =
            "name = \"rayon-core\"\nversion = \"9\"\n\nname = \"rayon\"\nversion = \"1.2.3\"\n";
        assert_eq!(version_in(lock, "rayon").as_deref(), Some("1.2.3"));
        for package in PACKAGES {
            assert!(version(package).unwrap().starts_with("1."));
        }
    }
}
