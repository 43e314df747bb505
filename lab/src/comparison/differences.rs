//! What differs between the machines, the builds and the runs of two sides.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::cells::Change;
use crate::record::Record;
use crate::statistics::median;

/// A field that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name in a record.
    pub field: String,
    /// What it is in A.
    pub a: String,
    /// What it is in B.
    pub b: String,
}

/// Fields of a machine that are never the same twice.
const RESTLESS: [&str; 1] = ["memory_free_bytes"];

/// How far the shares of the machine that others had may lie apart and count as the same.
const WEATHER_APART: f64 = 0.05;

/// More than this of the machine's time makes figures suffer.
const BUSY: f64 = 0.1;

/// All fields that differ, in the order of a record.
pub fn between(changes: &[Change<'_>]) -> Vec<Difference> {
    let sides: [Vec<&Record>; 2] = [
        changes.iter().map(|change| change.a).collect(),
        changes.iter().map(|change| change.b).collect(),
    ];
    let mut differences = Vec::new();
    let mut hold = |field: &str, values: [BTreeSet<String>; 2]| {
        differences.extend(difference(field, values));
    };
    hold_fields("machine", &sides, |record| &record.machine, &mut hold);
    hold_fields("build", &sides, |record| &record.build, &mut hold);
    hold_fields("effort", &sides, |record| &record.effort, &mut hold);
    let versions = |records: &Vec<&Record>| {
        let known = records.iter().filter_map(|record| {
            let version = record.runtime_version.as_ref()?;
            Some(format!("{} {version}", record.runtime))
        });
        known.collect()
    };
    hold("runtime_version", sides.each_ref().map(versions));
    let slowdowns = |records: &Vec<&Record>| {
        let planted = records.iter().map(|record| record.slowdown_percent);
        let words = planted.map(|percent| percent.map(|percent| format!("{percent} %")));
        words
            .map(|words| words.unwrap_or_else(|| "none".to_owned()))
            .collect()
    };
    hold("planted slowdown", sides.each_ref().map(slowdowns));
    let processes = |records: &Vec<&Record>| {
        let counts = records.iter().map(|record| record.by_round.len());
        counts.map(|count| count.to_string()).collect()
    };
    hold("processes", sides.each_ref().map(processes));
    for (field, share) in [
        (
            "weather.stolen",
            (|record| record.weather(|weather| weather.stolen)) as fn(&Record) -> Option<f64>,
        ),
        ("weather.others", |record| {
            record.weather(|weather| weather.others)
        }),
    ] {
        differences.extend(weather(field, &sides, share));
    }
    differences
}

/// Holds the fields of a part of all records against each other.
fn hold_fields<T: Serialize>(
    name: &str,
    sides: &[Vec<&Record>; 2],
    part: fn(&Record) -> &T,
    hold: &mut impl FnMut(&str, [BTreeSet<String>; 2]),
) {
    let parts = sides.each_ref().map(|records| {
        let parts = records
            .iter()
            .map(|record| serde_json::to_value(part(record)));
        let parts: Vec<Value> = parts.collect::<Result<_, _>>().expect("it is plain data");
        parts
    });
    let fields = parts.iter().flatten().find_map(Value::as_object);
    for field in fields.into_iter().flat_map(|fields| fields.keys()) {
        if RESTLESS.contains(&field.as_str()) {
            continue;
        }
        let values = parts
            .each_ref()
            .map(|parts| parts.iter().map(|part| words(&part[field])).collect());
        hold(&format!("{name}.{field}"), values);
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The difference between the values that a field has on both sides, if they are not the same.
fn difference(field: &str, values: [BTreeSet<String>; 2]) -> Option<Difference> {
    let [a, b] = &values;
    if a == b {
        return None;
    }
    let (a, b) = match (single_list(a), single_list(b)) {
        // Of two long lists, only what one has and the other lacks.
        (Some(a), Some(b)) => (only(&a, &b), only(&b, &a)),
        _ => (join(a), join(b)),
    };
    Some(Difference {
        field: field.to_owned(),
        a,
        b,
    })
}

/// The items of the only value, if that is a list.
fn single_list(values: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let value = values.first().filter(|_| values.len() == 1)?;
    let items: BTreeSet<String> = value.split(',').map(str::to_owned).collect();
    (items.len() > 1).then_some(items)
}

fn only(these: &BTreeSet<String>, those: &BTreeSet<String>) -> String {
    let only: BTreeSet<String> = these.difference(those).cloned().collect();
    if only.is_empty() {
        "nothing more".to_owned()
    } else {
        format!("also {}", join(&only))
    }
}

fn join(values: &BTreeSet<String>) -> String {
    if values.is_empty() {
        return "unknown".to_owned();
    }
    values.iter().cloned().collect::<Vec<_>>().join(", ")
}

/// How much of the machine other programs and its host had in the median on each side, where that
/// is so much that figures suffer.
pub fn busy(changes: &[Change<'_>]) -> Option<[f64; 2]> {
    let of_side = |record: fn(&Change<'_>) -> f64| {
        let shares: Vec<f64> = changes.iter().map(record).collect();
        median(&shares).unwrap_or(0.0)
    };
    let shares = [
        of_side(|change| change.a.taken_by_others()),
        of_side(|change| change.b.taken_by_others()),
    ];
    shares.iter().any(|share| *share > BUSY).then_some(shares)
}

/// A difference of what others had of the machine while the two sides were measured.
fn weather(
    field: &str,
    sides: &[Vec<&Record>; 2],
    share: fn(&Record) -> Option<f64>,
) -> Option<Difference> {
    let [a, b] = sides.each_ref().map(|records| {
        let shares: Vec<f64> = records.iter().filter_map(|record| share(record)).collect();
        median(&shares)
    });
    let (a, b) = (a?, b?);
    let text = |share: f64| format!("{:.0} % of the machine", share * 100.0);
    ((a - b).abs() > WEATHER_APART).then(|| Difference {
        field: field.to_owned(),
        a: text(a),
        b: text(b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Comparison;
    use crate::comparison::Design;
    use crate::comparison::made_up::record;

    fn differences(a: &Record, b: &Record) -> Vec<Difference> {
        let (a, b) = (vec![a.clone()], vec![b.clone()]);
        between(&Comparison::of(&a, &b, false, Design::Apart).changes)
    }

    #[test]
    fn equal_sides_differ_in_nothing() {
        let a = record("fib", "drumline", 1, &[1.0; 10]);
        let mut b = record("fib", "drumline", 1, &[2.0; 10]);
        b.machine.memory_free_bytes = Some(1);
        assert_eq!(differences(&a, &b), []);
    }

    #[test]
    fn a_side_without_a_planted_slowdown_has_none() {
        let a = record("fib", "drumline", 1, &[1.0; 10]);
        let mut b = a.clone();
        b.slowdown_percent = Some(20);
        let found = differences(&a, &b);
        let [planted] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(planted.field, "planted slowdown");
        assert_eq!((planted.a.as_str(), planted.b.as_str()), ("none", "20 %"));
    }

    #[test]
    fn what_differs_is_named() {
        let a = record("fib", "drumline", 1, &[1.0; 10]);
        let mut b = record("fib", "drumline", 1, &[1.0; 12]);
        b.machine.kernel = Some("7.0".to_owned());
        b.build.git_revision = Some("abc".to_owned());
        b.effort.window_ms = 400;
        b.runtime_version = Some("0.2.0".to_owned());
        for round in &mut b.by_round {
            round.weather.others = Some(0.5);
        }
        let found = differences(&a, &b);
        let fields: Vec<&str> = found.iter().map(|d| d.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "machine.kernel",
                "build.git_revision",
                "effort.window_ms",
                "runtime_version",
                "processes",
                "weather.others"
            ]
        );
        assert_eq!((found[0].a.as_str(), found[0].b.as_str()), ("6.18", "7.0"));
        assert_eq!(found[1].a, "unknown");
        assert_eq!(found[5].b, "50 % of the machine");
    }

    #[test]
    fn a_busy_machine_is_noticed() {
        let quiet = vec![record("fib", "drumline", 1, &[1.0; 10])];
        let mut busy_one = quiet.clone();
        for round in &mut busy_one[0].by_round {
            round.weather.others = Some(0.5);
        }
        let shares =
            |a: &[Record], b: &[Record]| busy(&Comparison::of(a, b, false, Design::Apart).changes);
        assert_eq!(shares(&quiet, &quiet), None);
        assert_eq!(shares(&quiet, &busy_one), Some([0.01, 0.5]));
        assert_eq!(shares(&busy_one, &busy_one), Some([0.5, 0.5]));
    }

    #[test]
    fn of_long_lists_only_the_difference_is_shown() {
        let mut a = record("fib", "drumline", 1, &[1.0; 10]);
        let mut b = a.clone();
        a.build.target_features = Some("fxsr,sse,sse2".to_owned());
        b.build.target_features = Some("avx,fxsr,sse,sse2".to_owned());
        let found = differences(&a, &b);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].a, "nothing more");
        assert_eq!(found[0].b, "also avx");
    }
}
