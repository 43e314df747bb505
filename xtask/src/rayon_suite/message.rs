//! What cargo and the compiler say, line by line, as JSON.

use std::path::PathBuf;

use serde_json::Value;

/// A line that matters.
#[derive(Debug, PartialEq, Eq)]
pub enum Message {
    /// A test program is ready.
    Program {
        /// Its name in the manifest.
        target: String,
        /// Where it is.
        path: PathBuf,
    },
    /// Something does not compile.
    Error(Complaint),
}

/// An error of the compiler.
#[derive(Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The target that it is about.
    pub target: String,
    /// The lines that it is about, with their files: where it shows first, then out through the
    /// macros.
    pub places: Vec<(String, usize)>,
    /// As the compiler prints it.
    pub text: String,
}

impl Message {
    /// Reads a line. Most of them do not matter.
    pub fn parse(line: &str) -> Option<Message> {
        let value: Value = serde_json::from_str(line).ok()?;
        let target = value["target"]["name"].as_str()?.to_owned();
        match value["reason"].as_str()? {
            "compiler-artifact" => Some(Message::Program {
                target,
                path: value["executable"].as_str()?.into(),
            }),
            "compiler-message" if value["message"]["level"] == "error" => {
                let message = &value["message"];
                let mut places = Vec::new();
                for span in message["spans"].as_array()? {
                    if span["is_primary"] == true {
                        follow(span, &mut places);
                    }
                }
                Some(Message::Error(Complaint {
                    target,
                    places,
                    text: message["rendered"].as_str().unwrap_or_default().to_owned(),
                }))
            }
            _ => None,
        }
    }
}

/// Notes where `span` is, and where the macro was called that it comes from, and so on.
fn follow(span: &Value, places: &mut Vec<(String, usize)>) {
    let mut span = span;
    while let (Some(file), Some(line)) = (span["file_name"].as_str(), span["line_start"].as_u64()) {
        places.push((file.to_owned(), usize::try_from(line).unwrap_or(usize::MAX)));
        span = &span["expansion"]["span"];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_is_followed_out_of_the_macro() {
        let line = json!({
            "reason": "compiler-message",
            "target": { "name": "tests-str", "kind": ["test"] },
            "message": {
                "level": "error",
                "rendered": "error[E0599]: no method",
                "spans": [
                    { "file_name": "other.rs", "line_start": 9, "is_primary": false },
                    {
                        "file_name": "std.rs", "line_start": 1, "is_primary": true,
                        "expansion": { "span": {
                            "file_name": "tests/str.rs", "line_start": 7, "is_primary": false,
                            "expansion": null,
                        } },
                    },
                ],
            },
        });
        assert_eq!(
            Message::parse(&line.to_string()),
            Some(Message::Error(Complaint {
                target: "tests-str".into(),
                places: vec![("std.rs".into(), 1), ("tests/str.rs".into(), 7)],
                text: "error[E0599]: no method".into(),
            }))
        );
    }

    #[test]
    fn programs_are_found_and_the_rest_is_skipped() {
        let target = json!({ "name": "tests-str" });
        let program = json!({
            "reason": "compiler-artifact", "target": target, "executable": "/t/str-12",
        });
        let library = json!({
            "reason": "compiler-artifact", "target": target, "executable": null,
        });
        let warning = json!({
            "reason": "compiler-message", "target": target,
            "message": { "level": "warning", "spans": [] },
        });
        assert_eq!(
            Message::parse(&program.to_string()),
            Some(Message::Program {
                target: "tests-str".into(),
                path: "/t/str-12".into(),
            })
        );
        assert_eq!(Message::parse(&library.to_string()), None);
        assert_eq!(Message::parse(&warning.to_string()), None);
        assert_eq!(Message::parse("   Compiling rayon"), None);
    }
}
