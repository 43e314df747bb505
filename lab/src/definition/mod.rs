//! Workloads that a file defines: names, texts, and commands of programs that measure themselves.
//!
//! ```text
//! FILE.toml ─► read ─► check ─► registry ─► schedule ═══► measuring process ─► program
//! ```
//! The registry has its entries for the whole life of the process, so what a file defines lives as
//! long. That happens once, and a file has an upper limit.

pub mod family;
mod program;

use family::FAMILY;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

pub use program::{PROTOCOL, run};

use crate::entry::{ProgramRow, RuntimeEntry, WorkloadEntry};
use crate::near;
use crate::registry;
use crate::runtime::{Role, RuntimeCard};
use crate::workload::{Shows, WorkloadCard};

/// The form of files that this lab reads.
const VERSION: u64 = 1;

/// Longer files are something else.
const LENGTH_MAX: u64 = 1 << 18;

/// The colours of rows that the lab does not know otherwise.
const COLOURS: [(u8, u8, u8); 6] = [
    (47, 111, 176),
    (63, 143, 84),
    (196, 140, 38),
    (142, 92, 160),
    (40, 150, 160),
    (120, 120, 120),
];

/// What a command has places for.
const PLACES: [&str; 2] = ["size", "jobs"];

/// Longer names are of no use in a table, and a chart has the name of its workload as a file.
const NAME_MAX: usize = 64;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u64,
    workload: Vec<Workload>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Workload {
    name: String,
    about: String,
    #[serde(default)]
    analysis: String,
    item: String,
    size_counts: String,
    sizes: Vec<u64>,
    row: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    command: Vec<String>,
    #[serde(default)]
    role: RowRole,
    #[serde(default = "yes")]
    parallel: bool,
}

/// [`Role`], as a file has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RowRole {
    Ours,
    #[default]
    Peer,
    Bound,
}

fn yes() -> bool {
    true
}

impl From<RowRole> for Role {
    fn from(role: RowRole) -> Self {
        match role {
            RowRole::Ours => Self::Ours,
            RowRole::Peer => Self::Peer,
            RowRole::Bound => Self::Bound,
        }
    }
}

/// Adds the workloads of a file to those of the lab, and returns their names. This happens once in
/// a process.
///
/// # Errors
/// The file cannot be read, has another form, or defines what is there already.
pub fn define(file: &Path) -> Result<Vec<String>> {
    let place = || format!("--define {}", file.display());
    let text = read(file).with_context(place)?;
    let document = parse(&text).with_context(place)?;
    let names = document
        .workload
        .iter()
        .map(|workload| workload.name.clone());
    let names = names.collect();
    let (workloads, rows) = entries(document);
    registry::define(workloads, rows).with_context(place)?;
    Ok(names)
}

fn read(file: &Path) -> Result<String> {
    let mut text = String::new();
    let opened = File::open(file).context("the file cannot be read")?;
    opened
        .take(LENGTH_MAX + 1)
        .read_to_string(&mut text)
        .context("the file cannot be read")?;
    ensure!(
        text.len() as u64 <= LENGTH_MAX,
        "the file is longer than {LENGTH_MAX} bytes"
    );
    Ok(text)
}

fn parse(text: &str) -> Result<Document> {
    let document: Document = toml::from_str(text).context("it is no definition of workloads")?;
    ensure!(
        document.version == VERSION,
        "its form has the number {}, and this lab reads {VERSION}",
        document.version
    );
    for (place, workload) in document.workload.iter().enumerate() {
        check(workload)?;
        let name = &workload.name;
        let is_known = registry::workload(name).is_ok();
        ensure!(
            !is_known,
            "{name}: the lab has a workload of this name; take another"
        );
        let mut before = document.workload[..place].iter();
        ensure!(
            before.all(|other| other.name != *name),
            "{name}: the name is there twice"
        );
    }
    // Tables find the part of a row by its name, whatever the workload.
    let rows: Vec<&Row> = document.workload.iter().flat_map(|one| &one.row).collect();
    for (place, row) in rows.iter().enumerate() {
        let mut before = rows[..place].iter().filter(|other| other.name == row.name);
        ensure!(
            before.all(|other| other.role == row.role),
            "row {}: it has another role in another workload; take another name",
            row.name
        );
    }
    Ok(document)
}

fn check(workload: &Workload) -> Result<()> {
    let name = &workload.name;
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (1..=NAME_MAX).contains(&name.len()) && name.chars().all(is_part)
    };
    ensure!(
        is_name(name),
        "workload {name:?}: a name is made of letters, digits, - and _, {NAME_MAX} at most"
    );
    let is_size = |size: &u64| *size > 0;
    ensure!(
        !workload.sizes.is_empty() && workload.sizes.iter().all(is_size),
        "{name}: it needs sizes, each of them more than zero"
    );
    ensure!(
        !workload.row.is_empty(),
        "{name}: it needs a [[workload.row]]"
    );
    for (place, row) in workload.row.iter().enumerate() {
        let row_name = &row.name;
        ensure!(
            is_name(row_name),
            "{name}, row {row_name:?}: a name is made of letters, digits, - and _, {NAME_MAX} at \
             most"
        );
        ensure!(
            row.command.first().is_some_and(|word| !word.is_empty()),
            "{name}, {row_name}: the command is empty"
        );
        if let Some(unknown) = row.command.iter().find_map(|word| unknown_place(word)) {
            bail!(
                "{name}, {row_name}: a command has no place {{{unknown}}}{}; its places are \
                 {{size}} and {{jobs}}, and a brace that is none has a blank after it",
                near::hint(unknown, PLACES.into_iter())
            );
        }
        let mut before = workload.row[..place].iter();
        ensure!(
            before.all(|other| other.name != *row_name),
            "{name}, {row_name}: the row is there twice"
        );
        // Tables find the part of a runtime by its name.
        if let Ok(known) = registry::runtime(row_name) {
            ensure!(
                known.card.role == Role::from(row.role),
                "{name}, {row_name}: the lab has a runtime of this name with another role; take \
                 another name"
            );
        }
    }
    Ok(())
}

/// A name in braces that is none of the places. What shells and git write as `${…}` and `@{…}` is
/// something else, and so is all that has more than a name in its braces.
fn unknown_place(word: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut braces = word.match_indices('{');
    braces.find_map(|(start, _)| {
        let (name, _) = word[start + 1..].split_once('}')?;
        let is_name =
            name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part);
        let is_other = word[..start].ends_with(['$', '@']);
        (is_name && !is_other && !PLACES.contains(&name)).then_some(name)
    })
}

/// The entries of the registry.
fn entries(document: Document) -> (Vec<WorkloadEntry>, Vec<RuntimeEntry>) {
    let (mut workloads, mut rows) = (Vec::new(), Vec::new());
    for workload in document.workload {
        let name = leak(workload.name);
        let sizes: &'static [u64] = workload.sizes.leak();
        let card = WorkloadCard {
            name,
            about: leak(workload.about),
            analysis: leak(workload.analysis),
            item: leak(workload.item),
            size_counts: leak(workload.size_counts),
            sizes,
            smoke_sizes: &sizes[..1],
            limits: (1, u64::MAX),
            default_rank: None,
            outside: false,
            shows: Shows::Time,
        };
        workloads.push(WorkloadEntry::new(&FAMILY, card));
        for (place, row) in workload.row.into_iter().enumerate() {
            let known = registry::runtime(&row.name).ok();
            let colour = COLOURS[place % COLOURS.len()];
            let card = RuntimeCard {
                name: leak(row.name),
                about: "a program of its own",
                package: None,
                role: row.role.into(),
                rank: u8::try_from(place).unwrap_or(u8::MAX),
                scheduler: "its own",
                parallel: row.parallel,
                colour: known.map_or(colour, |known| known.card.colour),
            };
            rows.push(RuntimeEntry {
                program: Some(ProgramRow {
                    workload: name,
                    command: row.command.leak(),
                }),
                ..RuntimeEntry::new(&FAMILY, card)
            });
        }
    }
    (workloads, rows)
}

fn leak(text: String) -> &'static str {
    text.leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        version = 1
        [[workload]]
        name = "lines"
        about = "sorts lines"
        item = "line"
        size-counts = "lines"
        sizes = [10, 1000]
        [[workload.row]]
        name = "mine"
        command = ["./mine", "--lines", "{size}", "-j{jobs}"]
        role = "ours"
        [[workload.row]]
        name = "seq"
        command = ["sort"]
        role = "bound"
        parallel = false
    "#;

    #[test]
    fn a_definition_has_entries_with_commands() {
        let (workloads, rows) = entries(parse(GOOD).unwrap());
        let [workload] = &workloads[..] else {
            panic!("{workloads:?}");
        };
        assert_eq!(
            (workload.card.name, workload.card.sizes),
            ("lines", &[10, 1000][..])
        );
        let [mine, seq] = &rows[..] else {
            panic!("{rows:?}");
        };
        assert_eq!((mine.card.role, mine.card.parallel), (Role::Ours, true));
        assert_eq!((seq.card.role, seq.card.parallel), (Role::Bound, false));
        // A runtime that the lab has looks the same here.
        assert_eq!(
            seq.card.colour,
            registry::runtime("seq").unwrap().card.colour
        );
        let words = mine.program.as_ref().unwrap().words(1000, 4);
        assert_eq!(words, ["./mine", "--lines", "1000", "-j4"]);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (from, to, why) in [
            ("version = 1", "version = 2", "number 2"),
            ("name = \"lines\"", "name = \"fib\"", "take another"),
            ("name = \"lines\"", "name = \"a b\"", "letters"),
            ("name = \"mine\"", "name = \"\"", "letters"),
            ("name = \"mine\"", "name = \"rayon\"", "another role"),
            ("name = \"mine\"", "name = \"seq\"", "another role"),
            ("[10, 1000]", "[]", "needs sizes"),
            ("[10, 1000]", "[0]", "more than zero"),
            ("[\"sort\"]", "[]", "the command is empty"),
            (
                "{jobs}",
                "{job}",
                "no place {job}, but there is `jobs`; its places are {size} and {jobs}",
            ),
            ("\"sort\"", "\"sort\", \"{Sizes}\"", "but there is `size`"),
            (
                "\"sort\"",
                "\"sort\", \"{threads}\"",
                "no place {threads}; its",
            ),
            ("sizes", "sises", "sises"),
            ("role = \"ours\"", "role = \"mine\"", "mine"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = format!("{:#}", parse(&GOOD.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(why), "{to}: {error}");
        }
        let long = "m".repeat(NAME_MAX + 1);
        for name in ["lines", "mine"] {
            let error = parse(&GOOD.replacen(&format!("\"{name}\""), &format!("\"{long}\""), 1));
            let error = format!("{:#}", error.unwrap_err());
            assert!(error.contains("64 at most"), "{error}");
        }
        let twice = GOOD.replace("name = \"mine\"", "name = \"it\"");
        let twice = twice.replace("name = \"seq\"", "name = \"it\"");
        let error = format!("{:#}", parse(&twice).unwrap_err());
        assert!(error.contains("there twice"), "{error}");
        let (_, workload) = GOOD.split_once("[[workload]]").unwrap();
        let other = workload.replacen("lines", "words", 1);
        let both = |other: &str| parse(&format!("{GOOD}\n[[workload]]{other}"));
        assert!(both(&other).is_ok());
        let error = both(&other.replace("\"ours\"", "\"peer\"")).unwrap_err();
        assert!(
            format!("{error:#}").contains("in another workload"),
            "{error:#}"
        );
    }

    #[test]
    fn braces_that_are_no_places_are_left_alone() {
        for word in [
            "-j{jobs} {size}",
            "${HOME} $${x} HEAD@{upstream} {} {1} {a,b} { print } {\\\"items\\\":{size}}",
            "f() { echo {size}; }",
            "{unclosed",
        ] {
            assert_eq!(unknown_place(word), None, "{word}");
        }
        assert_eq!(unknown_place("{ {size} {x-1}"), Some("x-1"));
    }

    #[test]
    fn a_file_that_is_too_long_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("long.toml");
        std::fs::write(&file, "#".repeat(LENGTH_MAX as usize + 1)).unwrap();
        let error = format!("{:#}", define(&file).unwrap_err());
        assert!(error.contains("longer than"), "{error}");
        let error = format!("{:#}", define(&directory.path().join("none")).unwrap_err());
        assert!(error.contains("cannot be read"), "{error}");
    }
}
