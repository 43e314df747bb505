//! `Jobs`: the texts it takes, the texts it refuses, and what it comes to.

use drumline::{Jobs, JobsError, ParseJobsError};
use std::error::Error;
use std::num::{NonZeroU16, NonZeroUsize};

fn count(count: usize) -> Jobs {
    Jobs::Count(NonZeroUsize::new(count).unwrap())
}

fn percent(percent: u16) -> Jobs {
    Jobs::Percent(NonZeroU16::new(percent).unwrap())
}

fn refused(text: &str) -> String {
    match text.parse::<Jobs>() {
        Ok(jobs) => panic!("{text:?} was taken for {jobs:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn forms() {
    for (text, jobs) in [
        ("auto", Jobs::Auto),
        ("AUTO", Jobs::Auto),
        (" Auto\n", Jobs::Auto),
        ("physical", Jobs::Physical),
        ("PhysicaL", Jobs::Physical),
        ("1", count(1)),
        ("8", count(8)),
        (" 8 ", count(8)),
        ("008", count(8)),
        ("32767", count(Jobs::MAX)),
        ("1%", percent(1)),
        ("50%", percent(50)),
        ("\t50 % ", percent(50)),
        ("200%", percent(200)),
        ("10000%", percent(Jobs::MAX_PERCENT)),
    ] {
        assert_eq!(text.parse(), Ok(jobs), "{text:?}");
    }
}

/// Every value there is, in every dress.
#[test]
fn display_parses_back() {
    let counts = (1..=Jobs::MAX).map(count);
    let percents = (1..=Jobs::MAX_PERCENT).map(percent);
    for jobs in [Jobs::Auto, Jobs::Physical]
        .into_iter()
        .chain(counts)
        .chain(percents)
    {
        let text = jobs.to_string();
        assert_eq!(text.parse(), Ok(jobs), "{text:?}");
        assert_eq!(text.to_uppercase().parse(), Ok(jobs), "{text:?}");
        assert_eq!(format!("  {text:>8}\t").parse(), Ok(jobs), "{text:?}");
    }
}

#[test]
fn display_aligns() {
    assert_eq!(
        format!("{:>5}|{:<5}|", percent(50), Jobs::Auto),
        "  50%|auto |"
    );
}

/// Texts put together from what could confuse a parser: each is refused, or stands for a value
/// that is within the limits and that its own text stands for.
#[test]
fn nonsense_is_refused_and_sense_is_stable() {
    const PIECES: [&str; 18] = [
        "", " ", "0", "1", "9", "32767", "32768", "10000", "10001", "%", "-", "+", ".", "auto",
        "physical", "٣", "…", "\u{a0}",
    ];
    let mut taken = 0;
    for a in PIECES {
        for b in PIECES {
            for c in PIECES {
                let text = format!("{a}{b}{c}");
                match text.parse::<Jobs>() {
                    Ok(jobs) => {
                        taken += 1;
                        assert_eq!(jobs.to_string().parse(), Ok(jobs), "{text:?}");
                        assert!((1..=Jobs::MAX).contains(&jobs.resolve().get()), "{text:?}");
                    }
                    Err(error) => assert!(error.to_string().contains("; use "), "{error}"),
                }
            }
        }
    }
    assert!(taken > 100, "only {taken} made sense");
}

#[test]
fn zero_is_refused() {
    let zero = "0 jobs would run nothing; use 1 for sequential, or auto";
    assert_eq!(refused("0"), zero);
    assert_eq!(refused(" 00 "), zero);
    // The reader of this one is a programmer.
    let zero = "0 jobs would run nothing; use 1 for sequential, or Jobs::Auto";
    assert_eq!(Jobs::try_from(0).unwrap_err().to_string(), zero);
    let zero = "0% of the jobs would run nothing; use 1 for sequential, or auto";
    assert_eq!(refused("0%"), zero);
}

#[test]
fn too_many_are_refused() {
    let text = |given: &str| {
        format!(
            "{given} jobs are more than 32767, the most there can be; use auto for as many as \
             this process may use"
        )
    };
    assert_eq!(refused("32768"), text("32768"));
    assert_eq!(
        refused("99999999999999999999"),
        text("99999999999999999999")
    );
    assert_eq!(
        Jobs::try_from(40_000).unwrap_err().to_string(),
        text("40000").replace("use auto", "use Jobs::Auto")
    );
    let text = |given: &str| {
        format!(
            "{given}% is more than 10000%, the most there can be; use auto for as many jobs as \
             this process may use"
        )
    };
    assert_eq!(refused("10001%"), text("10001"));
    assert_eq!(refused("65536%"), text("65536"));
}

#[test]
fn nonsense_is_told_what_would_do() {
    let forms = "use auto, physical, a number from 1 to 32767, or a percentage from 1% to 10000%";
    assert_eq!(
        refused(" many "),
        format!("\"many\" is not a number of jobs; {forms}")
    );
    assert_eq!(
        refused("-1"),
        format!("\"-1\" is not a number of jobs; {forms}")
    );
    assert_eq!(
        refused("+1"),
        format!("\"+1\" is not a number of jobs; {forms}")
    );
    assert_eq!(
        refused("1.5"),
        format!("\"1.5\" is not a number of jobs; {forms}")
    );
    assert_eq!(
        refused("%"),
        format!("\"%\" is not a number of jobs; {forms}")
    );
    assert_eq!(
        refused("a\nb"),
        format!("\"a\\nb\" is not a number of jobs; {forms}")
    );
    assert_eq!(
        refused(" "),
        format!("no number of jobs was given; {forms}")
    );
    let cut = "ä".repeat(40);
    assert_eq!(
        refused(&"ä".repeat(1_000)),
        format!("\"{cut}…\" is not a number of jobs; {forms}")
    );
}

#[test]
fn error_travels() {
    fn travels<T: Error + Clone + Eq + Send + Sync + 'static>(error: T) -> Box<dyn Error> {
        assert_eq!(error.clone(), error);
        Box::new(error)
    }
    let error = Jobs::try_from(0).unwrap_err();
    assert!(travels(error).downcast::<JobsError>().is_ok());
    let error = "many".parse::<Jobs>().unwrap_err();
    assert!(travels(error).downcast::<ParseJobsError>().is_ok());
}

#[test]
fn conversions() {
    let eight = NonZeroUsize::new(8).unwrap();
    assert_eq!(Jobs::from(eight), count(8));
    assert_eq!(Jobs::try_from(8), Ok(count(8)));
    assert_eq!(Jobs::try_from(Jobs::MAX), Ok(count(Jobs::MAX)));
    assert!(Jobs::try_from(Jobs::MAX + 1).is_err());
    assert_eq!(Jobs::default(), Jobs::Auto);
}

#[test]
fn what_they_come_to() {
    let auto = Jobs::Auto.resolve().get();
    assert!(Jobs::Physical.resolve().get() <= auto);
    assert_eq!(count(7).resolve().get(), 7);
    assert_eq!(count(usize::MAX).resolve().get(), Jobs::MAX);
    assert_eq!(percent(100).resolve().get(), auto);
    assert_eq!(percent(200).resolve().get(), (2 * auto).min(Jobs::MAX));
    assert_eq!(percent(50).resolve().get(), auto.div_ceil(2));
}

/// Runs itself again, under `taskset` on one processor.
#[cfg(target_os = "linux")]
#[test]
fn auto_keeps_to_the_affinity_mask() {
    use std::io::{self, Write};
    use std::process::Command;
    use std::{env, fs};

    const CHILD: &str = "DRUMLINE_TEST_JOBS_CHILD";
    if env::var_os(CHILD).is_some() {
        let (auto, physical) = (Jobs::Auto.resolve(), Jobs::Physical.resolve());
        println!(
            "auto={auto} physical={physical} double={}.",
            percent(200).resolve()
        );
        return;
    }
    // The first processor that we may use: this test may run under `taskset` itself.
    let status = fs::read_to_string("/proc/thread-self/status").unwrap();
    let first: String = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap()
        .trim()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let child = Command::new("taskset")
        .args(["-c", &first])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "auto_keeps_to_the_affinity_mask", "--nocapture"])
        .env(CHILD, "1")
        .output();
    let output = match child {
        Ok(output) => output,
        Err(error) => {
            // Written past the test harness, which hides what a test prints that passes.
            let text = format!("skipped: taskset does not run here: {error}\n");
            let _ = io::stderr().write_all(text.as_bytes());
            return;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("auto=1 physical=1 double=2."), "{said}");
}
