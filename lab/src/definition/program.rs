//! What the lab and a program that it does not know say to each other; `METHODOLOGY.md`, "Own
//! workloads", has the protocol for users.
//!
//! The lab starts the program once for each sample, with size and jobs in its arguments. The last
//! line that it writes is a [`Measurement`] as JSON, with the number of the protocol.

use std::io::{self, Read as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::measurement::Measurement;
use crate::session::Session;
use crate::statistics::is_time;

/// The protocol that this lab speaks.
pub const PROTOCOL: u64 = 1;

/// The most that a program may write.
const OUTPUT_MAX: u64 = 1 << 20;

/// How often a program that writes is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How long its output may stay open when it has ended.
const HELD_MAX: Duration = Duration::from_secs(2);

/// How much of a line is shown that is no JSON.
const SHOWN_MAX: usize = 100;

/// Takes samples with a program, in this process, which is started for it.
pub fn run(words: &[String], session: &mut Session) {
    session.begin();
    session.sample_program(|| measure(words));
}

/// Starts the program, and reads what it has measured.
fn measure(words: &[String]) -> Result<Measurement> {
    let [program, arguments @ ..] = words else {
        bail!("the command is empty");
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .with_context(|| format!("{program} cannot be started; check its name and PATH"))?;
    let read = match read(&mut child)? {
        Output::Read(read) => read,
        Output::Held(status) => {
            ensure!(status.success(), "{program} ended with {status}");
            bail!(
                "{program} has ended, and a process that it started still holds its output; it \
                 should wait for that process, or give it another output"
            );
        }
    };
    let text = match read {
        Ok(text) if text.len() as u64 <= OUTPUT_MAX => text,
        read => {
            // It may be writing still.
            let _ = child.kill();
            let _ = child.wait();
            read.with_context(|| format!("what {program} writes cannot be read"))?;
            bail!("{program} writes more than {OUTPUT_MAX} bytes; it should write one line");
        }
    };
    let status = child.wait();
    let status = status.with_context(|| format!("{program} cannot be waited for"))?;
    ensure!(status.success(), "{program} ended with {status}");
    answer(&text).with_context(|| format!("what {program} writes is no measurement"))
}

/// What came of the output of a program.
enum Output {
    /// All of it, or a byte more than is permitted.
    Read(io::Result<String>),
    /// The program has ended like this, and something else could write still.
    Held(ExitStatus),
}

/// Reads all that a program writes, on a thread that only waits.
fn read(child: &mut Child) -> Result<Output> {
    let stream = child.stdout.take().expect("it is a pipe");
    let (send, read) = mpsc::channel();
    let reader = move || {
        let mut text = String::new();
        let read = stream.take(OUTPUT_MAX + 1).read_to_string(&mut text);
        // The other end is gone if the output was held for too long.
        let _ = send.send(read.map(|_| text));
    };
    let thread = thread::Builder::new().spawn(reader);
    thread.context("the thread that reads cannot be started")?;
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        match read.recv_timeout(LOOK) {
            Ok(read) => return Ok(Output::Read(read)),
            Err(RecvTimeoutError::Disconnected) => bail!("the thread that reads has ended"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match ended {
            Some((status, since)) if since.elapsed() > HELD_MAX => return Ok(Output::Held(status)),
            Some(_) => {}
            None => {
                let status = child
                    .try_wait()
                    .context("the program cannot be waited for")?;
                ended = status.map(|status| (status, Instant::now()));
            }
        }
    }
}

/// Reads the last line of what a program has written.
fn answer(text: &str) -> Result<Measurement> {
    let line = text.lines().rfind(|line| !line.trim().is_empty());
    let line = line.context("it has written nothing")?;
    let value: Value = serde_json::from_str(line).with_context(|| {
        let first = text.lines().find(|line| !line.trim().is_empty());
        format!("its last line is no JSON; it begins with {}", shown(first))
    })?;
    match value.get("protocol").and_then(Value::as_u64) {
        Some(PROTOCOL) => {}
        Some(other) => bail!("it speaks protocol {other}, and this lab {PROTOCOL}"),
        None => bail!("its last line has no number \"protocol\"; this lab speaks {PROTOCOL}"),
    }
    let found: Measurement = serde_json::from_value(value)?;
    if found.error.is_none() {
        let samples = found.wall_ns.len();
        ensure!(
            found.items > 0 && found.operations > 0 && !found.wall_ns.is_empty(),
            "it needs \"items\", \"operations\" and \"wall_ns\""
        );
        ensure!(
            found.wall_ns.iter().all(|ns| is_time(*ns)),
            "\"wall_ns\" has a time that no clock shows"
        );
        ensure!(
            found.operations >= samples as u64,
            "\"operations\" are fewer than the times in \"wall_ns\""
        );
        ensure!(
            found.cpu_ns.is_empty() || found.cpu_ns.len() == samples,
            "\"cpu_ns\" has not as many times as \"wall_ns\""
        );
    }
    Ok(found)
}

/// A line, or its beginning, in quotes.
fn shown(line: Option<&str>) -> String {
    let line = line.unwrap_or_default().trim();
    match line.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{:?}…", &line[..end]),
        None => format!("{line:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        let text =
            "a word\n{\"protocol\":1,\"items\":10,\"operations\":2,\"wall_ns\":[5.0,6.0]}\n\n";
        let found = answer(text).unwrap();
        assert_eq!((found.items, found.operations), (10, 2));
        assert_eq!(found.wall_ns, [5.0, 6.0]);
        let wrong = answer("{\"protocol\":1,\"error\":\"the sum is wrong\"}").unwrap();
        assert_eq!(wrong.error.as_deref(), Some("the sum is wrong"));
    }

    #[test]
    fn what_is_no_measurement_is_told_of() {
        for (text, why) in [
            ("\n", "written nothing"),
            (
                "\nusage: mine\ndone\n",
                "its last line is no JSON; it begins with \"usage: mine\": ",
            ),
            ("{\"items\":1}", "no number \"protocol\""),
            ("{\"protocol\":2}", "protocol 2"),
            ("{\"protocol\":1}", "it needs \"items\""),
            (
                "{\"protocol\":1,\"items\":1,\"operations\":1,\"wall_ns\":[-1.0]}",
                "no clock shows",
            ),
            (
                "{\"protocol\":1,\"items\":1,\"operations\":1,\"wall_ns\":[1e300]}",
                "no clock shows",
            ),
            (
                "{\"protocol\":1,\"items\":1,\"operations\":1,\"wall_ns\":[1.0,2.0]}",
                "fewer than",
            ),
            (
                "{\"protocol\":1,\"items\":1,\"operations\":2,\"wall_ns\":[1.0,2.0],\"cpu_ns\":[1.0]}",
                "as many times",
            ),
            (
                "{\"protocol\":1,\"items\":-1,\"operations\":1,\"wall_ns\":[1.0]}",
                "invalid value",
            ),
        ] {
            let error = format!("{:#}", answer(text).unwrap_err());
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let line = "é".repeat(SHOWN_MAX + 1);
        let error = format!("{:#}", answer(&line).unwrap_err());
        let shown = format!("{:?}…", "é".repeat(SHOWN_MAX));
        assert!(error.contains(&shown), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn what_goes_wrong_with_a_program_is_told_of() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        for (command, why) in [
            (&[][..], "empty"),
            (&["no-such-program-at-all"], "cannot be started"),
            (&["sh", "-c", "exit 3"], "exit status: 3"),
            (
                &["sh", "-c", "while :; do echo aaaaaaaaaaaaaaaa; done"],
                "more than",
            ),
            (&["echo", "{}"], "no number \"protocol\""),
        ] {
            let command: Vec<String> = words(command);
            let error = format!("{:#}", measure(&command).unwrap_err());
            assert!(error.contains(why), "{command:?}: {error}");
        }
    }
}
