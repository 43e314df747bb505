//! One word per idea: the glossary of `ARCHITECTURE.md`, held against the identifiers of the
//! source.
//!
//! The last column of the glossary names what is *retired*. An entry in lower case is a word: no
//! identifier may have it as one of its words (`desk` forbids `desk_len` and `StageDesk`). An entry
//! with a capital letter or an underscore is one whole identifier of the library (`Order` allows
//! `SortOrder`).
//! Comments and strings are not looked at.
//!
//! Besides, a name of the library that more than one module can see has one meaning: no two files
//! declare a type of the same name, except those of `std` and rayon
//! ([`SHARED_NAMES`]).

use std::collections::BTreeMap;
use std::iter;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::rules::SHARED_NAMES;
use super::tree::Files;
use super::verdict::Violation;

/// The heading of the glossary in `ARCHITECTURE.md`.
const HEADING: &str = "## Words";

/// What no identifier may be called any more.
#[derive(Debug)]
pub struct Retired {
    /// What is retired, as words, with the word that is used instead. Longest first.
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    retired: String,
    /// The first column of the row.
    instead: String,
    kind: EntryKind,
}

#[derive(Debug, PartialEq, Eq)]
enum EntryKind {
    /// A word, wherever it occurs in an identifier.
    Word,
    /// One whole identifier.
    Identifier,
}

impl Retired {
    /// Reads the last column of the glossary.
    pub fn read(architecture: &str) -> Result<Self> {
        let (_, section) = architecture
            .split_once(&format!("\n{HEADING}\n"))
            .with_context(|| format!("ARCHITECTURE.md has no section `{HEADING}`"))?;
        let section = section.split("\n## ").next().unwrap_or(section);
        let mut entries = Vec::new();
        for row in section.lines().filter(|line| line.starts_with('|')).skip(2) {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            ensure!(
                cells.len() == 4,
                "a row of the glossary has no 4 cells: {row}"
            );
            for retired in cells[3].split('`').skip(1).step_by(2) {
                let is_word = retired.chars().all(|c| c.is_ascii_lowercase());
                entries.push(Entry {
                    retired: retired.to_owned(),
                    instead: cells[0].to_owned(),
                    kind: if is_word {
                        EntryKind::Word
                    } else {
                        EntryKind::Identifier
                    },
                });
            }
        }
        ensure!(!entries.is_empty(), "the glossary retires no identifier");
        Ok(Self { entries })
    }

    /// The retired identifiers of one file. Whole identifiers are retired in the library only.
    pub fn judge(&self, file: &Path, text: &str, in_library: bool) -> Vec<Violation> {
        let mut found = Vec::new();
        let tokens = TokenStream::from_str(text).unwrap_or_default();
        each_identifier(tokens, &mut |name, line| {
            if let Some(entry) = self.find(name, in_library) {
                found.push(Violation {
                    file: file.to_owned(),
                    line,
                    rule: "retired-words",
                    message: format!(
                        "`{name}`: `{}` is retired, the word is {}; see the glossary in \
                         ARCHITECTURE.md",
                        entry.retired, entry.instead
                    ),
                });
            }
        });
        found
    }

    fn find(&self, identifier: &str, in_library: bool) -> Option<&Entry> {
        self.entries.iter().find(|entry| match entry.kind {
            EntryKind::Word => words(identifier).any(|word| word == entry.retired),
            EntryKind::Identifier => in_library && identifier == entry.retired,
        })
    }
}

/// The words of an identifier, in lower case: `WakeUp2`, `wake_up` and `WAKE_UP` have two.
fn words(identifier: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = identifier;
    iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let is_upper = |index: usize| rest.as_bytes()[index].is_ascii_uppercase();
        let len = (0..rest.len())
            .take_while(|&index| rest.as_bytes()[index].is_ascii_alphabetic())
            // A capital begins a word, unless it follows another one (`SHARE`).
            .take_while(|&index| index == 0 || !is_upper(index) || is_upper(index - 1))
            .count();
        let (word, after) = rest.split_at(len);
        rest = after;
        (len > 0).then(|| word.to_ascii_lowercase())
    })
}

fn each_identifier(tokens: TokenStream, report: &mut impl FnMut(&str, usize)) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => report(&ident.to_string(), ident.span().start().line),
            TokenTree::Group(group) => each_identifier(group.stream(), report),
            _ => {}
        }
    }
}

/// The types of the library that share their names with those of another file.
pub fn judge_types(library: &Files) -> Vec<Violation> {
    let mut declared: BTreeMap<String, Vec<(PathBuf, usize)>> = BTreeMap::new();
    for (file, text) in library {
        let mut types = Vec::new();
        wide_types(TokenStream::from_str(text).unwrap_or_default(), &mut types);
        for (name, line) in types {
            let places = declared.entry(name).or_default();
            // The same type for several systems is one type.
            if places.last().is_none_or(|(last, _)| last != file) {
                places.push((file.clone(), line));
            }
        }
    }
    declared.retain(|name, places| places.len() > 1 && !SHARED_NAMES.contains(&name.as_str()));
    let clash = |(name, places): (String, Vec<(PathBuf, usize)>)| {
        let (first, _) = places[0].clone();
        places
            .into_iter()
            .skip(1)
            .map(move |(file, line)| Violation {
                file,
                line,
                rule: "one-type-per-name",
                message: format!("`{name}` is a type in {}, too; rename one", first.display()),
            })
    };
    declared.into_iter().flat_map(clash).collect()
}

/// Collects the types that are declared `pub`, `pub(crate)` or `pub(in …)`.
fn wide_types(tokens: TokenStream, found: &mut Vec<(String, usize)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => wide_types(group.stream(), found),
            TokenTree::Ident(ident) if ident == "pub" => {
                let mut rest = tokens[index + 1..].iter().peekable();
                if let Some(TokenTree::Group(group)) = rest.peek()
                    && group.delimiter() == Delimiter::Parenthesis
                {
                    if group.stream().to_string() == "super" {
                        continue;
                    }
                    rest.next();
                }
                if matches!(rest.peek(), Some(TokenTree::Ident(word)) if *word == "unsafe") {
                    rest.next();
                }
                if let (Some(TokenTree::Ident(kind)), Some(TokenTree::Ident(name))) =
                    (rest.next(), rest.next())
                    && ["struct", "enum", "union", "trait", "type"]
                        .iter()
                        .any(|k| kind == k)
                {
                    found.push((name.to_string(), name.span().start().line));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str = "# Title\n\n## Words\n\n\
                            | word | is | as in | not |\n|---|---|---|---|\n\
                            | idle set | sleepers | tokio | `lookout`, `Line` |\n\n## Next\n";

    fn retired(text: &str) -> Vec<usize> {
        let retired = Retired::read(GLOSSARY).unwrap();
        let found = retired.judge(Path::new("file.rs"), text, true);
        found.iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_retired_word_is_found_in_every_identifier() {
        assert_eq!(retired("fn is_lookout() {}\nstruct LookoutState;"), [1, 2]);
        assert_eq!(retired("const LOOKOUT_LIMIT: u8 = m!(lookout);"), [1, 1]);
        let unmet = retired("// lookout\nfn lookouts() -> &'static str { \"lookout\" }");
        assert!(unmet.is_empty(), "{unmet:?}");
    }

    #[test]
    fn a_retired_identifier_is_found_whole() {
        assert_eq!(retired("struct Line;"), [1]);
        assert!(retired("fn line() -> LineNumber {}").is_empty());
        let elsewhere = Retired::read(GLOSSARY).unwrap();
        let elsewhere = elsewhere.judge(Path::new("lab.rs"), "struct Line(Lookout);", false);
        assert_eq!(elsewhere.len(), 1, "{elsewhere:?}");
    }

    #[test]
    fn a_glossary_is_needed() {
        assert!(Retired::read("# Title\n").is_err());
        assert!(Retired::read("\n## Words\n\n| a | b | c | d |\n|-|-|-|-|\n").is_err());
    }

    fn clashes(files: &[(&str, &str)]) -> usize {
        let files = files
            .iter()
            .map(|(file, text)| (PathBuf::from(file), (*text).to_owned()));
        judge_types(&files.collect()).len()
    }

    #[test]
    fn a_type_that_all_can_see_has_a_name_of_its_own() {
        let wide = "pub(crate) struct Room;";
        assert_eq!(clashes(&[("a.rs", wide), ("b.rs", "pub enum Room {}")]), 1);
        assert_eq!(
            clashes(&[
                ("a.rs", wide),
                ("b.rs", "m! { pub(in crate::b) type Room = u8; }")
            ]),
            1
        );
        assert_eq!(
            clashes(&[("a.rs", wide), ("b.rs", "pub(super) struct Room;")]),
            0
        );
        assert_eq!(clashes(&[("a.rs", wide), ("b.rs", "struct Room;")]), 0);
        assert_eq!(
            clashes(&[("a.rs", "pub struct Room; pub unsafe trait Room {}")]),
            0
        );
        assert_eq!(
            clashes(&[("a.rs", "pub struct Iter;"), ("b.rs", "pub struct Iter;")]),
            0
        );
    }
}
