//! What a step needs from the machine: toolchains, targets and components.

use std::env;
use std::path::Path;

use anyhow::Result;

use crate::invocation::Invocation;

/// A machine without a way out must not hold up the whole check.
const HURRY: &str = "timeout 180";

/// Whether missing things may be fetched.
#[derive(Debug, Clone, Copy)]
pub struct Installer {
    allowed: bool,
}

impl Installer {
    /// Fetches things if `asked` to, or on a CI machine.
    pub fn new(asked: bool) -> Self {
        let on_ci = env::var("CI").is_ok_and(|value| value == "true" || value == "1");
        Installer {
            allowed: asked || on_ci,
        }
    }

    /// Whether the toolchain is here, fetched if need be. Not having it is not an error.
    pub fn toolchain(self, name: &str) -> bool {
        let probe = Invocation::new(["rustc".to_owned(), format!("+{name}"), "-V".to_owned()])
            .with("RUSTUP_AUTO_INSTALL", "0");
        let install = format!("{HURRY} rustup toolchain install {name} --profile minimal");
        self.have(|| probe.succeeds(), &install)
    }

    /// Whether the default toolchain can build for the target, fetched if need be.
    pub fn target(self, triple: &str) -> Result<bool> {
        let sysroot = Invocation::line("rustc --print sysroot").answer()?;
        let library = Path::new(&sysroot)
            .join("lib/rustlib")
            .join(triple)
            .join("lib");
        Ok(self.have(
            || library.is_dir(),
            &format!("{HURRY} rustup target add {triple}"),
        ))
    }

    fn have(self, probe: impl Fn() -> bool, install: &str) -> bool {
        probe() || self.allowed && Invocation::line(install).succeeds() && probe()
    }
}

/// Whether the nightly toolchain has Miri.
pub fn has_miri() -> bool {
    Invocation::line("cargo +nightly miri --version")
        .with("RUSTUP_AUTO_INSTALL", "0")
        .succeeds()
}

/// Whether the nightly toolchain has the sources of the standard library.
pub fn has_rust_src() -> bool {
    let sysroot = Invocation::line("rustc +nightly --print sysroot").answer();
    sysroot.is_ok_and(|sysroot| {
        Path::new(&sysroot)
            .join("lib/rustlib/src/rust/library/Cargo.toml")
            .is_file()
    })
}

/// The triple of this machine.
pub fn host() -> Result<String> {
    let version = Invocation::line("rustc -vV").answer()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| anyhow::anyhow!("`rustc -vV` names no host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_fetched_unless_allowed() {
        let installer = Installer { allowed: false };
        assert!(!installer.have(|| false, "cargo --version"));
        assert!(installer.have(|| true, "cargo no-such-command"));
    }

    #[test]
    fn a_failed_fetch_is_no_error() {
        let installer = Installer { allowed: true };
        assert!(!installer.have(|| false, "cargo no-such-command"));
        assert!(!installer.have(|| false, "cargo --version"));
    }

    #[test]
    fn the_host_is_known() {
        assert!(host().unwrap().contains('-'));
    }
}
