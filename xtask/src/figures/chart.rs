//! The chart of the readme: what workloads take with all jobs, here and with rayon, as multiples of
//! plain code on one thread.
//!
//! Its background is its own, so it can be read in a dark page and in a light one.

use std::fmt::Write as _;

use anyhow::{Result, ensure};

use super::record::Records;
use super::table::figure_of;

/// Where it is.
pub const FILE: &str = "docs/src/chart.svg";

/// Those of the default run that divide one piece of work, and whose multiples fit one axis.
const WORKLOADS: [&str; 7] = [
    "tree-sum",
    "fib",
    "uts",
    "coarse",
    "slice-sum",
    "mandelbrot",
    "sort",
];

/// The runtimes, with the colours of their bars.
const RUNTIMES: [(&str, &str); 2] = [("drumline", "#0969da"), ("rayon", "#bf8700")];

const WIDTH: f64 = 720.0;
/// Where the axis has its zero.
const ZERO: f64 = 170.0;
/// How long the axis is.
const LENGTH: f64 = 490.0;
const TOP: f64 = 64.0;
const ROW: f64 = 42.0;
const BAR: f64 = 15.0;
const FOOT: f64 = 48.0;

/// A workload at its largest size.
struct Row {
    label: String,
    /// One for each of [`RUNTIMES`].
    multiples: Vec<f64>,
    jobs: u64,
}

/// The chart of the newest record that holds all of it; `None` if there is none.
///
/// # Errors
/// A multiple is no number that an axis could show.
pub fn svg(records: &[Records]) -> Result<Option<String>> {
    for records in records {
        let rows: Option<Vec<Row>> = WORKLOADS.iter().map(|name| row(records, name)).collect();
        if let Some(rows) = rows {
            return draw(&rows, records).map(Some);
        }
    }
    Ok(None)
}

fn row(records: &Records, workload: &str) -> Option<Row> {
    let (size, label) = records.sizes(workload).into_iter().max()?;
    let jobs = *records.jobs(workload, "drumline").last()?;
    let plain = records.find(workload, size, "seq", 1)?.wall()?;
    let multiples = RUNTIMES.iter().map(|(runtime, _)| {
        let row = records.find(workload, size, runtime, jobs)?;
        Some(row.wall()? / plain)
    });
    Some(Row {
        label: format!("{workload} {label}"),
        multiples: multiples.collect::<Option<_>>()?,
        jobs,
    })
}

fn draw(rows: &[Row], records: &Records) -> Result<String> {
    let all = || rows.iter().flat_map(|row| row.multiples.iter().copied());
    ensure!(
        all().all(|multiple| (0.0..=1_000.0).contains(&multiple)),
        "{} has a multiple that no axis can show",
        records.file
    );
    let jobs = rows.first().map_or(1, |row| row.jobs);
    ensure!(
        rows.iter().all(|row| row.jobs == jobs),
        "{} has its workloads with different numbers of jobs; record them in one run",
        records.file
    );
    let end = all().fold(1.0, f64::max).ceil();
    let at = |multiple: f64| ZERO + LENGTH * multiple / end;
    let bottom = TOP + ROW * rows.len() as f64;
    let height = bottom + FOOT;
    let title = format!(
        "Time on {jobs} jobs, as a multiple of plain code on one thread. Shorter is better."
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#1f2328\">\n\
         <title>{title}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"14\">{title}</text>\n"
    );
    for (index, (runtime, colour)) in RUNTIMES.iter().enumerate() {
        let x = ZERO + 110.0 * index as f64;
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"38\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\n\
             <text x=\"{}\" y=\"49\">{runtime}</text>",
            x + 18.0
        )?;
    }
    let mut tick = 0.0;
    while tick <= end {
        let x = at(tick);
        let dashes = if tick == 1.0 {
            ""
        } else {
            " stroke-dasharray=\"2 3\""
        };
        let colour = if tick == 1.0 { "#1f2328" } else { "#afb8c1" };
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" \
             stroke=\"{colour}\"{dashes}/>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            bottom + 16.0
        )?;
        tick += 1.0;
    }
    for (index, row) in rows.iter().enumerate() {
        let y = TOP + ROW * index as f64 + (ROW - 2.0 * BAR) / 2.0;
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            ZERO - 10.0,
            y + BAR + 5.0,
            escaped(&row.label)
        )?;
        for (bar, (multiple, (_, colour))) in row.multiples.iter().zip(RUNTIMES).enumerate() {
            let y = y + BAR * bar as f64;
            writeln!(
                svg,
                "<rect x=\"{ZERO}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>\n\
                 <text x=\"{:.1}\" y=\"{}\" font-size=\"12\">{}</text>",
                at(*multiple) - ZERO,
                BAR - 1.0,
                at(*multiple) + 5.0,
                y + 12.0,
                figure_of(*multiple)
            )?;
        }
    }
    let day = records.date().get(..10).unwrap_or_default();
    let machine = records.of_all("machine", "cpu_model");
    let machine = machine.and_then(|model| model.as_str()).unwrap_or_default();
    writeln!(
        svg,
        "<text x=\"16\" y=\"{}\" font-size=\"11\" fill=\"#57606a\">{}, {day}, {}</text>",
        bottom + 36.0,
        escaped(&records.file),
        escaped(machine)
    )?;
    svg += "</svg>\n";
    Ok(svg)
}

/// A text as the content of an element.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of all workloads, in which a runtime takes `wall` for each.
    fn record(runtimes: &[(&str, u64, f64)]) -> Records {
        let mut text = String::new();
        for workload in WORKLOADS {
            for (runtime, jobs, wall) in runtimes {
                text += &format!(
                    "{{\"workload\":\"{workload}\",\"runtime\":\"{runtime}\",\"jobs\":{jobs},\
                     \"size\":30,\"wall_ns_median\":{wall}}}\n"
                );
            }
        }
        Records::parse("lab/records/a.jsonl", &text).unwrap()
    }

    #[test]
    fn bars_begin_at_zero_and_say_their_length() {
        let records = record(&[
            ("seq", 1, 100.0),
            ("drumline", 2, 50.0),
            ("rayon", 2, 380.0),
        ]);
        let svg = svg(&[records]).unwrap().unwrap();
        for part in [
            "Time on 2 jobs",
            ">fib 30</text>",
            ">0.50</text>",
            ">3.80</text>",
            // An axis to 4: an eighth of it, and 95 hundredths.
            "<rect x=\"170\" y=\"70\" width=\"61.2\"",
            "<rect x=\"170\" y=\"85\" width=\"465.5\"",
            ">4</text>",
        ] {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
    }

    #[test]
    fn names_are_text_and_no_markup() {
        let rows = [("seq", 1, 9.0), ("drumline", 2, 5.0), ("rayon", 2, 6.0)];
        let mut records = record(&rows);
        records.file = "a<b>&c.jsonl".to_owned();
        let svg = svg(&[records]).unwrap().unwrap();
        assert!(svg.contains("a&lt;b&gt;&amp;c.jsonl"), "{svg}");
    }

    #[test]
    fn a_record_without_a_runtime_gives_no_chart() {
        let records = record(&[("seq", 1, 100.0), ("drumline", 2, 50.0)]);
        assert!(svg(&[records]).unwrap().is_none());
    }

    #[test]
    fn a_time_of_zero_is_an_error() {
        let rows = [("seq", 1, 0.0), ("drumline", 2, 50.0), ("rayon", 2, 60.0)];
        assert!(svg(&[record(&rows)]).is_err());
    }
}
