//! Where things are in this workspace.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// A target directory of its own for builds with other flags, so that they do not throw away the
/// ordinary build.
pub fn target_dir(name: &str) -> PathBuf {
    let base =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    base.join(name)
}

/// The bytes that are free on the disk that the builds go to.
#[cfg(unix)]
pub fn free_space() -> Result<u64> {
    let builds = root().join(target_dir(""));
    let space = rustix::fs::statvfs(&builds)
        .with_context(|| format!("asking for the free space of {}", builds.display()))?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Not asked for on this system: taken to be enough.
#[cfg(not(unix))]
pub fn free_space() -> Result<u64> {
    Ok(u64::MAX)
}

/// The oldest toolchain that the library promises to build with, from the workspace's manifest.
pub fn oldest_toolchain() -> Result<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let version = rust_version(&manifest).context("Cargo.toml has no `rust-version`")?;
    Ok(match version.matches('.').count() {
        1 => format!("{version}.0"),
        _ => version.to_owned(),
    })
}

fn rust_version(manifest: &str) -> Option<&str> {
    manifest.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "rust-version").then(|| value.trim().trim_matches('"'))
    })
}

/// How many functions with a name that starts with `prefix` the library's sources define. It tells
/// a step that has nothing to run yet from one that runs nothing although it should. All of them
/// are compiled on Linux with 64 bits only.
pub fn functions_named(prefix: &str) -> Result<usize> {
    fn count(dir: &Path, needle: &str) -> Result<usize> {
        let mut sum = 0;
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() {
                sum += count(&path, needle)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sum += fs::read_to_string(&path)?.matches(needle).count();
            }
        }
        Ok(sum)
    }
    count(&root().join("crates/drumline/src"), &format!("fn {prefix}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_of_the_builds_has_free_space() {
        assert!(free_space().unwrap() > 0);
    }

    #[test]
    fn the_oldest_toolchain_has_three_parts() {
        assert_eq!(
            rust_version("a = 1\nrust-version = \"1.88\"\n"),
            Some("1.88")
        );
        assert_eq!(rust_version("rust-version.workspace = true"), None);
        assert_eq!(oldest_toolchain().unwrap().matches('.').count(), 2);
    }
}
