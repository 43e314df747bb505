//! Records as text: one JSON object per line, or a table with commas.

use std::collections::HashMap;
use std::fs;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::console;

/// One JSON object per line.
pub fn json_lines<T: Serialize>(records: &[T]) -> String {
    let mut text = String::new();
    for record in records {
        text += &serde_json::to_string(record).expect("a record is plain data");
        text.push('\n');
    }
    text
}

/// Writes one JSON object per line to a file, or to standard output for `-`.
pub fn write_json<T: Serialize>(to: &str, records: &[T]) -> Result<()> {
    write_text(to, &json_lines(records))
}

/// Writes records as text to a file, or to standard output for `-`.
pub fn write_text(to: &str, text: &str) -> Result<()> {
    if to == "-" {
        console::ensure_stdout()?;
        return console::write_stdout(text).context(
            "the records cannot be written to standard output, or not all of them; name a file",
        );
    }
    fs::write(to, text).with_context(|| format!("the records cannot be written to {to}"))
}

/// The records as a table with one column per field; nested fields are joined by a dot, lists by
/// spaces, and an unknown value is an empty field.
pub fn csv<T: Serialize>(records: &[T]) -> Result<Vec<u8>> {
    let mut header: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for record in records {
        let mut fields = Vec::new();
        let value = serde_json::to_value(record)?;
        let object = value.as_object().expect("a record is an object");
        flatten("", object, &mut fields);
        // A nested value that is unknown has one field, and otherwise several.
        for (index, (name, _)) in fields.iter().enumerate() {
            if !header.contains(name) {
                header.insert(index.min(header.len()), name.clone());
            }
        }
        rows.push(fields.into_iter().collect::<HashMap<_, _>>());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header)?;
    for row in &rows {
        let field = |name: &String| row.get(name).map_or("", String::as_str);
        writer.write_record(header.iter().map(field))?;
    }
    writer.into_inner().context("the table cannot be finished")
}

fn flatten(prefix: &str, object: &Map<String, Value>, fields: &mut Vec<(String, String)>) {
    for (name, value) in object {
        let name = format!("{prefix}{name}");
        match value {
            Value::Object(inner) => flatten(&format!("{name}."), inner, fields),
            value => fields.push((name, plain(value))),
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        value => value.to_string(),
    }
}
