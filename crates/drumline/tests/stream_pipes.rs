//! Streams over pipes: what has arrived is handled, and handed out, before what has not.
//!
//! The other side of each pipe sends the next line only when it has the answer to the one before
//! (or to those of a burst). So if anything were withheld while a pull waits, both sides would wait
//! for ever.

mod common;
mod streams;

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use common::{FOREVER, ends};
use drumline::stream::{self, Stream};
use streams::{Setup, setups};

/// Bursts of this many lines, in this order: long ones make consumers pull ahead.
const BURSTS: [usize; 12] = [1, 1, 300, 1, 2, 1_000, 1, 3, 40, 1, 1, 500];

/// Where the answers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ordered,
    Unordered,
    Parallel,
    Staged,
    Iterator,
}

const ENDS: [End; 5] = [
    End::Ordered,
    End::Unordered,
    End::Parallel,
    End::Staged,
    End::Iterator,
];

type Lines = Stream<stream::Iter<Box<dyn Iterator<Item = u64> + Send>>>;

fn lines(setup: &Setup, from: impl BufRead + Send + 'static) -> Lines {
    let lines = from.lines().map(|line| line.unwrap().parse().unwrap());
    let lines: Box<dyn Iterator<Item = u64> + Send> = Box::new(lines);
    setup.apply(stream::iter(lines))
}

/// Answers each line with its double.
fn answer(lines: Lines, end: End, to: impl Write + Send) {
    let to = Mutex::new(to);
    let say = |n: u64| {
        let mut to = to.lock().unwrap();
        writeln!(to, "{n}").and_then(|()| to.flush()).unwrap();
    };
    let double = |n: u64| n * 2;
    match end {
        End::Ordered => drop(lines.map_ordered(double).for_each(say)),
        End::Unordered => drop(lines.map(double).unordered().for_each(say)),
        End::Parallel => drop(lines.map(double).for_each(say)),
        End::Staged => {
            let halves = lines.map_ordered(|n| n).stream();
            drop(halves.map_ordered(double).for_each(say));
        }
        End::Iterator => lines.map_ordered(double).into_iter().for_each(say),
    }
}

/// Asks in bursts, each when all of the one before is answered.
fn ask(mut to: impl Write, from: impl BufRead) {
    let mut answers = from.lines();
    let mut next = 0_u64;
    for burst in BURSTS {
        let first = next;
        let mut text = String::new();
        for _ in 0..burst {
            text += &format!("{next}\n");
            next += 1;
        }
        to.write_all(text.as_bytes()).unwrap();
        to.flush().unwrap();
        let mut answered: Vec<u64> = answers
            .by_ref()
            .take(burst)
            .map(|answer| answer.unwrap().parse().unwrap())
            .collect();
        answered.sort_unstable();
        assert!(answered.into_iter().eq((first..next).map(|n| n * 2)));
    }
}

fn pipes() -> ((PipeReader, PipeWriter), (PipeReader, PipeWriter)) {
    (std::io::pipe().unwrap(), std::io::pipe().unwrap())
}

#[test]
fn each_burst_is_answered_before_the_next() {
    ends(|| {
        for setup in setups() {
            for end in ENDS {
                let ((questions, to), (from, answers)) = pipes();
                thread::scope(|scope| {
                    scope.spawn(move || ask(to, BufReader::new(from)));
                    answer(lines(&setup, BufReader::new(questions)), end, answers);
                });
            }
        }
    });
}

/// The other side of `a_process_over_its_standard_streams`.
const CHILD: &str = "DRUMLINE_TEST_CHILD_END";

#[test]
fn child_over_its_standard_streams() {
    let Some(which) = std::env::var_os(CHILD) else {
        return;
    };
    // If the parent is killed, this does not stay behind.
    thread::spawn(|| {
        thread::sleep(FOREVER);
        std::process::exit(1);
    });
    let which: usize = which.to_str().unwrap().parse().unwrap();
    let (jobs, end) = ([1, 2, 4][which / ENDS.len()], ENDS[which % ENDS.len()]);
    let setup = Setup::in_pool("child", common::pool(jobs));
    // Standard output belongs to the test harness.
    let questions = BufReader::new(std::io::stdin());
    answer(lines(&setup, questions), end, std::io::stderr());
    std::process::exit(0);
}

#[test]
fn a_process_over_its_standard_streams() {
    for which in 0..3 * ENDS.len() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child_over_its_standard_streams", "--exact", "--nocapture"])
            .env(CHILD, which.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
        ends(move || ask(to, BufReader::new(from)));
        assert!(child.wait().unwrap().success());
    }
}

/// With one job, each item is handled, and what comes of it handed out, before the next pull.
#[test]
fn with_one_job_items_and_pulls_alternate() {
    let setups = [
        Setup::in_pool("1 job", common::pool(1)),
        Setup::jobs(common::pool(4), 1),
        Setup::in_pool("1 job, no guests", common::without_guests(1)),
        Setup::threads(1),
    ];
    for setup in setups {
        let open = Mutex::new(0_i32);
        let items = (0..2_000).inspect(|_| {
            let mut open = open.lock().unwrap();
            assert_eq!(
                *open, 0,
                "{}: an item waits while the next is pulled",
                setup.name
            );
            *open += 1;
        });
        let count = setup.apply(stream::iter(items)).for_each(|_| {
            *open.lock().unwrap() -= 1;
        });
        assert_eq!(count.items, 2_000);
    }
}
