//! A throw-away package that uses one of the two libraries.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::invocation::Invocation;
use crate::workspace;

/// The program, without its import.
const CHAINS: &str = include_str!("chains.rs");

/// How it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As `cargo build` does.
    Debug,
    /// As `cargo build --release` does.
    Release,
}

impl Profile {
    fn flag(self) -> Option<&'static str> {
        match self {
            Profile::Debug => None,
            Profile::Release => Some("--release"),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Profile::Debug => "debug",
            Profile::Release => "release",
        })
    }
}

/// A package under the target directory.
#[derive(Debug)]
pub struct Package {
    library: &'static str,
    /// What the manifest says of the library.
    dependency: String,
    directory: PathBuf,
}

impl Package {
    /// The package that uses Drumline, as it is in this workspace.
    pub fn with_drumline() -> Self {
        let path = workspace::root().join("crates/drumline");
        let path = path.display().to_string().replace('\\', "/");
        Self::new("drumline", format!("{{ path = '{path}' }}"))
    }

    /// The package that uses rayon, in the version that the workspace's lock file has.
    pub fn with_rayon() -> Self {
        Self::new("rayon", "\"1\"".to_owned())
    }

    fn new(library: &'static str, dependency: String) -> Self {
        let base = workspace::target_dir("compile-time");
        Package {
            library,
            dependency,
            directory: workspace::root().join(base).join(library),
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        format!("chains-with-{}", self.library)
    }

    /// Writes its files.
    pub fn write(&self) -> Result<()> {
        let sources = self.directory.join("src");
        fs::create_dir_all(&sources)
            .with_context(|| format!("making the directory {}", sources.display()))?;
        fs::write(self.directory.join("Cargo.toml"), self.manifest())?;
        fs::write(sources.join("main.rs"), self.program())?;
        let lock = self.directory.join("Cargo.lock");
        if !lock.exists() {
            fs::copy(workspace::root().join("Cargo.lock"), &lock)
                .context("copying Cargo.lock, so that versions are the same")?;
        }
        Ok(())
    }

    fn manifest(&self) -> String {
        format!(
            "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\n{} = {}\n\n[workspace]\n",
            self.name(),
            self.library,
            self.dependency
        )
    }

    fn program(&self) -> String {
        format!("use {}::prelude::*;\n\n{CHAINS}", self.library)
    }

    /// Throws away what was compiled of the package itself.
    pub fn forget(&self, profile: Profile) -> Result<()> {
        let name = self.name();
        self.cargo(&["clean", "--quiet", "--package", &name], profile)
            .run()
    }

    /// Compiles what is not compiled, and says how long that took.
    pub fn compile(&self, profile: Profile) -> Result<Duration> {
        let line = self.cargo(&["build", "--quiet"], profile);
        let start = Instant::now();
        line.run()?;
        Ok(start.elapsed())
    }

    fn cargo(&self, words: &[&str], profile: Profile) -> Invocation {
        Invocation::new(["cargo"])
            .and(words.iter().copied())
            .and(profile.flag())
            .and([
                "--manifest-path".to_owned(),
                self.directory.join("Cargo.toml").display().to_string(),
                "--target-dir".to_owned(),
                self.directory.join("build").display().to_string(),
            ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_have_the_same_text_but_for_the_import() {
        let ours = Package::with_drumline().program();
        let rayons = Package::with_rayon().program();
        assert_ne!(ours, rayons);
        assert_eq!(
            ours.replace("use drumline::", "use rayon::"),
            rayons,
            "only the import differs"
        );
        assert_eq!(ours.matches("rayon").count(), 0);
    }

    #[test]
    fn there_are_twenty_chains_at_least() {
        let chains = CHAINS.matches("par_").count();
        assert!(chains >= 20, "{chains} chains");
    }
}
