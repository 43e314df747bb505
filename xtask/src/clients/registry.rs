//! Where cargo has unpacked the clients.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::BUILD;
use super::client::Client;
use super::facade;
use crate::invocation::Invocation;
use crate::workspace;

/// The unpacked packages.
#[derive(Debug)]
pub struct Registry {
    /// Where cargo unpacks what comes from the registry.
    sources: PathBuf,
}

impl Registry {
    /// Has cargo unpack all of them: as dependencies of a package that is never built.
    pub fn unpack(clients: &[Client]) -> Result<Self> {
        let directory = workspace::target_dir(BUILD).join("unpack");
        let root = workspace::root().join(&directory);
        let directory = directory.display().to_string();
        fs::create_dir_all(root.join("src"))?;
        let rayon = facade::version("rayon")?;
        let mut manifest = format!(
            "# Made by `cargo xtask clients`.\n\
             [package]\nname = \"unpack\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n\
             rayon = \"={rayon}\"\n",
        );
        for client in clients {
            // Writing to a string cannot fail.
            let _ = writeln!(manifest, "{} = \"={}\"", client.name, client.version);
        }
        fs::write(root.join("Cargo.toml"), manifest)?;
        fs::write(root.join("src/lib.rs"), "")?;
        // A package without a library is no dependency, of which cargo warns, and is unpacked all
        // the same.
        Invocation::line("cargo fetch --quiet")
            .inside(&directory)
            .run()?;
        let text = Invocation::line("cargo metadata --format-version 1 --quiet")
            .inside(&directory)
            .answer()?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata is no JSON")?;
        let packages = metadata["packages"].as_array();
        let found = packages
            .into_iter()
            .flatten()
            .find(|package| package["name"] == "rayon" && package["version"] == rayon.as_str());
        let manifest = found.and_then(|package| package["manifest_path"].as_str());
        let sources = manifest.and_then(|path| Path::new(path).parent()?.parent());
        Ok(Registry {
            sources: sources.context("cargo has not unpacked rayon")?.to_owned(),
        })
    }

    /// The directory of a client.
    pub fn source_of(&self, client: &Client) -> Result<PathBuf> {
        let directory = self
            .sources
            .join(format!("{}-{}", client.name, client.version));
        ensure!(
            directory.join("Cargo.toml").is_file(),
            "cargo has not unpacked {client} to {}",
            directory.display()
        );
        Ok(directory)
    }
}
