use super::*;
use crate::effort::Effort;
use crate::measurement::Measurement;
use crate::outcome::End;
use crate::registry;
use crate::schedule::Choice;
use crate::weather::Weather;

fn schedule(sizes: &[u64]) -> Schedule {
    let choice = Choice {
        workload: registry::workload("fib").unwrap(),
        runtimes: ["seq", "rayon"]
            .map(|r| registry::runtime(r).unwrap())
            .into(),
        jobs: vec![1],
        sizes: sizes.to_vec(),
        effort: Effort::once(),
        limit: Duration::from_secs(7),
    };
    Schedule::cross(&[choice], Rounds::Exactly(2))
}

fn outcome(wall_ns: f64) -> Outcome {
    let mut found = Measurement {
        items: 3,
        wall_ns: vec![wall_ns, 0.1 + 0.2],
        ..Measurement::default()
    };
    found.latencies.add(77);
    Outcome {
        found: Ok(found),
        end: End::Itself,
        date: "today".to_owned(),
        seconds: 0.25,
        threads_peak: Some(2),
        memory_free_min_bytes: None,
        weather: Weather::default(),
        load: Some(0.5),
    }
}

fn failure() -> Outcome {
    Outcome {
        found: Err("deadlock".to_owned()),
        end: End::Deadlock,
        ..outcome(0.0)
    }
}

fn texts(outcomes: &Outcomes) -> Vec<String> {
    let all = outcomes.iter().flatten().flatten();
    all.map(|outcome| serde_json::to_string(outcome).unwrap())
        .collect()
}

/// A journal of four processes; what they found.
fn written(directory: &Path, schedule: &Schedule) -> [Outcome; 4] {
    let mut journal = Journal::begin(directory, schedule).unwrap();
    let outcomes = [outcome(1.0), failure(), outcome(2.0), outcome(3.0)];
    let configurations: Vec<_> = schedule.groups.iter().flatten().collect();
    for (place, round, index) in [(0, 0, 0), (1, 0, 1), (2, 0, 2), (0, 1, 3)] {
        let warning = journal.append(configurations[place], round, &outcomes[index]);
        assert_eq!(warning, None);
    }
    outcomes
}

#[test]
fn what_was_written_is_taken_up() {
    let directory = tempfile::tempdir().unwrap();
    let schedule = schedule(&[5, 6]);
    let [first, second, third, fourth] = written(directory.path(), &schedule);
    let mut journal = Journal::resume(directory.path(), &schedule).unwrap();
    let expected = vec![
        vec![vec![first, fourth], vec![second]],
        vec![vec![third], vec![]],
    ];
    assert_eq!(texts(&journal.take_finished()), texts(&expected));
    assert_eq!(journal.despite(), [""; 0]);
}

#[test]
fn a_configuration_may_be_there_twice() {
    let directory = tempfile::tempdir().unwrap();
    let schedule = schedule(&[5, 5]);
    let mut journal = Journal::begin(directory.path(), &schedule).unwrap();
    let again: Vec<_> = schedule.groups.iter().map(|group| group[0]).collect();
    for (index, round) in [(0, 0), (1, 0), (0, 1)] {
        journal.append(&again[index], round, &outcome(1.0));
    }
    drop(journal);
    let mut journal = Journal::resume(directory.path(), &schedule).unwrap();
    let found = journal.take_finished();
    let lengths: Vec<_> = found.iter().flatten().map(Vec::len).collect();
    assert_eq!(lengths, [2, 0, 1, 0]);
}

#[test]
fn half_a_line_at_the_end_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE);
    let schedule = schedule(&[5, 6]);
    written(directory.path(), &schedule);
    let bytes = fs::read(&path).unwrap();
    let last = bytes[..bytes.len() - 1].iter().rposition(|b| *b == b'\n');
    let last = last.unwrap() + 1;
    for length in [last + 1, (last + bytes.len()) / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        let mut journal = Journal::resume(directory.path(), &schedule).unwrap();
        assert_eq!(texts(&journal.take_finished()).len(), 3);
        let configuration = &schedule.groups[0][0];
        assert_eq!(journal.append(configuration, 1, &outcome(3.0)), None);
        let read = Read::from(directory.path()).unwrap();
        assert_eq!((read.finished.len(), read.resumed.len()), (4, 1));
    }
    // Not even the header is whole, or there was never one.
    for bytes in [&bytes[..20], b"garbage\n", &[0; 5000]] {
        fs::write(&path, bytes).unwrap();
        let error = Journal::resume(directory.path(), &schedule).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("--force") && text.contains("no journal"),
            "{text}"
        );
    }
}

#[test]
fn a_damaged_line_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE);
    let schedule = schedule(&[5, 6]);
    written(directory.path(), &schedule);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = "{\"process\":{}}";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let error = Journal::resume(directory.path(), &schedule).unwrap_err();
    assert!(
        format!("{error:#}").contains("line 3 is damaged; cut"),
        "{error:#}"
    );

    // A round without the one before it.
    lines[2] = lines[4];
    lines.remove(1);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let error = Journal::resume(directory.path(), &schedule).unwrap_err();
    assert!(format!("{error:#}").contains("line 2"), "{error:#}");
}

#[test]
fn another_schedule_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE);
    written(directory.path(), &schedule(&[5, 6]));
    let before = fs::read(&path).unwrap();
    let mut more_rounds = schedule(&[5, 6]);
    more_rounds.rounds = Rounds::Exactly(3);
    let mut patient = schedule(&[5, 6]);
    patient.groups[0][0].terms.limit *= 2;
    for other in [schedule(&[5]), more_rounds, patient] {
        let error = Journal::resume(directory.path(), &other).unwrap_err();
        let text = format!("{error:#}");
        assert!(
            text.contains("another run") && text.contains("--resume"),
            "{text}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// The numbers of jobs are those of the machine, unless they are given.
#[test]
fn another_number_of_cores_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE);
    written(directory.path(), &schedule(&[5, 6]));
    let text = fs::read_to_string(&path).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let mut header: Value = serde_json::from_str(header).unwrap();
    header["run"]["machine"]["cores_available"] = 1000.into();
    fs::write(&path, format!("{header}\n{rest}")).unwrap();
    let error = Journal::resume(directory.path(), &schedule(&[6])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("began where 1000 cores") && text.contains(" --jobs "),
        "{text}"
    );
}

#[test]
fn what_has_changed_is_said_each_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE);
    let schedule = schedule(&[5, 6]);
    written(directory.path(), &schedule);
    let text = fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let mut header: Value = serde_json::from_str(first).unwrap();
    header["run"]["machine"]["architecture"] = "abacus".into();
    header["run"]["machine"]["memory_free_bytes"] = 1.into();
    header["run"]["build"]["git_revision"] = Value::Null;
    fs::write(&path, format!("{header}\n{rest}")).unwrap();
    for _ in 0..2 {
        let journal = Journal::resume(directory.path(), &schedule).unwrap();
        let despite = journal.despite();
        let changed = despite.iter().find(|d| d.contains("architecture")).unwrap();
        assert!(changed.ends_with("and was abacus"), "{changed}");
        assert!(!despite.iter().any(|d| d.contains("memory")), "{despite:?}");
        assert_eq!(journal.began_with().0.architecture, "abacus");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let schedule = schedule(&[5, 6]);
    let configurations: Vec<_> = schedule.groups.iter().flatten().collect();
    let mut journal = Journal::begin(directory.path(), &schedule).unwrap();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let good = journal.file.replace(full);
    let warning = journal.append(configurations[0], 0, &outcome(1.0)).unwrap();
    assert!(warning.contains("the run goes on"), "{warning}");
    assert_eq!(journal.append(configurations[1], 0, &outcome(2.0)), None);
    // There is room again, and half a line is there.
    let path = directory.path().join(FILE);
    let mut half = fs::read(&path).unwrap();
    half.extend(b"{\"process\":{\"workl");
    fs::write(&path, half).unwrap();
    journal.file = good;
    assert_eq!(journal.append(configurations[2], 0, &outcome(3.0)), None);
    let read = Read::from(directory.path()).unwrap();
    assert_eq!(read.finished.len(), 3);
}

#[test]
fn a_directory_that_vanishes_costs_a_warning() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("run");
    fs::create_dir(&directory).unwrap();
    let schedule = schedule(&[5, 6]);
    let configurations: Vec<_> = schedule.groups.iter().flatten().collect();
    let mut journal = Journal::begin(&directory, &schedule).unwrap();
    assert_eq!(journal.append(configurations[0], 0, &outcome(1.0)), None);
    fs::remove_dir_all(&directory).unwrap();
    let warning = journal.append(configurations[1], 0, &outcome(2.0)).unwrap();
    assert!(warning.contains("made anew"), "{warning}");
    assert_eq!(Read::from(&directory).unwrap().finished.len(), 2);

    // It cannot be made anew while something else is in its place.
    fs::remove_dir_all(&directory).unwrap();
    fs::write(&directory, "in the way").unwrap();
    let warning = journal.append(configurations[2], 0, &outcome(3.0)).unwrap();
    assert!(warning.contains("the run goes on"), "{warning}");
    fs::remove_file(&directory).unwrap();
    let warning = journal.append(configurations[3], 0, &outcome(4.0)).unwrap();
    assert!(warning.contains("made anew"), "{warning}");
    assert_eq!(Read::from(&directory).unwrap().finished.len(), 4);
}
