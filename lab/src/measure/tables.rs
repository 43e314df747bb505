//! What people read: tables of the commands, and lines.

use super::command_record::CommandRecord;
use super::metric::{METRICS, Metric, WALL};
use crate::noise::Noise;
use crate::record::spread;
use crate::statistics::{Claim, Summary};
use crate::table::{Grid, GridRow, RowKind};

/// The columns of a table of many commands, and their shorter names.
const COLUMNS: [(&str, &str); 6] = [
    ("wall_ns", "wall"),
    ("user_ns", "user"),
    ("system_ns", "system"),
    ("rss_peak_bytes", "memory of one"),
    ("rss_sum_peak_bytes", "of all"),
    ("ctx_voluntary", "switches, voluntary"),
];

/// The table of all commands: everything of one command or two, and the most important of more.
/// There is none if nothing ran.
pub fn grid(records: &[CommandRecord]) -> Option<Grid> {
    let mut grid = match records {
        [] => return None,
        [only] if only.rounds == 1 => once(only),
        [only] => repeated(only),
        [a, b] => pair(a, b),
        _ => many(records),
    };
    grid.notes.extend(notes(records));
    Some(grid)
}

/// A line for each command.
pub fn lines(records: &[CommandRecord]) -> String {
    let line = |record: &CommandRecord| {
        let shown = [
            ("wall_ns", "wall"),
            ("user_ns", "user"),
            ("system_ns", "system"),
            ("rss_peak_bytes", "peak memory"),
        ];
        let texts = shown.iter().filter_map(|(key, name)| {
            let text = median_text(record, Metric::named(key));
            text.map(|text| format!("{text} {name}"))
        });
        let texts: Vec<String> = texts.collect();
        format!("{}: {}\n", record.command, texts.join(", "))
    };
    records.iter().map(line).collect()
}

fn once(record: &CommandRecord) -> Grid {
    let rows = METRICS.iter().filter_map(|metric| {
        let text = median_text(record, metric)?;
        Some(vec![metric.title.to_owned(), text])
    });
    plain(record.command.clone(), ["", "1 run"], rows.collect())
}

fn repeated(record: &CommandRecord) -> Grid {
    let rows = METRICS.iter().filter_map(|metric| {
        let figure = record.figure(metric)?;
        let text = |number| metric.unit.text(number);
        let mean = figure.geometric_mean.map_or_else(String::new, text);
        Some(vec![
            metric.title.to_owned(),
            median_text(record, metric)?,
            text(figure.min),
            text(figure.max),
            mean,
        ])
    });
    let header = ["", "median", "least", "most", "geometric mean"];
    let title = format!("{}: {}", record.command, runs(record));
    plain(title, header, rows.collect())
}

fn pair(a: &CommandRecord, b: &CommandRecord) -> Grid {
    let rows = METRICS.iter().filter_map(|metric| {
        let texts = [a, b].map(|record| median_text(record, metric));
        if texts.iter().all(Option::is_none) {
            return None;
        }
        let ratio = b.against.as_ref().and_then(|against| against.ratio(metric));
        let ratio = ratio.map_or_else(String::new, |ratio| ratio.text());
        let [a, b] = texts.map(Option::unwrap_or_default);
        Some(vec![metric.title.to_owned(), a, b, ratio])
    });
    let title = format!("A: {}\nB: {}\n{} of each", a.command, b.command, runs(b));
    let mut grid = plain(title, ["", "A", "B", "B ÷ A"], rows.collect());
    grid.notes.extend(wall_note(a, b));
    grid
}

/// How the wall times of two commands compare, in words.
fn wall_note(first: &CommandRecord, second: &CommandRecord) -> Option<String> {
    let against = second.against.as_ref()?;
    if against.claim == Claim::TooShort {
        let short = [("A", first), ("B", second)].into_iter();
        let short = short.filter(|(_, record)| record.is_too_short());
        let short: Vec<&str> = short.map(|(name, _)| name).collect();
        return Some(format!(
            "the wall times of A and B are not compared: a run of {} took no longer than the start \
             of a shell, which was taken off",
            short.join(" and of ")
        ));
    }
    let claim = match against.claim {
        Claim::TooFew => {
            let least = against.rounds_min;
            format!("{}: {least} tell", against.claim.words())
        }
        claim => claim.words().to_owned(),
    };
    let text = against.ratio(WALL)?.text();
    Some(format!(
        "the wall time of B is {text} of that of A: {claim}"
    ))
}

fn many(records: &[CommandRecord]) -> Grid {
    let mut header = vec!["command".to_owned()];
    header.extend(COLUMNS.iter().map(|(_, name)| (*name).to_owned()));
    let mut baselines: Vec<&str> = Vec::new();
    for against in records.iter().filter_map(|record| record.against.as_ref()) {
        if !baselines.contains(&against.command.as_str()) {
            baselines.push(&against.command);
        }
    }
    header.push(match baselines[..] {
        [only] => format!("wall ÷ {only}"),
        _ => "wall ÷ the row above".to_owned(),
    });
    header.push(String::new());
    let rows = records.iter().map(|record| {
        let mut cells = vec![record.command.clone()];
        let texts = COLUMNS.map(|(key, _)| median_text(record, Metric::named(key)));
        let unknown = || "?".to_owned();
        cells.extend(texts.map(|text| text.unwrap_or_else(unknown)));
        let against = record.against.as_ref();
        let ratio = against.and_then(|against| against.ratio(WALL));
        cells.push(ratio.map_or_else(String::new, |ratio| ratio.text()));
        let claim = against.map_or("", |against| against.claim.words());
        cells.push(claim.to_owned());
        GridRow {
            cells,
            kind: RowKind::Plain,
        }
    });
    let fewest = records.iter().min_by_key(|record| record.rounds);
    let title = fewest.map_or_else(String::new, |record| format!("{} of each", runs(record)));
    Grid {
        title,
        header,
        rows: rows.collect(),
        notes: Vec::new(),
        names: 1,
    }
}

fn plain<const N: usize>(title: String, header: [&str; N], rows: Vec<Vec<String>>) -> Grid {
    let row = |cells| GridRow {
        cells,
        kind: RowKind::Plain,
    };
    Grid {
        title,
        header: header.map(str::to_owned).to_vec(),
        rows: rows.into_iter().map(row).collect(),
        notes: Vec::new(),
        names: 1,
    }
}

/// The median with half of the width of its interval, or of the range of a few runs, in per cent.
fn median_text(record: &CommandRecord, metric: &Metric) -> Option<String> {
    let figure = record.figure(metric)?;
    let text = metric.unit.text(figure.median);
    let spread = spread(&figure.known()).map(|spread| spread.half_width(1.0) * 100.0);
    Some(match spread {
        Some(percent) if percent >= 0.05 => format!("{text} ±{percent:.1}%"),
        _ => text,
    })
}

fn runs(record: &CommandRecord) -> String {
    let count = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    match record.warm_ups {
        0 => count(record.rounds, "run"),
        warm_ups => format!(
            "{} after {}",
            count(record.rounds, "run"),
            count(warm_ups, "warm-up run")
        ),
    }
}

/// What has to be known of the figures.
fn notes(records: &[CommandRecord]) -> Vec<String> {
    let mut notes = Vec::new();
    let is_unknown =
        |metric: &&Metric| records.iter().all(|record| record.figure(metric).is_none());
    let unknown = METRICS.iter().filter(is_unknown).map(|metric| metric.title);
    let unknown: Vec<_> = unknown.collect();
    if !unknown.is_empty() {
        notes.push(format!("not told here: {}", unknown.join(", ")));
    }
    if let Some(shell) = records.first().and_then(|record| record.shell_start) {
        notes.push(format!(
            "times are without the start of a shell, {}; everything else is with the shell",
            WALL.unit.text(shell.wall_ns as f64)
        ));
        if records.iter().any(CommandRecord::is_too_short) {
            notes.push(
                "warning: a run took no longer than the start of a shell; leave out --shell"
                    .to_owned(),
            );
        }
    }
    for record in records {
        let CommandRecord {
            command, failures, ..
        } = record;
        if *failures > 0 {
            let rounds = record.rounds;
            notes.push(format!("{command}: {failures} of {rounds} runs failed"));
        }
        if let Some(name) = record.left.first() {
            let others = record.left.len() - 1;
            let others = if others > 0 {
                format!(" and {others} more")
            } else {
                String::new()
            };
            notes.push(format!(
                "{command}: {name}{others} outlived a run; what was used after it is not counted"
            ));
        }
    }
    notes.extend(disturbances(records).lines());
    notes
}

/// What others had of the machine, in the mean of all commands.
fn disturbances(records: &[CommandRecord]) -> Noise {
    let mean = |share: fn(&CommandRecord) -> Option<f64>| {
        let shares: Vec<f64> = records.iter().filter_map(share).collect();
        Summary::of(&shares).map(|summary| summary.mean)
    };
    Noise {
        others: mean(|record| record.weather.others),
        stolen: mean(|record| record.weather.stolen),
        ..Noise::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::made_up::records;
    use super::*;

    fn cells(grid: &Grid) -> Vec<Vec<&str>> {
        grid.rows
            .iter()
            .map(|row| row.cells.iter().map(String::as_str).collect())
            .collect()
    }

    #[test]
    fn nothing_has_no_table() {
        assert!(grid(&[]).is_none());
    }

    #[test]
    fn one_run_has_a_number_for_each_metric() {
        let grid = grid(&records(&[&[2_000_000]])).unwrap();
        assert_eq!(cells(&grid), [["wall time", "2.000 ms"]]);
        let note = &grid.notes[0];
        assert!(note.starts_with("not told here: user time"), "{note}");
    }

    #[test]
    fn runs_have_a_range() {
        let grid = grid(&records(&[&[1000, 4000]])).unwrap();
        assert_eq!(grid.title, "first: 2 runs");
        let row = [
            "wall time",
            "2.500 µs ±60.0%",
            "1.000 µs",
            "4.000 µs",
            "2.000 µs",
        ];
        assert_eq!(cells(&grid), [row]);
    }

    #[test]
    fn two_commands_lie_beside_each_other() {
        let grid = grid(&records(&[&[1000; 10], &[2000; 10]])).unwrap();
        let row = ["wall time", "1.000 µs", "2.000 µs", "2.00 (2.00–2.00)"];
        assert_eq!(cells(&grid), [row]);
        let claim = "the wall time of B is 2.00 (2.00–2.00) of that of A: slower";
        assert_eq!(grid.notes[0], claim);
        let few = super::grid(&records(&[&[1000], &[2000]])).unwrap();
        assert!(few.notes[0].contains("too few rounds: 10 tell"), "{few:?}");
    }

    #[test]
    fn what_is_too_short_for_a_shell_says_so() {
        let mut records = records(&[&[0; 10], &[7; 10]]);
        records[1].against.as_mut().unwrap().claim = Claim::TooShort;
        records[0].shell = true;
        let note = &grid(&records).unwrap().notes[0];
        assert!(
            note.contains("a run of A took no longer than the start of a shell"),
            "{note}"
        );
    }

    #[test]
    fn many_commands_lie_below_each_other() {
        let grid = grid(&records(&[&[1000; 10], &[2000; 10], &[1000; 10]])).unwrap();
        assert_eq!(grid.header[7], "wall ÷ first");
        let rows = cells(&grid);
        let first: Vec<_> = rows.iter().map(|row| (row[0], row[7], row[8])).collect();
        let expected = [
            ("first", "", ""),
            ("second", "2.00 (2.00–2.00)", "slower"),
            ("third", "1.00 (1.00–1.00)", "level"),
        ];
        assert_eq!(first, expected);
        assert!(rows.iter().all(|row| row.len() == grid.header.len()));
    }

    #[test]
    fn a_line_tells_the_most_important() {
        assert_eq!(
            lines(&records(&[&[5], &[7]])),
            "first: 5 ns wall\nsecond: 7 ns wall\n"
        );
    }

    #[test]
    fn what_happened_is_noted() {
        let mut record = records(&[&[5, 6]]).remove(0);
        record.failures = 1;
        record.left = vec!["sleep (17)".to_owned(), "sleep (18)".to_owned()];
        record.weather.others = Some(0.5);
        let notes = notes(&[record]).join("\n");
        for expected in [
            "first: 1 of 2 runs failed",
            "first: sleep (17) and 1 more outlived a run",
            "other programs used 50.0 %",
        ] {
            assert!(notes.contains(expected), "{notes}");
        }
    }
}
