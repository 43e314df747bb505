//! A file of tests, and what became of them.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context, Result};
use syn::spanned::Spanned;

/// How a file sees the library that it tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// From outside.
    Outer,
    /// As a module inside of rayon.
    InRayon,
    /// As a module inside of rayon's core.
    InCore,
}

/// A file of tests.
#[derive(Debug)]
pub struct SuiteFile {
    name: String,
    /// How the file sees the library.
    pub kind: Kind,
    text: String,
    /// Its tests, in their order.
    pub tests: Vec<Test>,
    /// Why nothing in it can be compiled, if so.
    pub broken: Option<String>,
}

/// A test.
#[derive(Debug)]
pub struct Test {
    /// The name of its function.
    pub name: String,
    /// Where it stands, attributes included. A test that a macro made stands nowhere.
    lines: Option<RangeInclusive<usize>>,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// It passed.
    Passed,
    /// It is marked to be left out.
    Ignored,
    /// It did not pass, and this is what it said.
    Failed(String),
    /// It does not compile, and this is what the compiler said.
    Uncompilable(String),
}

impl SuiteFile {
    /// Reads the file at `path`, and finds its tests.
    pub fn read(path: &Path, name: String, kind: Kind) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(name, kind, text).with_context(|| format!("parsing {}", path.display()))
    }

    fn parse(name: String, kind: Kind, text: String) -> Result<Self> {
        let mut tests = Vec::new();
        let items = syn::parse_file(&text)?.items;
        collect(&items, &mut tests);
        let text = match kind {
            Kind::InRayon | Kind::InCore if !name.ends_with("test.rs") => {
                let inside = of_tests(&items);
                only(&text, |line| {
                    inside.iter().any(|lines| lines.contains(&line))
                })
            }
            _ => text,
        };
        Ok(SuiteFile {
            name,
            kind,
            text,
            tests,
            broken: None,
        })
    }

    /// A file without tests.
    #[cfg(test)]
    pub fn empty(name: &str, kind: Kind) -> Self {
        Self::parse(name.to_owned(), kind, String::new()).expect("nothing to misunderstand")
    }

    /// The name that people see, such as `tests/str.rs`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the test program, such as `tests-str`.
    pub fn target(&self) -> String {
        self.name.trim_end_matches(".rs").replace('/', "-")
    }

    /// The text without the tests that do not compile. Every line keeps its number.
    pub fn remaining(&self) -> String {
        let cut: Vec<_> = self
            .tests
            .iter()
            .filter(|test| matches!(test.verdict, Verdict::Uncompilable(_)))
            .filter_map(|test| test.lines.clone())
            .collect();
        only(&self.text, |line| {
            !cut.iter().any(|lines| lines.contains(&line))
        })
    }

    /// Notes that the test which has one of these lines, the first that is in any, does not
    /// compile. `false`: none of them is in a test, or only in one that is out already.
    pub fn blame(&mut self, lines: &[usize], complaint: &str) -> bool {
        for line in lines {
            let guilty = self
                .tests
                .iter_mut()
                .find(|test| test.lines.as_ref().is_some_and(|all| all.contains(line)));
            if let Some(test) = guilty {
                let known = matches!(test.verdict, Verdict::Uncompilable(_));
                if !known {
                    test.verdict = Verdict::Uncompilable(complaint.to_owned());
                }
                return !known;
            }
        }
        false
    }

    /// Notes that nothing in the file can be compiled.
    pub fn give_up(&mut self, complaint: String) {
        for test in &mut self.tests {
            if test.verdict == Verdict::Open {
                test.verdict = Verdict::Uncompilable(complaint.clone());
            }
        }
        self.broken = Some(complaint);
    }

    /// Notes what became of a test. One that was not known before is added: macros make tests, too.
    pub fn note(&mut self, name: &str, verdict: Verdict) {
        match self.tests.iter_mut().find(|test| test.name == name) {
            Some(test) => test.verdict = verdict,
            None => self.tests.push(Test {
                name: name.to_owned(),
                lines: None,
                verdict,
            }),
        }
    }
}

/// Finds the functions marked `#[test]`.
fn collect(items: &[syn::Item], tests: &mut Vec<Test>) {
    for item in items {
        match item {
            syn::Item::Fn(function) if is_test(&function.attrs) => {
                let span = function.span();
                tests.push(Test {
                    name: function.sig.ident.to_string(),
                    lines: Some(span.start().line..=span.end().line),
                    verdict: Verdict::Open,
                });
            }
            syn::Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, tests);
                }
            }
            _ => {}
        }
    }
}

/// Where the items stand that exist for tests only, in a file with other items that they test.
fn of_tests(items: &[syn::Item]) -> Vec<RangeInclusive<usize>> {
    let only_then = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    };
    let items = items.iter().filter(|item| match item {
        syn::Item::Mod(module) => module.attrs.iter().any(only_then),
        syn::Item::Fn(function) => is_test(&function.attrs),
        _ => false,
    });
    items
        .map(|item| item.span().start().line..=item.span().end().line)
        .collect()
}

/// The text with all other lines empty.
fn only(text: &str, wanted: impl Fn(usize) -> bool) -> String {
    let mut left = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if wanted(index + 1) {
            left.push_str(line);
        }
        left.push('\n');
    }
    left
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
fn help() {}

#[test]
#[should_panic]
fn one() {
    help();
}

#[test]
fn two() {}
";

    #[test]
    fn of_a_file_with_other_things_only_the_tests_are_kept() {
        let text =
            "fn f() {}\n#[cfg(test)]\nmod test {\n    #[test]\n    fn one() {}\n}\nfn g() {}\n";
        let file = SuiteFile::parse("src/x.rs".into(), Kind::InRayon, text.into()).unwrap();
        assert_eq!(file.tests.len(), 1);
        assert_eq!(
            file.remaining(),
            "\n#[cfg(test)]\nmod test {\n    #[test]\n    fn one() {}\n}\n\n"
        );
    }

    #[test]
    fn a_test_is_cut_out_and_the_lines_keep_their_numbers() {
        let mut file = SuiteFile::parse("tests/x.rs".into(), Kind::Outer, TEXT.into()).unwrap();
        assert_eq!(file.target(), "tests-x");
        assert_eq!(file.remaining(), TEXT);
        assert!(!file.blame(&[1], "in no test"));
        assert!(file.blame(&[1, 6, 10], "no such method"));
        assert!(!file.blame(&[6], "again"));
        assert_eq!(
            file.remaining(),
            "fn help() {}\n\n\n\n\n\n\n\n#[test]\nfn two() {}\n"
        );
        assert_eq!(
            file.tests[0].verdict,
            Verdict::Uncompilable("no such method".into())
        );
        assert_eq!(file.tests[1].verdict, Verdict::Open);
    }
}
