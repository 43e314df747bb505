//! The files that a measurement writes. All are checked, and made, before anything runs.

use anyhow::{Context, Result, bail, ensure};

use super::command_record::CommandRecord;
use super::plan::Arguments;
use crate::destination::{check_file, is_same, make_file};
use crate::table::Grid;
use crate::{console, export, markdown};

/// Where to write; `-` is standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    csv: Option<String>,
    json: Option<String>,
    markdown: Option<String>,
}

impl Files {
    /// Checks everything, and then makes it. Where something is refused, nothing was touched.
    ///
    /// # Errors
    /// A file cannot be written, is there already, or is asked for twice.
    pub fn make(arguments: &Arguments) -> Result<Self> {
        let files = Self {
            csv: arguments.csv.clone(),
            json: arguments.json.clone(),
            markdown: arguments.markdown.clone(),
        };
        let named = files.named();
        for (place, (option, file)) in named.iter().enumerate() {
            let mut before = named[..place].iter();
            let twice = before.find(|(_, other)| match *file {
                "-" => *other == "-",
                file => *other != "-" && is_same(other.as_ref(), file.as_ref()),
            });
            if let Some((other, _)) = twice {
                bail!("{option} {file}: {other} writes there; name another file");
            }
        }
        if let Some((option, _)) = named.iter().find(|(_, file)| *file == "-") {
            console::ensure_stdout().with_context(|| format!("{option} -"))?;
        }
        let real = || named.iter().filter(|(_, file)| *file != "-");
        for (option, file) in real() {
            ensure!(!file.is_empty(), "{option}: the name is empty; name a file");
            check_file(option, file, arguments.force)?;
        }
        for (option, file) in real() {
            make_file(option, file)?;
        }
        Ok(files)
    }

    fn named(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("--csv", &self.csv),
            ("--json", &self.json),
            ("--markdown", &self.markdown),
        ];
        let named = all.into_iter();
        named
            .filter_map(|(option, file)| Some((option, file.as_deref()?)))
            .collect()
    }

    /// Writes all of them.
    ///
    /// # Errors
    /// Some cannot be written, each of which is named; the others are.
    pub fn write(&self, records: &[CommandRecord], grid: Option<&Grid>) -> Result<()> {
        let csv = || {
            let bytes = export::csv(records)?;
            String::from_utf8(bytes).context("the table is no text")
        };
        let json = || Ok(export::json_lines(records));
        let markdown = || Ok(grid.map(markdown::table).unwrap_or_default());
        let text = |option| match option {
            "--csv" => csv(),
            "--json" => json(),
            _ => markdown(),
        };
        let mut errors = Vec::new();
        for (option, file) in self.named() {
            let written = text(option).and_then(|text| export::write_text(file, &text));
            errors.extend(written.err().map(|error| format!("{option}: {error:#}")));
        }
        ensure!(errors.is_empty(), errors.join("; "));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::made_up::records;
    use super::*;

    #[test]
    fn every_file_that_cannot_be_written_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| Some(directory.path().join(name).to_string_lossy().into_owned());
        let files = Files {
            csv: place("none/a.csv"),
            json: place("a.jsonl"),
            markdown: place("none/a.md"),
        };
        let error = files.write(&records(&[&[5]]), None).unwrap_err();
        let text = format!("{error:#}");
        assert!(
            text.contains("a.csv") && text.contains("a.md") && !text.contains("a.jsonl"),
            "{text}"
        );
        assert!(directory.path().join("a.jsonl").exists());
    }
}
