//! Compiling the tests, less and less of them, until what is left compiles.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::message::{Complaint, Message};
use super::package::Package;
use super::suite_file::SuiteFile;

/// How often tests are cut out. The compiler checks names before it checks types and types before
/// borrows, so some errors show only when others are gone.
const ROUNDS: usize = 8;

/// Compiles all files. Those that can be have a program in the end, if only for some of their
/// tests.
pub fn all(package: &Package, files: &mut [SuiteFile]) -> Result<Vec<Option<PathBuf>>> {
    for round in 1..=ROUNDS {
        println!("compiling rayon's tests against drumline, round {round}");
        package.write(files)?;
        let (programs, complaints) = build(package, files)?;
        if complaints.is_empty() {
            return Ok(programs);
        }
        blame(package, files, &complaints)?;
    }
    bail!("after {ROUNDS} rounds of cutting out what does not compile, the rest does not either");
}

/// Builds, and sorts what cargo says.
fn build(package: &Package, files: &[SuiteFile]) -> Result<(Vec<Option<PathBuf>>, Vec<Complaint>)> {
    let line = package.build();
    let output = line
        .command()
        .output()
        .with_context(|| format!("starting {line}"))?;
    let mut programs = vec![None; files.len()];
    let mut complaints = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match Message::parse(line) {
            Some(Message::Program { target, path }) => {
                if let Some(index) = files.iter().position(|file| file.target() == target) {
                    programs[index] = Some(path);
                }
            }
            Some(Message::Error(complaint)) => complaints.push(complaint),
            None => {}
        }
    }
    if !output.status.success() && complaints.is_empty() {
        bail!(
            "the tests could not be compiled at all:\n{}\nto repeat it:\n  {line}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok((programs, complaints))
}

/// Finds the tests that the complaints are about. A file of which something else does not compile
/// is given up.
fn blame(package: &Package, files: &mut [SuiteFile], complaints: &[Complaint]) -> Result<()> {
    for file in files.iter_mut().filter(|file| file.broken.is_none()) {
        let target = file.target();
        let copy = package.copy_of(file);
        let of_file = |complaint: &&Complaint| complaint.target == target;
        let mut found = false;
        let mut first = None;
        for complaint in complaints.iter().filter(of_file) {
            let lines: Vec<usize> = complaint
                .places
                .iter()
                .filter(|(name, _)| name.replace('\\', "/").ends_with(&copy))
                .map(|&(_, line)| line)
                .collect();
            found |= file.blame(&lines, &complaint.text);
            first.get_or_insert(&complaint.text);
        }
        if let (false, Some(complaint)) = (found, first) {
            file.give_up(complaint.clone());
        }
    }
    let known = |complaint: &&Complaint| files.iter().any(|file| file.target() == complaint.target);
    if let Some(other) = complaints.iter().find(|complaint| !known(complaint)) {
        bail!("`{}` does not compile:\n{}", other.target, other.text);
    }
    Ok(())
}
