//! Code in documentation: which of it is an example.

/// Whether a text has a block of code that is compiled and run as a test.
pub fn has_example(docs: &str) -> bool {
    let mut fence = None;
    for line in docs.lines() {
        let line = line.trim_start();
        let length = line.bytes().take_while(|&byte| byte == b'`').count();
        match fence {
            // A block of tests in another language, or one that is not run, is passed over whole.
            None if length >= 3 && runs(&line[length..]) => return true,
            None if length >= 3 => fence = Some(length),
            Some(open) if length >= open && line[length..].trim().is_empty() => fence = None,
            _ => {}
        }
    }
    false
}

/// Whether rustdoc runs a block with these words after its fence.
fn runs(words: &str) -> bool {
    words
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .all(|word| word == "rust" || word == "should_panic" || word.starts_with("edition"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_runs_is_an_example() {
        assert!(has_example("Adds.\n\n```\nassert_eq!(1 + 1, 2);\n```\n"));
        assert!(has_example("```rust,should_panic\npanic!();\n```"));
        assert!(has_example("  ```edition2024\n  let x = 1;\n  ```"));
    }

    #[test]
    fn other_code_is_none() {
        assert!(!has_example("Adds `a` to ``b``."));
        assert!(!has_example("```text\none two\n```"));
        assert!(!has_example("```no_run\nloop {}\n```"));
        assert!(!has_example(
            "```compile_fail,E0277\nlet x: u8 = \"\";\n```"
        ));
    }

    #[test]
    fn the_end_of_a_block_begins_none() {
        assert!(!has_example("```text\none\n```\n"));
        assert!(has_example("```text\none\n```\n\n```\nlet x = 1;\n```\n"));
        assert!(!has_example("````text\n```\n````\n"));
    }
}
