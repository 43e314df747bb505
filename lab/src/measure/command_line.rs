//! The words of a command: taken apart as a shell does it, or left to a shell; filled with
//! parameters; and put together for people to read.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::parameters::Values;
use super::shell_start::SHELL;

/// A command with places for parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    words: Vec<String>,
    shell: bool,
}

impl CommandLine {
    /// Of words that a shell has taken apart already. If a shell is to run them, they are one text
    /// again, with blanks between them.
    ///
    /// # Errors
    /// There is no word.
    pub fn of_words(words: &[String], shell: bool) -> Result<Self> {
        if shell {
            return Self::of_text("COMMAND", &words.join(" "), shell);
        }
        Self::new("COMMAND", words.to_vec(), shell)
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
        Self::new(option, words, shell)
    }

    fn new(option: &str, words: Vec<String>, shell: bool) -> Result<Self> {
        let first = words.first().map_or("", |word| word.trim());
        ensure!(
            !first.is_empty(),
            "{option}: there is no program; name one, with its arguments"
        );
        Ok(Self { words, shell })
    }

    /// Whether a parameter has a place in it.
    pub fn mentions(&self, name: &str) -> bool {
        self.words.iter().any(|word| word.contains(&place(name)))
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
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.shell {
            words.extend(SHELL.map(str::to_owned));
        }
        words.extend(self.words.iter().cloned());
        words
    }

    /// It, for people: as one would type it.
    pub fn text(&self) -> String {
        let typed = if self.shell {
            self.words.join(" ")
        } else {
            let words = self.words.iter().map(String::as_str);
            // A word with a zero byte cannot be typed, nor started.
            shlex::try_join(words).unwrap_or_else(|_| self.words.join(" "))
        };
        let control = |c: char| if c.is_control() { ' ' } else { c };
        typed.chars().map(control).collect()
    }

    /// Looks whether there is such a program, as far as that can be known before it is started.
    ///
    /// # Errors
    /// There is none.
    pub fn check(&self) -> Result<()> {
        let program = &self.words[0];
        ensure!(
            self.shell || !(program.contains('/') && Path::new(program).is_dir()),
            "`{program}` cannot be started: it is a directory; name a program in it"
        );
        let path = std::env::var_os("PATH");
        let found = match path {
            _ if self.shell => true,
            _ if program.contains('/') => Path::new(program).is_file(),
            Some(path) => std::env::split_paths(&path).any(|place| place.join(program).is_file()),
            None => true,
        };
        ensure!(
            found,
            "`{program}` cannot be started: there is no such program; check its name and PATH, and \
             take --shell for what only a shell understands"
        );
        Ok(())
    }
}

/// Fills values in the places of a text.
pub fn fill(text: &str, values: &Values) -> String {
    // From left to right, so that no value is looked into for places of others.
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled += before;
        let value = values
            .iter()
            .find(|(name, _)| from.starts_with(&place(name)));
        rest = match value {
            Some((name, value)) => {
                filled += value;
                &from[place(name).len()..]
            }
            None => {
                filled.push('{');
                &from[1..]
            }
        };
    }
    filled + rest
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
        let none = CommandLine::of_words(&[String::new()], false).unwrap_err();
        assert!(none.to_string().contains("no program"), "{none}");
    }

    #[test]
    fn a_shell_gets_one_text() {
        let words = ["a", "| b 'c'"].map(str::to_owned);
        let command = CommandLine::of_words(&words, true).unwrap();
        assert_eq!(command.words(), ["sh", "-c", "a | b 'c'"]);
        assert_eq!(command.text(), "a | b 'c'");
        assert!(CommandLine::of_words(&[" ".to_owned()], true).is_err());
    }

    #[test]
    fn a_text_can_be_typed_again() {
        let command = text("echo 'a b' c").unwrap();
        assert_eq!(shlex::split(&command.text()).unwrap(), command.words());
        let lines = CommandLine::of_words(&["echo".to_owned(), "a\nb".to_owned()], false).unwrap();
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
    fn a_program_that_is_missing_is_found_out_early() {
        assert!(text("sh -c :").unwrap().check().is_ok());
        for missing in ["no-such-program-at-all 1", "./no/such/program"] {
            let error = text(missing).unwrap().check().unwrap_err().to_string();
            assert!(error.contains("cannot be started"), "{error}");
        }
    }
}
