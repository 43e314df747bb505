//! One self-contained page: no script that must be loaded, no picture, no font.

use std::fmt::Write as _;

use crate::noise::Noise;
use crate::record::Record;
use crate::scoreboard::Scoreboard;
use crate::statistics::Claim;
use crate::table::{Grid, GridRow, RowKind};
use crate::workload::WorkloadCard;

/// A workload's part of the page.
#[derive(Debug)]
pub struct Section<'a> {
    /// The workload.
    pub card: &'a WorkloadCard,
    /// Its table.
    pub grid: Grid,
    /// Its chart in both widths, as HTML.
    pub chart: String,
}

/// How the page looks.
const STYLE: &str = include_str!("report.css");

const METHOD: &str = "\
<p>Every configuration runs in a fresh process. Configurations that are compared run next to each \
other, round by round, in an order that turns. A process builds its data, warms up, and then takes \
samples; operations too short for the clock are batched until a sample lasts about a millisecond. \
A figure is the median of the medians of the processes. Every answer is checked; a wrong one is an \
error, not a figure. Processor time, context switches and page faults are counted over the samples \
only. <q>× seq</q> divides by plain code on one thread, a recursion or a loop. <q>drumline ÷ best peer</q> \
divides by the best peer with as many jobs: above 1, the peer was better.</p>\
<p>The details are in <code>lab/METHODOLOGY.md</code>; what could favour drumline is in \
<code>lab/BIAS.md</code>.</p>";

/// Says that a run was interrupted, if it was.
pub fn partial(records: &[Record]) -> Option<String> {
    if records.is_empty() {
        return Some(
            "PARTIAL: the run was interrupted before the first process had finished.".to_owned(),
        );
    }
    let partial = records.iter().any(|record| record.partial);
    let processes: usize = records.iter().map(|record| record.rounds).sum();
    partial.then(|| {
        format!(
            "PARTIAL: the run was interrupted after {processes} processes; here is what they \
             measured."
        )
    })
}

/// The begin of a page, up to its title, which is no HTML.
pub fn head(title: &str) -> String {
    let title = escape(title);
    let mut page =
        String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">";
    page += &format!("<title>{title}</title><style>");
    page += STYLE;
    page += &format!("</style></head><body>\n<h1>{title}</h1>\n");
    page
}

/// Writes the page.
pub fn page(sections: &[Section<'_>], records: &[Record]) -> String {
    let mut page = head("Drumline lab");
    if let Some(record) = records.first() {
        page += &format!(
            "<p class=\"faint\">{}<br>{}</p>\n",
            escape(&record.date),
            escape(&record.machine.describe())
        );
        if let Some(warning) = record.build.warning() {
            page += &format!("<p class=\"bad\">{}</p>\n", escape(&warning));
        }
    }
    if let Some(text) = partial(records) {
        page += &format!("<p class=\"bad\">{}</p>\n", escape(&text));
    }
    for line in Noise::of(records).lines() {
        let class = match line.starts_with("warning") {
            true => "bad",
            false => "faint",
        };
        page += &format!("<p class=\"{class}\">{}</p>\n", escape(&line));
    }
    page += &board(records);
    for text in records.first().map_or(&[][..], |r| &r.resumed_despite) {
        page += &format!(
            "<p class=\"bad\">The run was resumed although {}.</p>\n",
            escape(text)
        );
    }
    let failures: Vec<&Record> = records.iter().filter(|r| r.ok == Some(false)).collect();
    for record in failures {
        let error = record.error.as_deref().unwrap_or("unknown error");
        writeln!(
            page,
            "<p class=\"bad\">{} on {}, {}, jobs {}: {}</p>",
            escape(&record.workload),
            escape(&record.runtime),
            escape(&record.size_label),
            record.jobs,
            escape(error)
        )
        .expect("a string takes everything");
    }
    page += "<nav>";
    for section in sections {
        page += &format!("<a href=\"#{0}\">{0}</a>", section.card.name);
    }
    page += "<a href=\"#method\">how it was measured</a><a href=\"#machine\">machine</a></nav>\n";
    for section in sections {
        page += &self::section(section);
    }
    page += "<h2 id=\"method\">How it was measured</h2>";
    page += METHOD;
    page += &machine(records);
    page += "<h2>Raw data</h2><p><a href=\"records.jsonl\">records.jsonl</a> and \
             <a href=\"records.csv\">records.csv</a> lie next to this page, and \
             <code>lab/COLUMNS.md</code> has a line for each of their columns; the same records are \
             embedded in it, as JSON, in the element <code>#records</code>.</p>\n";
    page += "<script type=\"application/json\" id=\"records\">";
    let json = serde_json::to_string(records).expect("records are plain data");
    page += &json.replace('<', "\\u003c");
    page += "</script>\n</body></html>\n";
    page
}

/// The scoreboard.
fn board(records: &[Record]) -> String {
    let Some(board) = Scoreboard::of(records) else {
        return String::new();
    };
    let mut html = String::from(
        "<div class=\"scroll\"><table class=\"board\"><thead><tr><th class=\"name\">drumline ÷ best peer</th>\
         <th>geometric mean</th><th>✓ faster</th><th>= level</th><th>✗ slower</th>\
         <th>cannot be told</th></tr></thead><tbody>\n",
    );
    for line in &board.lines {
        let title = escape(line.family.title);
        let class = if line.losses > 0 {
            " class=\"loss\""
        } else {
            ""
        };
        html += &format!(
            "<tr><td class=\"name\">{title}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td{class}>{}</td><td>{}</td></tr>\n",
            line.mean_text(),
            line.wins,
            line.level,
            line.losses,
            line.open
        );
    }
    html += "</tbody></table></div>\n<p class=\"faint\">Below 1, drumline took less; above 1, \
             the best peer did.</p>";
    let told: usize = board.lines.iter().map(|line| line.wins + line.level).sum();
    match board.losses.len() {
        0 if told == 0 => html += "<p class=\"faint\">Nothing can be told of this run.</p>\n",
        0 => html += "<p class=\"faint\">No cell of this run was lost beyond doubt.</p>\n",
        1 => html += "<p>One cell was lost:</p>\n",
        losses => html += &format!("<p>{losses} cells were lost, the worst first:</p>\n"),
    }
    for loss in &board.losses {
        let sign = Claim::Slower.sign();
        let text = escape(&loss.to_text());
        html += &format!("<p class=\"loss\">{sign} {text}</p>\n");
    }
    for note in &board.notes {
        html += &format!("<p class=\"faint\">{}</p>\n", escape(note));
    }
    html
}

fn section(section: &Section<'_>) -> String {
    let card = section.card;
    let mut html = format!(
        "<section id=\"{0}\"><h2>{0}</h2><p>{1}</p><p class=\"faint\">{2}</p>\n{3}\n",
        card.name,
        code(&escape(card.about)),
        code(&escape(card.analysis)),
        section.chart
    );
    html += &grid(&section.grid);
    html + "</section>\n"
}

/// A table, with what belongs to it. A window that is too small for it shows a part.
pub fn grid(grid: &Grid) -> String {
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\
         <thead><tr>",
        escape(&grid.title)
    );
    for (column, name) in grid.header.iter().enumerate() {
        let class = if column < grid.names {
            " class=\"name\""
        } else {
            ""
        };
        html += &format!("<th{class}>{}</th>", escape(name));
    }
    html += "</tr></thead><tbody>\n";
    for row in &grid.rows {
        html += match row.kind {
            RowKind::Plain => "<tr>",
            RowKind::Ours => "<tr class=\"ours\">",
            RowKind::Ratio => "<tr class=\"ratio\">",
        };
        for (column, cell) in row.cells.iter().enumerate() {
            let class = match claimed(row, column) {
                _ if column < grid.names => " class=\"name\"",
                Some(Claim::Slower) => " class=\"loss\"",
                Some(Claim::Faster) => " class=\"win\"",
                _ => "",
            };
            html += &format!("<td{class}>{}</td>", escape(cell));
        }
        html += "</tr>\n";
    }
    html += "</tbody></table></div>";
    for note in &grid.notes {
        html += &format!("<p class=\"faint\">{}</p>", escape(note));
    }
    html
}

/// What is claimed in a cell: by its sign, or by that of the next one, which says what a ratio is.
fn claimed(row: &GridRow, column: usize) -> Option<Claim> {
    if row.kind != RowKind::Ratio {
        return None;
    }
    let cells = row.cells.get(column..)?.iter().take(2);
    let mut claims = cells.filter_map(|cell| {
        let claims = [Claim::Slower, Claim::Faster];
        claims
            .into_iter()
            .find(|claim| cell.starts_with(claim.sign()))
    });
    claims.next()
}

fn machine(records: &[Record]) -> String {
    let Some(record) = records.first() else {
        return String::new();
    };
    let mut html = String::from("<h2 id=\"machine\">Machine and program</h2><dl>");
    let mut list = |value: serde_json::Value| {
        for (name, value) in value.as_object().into_iter().flatten() {
            let value = match value {
                serde_json::Value::Null => "unknown".to_owned(),
                serde_json::Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            let name = name.replace('_', " ");
            html += &format!("<dt>{}</dt><dd>{}</dd>", escape(&name), escape(&value));
        }
    };
    list(serde_json::to_value(&record.machine).expect("a machine is plain data"));
    list(serde_json::to_value(&record.build).expect("a build is plain data"));
    let mut versions: Vec<String> = Vec::new();
    for record in records {
        if let Some(version) = &record.runtime_version {
            let text = format!("{} {version}", record.runtime);
            if !versions.contains(&text) {
                versions.push(text);
            }
        }
    }
    list(serde_json::json!({ "runtimes": versions.join(", "), "rounds": record.rounds }));
    html + "</dl>"
}

/// Sets what stands between backticks as code.
fn code(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        html += match index {
            0 => "",
            index if index % 2 == 1 => "<code>",
            _ => "</code>",
        };
        html += part;
    }
    html
}

/// A text in which nothing means anything to HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;

    #[test]
    fn what_a_machine_calls_itself_is_text() {
        let mut record = made_up::record("fib", "drumline", 1, &[1e6]);
        record.machine.cpu_model = Some("<b>R&D</b>".to_owned());
        let page = page(&[], &[record]);
        let as_text = "&lt;b&gt;R&amp;D&lt;/b&gt;";
        assert_eq!(page.matches(as_text).count(), 2, "above, and in the list");
        assert!(!page.contains("<b>"), "nor in the records");
    }
}
