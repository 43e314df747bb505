//! Spice, a library for Zig, from a checkout that the user names.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::task::Task;
use super::tool;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// Names the checkout, if the option `--spice` does not.
pub const CHECKOUT: &str = "LAB_SPICE";

/// Names the compiler, if it is not `zig` in `PATH`.
const COMPILER: &str = "LAB_ZIG";

/// How to get both. Later compilers have another standard library.
const GET: &str = "git clone https://github.com/judofyr/spice DIR; python3 -m pip install \
                   --target ZIG ziglang==0.13.0; then --spice DIR (or LAB_SPICE=DIR), with \
                   LAB_ZIG=ZIG/ziglang/zig";

/// The compiler of its time, to the letter: a `.post1` of the package says the same.
const VERSION: &str = "0.13.0";

/// The library's only file, and the name that it has beside ours.
const LIBRARY: &str = "src/root.zig";
const LIBRARY_HERE: &str = "spice.zig";

/// A longer file is another one.
const LIBRARY_MAX: u64 = 1 << 20;

/// The files of `lab/peers/spice`.
const SOURCES: [(&str, &str); 2] = [
    ("main.zig", include_str!("../../peers/spice/main.zig")),
    ("session.zig", include_str!("../../peers/spice/session.zig")),
];

/// The compiler, and the library's text.
#[derive(Debug)]
struct Spice {
    zig: PathBuf,
    library: String,
    version: String,
}

/// Looks for both.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    let named = |name: &str| variables(name).filter(|value| !value.is_empty());
    let checkout = named(CHECKOUT)
        .ok_or_else(|| format!("spice is used from a checkout that --spice names: {GET}"))?;
    let checkout = PathBuf::from(checkout);
    let library = read(&checkout.join(LIBRARY)).map_err(|error| {
        let named = checkout.display();
        format!("--spice {named} is no checkout of spice ({error:#}): {GET}")
    })?;
    let zig = match named(COMPILER) {
        Some(file) => std::path::absolute(&file).unwrap_or_else(|_| file.into()),
        None => tool::search("zig", variables)
            .ok_or_else(|| format!("spice needs zig {VERSION}: {GET}"))?,
    };
    let answer = tool::ask(&zig, "version")
        .map_err(|error| format!("zig does not say its version ({error:#}): {GET}"))?;
    let compiler = answer.lines().next().unwrap_or_default();
    if compiler != VERSION {
        return Err(format!(
            "spice needs zig {VERSION}, and {} says {compiler:?}: {GET}",
            zig.display()
        ));
    }
    let revision = revision(&checkout, variables);
    let version = format!("{revision}, zig {compiler}");
    Ok(Box::new(Spice {
        zig,
        library,
        version,
    }))
}

fn read(file: &Path) -> Result<String> {
    let mut text = String::new();
    let opened = File::open(file);
    let read = opened.and_then(|opened| opened.take(LIBRARY_MAX + 1).read_to_string(&mut text));
    read.with_context(|| format!("{} cannot be read", file.display()))?;
    ensure!(
        text.len() as u64 <= LIBRARY_MAX,
        "{} is longer than {LIBRARY_MAX} bytes",
        file.display()
    );
    Ok(text)
}

/// The revision of the checkout, where git is there and knows it.
fn revision(checkout: &Path, variables: Variables) -> String {
    let git = tool::search("git", variables);
    let answer = git.and_then(|git| tool::ask_in(&git, checkout, "rev-parse --short HEAD").ok());
    let answer = answer.unwrap_or_default();
    match answer.trim() {
        "" => "unknown revision".to_owned(),
        revision => revision.to_owned(),
    }
}

impl Toolchain for Spice {
    fn version(&self) -> &str {
        &self.version
    }

    fn sources(&self) -> Vec<Source> {
        let mut sources = Source::all(&SOURCES);
        sources.push(Source::own(LIBRARY_HERE, &self.library));
        sources
    }

    fn steps(&self) -> Vec<Step> {
        let line = format!(
            "build-exe -O ReleaseFast -lc --dep spice -Mroot=main.zig -Mspice={LIBRARY_HERE} \
             --cache-dir cache -femit-bin=peer{EXE_SUFFIX}"
        );
        vec![Step::line(&self.zig, &line)]
    }

    fn command(&self, directory: &Path, _task: &Task) -> Vec<OsString> {
        vec![directory.join(format!("peer{EXE_SUFFIX}")).into()]
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;
    use crate::peers::made_up::Tools;

    #[test]
    fn what_is_missing_is_told_of() {
        let tools = Tools::new();
        let checkout = tempfile::tempdir().unwrap();
        let path = tools.variables();
        let with = |name: &str| match name {
            CHECKOUT => Some(checkout.path().as_os_str().to_owned()),
            other => path(other),
        };
        let error = |variables: Variables| find(variables).unwrap_err();
        let unnamed = error(&path);
        assert!(
            unnamed.starts_with("spice is used from a checkout that --spice names: git clone"),
            "{unnamed}"
        );
        let empty = error(&with);
        assert!(empty.contains("is no checkout of spice"), "{empty}");
        fs::create_dir(checkout.path().join("src")).unwrap();
        fs::write(checkout.path().join(LIBRARY), "pub const Task = 1;").unwrap();
        assert!(error(&with).contains("spice needs zig 0.13.0: git"));
        for version in ["0.15.1", "0.13.0-dev.1", "0.13.1"] {
            tools.add("zig", &format!("echo {version}"));
            let other = error(&with);
            assert!(
                other.contains("needs zig 0.13.0, and")
                    && other.contains(&format!("zig says \"{version}\""))
                    && other.contains("ziglang==0.13.0;"),
                "{other}"
            );
        }
        tools.add("zig", "echo 0.13.0");
        let found = find(&with).unwrap();
        assert_eq!(found.version(), "unknown revision, zig 0.13.0");
        // A changed library is compiled anew.
        let library = &found.sources()[2];
        assert_eq!(
            (library.name, &*library.text),
            (LIBRARY_HERE, "pub const Task = 1;")
        );
        tools.add("git", "echo 6d2d665");
        assert_eq!(find(&with).unwrap().version(), "6d2d665, zig 0.13.0");
    }

    #[test]
    fn a_file_that_never_ends_is_not_read() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().contains("is longer than"), "{error}");
    }
}
