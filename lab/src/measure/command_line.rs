//! The words of a command: taken apart as a shell does it, or left to a shell; filled with
//! parameters; and put together for people to read.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::parameters::Values;
use super::shell_start::SHELL;

/// A command with places for parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    words: Vec<OsString>,
    shell: bool,
}

impl CommandLine {
    /// Of words that a shell has taken apart already. If a shell is to run them, they are one text
    /// again, with blanks between them.
    ///
    /// # Errors
    /// There is no word.
    pub fn of_words(words: &[OsString], shell: bool) -> Result<Self> {
        let words = if shell {
            vec![words.join(OsStr::new(" "))]
        } else {
            words.to_vec()
        };
        Self::new("COMMAND", words, shell)
    }

    /// Of the text of an option. It is taken apart as a shell does it, with quotes and backslashes,
    /// or left to a shell.
    ///
    /// # Errors
    /// There is no word, or a quote has no end.
    pub fn of_text(option: &str, text: &str, shell: bool) -> Result<Self> {
        let words = if shell {
            vec![text.to_owned()]
        } else {
            shlex::split(text)
                .with_context(|| format!("{option} {text}: a quote or a backslash has no end"))?
        };
        let words = words.into_iter().map(OsString::from);
        Self::new(option, words.collect(), shell)
    }

    fn new(option: &str, words: Vec<OsString>, shell: bool) -> Result<Self> {
        let first = words.first().map_or(&b""[..], |word| word.as_bytes());
        ensure!(
            !first.trim_ascii().is_empty(),
            "{option}: there is no program; name one, with its arguments"
        );
        Ok(Self { words, shell })
    }

    /// Whether a parameter has a place in it.
    pub fn mentions(&self, name: &str) -> bool {
        self.words.iter().any(|word| has_place(word, name))
    }

    /// The same with values in the places of parameters. What a value holds is never taken apart,
    /// except by a shell.
    pub fn fill(&self, values: &Values) -> Self {
        Self {
            words: self.words.iter().map(|word| fill(word, values)).collect(),
            shell: self.shell,
        }
    }

    /// What is started.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if self.shell {
            words.extend(SHELL.map(OsString::from));
        }
        words.extend(self.words.iter().cloned());
        words
    }

    /// It, for people: as one would type it. What is no Unicode is shown by a sign.
    pub fn text(&self) -> String {
        let words = self.words.iter().map(|word| word.to_string_lossy());
        let words: Vec<_> = words.collect();
        let typed = if self.shell {
            words.join(" ")
        } else {
            // A word with a zero byte cannot be typed, nor started.
            let joined = shlex::try_join(words.iter().map(AsRef::as_ref));
            joined.unwrap_or_else(|_| words.join(" "))
        };
        let control = |c: char| if c.is_control() { ' ' } else { c };
        typed.chars().map(control).collect()
    }

    /// Looks whether there is such a program, as far as that can be known before it is started.
    ///
    /// # Errors
    /// There is none.
    pub fn check(&self) -> Result<()> {
        let program = Path::new(&self.words[0]);
        let is_path = self.words[0].as_bytes().contains(&b'/');
        ensure!(
            self.shell || !(is_path && program.is_dir()),
            "`{}` cannot be started: it is a directory; name a program in it",
            program.display()
        );
        let path = std::env::var_os("PATH");
        let found = match path {
            _ if self.shell => true,
            _ if is_path => program.is_file(),
            Some(path) => std::env::split_paths(&path).any(|place| place.join(program).is_file()),
            None => true,
        };
        ensure!(
            found,
            "`{}` cannot be started: there is no such program; check its name and PATH, and take \
             --shell for what only a shell understands",
            program.display()
        );
        Ok(())
    }
}

/// Fills values in the places of a text.
pub fn fill(text: &OsStr, values: &Values) -> OsString {
    // From left to right, so that no value is looked into for places of others.
    let mut filled = Vec::new();
    let mut rest = text.as_bytes();
    while let Some(start) = rest.iter().position(|byte| *byte == b'{') {
        let (before, from) = rest.split_at(start);
        filled.extend_from_slice(before);
        let value = values
            .iter()
            .find(|(name, _)| from.starts_with(place(name).as_bytes()));
        rest = match value {
            Some((name, value)) => {
                filled.extend_from_slice(value.as_bytes());
                &from[place(name).len()..]
            }
            None => {
                filled.push(b'{');
                &from[1..]
            }
        };
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

/// Whether a text has the place of a parameter.
pub fn has_place(text: &OsStr, name: &str) -> bool {
    let place = place(name);
    let mut parts = text.as_bytes().windows(place.len());
    parts.any(|part| part == place.as_bytes())
}

/// The place of a parameter.
pub fn place(name: &str) -> String {
    format!("{{{name}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[(&str, &str)]) -> Values {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        values.iter().map(owned).collect()
    }

    fn text(text: &str) -> Result<CommandLine> {
        CommandLine::of_text("--against", text, false)
    }

    #[test]
    fn words_are_taken_apart_as_a_shell_does_it() {
        let command = text(r#"grep -c 'a b' "c d" e\ f | wc"#).unwrap();
        assert_eq!(
            command.words(),
            ["grep", "-c", "a b", "c d", "e f", "|", "wc"]
        );
        for (nonsense, why) in [
            ("'open", "has no end"),
            ("", "no program"),
            (" ", "no program"),
        ] {
            let error = text(nonsense).unwrap_err().to_string();
            assert!(
                error.contains("--against") && error.contains(why),
                "{error}"
            );
        }
        let none = CommandLine::of_words(&[OsString::new()], false).unwrap_err();
        assert!(none.to_string().contains("no program"), "{none}");
    }

    #[test]
    fn a_shell_gets_one_text() {
        let words = ["a", "| b 'c'"].map(OsString::from);
        let command = CommandLine::of_words(&words, true).unwrap();
        assert_eq!(command.words(), ["sh", "-c", "a | b 'c'"]);
        assert_eq!(command.text(), "a | b 'c'");
        assert!(CommandLine::of_words(&[" ".into()], true).is_err());
    }

    #[test]
    fn a_text_can_be_typed_again() {
        let command = text("echo 'a b' c").unwrap();
        let typed = shlex::split(&command.text()).unwrap();
        assert_eq!(
            typed.iter().map(OsString::from).collect::<Vec<_>>(),
            command.words()
        );
        let lines = CommandLine::of_words(&["echo".into(), "a\nb".into()], false).unwrap();
        assert!(!lines.text().contains('\n'), "it is one row of a table");
    }

    #[test]
    fn values_take_their_places() {
        let values = values(&[("n", "1"), ("name", "{n} x")]);
        let filled = text("run-{n} {name} {n}{n} {other} {")
            .unwrap()
            .fill(&values);
        assert_eq!(filled.words(), ["run-1", "{n} x", "11", "{other}", "{"]);
        assert!(text("a {n}").unwrap().mentions("n"));
        assert!(!text("a n {name}").unwrap().mentions("n"));
    }

    #[test]
    fn what_is_no_unicode_stays_as_it_is() {
        let word = |name: &str| {
            let mut bytes = format!("{name}-{{n}}-").into_bytes();
            bytes.push(0xff);
            OsString::from_vec(bytes)
        };
        let values = values(&[("n", "7")]);
        let command = CommandLine::of_words(&[word("a"), word("b")], false).unwrap();
        assert!(command.mentions("n"));
        let filled = command.fill(&values);
        let begins = filled.words()[0].as_bytes() == b"a-7-\xff";
        assert!(begins, "{filled:?}");
        assert!(filled.text().contains("b-7-\u{fffd}"), "{}", filled.text());
        let shell = CommandLine::of_words(&[word("a"), word("b")], true).unwrap();
        let text = shell.fill(&values).words().pop().unwrap();
        assert_eq!(text.as_bytes(), b"a-7-\xff b-7-\xff");
    }

    #[test]
    fn a_program_that_is_missing_is_found_out_early() {
        assert!(text("sh -c :").unwrap().check().is_ok());
        for missing in ["no-such-program-at-all 1", "./no/such/program"] {
            let error = text(missing).unwrap().check().unwrap_err().to_string();
            assert!(error.contains("cannot be started"), "{error}");
        }
    }
}
