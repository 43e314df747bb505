//! What a program that uses Drumline gets: a lock file with nothing in it that the program does not
//! need, and a library that compiles whatever the program's own switches are.
//!
//! Two throw-away packages are written under the target directory. One depends on the library in
//! this workspace, and one on the library as it is published: cargo writes the manifest of a
//! published package anew. `cargo package` compiles that one first, from nothing but what is in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::invocation::Invocation;
use crate::workspace;

/// The target directory under which they are written and built.
pub const BUILD: &str = "user-lock";

/// The name of the throw-away packages.
const USER: &str = "user-of-drumline";

/// The packages that a lock file may gain. `libc` is for Unix, and locked everywhere.
const GAINED: [&str; 2] = ["drumline", "libc"];

/// What a package must have that is published, besides its code. In the workspace these are links
/// to files above the library, or named by its manifest.
const PUBLISHED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Switches with which a program may be built for models of its own.
const FOREIGN_SWITCHES: &str = "--cfg loom --cfg shuttle";

/// Checks both packages. Returns what a lock file gains, in words.
pub fn run() -> Result<String> {
    let base = workspace::root().join(workspace::target_dir(BUILD));
    let in_workspace = workspace::root().join("crates/drumline");
    check_lock(&base.join("of-the-workspace"), &in_workspace)?;

    let published = publish(&base)?;
    let user = base.join("of-the-published");
    check_lock(&user, &published)?;
    let target = base.join("target").display().to_string();
    let line = cargo("check", &user)
        .and(["--quiet", "--target-dir", &target])
        .with("RUSTFLAGS", FOREIGN_SWITCHES);
    println!("$ {line}");
    line.run()?;
    Ok(format!("a user's lock file gains {}", GAINED.join(" and ")))
}

/// Writes a package at `user` that depends on the library at `library`, and looks at its lock file.
fn check_lock(user: &Path, library: &Path) -> Result<()> {
    write(user, library).with_context(|| format!("writing the package {}", user.display()))?;
    let line = cargo("metadata", user).and(["--format-version", "1"]);
    println!("$ {line}");
    line.answer()?;
    let lock = fs::read_to_string(user.join("Cargo.lock")).context("reading the user's lock")?;
    compare(&lock).with_context(|| format!("a program that depends on {}", library.display()))
}

/// Cargo, without network, in the package at `user`.
fn cargo(command: &str, user: &Path) -> Invocation {
    let manifest = user.join("Cargo.toml").display().to_string();
    Invocation::line("cargo").and([command, "--offline", "--manifest-path", &manifest])
}

fn write(user: &Path, library: &Path) -> Result<()> {
    let library = library.display().to_string().replace('\\', "/");
    fs::create_dir_all(user.join("src"))?;
    fs::write(
        user.join("Cargo.toml"),
        format!(
            "[package]\nname = \"{USER}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\ndrumline = {{ path = '{library}' }}\n\n[workspace]\n"
        ),
    )?;
    fs::write(
        user.join("src/main.rs"),
        "fn main() {\n    drumline::join(|| (), || ());\n}\n",
    )?;
    // Versions that are downloaded already. Cargo removes what the package does not need.
    fs::copy(
        workspace::root().join("Cargo.lock"),
        user.join("Cargo.lock"),
    )?;
    Ok(())
}

/// Makes the package that would be published, and unpacks it. Returns where it lies.
fn publish(base: &Path) -> Result<PathBuf> {
    let packages = base.join("package");
    // Packages of earlier versions, and files that the library no longer has.
    if packages.exists() {
        fs::remove_dir_all(&packages)
            .with_context(|| format!("removing {}", packages.display()))?;
    }
    let target = base.display().to_string();
    let line = Invocation::line("cargo package -p drumline --quiet --offline").and([
        "--allow-dirty",
        "--exclude-lockfile",
        "--target-dir",
        &target,
    ]);
    println!("$ {line}");
    line.run()?;

    let archive = fs::read_dir(&packages)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "crate")
        })
        .context("cargo has made no package")?;
    let (from, to) = (archive.display(), packages.display());
    Invocation::new(["tar", "-xzf", &from.to_string(), "-C", &to.to_string()]).run()?;
    let published = archive.with_extension("");
    let missing = missing_files(&published);
    ensure!(
        missing.is_empty(),
        "the package {} lacks {}",
        published.display(),
        missing.join(", ")
    );
    Ok(published)
}

/// Which of [`PUBLISHED`] a package lacks, or has empty.
fn missing_files(package: &Path) -> Vec<&'static str> {
    let is_there = |name: &&str| {
        let metadata = fs::metadata(package.join(name));
        metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
    };
    let names = PUBLISHED.into_iter();
    names.filter(|name| !is_there(name)).collect()
}

/// Fails unless the lock file has the user's own package, [`GAINED`], and nothing else.
fn compare(lock: &str) -> Result<()> {
    let found = names(lock);
    let mut expected = vec![USER];
    expected.extend(GAINED);
    let (surplus, missing) = (without(&found, &expected), without(&expected, &found));
    if !surplus.is_empty() {
        bail!("the lock file gains {}", surplus.join(", "));
    }
    if !missing.is_empty() {
        bail!("the lock file lacks {}", missing.join(", "));
    }
    Ok(())
}

/// The names of the packages in a lock file. A package in two versions is there twice.
fn names(lock: &str) -> Vec<&str> {
    lock.lines()
        .filter_map(|line| line.strip_prefix("name = "))
        .map(|name| name.trim_matches('"'))
        .collect()
}

/// The members of `these` that have no counterpart in `others`.
fn without<'a>(these: &[&'a str], others: &[&str]) -> Vec<&'a str> {
    let mut others = others.to_vec();
    let mut surplus = Vec::new();
    for &name in these {
        match others.iter().position(|other| *other == name) {
            Some(counterpart) => {
                others.swap_remove(counterpart);
            }
            None => surplus.push(name),
        }
    }
    surplus
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock file with these packages.
    fn lock(names: &[&str]) -> String {
        let mut lock = "# made by hand\nversion = 4\n".to_owned();
        for name in names {
            lock += &format!(
                "\n[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\ndependencies = [\n \"libc\",\n]\n"
            );
        }
        lock
    }

    fn refusal(names: &[&str]) -> String {
        compare(&lock(names)).unwrap_err().to_string()
    }

    #[test]
    fn the_library_and_libc_are_expected() {
        compare(&lock(&["drumline", "libc", USER])).unwrap();
        compare(&lock(&[USER, "libc", "drumline"])).unwrap();
    }

    #[test]
    fn anything_else_is_refused() {
        assert_eq!(
            refusal(&["drumline", "libc", "loom", "rand", USER]),
            "the lock file gains loom, rand"
        );
    }

    #[test]
    fn a_second_version_is_something_else() {
        assert_eq!(
            refusal(&["drumline", "libc", "libc", USER]),
            "the lock file gains libc"
        );
    }

    #[test]
    fn a_lock_without_the_library_checks_nothing() {
        assert_eq!(
            refusal(&[]),
            format!("the lock file lacks {USER}, drumline, libc")
        );
        assert_eq!(refusal(&["libc", USER]), "the lock file lacks drumline");
    }

    #[test]
    fn a_package_without_readme_is_noticed() {
        let root = workspace::root();
        assert!(missing_files(&root).is_empty());
        // The library has its readme from above.
        assert_eq!(missing_files(&root.join("crates/drumline")), ["README.md"]);
    }

    #[test]
    fn every_package_of_a_lock_file_is_seen() {
        let lock = fs::read_to_string(workspace::root().join("Cargo.lock")).unwrap();
        assert_eq!(names(&lock).len(), lock.matches("[[package]]").count());
        assert!(names(&lock).contains(&"xtask"));
    }
}
