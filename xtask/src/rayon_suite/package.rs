//! The throw-away package in which the tests are compiled.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::sources::Sources;
use super::suite_file::{Kind, SuiteFile};
use crate::invocation::Invocation;
use crate::workspace;

/// The target directory under which it is written and built.
pub const BUILD: &str = "rayon-suite";

/// What rayon's core is called when its own tests name it. An item may stand after those that use
/// it, so the lines of the test file keep their numbers.
const CORE: &str = "extern crate rayon as rayon_core;\n";

/// What a test may expect in the module around it: what that module has itself.
const INHERIT: &str = "#[allow(unused_imports)] use super::*;\n";

/// The root of the test program around a module of rayon: the paths that it may expect.
const AROUND_RAYON: &str = "\
#![allow(unused_imports)]

pub use rayon::*;

mod iter {
    use crate::core_names as rayon_core;
    use std::collections::LinkedList;

    pub use rayon::iter::*;
    use rayon::iter::plumbing::*;

    #[path = \"PATH\"]
    mod test;
}
";

/// The same around a module of rayon's core.
const AROUND_CORE: &str = "\
#![allow(dead_code, unused_imports)]

pub use core_names::*;

mod unwind {
    pub fn halt_unwinding<R>(op: impl FnOnce() -> R) -> std::thread::Result<R> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(op))
    }
}

mod registry {
    pub fn in_worker<R: Send>(op: impl FnOnce(&(), bool) -> R + Send) -> R {
        rayon::join(|| op(&(), false), || ()).0
    }
}

mod around {
    use crate::*;

    #[path = \"PATH\"]
    mod test;
}
";

/// What rayon takes from its core: no module that would hide a type of the language.
const CORE_NAMES: &str = "
mod core_names {
    pub use rayon::{
        BroadcastContext, FnContext, Scope, ScopeFifo, ThreadBuilder, ThreadPool,
        ThreadPoolBuildError, ThreadPoolBuilder, Yield, broadcast, current_num_threads,
        current_thread_index, in_place_scope, in_place_scope_fifo, join, join_context,
        max_num_threads, scope, scope_fifo, spawn, spawn_broadcast, spawn_fifo, yield_local,
        yield_now,
    };
}
";

/// A package of nothing but tests, under the target directory.
#[derive(Debug)]
pub struct Package {
    directory: PathBuf,
    needs: BTreeMap<String, String>,
}

impl Package {
    /// A package for tests that need what those of `sources` need.
    pub fn new(sources: &Sources) -> Self {
        let directory = workspace::root().join(workspace::target_dir(BUILD));
        Package {
            directory,
            needs: sources.needs(),
        }
    }

    /// Where what the tests print is kept.
    pub fn logs(&self) -> PathBuf {
        self.directory.join("logs")
    }

    /// Where the tests run.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The copy of a file, relative to the package. It keeps its name: some tests read their own
    /// file.
    pub fn copy_of(&self, file: &SuiteFile) -> String {
        format!("copies/{}", file.name())
    }

    /// Writes the package, with those of the files that are not given up.
    pub fn write(&self, files: &[SuiteFile]) -> Result<()> {
        fs::create_dir_all(self.logs())?;
        let lock = self.directory.join("Cargo.lock");
        if !lock.exists() {
            // The versions of everything that the workspace uses, too.
            fs::copy(workspace::root().join("Cargo.lock"), &lock)
                .context("copying Cargo.lock, so that versions are the same")?;
        }
        self.put("Cargo.toml", &self.manifest(files))?;
        self.put("src/lib.rs", "")?;
        for file in files {
            let copy = self.copy_of(file);
            let text = file.remaining();
            let root = match file.kind {
                Kind::Outer => {
                    self.put(&copy, &(text + CORE))?;
                    continue;
                }
                Kind::InRayon => AROUND_RAYON,
                Kind::InCore => AROUND_CORE,
            };
            self.put(&copy, &(text + INHERIT))?;
            let path = self.directory.join(&copy).display().to_string();
            let root = root.replace("PATH", &path.escape_default().to_string());
            self.put(&self.root_of(file), &(root + CORE_NAMES))?;
        }
        Ok(())
    }

    /// The command that compiles everything that compiles.
    pub fn build(&self) -> Invocation {
        Invocation::line("cargo build --tests --keep-going --quiet --message-format json").and([
            "--manifest-path".to_owned(),
            self.directory.join("Cargo.toml").display().to_string(),
            "--target-dir".to_owned(),
            self.directory.join("build").display().to_string(),
        ])
    }

    /// The root of the test program that a file is part of, relative to the package.
    fn root_of(&self, file: &SuiteFile) -> String {
        match file.kind {
            Kind::Outer => self.copy_of(file),
            Kind::InRayon | Kind::InCore => format!("roots/{}.rs", file.target()),
        }
    }

    fn manifest(&self, files: &[SuiteFile]) -> String {
        let facade = workspace::root().join("crates/rayon-facade");
        let mut text = format!(
            "# Made by `cargo xtask rayon-suite`.\n\
             [package]\nname = \"rayon-suite\"\nedition = \"2021\"\nautotests = false\n\n\
             [workspace]\n\n\
             [profile.dev]\ndebug = \"line-tables-only\"\n\n\
             [dev-dependencies]\nrayon-facade = {{ path = {facade:?} }}\n",
        );
        // Writing to a string cannot fail.
        for (name, version) in &self.needs {
            let _ = writeln!(text, "{name} = {version:?}");
        }
        for file in files.iter().filter(|file| file.broken.is_none()) {
            let (name, path) = (file.target(), self.root_of(file));
            let _ = write!(text, "\n[[test]]\nname = {name:?}\npath = {path:?}\n");
        }
        text
    }

    /// Writes a file, unless it is there already: cargo goes by the time of the last change.
    fn put(&self, name: &str, text: &str) -> Result<()> {
        let path = self.directory.join(name);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }
}
