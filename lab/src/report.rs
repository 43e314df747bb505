//! One self-contained page: no script that must be loaded, no picture, no font.

use std::fmt::Write as _;

use crate::noise::Noise;
use crate::record::Record;
use crate::scoreboard::Scoreboard;
use crate::table::{Grid, RowKind};
use crate::workload::WorkloadCard;

/// A workload's part of the page.
#[derive(Debug)]
pub struct Section<'a> {
    /// The workload.
    pub card: &'a WorkloadCard,
    /// Its table.
    pub grid: Grid,
    /// Its chart, as SVG.
    pub chart: String,
}

const STYLE: &str = "\
:root{color-scheme:light;--ink:#1f2328;--faint:#656d76;--line:#d8dde3;--ours:#d6452b}\
*{box-sizing:border-box}\
body{margin:0 auto;max-width:960px;padding:40px 24px 80px;color:var(--ink);background:#fff;\
font:15px/1.55 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}\
h1{font-size:30px;margin:0 0 4px}h2{font-size:22px;margin:56px 0 4px}\
p{margin:8px 0}.faint{color:var(--faint)}\
nav{margin:20px 0}nav a{margin-right:14px}a{color:#0b62b8}\
svg{max-width:100%;height:auto;display:block;margin:12px 0;border:1px solid var(--line);\
border-radius:8px}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:12px 0}\
th,td{padding:4px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}\
th{font-weight:600;color:var(--faint);border-bottom-width:2px}\
th:nth-child(-n+2),td:nth-child(-n+2),.tall th:nth-child(3),.tall td:nth-child(3){text-align:left}\
tr.ours td{font-weight:700;color:var(--ours)}\
tr.ours td:first-child{color:var(--ink);font-weight:400}\
tr.ratio td{background:#f6f8fa;font-weight:600}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px}dt{color:var(--faint)}dd{margin:0}\
.bad{color:#b42318;font-weight:600}";

const METHOD: &str = "\
<p>Every configuration runs in a fresh process. Configurations that are compared run next to each \
other, round by round, in an order that turns. A process builds its data, warms up, and then takes \
samples; operations too short for the clock are batched until a sample lasts about a millisecond. \
A figure is the median of all samples of all rounds. Every answer is checked; a wrong one is an \
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
             <a href=\"records.csv\">records.csv</a> lie next to this page; the same records are \
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
        "<table><thead><tr><th>drumline ÷ best peer</th><th>geometric mean</th><th>faster</th>\
         <th>level</th><th>slower</th><th>cannot be told</th></tr></thead><tbody>\n",
    );
    for line in &board.lines {
        html += &format!(
            "<tr><td>{}</td><td>{:.2}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            line.family.title, line.mean, line.wins, line.level, line.losses, line.open
        );
    }
    html += "</tbody></table>";
    for loss in &board.losses {
        html += &format!("<p class=\"bad\">slower: {}</p>", escape(&loss.to_text()));
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

/// A table, with what belongs to it.
pub fn grid(grid: &Grid) -> String {
    let mut html = String::from(match grid.names {
        3 => "<div class=\"scroll\"><table class=\"tall\"><thead><tr>",
        _ => "<div class=\"scroll\"><table><thead><tr>",
    });
    for name in &grid.header {
        html += &format!("<th>{}</th>", escape(name));
    }
    html += "</tr></thead><tbody>\n";
    for row in &grid.rows {
        html += match row.kind {
            RowKind::Plain => "<tr>",
            RowKind::Ours => "<tr class=\"ours\">",
            RowKind::Ratio => "<tr class=\"ratio\">",
        };
        for cell in &row.cells {
            html += &format!("<td>{}</td>", escape(cell));
        }
        html += "</tr>\n";
    }
    html += "</tbody></table></div>";
    for note in &grid.notes {
        html += &format!("<p class=\"faint\">{}</p>", escape(note));
    }
    html
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
