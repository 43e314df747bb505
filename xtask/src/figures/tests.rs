use std::fs;

use super::*;

/// Two workloads on this machine: `fib` with one and two jobs, and a pipeline.
const RECORD: &str = concat!(
    r#"{"workload":"fib","runtime":"seq","jobs":1,"size":35,"size_label":"35","ok":true,"#,
    r#""date":"2026-11-22T08:00:00Z","wall_ns_median":1000.0,"item_ns_median":1.0,"#,
    r#""by_round":[{},{}],"machine":{"cpu_model":"Some CPU","cores_available":2,"#,
    r#""kernel":"6.18"},"build":{"rustc":"rustc 1.95.0 (abc 2026)"}}"#,
    "\n",
    r#"{"workload":"fib","runtime":"drumline","jobs":1,"size":35,"size_label":"35","#,
    r#""wall_ns_median":1640.0,"item_ns_median":1.64,"#,
    r#""wall_ns_interval":{"low":1630.0,"high":1650.0},"by_round":[{},{}]}"#,
    "\n",
    r#"{"workload":"fib","runtime":"drumline","jobs":2,"size":35,"size_label":"35","#,
    r#""wall_ns_median":820.0,"item_ns_median":0.82}"#,
    "\n",
    r#"{"workload":"fib","runtime":"rayon","jobs":1,"size":35,"wall_ns_median":7690.0}"#,
    "\n",
    r#"{"workload":"fib","runtime":"chili","jobs":2,"size":35,"wall_ns_median":700.0}"#,
    "\n",
    r#"{"workload":"fib","runtime":"forte","jobs":2,"size":35,"declined":"no"}"#,
    "\n",
    r#"{"workload":"pipe","runtime":"drumline","jobs":2,"size":50,"operations":2,"#,
    r#""migrations":8,"ctx_voluntary_per_operation":900.0,"#,
    r#""ctx_involuntary_per_operation":100.0,"wall_ns_median":1.5e9,"latency_ns_p50":14e6}"#,
    "\n",
    r#"{"workload":"pipe","runtime":"static","jobs":2,"size":50,"#,
    r#""ctx_voluntary_per_operation":850.0,"ctx_involuntary_per_operation":0.0,"#,
    r#""wall_ns_median":1.4e9}"#,
    "\n",
    r#"{"workload":"pipe","runtime":"crossbeam","jobs":2,"size":50,"wall_ns_median":1.6e9}"#,
    "\n",
);

const PAGE: &str = "\
Before.

<!-- figures: fork-join fib -->
| what was typed |
<!-- end of figures -->
Between.
<!-- figures: loops no-such fib -->
| this stays |
<!-- end of figures -->
<!-- figures: handing pipe -->
<!-- end of figures -->
After.
";

fn records() -> Vec<Records> {
    vec![Records::parse("lab/records/2026-11-22-abc.jsonl", RECORD).unwrap()]
}

fn written(text: &str, name: &str) -> Result<(String, Outcome)> {
    let mut outcome = Outcome::default();
    let page = Page::parse(text)?.written(name, &records(), &mut outcome)?;
    Ok((page, outcome))
}

#[test]
fn tables_are_made_of_the_record() {
    let (page, outcome) = written(PAGE, "docs/PAGE.md").unwrap();
    for line in [
        "Before.",
        "<!-- figures: fork-join fib -->",
        "| workload | jobs | drumline | × `seq` | rayon | chili | forte |",
        "|---|---|---|---|---|---|---|",
        "| `fib` 35 | 1 | 1.64 ns ±0.6 % | 1.64 | 7.69 |  |  |",
        "|  | 2 | 0.82 ns | 0.82 |  | **0.70** | n/a |",
        "| this stays |",
        "| workload |  | drumline | crossbeam |",
        "| `pipe` 50 | context switches above a fixed division | 150 |  |",
        "|  | migrations | 4 |  |",
        "|  | wall time | 1.50 s | 1.60 s |",
        "|  | median latency | 14.0 ms |  |",
        "After.",
    ] {
        assert!(page.lines().any(|known| known == line), "{line}\n{page}");
    }
    assert!(!page.contains("what was typed"));
    assert!(
        page.contains("(../lab/records/2026-11-22-abc.jsonl)"),
        "{page}"
    );
    let flowing = page.replace('\n', " ");
    assert!(flowing.contains("2 processes, and") && flowing.contains("rustc 1.95.0"));
    let prose = page.lines().filter(|line| !line.starts_with('|'));
    assert!(prose.map(|line| line.chars().count()).max() <= Some(100));
    assert_eq!(outcome.tables, 2);
    assert_eq!(outcome.left.len(), 1);
    assert!(outcome.left[0].contains("no-such"));

    let (again, _) = written(&page, "docs/PAGE.md").unwrap();
    assert_eq!(again, page, "what is written once is not changed again");
}

/// A pipeline with two jobs, beside a thread that takes no jobs and one that has other jobs.
const LATENCY: &str = concat!(
    r#"{"workload":"load","runtime":"drumline","jobs":2,"size":3,"wall_ns_median":9.0,"#,
    r#""latency_ns_p50":3000.0,"latency_ns_p99":70000.0,"ctx_voluntary_per_operation":700.0,"#,
    r#""ctx_involuntary_per_operation":97.0}"#,
    "\n",
    r#"{"workload":"load","runtime":"blocked-thread","jobs":2,"size":3,"wall_ns_median":9.0,"#,
    r#""latency_ns_p50":2340.0,"latency_ns_p99":78800.0,"ctx_voluntary_per_operation":700.0,"#,
    r#""ctx_involuntary_per_operation":92.0}"#,
    "\n",
);

fn latency_page(record: &str) -> Result<String> {
    let records = vec![Records::parse("lab/records/load.jsonl", record)?];
    let page = Page::parse("<!-- figures: latency load -->\n<!-- end of figures -->\n")?;
    page.written("PAGE.md", &records, &mut Outcome::default())
}

#[test]
fn a_runtime_of_one_thread_is_found_with_any_number_of_jobs_and_stands_in_bold_if_ahead() {
    let page = latency_page(LATENCY).unwrap();
    for line in [
        "| workload |  | drumline | blocked-thread |",
        "| `load` 3 | median latency | 3.00 µs | **2.34 µs** |",
        "|  | latency of 99 of 100 | 70.0 µs | 78.8 µs |",
        // Less by less than one in a hundred.
        "|  | context switches | 797 | 792 |",
    ] {
        assert!(page.lines().any(|known| known == line), "{line}\n{page}");
    }
    let flowing = page.replace('\n', " ");
    assert!(flowing.contains("less than Drumline's by more than 1 %"));
    assert!(!flowing.contains("interval"), "none is shown: {page}");
}

#[test]
fn a_runtime_that_the_record_has_with_other_jobs_is_no_empty_cell() {
    let other = LATENCY.replace("\"blocked-thread\",\"jobs\":2", "\"rayon\",\"jobs\":1");
    let error = latency_page(&other).unwrap_err();
    let error = format!("{error:#}");
    assert!(
        error.contains("rayon with [1] jobs, but not with 2"),
        "{error}"
    );
}

#[test]
fn markers_come_in_pairs() {
    let begin = "<!-- figures: fork-join fib -->\n";
    let end = "<!-- end of figures -->\n";
    for nonsense in [
        begin.to_owned(),
        end.to_owned(),
        format!("{begin}{begin}{end}"),
        format!("<!-- figures: pies fib -->\n{end}"),
    ] {
        assert!(Page::parse(&nonsense).is_err(), "{nonsense}");
    }
}

#[test]
fn a_page_that_was_changed_by_hand_is_found() {
    let root = std::env::temp_dir().join(format!("xtask-figures-{}", std::process::id()));
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("A.md"), PAGE).unwrap();
    fs::write(root.join("B.md"), "No figures.\n").unwrap();
    let look = |only_look| {
        let pages = ["A.md", "B.md"].into_iter();
        some_pages(&root, pages, &records(), only_look).unwrap()
    };
    assert_eq!(look(true).differing, ["A.md"]);
    assert!(look(true).judge().is_err());
    assert_eq!(look(false).differing, ["A.md"]);
    assert!(look(true).judge().is_ok());

    let typed = fs::read_to_string(root.join("A.md")).unwrap();
    fs::write(root.join("A.md"), typed.replace("1.64 ns", "1.11 ns")).unwrap();
    assert_eq!(look(true).differing, ["A.md"]);
    fs::remove_dir_all(&root).unwrap();
}

#[test]
fn the_newest_record_that_holds_a_table_is_taken() {
    let only_fib: String = RECORD
        .lines()
        .filter(|line| line.contains("\"fib\""))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let newer = Records::parse("lab/records/newer.jsonl", &only_fib).unwrap();
    let mut all = records();
    all.insert(0, newer);
    let mut outcome = Outcome::default();
    let page = Page::parse(PAGE).unwrap();
    let page = page.written("PAGE.md", &all, &mut outcome).unwrap();
    let fib = page.find("(lab/records/newer.jsonl)").unwrap();
    let pipe = page.find("(lab/records/2026-11-22-abc.jsonl)").unwrap();
    assert!(fib < pipe);
}

#[test]
fn a_named_record_that_fits_no_table_is_an_error() {
    let other = RECORD
        .replace("\"fib\"", "\"uts\"")
        .replace("\"pipe\"", "\"uts\"");
    let other = Records::parse("other.jsonl", &other).unwrap();
    let mut outcome = Outcome::default();
    let page = Page::parse(PAGE).unwrap();
    let same = page.written("PAGE.md", &[other], &mut outcome).unwrap();
    assert_eq!(same, PAGE);
    let error = outcome.fits("other.jsonl").unwrap_err().to_string();
    for part in [
        "other.jsonl",
        "PAGE.md: all of fib",
        "all of pipe",
        "--record",
    ] {
        assert!(error.contains(part), "{error}");
    }

    let (_, outcome) = written(PAGE, "PAGE.md").unwrap();
    assert!(outcome.fits("some.jsonl").is_ok(), "one table is enough");

    // From the command line it is the same.
    let file = std::env::temp_dir().join(format!("xtask-no-figures-{}", std::process::id()));
    fs::write(&file, "{\"workload\":\"no-such\"}\n").unwrap();
    let ran = [true, false].map(|check| {
        run(&Options {
            check,
            record: Some(file.clone()),
        })
    });
    fs::remove_file(&file).unwrap();
    for ran in ran {
        let error = ran.unwrap_err().to_string();
        assert!(error.contains("holds none of the tables"), "{error}");
    }
}

/// The pages of this repository have markers that can be read.
#[test]
fn the_pages_have_proper_markers() {
    let root = workspace::root();
    for name in ["README.md", "docs/src/costs.md", "lab/METHODOLOGY.md"] {
        let text = fs::read_to_string(root.join(name)).unwrap();
        Page::parse(&text).unwrap();
    }
}
