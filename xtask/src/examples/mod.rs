//! `cargo xtask check --only examples`: whether every public item of the library has an example.
//!
//! rustdoc answers, by its output in JSON. Its lint `missing_doc_code_examples` asks the same, but
//! it sees only items that are public where they are written. It passes over those that are public
//! by a re-export, which most items of this library are.
//!
//! That output is unstable, so the step asks the stable toolchain for it by `RUSTC_BOOTSTRAP`.

mod code_block;
mod public_items;

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use self::public_items::{PublicItem, PublicItems};
use crate::invocation::Invocation;
use crate::known_failures::{self, KnownFailures};
use crate::workspace;

/// The target directory that the step has for itself: its flags would throw away the ordinary
/// build.
pub const BUILD: &str = "examples";

/// The items that may be without an example, with the reasons.
const EXCEPTIONS: &str = "xtask/examples.expected";

/// Looks at all public items. Returns how many there are, in words.
pub fn run() -> Result<String> {
    let target = workspace::target_dir(BUILD).display().to_string();
    let line = Invocation::line("cargo rustdoc -p drumline --lib --all-features")
        .and(["--target-dir", &target])
        .and(["--", "-Zunstable-options", "--output-format", "json"])
        .with("RUSTC_BOOTSTRAP", "1");
    println!("$ {line}");
    line.run()?;
    let path = workspace::root().join(&target).join("doc/drumline.json");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let items = PublicItems::parse(&text).with_context(|| {
        format!(
            "{} is not in the form that xtask knows; rustdoc may have changed it",
            path.display()
        )
    })?;
    let exceptions = known_failures::read(EXCEPTIONS, &[], ())?;
    judge(&items, &exceptions)?;
    Ok(format!(
        "{} items, {} exceptions",
        items.len(),
        exceptions.len()
    ))
}

/// Fails with a list of the items that have no example and are no exception, and of the exceptions
/// that are none any more.
fn judge(items: &PublicItems, exceptions: &KnownFailures<()>) -> Result<()> {
    let missing: Vec<&PublicItem> = items.without_example().collect();
    let mut faults: Vec<String> = missing
        .iter()
        .filter(|item| !exceptions.contains_key(&item.path))
        .map(|item| format!("{}: {} has no example", item.place, item.path))
        .collect();
    let missing: BTreeSet<&str> = missing.iter().map(|item| item.path.as_str()).collect();
    let stale = exceptions
        .keys()
        .filter(|path| !missing.contains(path.as_str()))
        .map(|path| {
            format!("{EXCEPTIONS}: {path} has an example, or is no public item; take it out")
        });
    faults.extend(stale);
    if faults.is_empty() {
        return Ok(());
    }
    bail!(
        "write an example that runs, or for a type that a function makes, link to that function:\n  {}",
        faults.join("\n  ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::public_items::tests::two_functions;

    fn exceptions(text: &str) -> KnownFailures<()> {
        known_failures::parse(EXCEPTIONS, text, &[], ()).unwrap()
    }

    fn fault(exceptions_text: &str) -> String {
        let items = PublicItems::parse(&two_functions()).unwrap();
        judge(&items, &exceptions(exceptions_text))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn an_item_without_an_example_is_a_fault() {
        let fault = fault("");
        assert!(
            fault.contains("src/lib.rs:7: krate::bare has no example"),
            "{fault}"
        );
        assert!(!fault.contains("krate::shown"), "{fault}");
    }

    #[test]
    fn an_exception_is_no_fault() {
        let items = PublicItems::parse(&two_functions()).unwrap();
        let exceptions = exceptions("krate::bare: it only reads the clock\n");
        assert!(judge(&items, &exceptions).is_ok());
    }

    #[test]
    fn a_stale_exception_is_a_fault() {
        let list = "krate::bare: it only reads the clock\nkrate::shown: no more\n";
        let fault = fault(list);
        assert!(fault.contains("krate::shown has an example"), "{fault}");
        assert!(!fault.contains("krate::bare"), "{fault}");
    }
}
