//! The pages of the lab, opened in a browser: nothing overflows, no label lies on another one, and
//! everything can be read, in windows of three widths, in light and in dark.
//!
//! It needs Chromium or Chrome. Without one, the tests say so and pass. If `LAB_CHROMIUM` names
//! one, that must work.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use drumline_lab::machine::{Build, Machine};
use drumline_lab::record::Record;
use drumline_lab::round::RoundFigures;
use drumline_lab::runtime::Role;
use drumline_lab::statistics::rounds_that_tell;
use drumline_lab::{launch, output, process_group, reader, registry};
use serde::Deserialize;

use crate::{command, stderr};

/// What measures a page.
const SCRIPT: &str = include_str!("browser.js");

/// Names under which a browser is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Windows, in pixels. Chromium has none that are smaller than the first.
const WIDTHS: [u32; 3] = [500, 900, 1400];

/// How long a browser may take for a page. The largest one takes ten seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// What the script finds.
#[derive(Debug, Deserialize)]
struct Findings {
    /// How wide the window is.
    width: u32,
    /// Whether the page is told that its reader prefers a dark one.
    dark: bool,
    /// Texts that were looked at.
    texts: usize,
    /// Charts that are shown.
    charts: usize,
    /// What is wrong.
    faults: Vec<String>,
}

/// A browser, if there is one. If not, that is said.
fn browser() -> Option<OsString> {
    if let Some(named) = std::env::var_os("LAB_CHROMIUM").filter(|name| !name.is_empty()) {
        return Some(named);
    }
    let runs = |name: &&&str| {
        let output = Command::new(name).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    let found = NAMES.iter().find(runs).map(OsString::from);
    if found.is_none() {
        // Written past the test harness, which hides what a test prints that passes.
        let text = "skipped: there is no browser to open the lab's pages in; install one (Debian: \
                    apt-get install chromium) or name it with LAB_CHROMIUM=…\n";
        std::io::stderr()
            .write_all(text.as_bytes())
            .expect("standard error is open");
    }
    found
}

/// Opens a copy of a page that measures itself.
fn look(browser: &OsString, page: &str, width: u32, dark: bool) -> Findings {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.html");
    let script = format!("<script>{SCRIPT}</script></body>");
    assert_eq!(page.matches("</body>").count(), 1);
    fs::write(&file, page.replace("</body>", &script)).unwrap();
    let mut command = Command::new(browser);
    command.args([
        "--headless=new",
        "--disable-gpu",
        "--hide-scrollbars",
        "--dump-dom",
        // The shared memory of a container is small.
        "--disable-dev-shm-usage",
    ]);
    // 0 is dark, and 1 is light, whatever the desktop is set to.
    let scheme = u32::from(!dark);
    command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
    command.arg(format!("--window-size={width},900"));
    command.arg(format!(
        "--user-data-dir={}",
        directory.path().join("profile").display()
    ));
    if is_root(directory.path()) {
        // Chromium does not start otherwise.
        command.arg("--no-sandbox");
    }
    command.arg(format!("file://{}", file.display()));
    let (output, errors) = run(&mut command);
    let findings = output.split_once("data-findings=\"").and_then(|(_, rest)| {
        let (coded, _) = rest.split_once('"')?;
        serde_json::from_str(&decode(coded)?).ok()
    });
    findings.unwrap_or_else(|| panic!("{browser:?} has measured nothing: {errors}"))
}

/// What a browser writes. One that hangs is an error that says so: without a limit the tests would
/// end with the patience of whatever runs them, and with no word of the reason.
fn run(command: &mut Command) -> (String, String) {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    process_group::lead(command);
    let program = command.get_program().to_owned();
    let mut child = command.spawn().unwrap_or_else(|error| {
        panic!("{program:?} cannot be started: {error}; unset LAB_CHROMIUM, or correct it")
    });
    let output = launch::collect(child.stdout.take());
    let errors = launch::collect(child.stderr.take());
    let (ended, waits) = mpsc::channel();
    thread::spawn(move || {
        let texts = (output.join().unwrap(), errors.join().unwrap());
        ended.send(texts).unwrap();
    });
    // While something that it started still writes, it is not waited for: its number then remains
    // that of its group.
    if let Ok(texts) = waits.recv_timeout(LIMIT) {
        child.wait().unwrap();
        return texts;
    }
    let _ = process_group::end(&mut child);
    let (_, errors) = waits.recv().unwrap();
    panic!("{program:?} has not ended within {LIMIT:?}; it says: {errors}");
}

/// Whether what this process makes belongs to the administrator.
#[cfg(unix)]
fn is_root(made: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(made).is_ok_and(|data| data.uid() == 0)
}

#[cfg(not(unix))]
fn is_root(_made: &Path) -> bool {
    false
}

/// Undoes `encodeURIComponent`.
fn decode(coded: &str) -> Option<String> {
    let mut parts = coded.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Opens a page in all windows, and holds it to what is promised.
fn hold(page: &str, charts: usize) {
    let Some(browser) = browser() else { return };
    for width in WIDTHS {
        for dark in [false, true] {
            let found = look(&browser, page, width, dark);
            assert_eq!((found.width, found.dark), (width, dark));
            let count = found.faults.len();
            let faults = found.faults[..count.min(40)].join("\n");
            assert!(
                count == 0,
                "{width} pixels, dark: {dark}, {count} faults:\n{faults}"
            );
            assert_eq!(found.charts, charts, "each chart is shown in one width");
            assert!(found.texts > 10 * charts, "{found:?}");
        }
    }
}

/// The root of the repository, where records are kept.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The page of these records.
fn report(records: &[Record]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let page = output::write(directory.path(), records).unwrap();
    fs::read_to_string(page).unwrap()
}

/// A page that the lab writes with these arguments, of the records in the repository.
fn page_of(arguments: &[&str], name: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let output = command(arguments)
        .arg("--out")
        .arg(&out)
        .current_dir(repository())
        .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_TARGET_DIR", directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    fs::read_to_string(out.join(name)).unwrap()
}

/// A record for each workload, size, number of jobs and runtime of the lab, with figures of very
/// different length, wins, losses and failures.
fn everything() -> Vec<Record> {
    let (machine, build) = (Machine::look(), Build::look());
    let enough = rounds_that_tell(10_000);
    let mut records = Vec::new();
    for (number, entry) in registry::all_workloads().into_iter().enumerate() {
        let card = &entry.card;
        // Of twelve workloads, one that is won and one that is lost have enough processes for
        // claims.
        let has_claims = number % 12 < 2;
        // Every second workload is lost.
        let factor = |is_ours: bool| {
            if is_ours && number % 2 == 0 {
                98765.4
            } else {
                1234.5
            }
        };
        for (place, size) in card.sizes.iter().take(2).enumerate() {
            for jobs in [1, 64] {
                for (rank, runtime) in entry.runtimes().into_iter().enumerate() {
                    let factor = factor(runtime.card.role == Role::Ours);
                    let wall = factor * 10f64.powi(place as i32 * 6) * (1 + rank * jobs) as f64;
                    let mut record = Record {
                        workload: card.name.to_owned(),
                        runtime: runtime.card.name.to_owned(),
                        jobs,
                        size: *size,
                        size_label: entry.size_label(*size),
                        rounds: if jobs == 1 && has_claims { enough } else { 3 },
                        machine: machine.clone(),
                        build: build.clone(),
                        ..Record::default()
                    };
                    match rank % 8 {
                        6 => {
                            record.ok = Some(false);
                            record.error = Some("deadlock: not finished after 20 s".to_owned());
                            record.deadlock = true;
                        }
                        7 => record.declined = Some("it cannot do this".to_owned()),
                        _ => measured(&mut record, wall),
                    }
                    records.push(record);
                }
            }
        }
    }
    records
}

/// Fills in what each process would have found, each a little more.
fn measured(record: &mut Record, wall: f64) {
    let rounds = (0..record.rounds as u32).map(|round| {
        let some = |figure: f64| Some(figure * (1.0 + f64::from(round) / 40.0));
        RoundFigures {
            round: round as usize,
            wall_ns_median: wall * (1.0 + f64::from(round) / 40.0),
            cpu_ns_mean: some(wall),
            latency_ns_p50: some(wall / 9.0),
            latency_ns_p99: some(wall * 9.0),
            ctx_voluntary: some(wall / 100.0),
            ctx_involuntary: some(3.0),
            rss_peak_bytes: some(1e6 + wall),
            item_heap_bytes: some(wall / 2.0),
            item_heap_left_bytes: some(wall / 50.0),
            ..RoundFigures::default()
        }
    });
    record.by_round = rounds.collect();
    record.ok = Some(true);
    record.wall_ns_median = Some(wall);
    record.item_ns_median = Some(wall / 3.0);
    record.cpu_ns_mean = Some(wall);
    record.latency_ns_p50 = Some(wall / 9.0);
    record.latency_ns_p99 = Some(wall * 9.0);
    record.ctx_voluntary_per_operation = Some(wall / 100.0);
    record.ctx_involuntary_per_operation = Some(3.0);
    record.rss_peak_bytes = Some(1_000_000);
    record.item_heap_bytes = Some(wall / 2.0);
    record.item_heap_left_bytes = Some(wall / 50.0);
    record.threads_peak = Some(12_345);
    record.migrations = Some(7);
    record.operations = Some(10);
}

#[test]
fn the_report_of_kept_records_can_be_read() {
    let kept = repository().join("lab/records");
    let mut records = Vec::new();
    for name in ["2026-11-22-c5f64ac", "2026-11-22-ccd9d5d"] {
        records.extend(reader::read(&kept.join(format!("{name}.jsonl"))).unwrap());
    }
    let page = report(&records);
    hold(&page, page.matches("<section").count());
}

#[test]
fn the_report_of_everything_can_be_read() {
    let page = report(&everything());
    for part in ["✗ slower", "class=\"loss\"", "class=\"win\"", "deadlock"] {
        assert!(page.contains(part), "{part}");
    }
    hold(&page, registry::all_workloads().len());
}

#[test]
fn published_figures_can_be_read() {
    let page = page_of(&["published"], "published.html");
    hold(&page, 2);
}

#[test]
fn the_history_of_a_workload_can_be_read() {
    let page = page_of(&["history", "tree-sum"], "history.html");
    hold(&page, page.matches("<h2").count());
}

/// Each fault that the others look for is found where it is.
#[test]
fn faults_are_found() {
    let Some(browser) = browser() else { return };
    let svg = |text: &str, colour: &str| {
        format!(
            "<svg width=\"200\" height=\"40\"><rect width=\"200\" height=\"40\" fill=\"#fff\"/>\
             <g fill=\"{colour}\">{text}</g></svg>"
        )
    };
    let label = "<text x=\"9\" y=\"20\" font-size=\"12\">label</text>";
    for (body, fault) in [
        (
            "<p style=\"width:3000px\">wide</p>".to_owned(),
            "beyond the page",
        ),
        (
            "<p style=\"width:40px;white-space:nowrap\">a long text</p>".to_owned(),
            "beyond its box",
        ),
        (
            "<p style=\"color:#ccc\">pale</p>".to_owned(),
            "hard to read: <p>",
        ),
        (svg(label, "#eee"), "hard to read: <text>"),
        (svg(&label.repeat(2), "#000"), "on each other"),
        (
            svg(&label.replace("\"9\"", "\"190\""), "#000"),
            "beyond its chart",
        ),
        (svg(&label.replace("12", "7"), "#000"), "too small"),
        (String::new(), "there is no viewport"),
    ] {
        let page = format!(
            "<!doctype html><html><head></head><body style=\"background:#fff\">{body}</body></html>"
        );
        let found = look(&browser, &page, 500, false);
        let faults = found.faults.join("\n");
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
    let page = "<!doctype html><html><head><meta name=\"viewport\" content=\"width=device-width\">\
                </head><body style=\"background:#fff\"><p>text</p></body></html>";
    let found = look(&browser, page, 500, false);
    assert!(found.faults.is_empty() && found.texts == 1, "{found:?}");
}
