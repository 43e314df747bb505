//! Tables as Markdown. Whatever a cell holds, it stays one cell, and shows as it is.

use crate::table::{Grid, GridRow};

/// A table with its title, and with everything that belongs to it.
pub fn table(grid: &Grid) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell, "<br>")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = |column: usize| if column < grid.names { "---" } else { "---:" };
    let rules: Vec<_> = (0..grid.header.len()).map(rule).collect();
    let mut text = format!("{}\n\n", escape(&grid.title, "\\\n"));
    text += &row(&grid.header);
    text += &format!("| {} |\n", rules.join(" | "));
    for GridRow { cells, .. } in &grid.rows {
        text += &row(cells);
    }
    for note in &grid.notes {
        text += &format!("\n{}\n", escape(note, " "));
    }
    text
}

/// A text in which nothing means anything to Markdown. The end of a line becomes `line_end`.
pub fn escape(text: &str, line_end: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\r' => {}
            '\n' => escaped += line_end,
            '\\' | '`' | '|' | '*' | '_' | '<' | '[' | ']' | '~' | '#' => {
                escaped.extend(['\\', letter]);
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::RowKind;

    #[test]
    fn a_table_has_a_rule_and_its_notes() {
        let grid = Grid {
            title: "A: one\nB: two".to_owned(),
            header: vec!["name".to_owned(), "ms".to_owned()],
            rows: vec![GridRow {
                cells: vec!["a | b".to_owned(), "5".to_owned()],
                kind: RowKind::Plain,
            }],
            notes: vec!["a note".to_owned()],
            names: 1,
        };
        let expected = "A: one\\\nB: two\n\n| name | ms |\n| --- | ---: |\n| a \\| b | 5 |\n\n\
                        a note\n";
        assert_eq!(table(&grid), expected);
    }

    #[test]
    fn what_markdown_would_understand_is_escaped() {
        for (text, expected) in [
            ("a|b", "a\\|b"),
            ("one\ntwo\r\n", "one<br>two<br>"),
            ("`ls` \\|", "\\`ls\\` \\\\\\|"),
            ("*a_b* <i> [x](y)", "\\*a\\_b\\* \\<i> \\[x\\](y)"),
            ("2.00 (1.90–2.10)", "2.00 (1.90–2.10)"),
        ] {
            assert_eq!(escape(text, "<br>"), expected);
        }
    }
}
