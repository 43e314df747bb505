//! The files that a measurement writes. All are checked, and made, before anything runs.

use std::path::absolute;

use anyhow::{Context, Result, ensure};

use super::command_record::CommandRecord;
use super::plan::Arguments;
use super::tables;
use crate::destination::{check_file, make_file};
use crate::output;
use crate::table::Grid;

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
            let twice = before.find(|(_, other)| absolute(other).ok() == absolute(file).ok());
            if let Some((other, _)) = twice {
                anyhow::bail!("{option} {file}: {other} writes there; name another file");
            }
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
    /// One cannot be written; the others are.
    pub fn write(&self, records: &[CommandRecord], grid: Option<&Grid>) -> Result<()> {
        let put = |file: &Option<String>, text: &dyn Fn() -> Result<String>| match file {
            Some(file) => output::write_text(file, &text()?),
            None => Ok(()),
        };
        let csv = put(&self.csv, &|| {
            let bytes = output::csv(records)?;
            String::from_utf8(bytes).context("the table is no text")
        });
        let json = put(&self.json, &|| Ok(output::json_lines(records)));
        let markdown = put(&self.markdown, &|| {
            Ok(grid.map(tables::markdown).unwrap_or_default())
        });
        csv.and(json).and(markdown)
    }
}
