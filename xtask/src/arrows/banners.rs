//! Banner comments, which divide a file into parts by a drawn line. The parts of a long file are
//! files, and a short one needs none.

use std::path::Path;

use super::verdict::Violation;

/// What lines are drawn with.
const DRAWN: [char; 7] = ['-', '=', '*', '#', '~', '─', '═'];

/// The banners of a file.
pub fn judge(file: &Path, text: &str) -> Vec<Violation> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| is_banner(line))
        .map(|(before, _)| Violation {
            file: file.to_owned(),
            line: before + 1,
            rule: "no-banners",
            message: "a banner comment: what it divides are files, or need no line".to_owned(),
        })
        .collect()
}

/// Whether the line is a comment that starts or ends with a drawn line.
fn is_banner(line: &str) -> bool {
    let Some(comment) = line.trim().strip_prefix("//") else {
        return false;
    };
    let comment = comment.trim();
    let is_drawn = |of: &char| {
        let line = of.to_string().repeat(3);
        comment.starts_with(&line) || comment.ends_with(&line)
    };
    // Documentation has tables and code.
    let is_documentation = comment.starts_with(['/', '!']);
    !is_documentation && DRAWN.iter().any(is_drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_lines_are_banners() {
        for line in [
            "    // ---- the end ----",
            "//=====",
            "// the end ───",
            "// ###",
        ] {
            assert!(is_banner(line), "{line}");
        }
        for line in [
            "// A comment - with a dash.",
            "/// | --- | --- |",
            "//! ---",
            "let a = b --- c;",
            "// Counts up to a -- b.",
            "// And so on ...",
        ] {
            assert!(!is_banner(line), "{line}");
        }
    }

    #[test]
    fn a_banner_is_a_violation_with_its_line() {
        let text = "fn a() {}\n\n// ---- b ----\n\nfn b() {}\n";
        let found = judge(Path::new("lab/src/a.rs"), text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].rule), (3, "no-banners"));
    }
}
