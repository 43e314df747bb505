//! Where rayon's test files are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::suite_file::{Kind, SuiteFile};
use crate::invocation::Invocation;

/// The files in rayon's own `src` with tests of what is public.
const IN_RAYON: &[&str] = &[
    "iter/fold_chunks.rs",
    "iter/fold_chunks_with.rs",
    "iter/test.rs",
    "range.rs",
    "range_inclusive.rs",
    "slice/test.rs",
];

/// The same of its core.
const IN_CORE: &[&str] = &[
    "broadcast/test.rs",
    "join/test.rs",
    "scope/test.rs",
    "spawn/test.rs",
    "test.rs",
    "thread_pool/test.rs",
];

/// The unpacked sources of rayon and of its core.
#[derive(Debug)]
pub struct Sources {
    rayon: Crate,
    core: Crate,
}

/// One unpacked package.
#[derive(Debug)]
struct Crate {
    directory: PathBuf,
    /// What its tests may name, which is what it depends on: packages, and versions that will do.
    needs: BTreeMap<String, String>,
}

impl Sources {
    /// Asks cargo, which has unpacked them because the lab depends on rayon.
    pub fn find() -> Result<Self> {
        let metadata = Invocation::line("cargo metadata --format-version 1").answer()?;
        let metadata: Value =
            serde_json::from_str(&metadata).context("reading what `cargo metadata` says")?;
        Ok(Sources {
            rayon: Crate::find(&metadata, "rayon")?,
            core: Crate::find(&metadata, "rayon-core")?,
        })
    }

    /// What the tests need besides rayon, with the versions that will do.
    pub fn needs(&self) -> BTreeMap<String, String> {
        let mut needs = self.rayon.needs.clone();
        needs.extend(self.core.needs.clone());
        needs.remove("rayon-core");
        needs
    }

    /// The test files, ready to be copied.
    pub fn files(&self) -> Result<Vec<SuiteFile>> {
        let mut files = Vec::new();
        for (label, package) in [("", &self.rayon), ("core/", &self.core)] {
            for path in rust_files(&package.directory.join("tests"))? {
                let name = format!("{label}tests/{}", file_name(&path));
                files.push(SuiteFile::read(&path, name, Kind::Outer)?);
            }
        }
        for path in IN_RAYON {
            let name = format!("src/{path}");
            files.push(SuiteFile::read(
                &self.rayon.directory.join(&name),
                name,
                Kind::InRayon,
            )?);
        }
        for path in IN_CORE {
            let source = self.core.directory.join("src").join(path);
            files.push(SuiteFile::read(
                &source,
                format!("core/src/{path}"),
                Kind::InCore,
            )?);
        }
        Ok(files)
    }
}

impl Crate {
    fn find(metadata: &Value, name: &str) -> Result<Self> {
        let packages = metadata["packages"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        // What comes from a registry has a source; a crate of this workspace has none.
        let Some(package) = packages
            .iter()
            .find(|package| package["name"] == name && package["source"].is_string())
        else {
            bail!(
                "`cargo metadata` knows no package `{name}`: its tests are taken from the sources that \
                 cargo unpacks for the lab, so `lab/Cargo.toml` has to depend on rayon"
            );
        };
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let directory = Path::new(manifest).parent().unwrap_or(Path::new(""));
        if !directory.join("tests").is_dir() {
            bail!(
                "the tests of {name} are not in {}; remove that directory, and `cargo fetch` unpacks it anew",
                directory.display()
            );
        }
        let dependencies = package["dependencies"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let needs = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "build" && dependency["optional"] == false)
            .filter_map(|dependency| {
                let name = dependency["name"].as_str()?;
                Some((name.to_owned(), dependency["req"].as_str()?.to_owned()))
            })
            .collect();
        Ok(Crate {
            directory: directory.to_owned(),
            needs,
        })
    }
}

fn rust_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_rayon_is_told_with_a_remedy() {
        let metadata = serde_json::json!({ "packages": [{ "name": "rayon", "source": null }] });
        let error = Crate::find(&metadata, "rayon").unwrap_err();
        assert!(error.to_string().contains("lab/Cargo.toml"), "{error}");
    }
}
