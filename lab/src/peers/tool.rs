//! Programs that compile, or that say their version: where they are, and what they answer.

use std::env::consts::EXE_SUFFIX;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::toolchain::Variables;
use crate::{interrupt, process_group};

/// How long a tool may take to say its version. On a busy machine a Java takes some seconds.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// More than this is not read of what a tool writes.
const OUTPUT_MAX: u64 = 1 << 20;

/// How often a tool that runs is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What a tool has written, and how it ended.
#[derive(Debug)]
pub struct Answer {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub output: String,
    /// What it wrote to standard error.
    pub errors: String,
}

impl Answer {
    /// How it ended, with the first line that it wrote to standard error.
    pub fn failure(&self) -> String {
        let mut lines = self.errors.lines().map(str::trim);
        match lines.find(|line| !line.is_empty()) {
            Some(line) => format!("ended with {}: {line}", self.status),
            None => format!("ended with {}", self.status),
        }
    }
}

/// The program of this name in the directories of `PATH`.
pub fn search(name: &str, variables: Variables) -> Option<PathBuf> {
    let path = variables("PATH")?;
    std::env::split_paths(&path).find_map(|directory| executable(&directory, name))
}

/// The program of this name in a directory, as an absolute path.
pub fn executable(directory: &Path, name: &str) -> Option<PathBuf> {
    if directory.as_os_str().is_empty() {
        return None;
    }
    let file = directory.join(format!("{name}{EXE_SUFFIX}"));
    is_executable(&file).then(|| std::path::absolute(&file).unwrap_or(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let data = file.metadata();
    data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// What a tool says of itself.
///
/// # Errors
///
/// It cannot be started, fails, or says nothing in time.
pub fn ask(program: &Path, line: &str) -> Result<String> {
    ask_in(program, Path::new("."), line)
}

/// What a tool says in a directory.
///
/// # Errors
///
/// It cannot be started, fails, or says nothing in time.
pub fn ask_in(program: &Path, directory: &Path, line: &str) -> Result<String> {
    let answer = answer(program, directory, line)?;
    ensure!(
        answer.status.success(),
        "`{} {line}` {}",
        program.display(),
        answer.failure()
    );
    Ok(answer.output)
}

/// What a tool answers in a directory, also if it fails.
///
/// # Errors
///
/// It cannot be started, or says nothing in time.
pub fn answer(program: &Path, directory: &Path, line: &str) -> Result<Answer> {
    let mut command = Command::new(program);
    command.args(line.split_whitespace()).current_dir(directory);
    run_until(&mut command, ANSWER_LIMIT, || {
        let (program, seconds) = (program.display(), ANSWER_LIMIT.as_secs());
        format!("`{program} {line}` did not answer within {seconds} s")
    })
}

/// Asks a tool for its version, which `read` finds in the answer. `title` is the language, and
/// `get` says how to get it.
///
/// # Errors
///
/// It does not answer, or is another program; the error says how to get the right one.
pub fn version<T>(
    program: &Path,
    title: &str,
    line: &str,
    read: impl FnOnce(&str) -> Option<T>,
    get: &str,
) -> Result<T, String> {
    let name = title.to_lowercase();
    let answer = ask(program, line)
        .map_err(|error| format!("{name} does not say its version ({error:#}): {get}"))?;
    read(&answer).ok_or_else(|| {
        let line = answer.lines().next().unwrap_or_default();
        let program = program.display();
        format!("{program} is not {title} (it says {line:?}): {get}")
    })
}

/// Runs a tool to its end, with nothing to read. A signal that asks for the end of the lab ends it,
/// and whatever it has started.
///
/// # Errors
///
/// It cannot be started, takes longer than `limit`, or was ended.
pub fn run(command: &mut Command, limit: Duration) -> Result<Answer> {
    let program = command.get_program().display().to_string();
    let seconds = limit.as_secs_f64();
    run_until(command, limit, || {
        format!("{program} takes longer than {seconds} s")
    })
}

/// The same; `late` says what is wrong with one that takes longer.
fn run_until(
    command: &mut Command,
    limit: Duration,
    late: impl FnOnce() -> String,
) -> Result<Answer> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    process_group::lead(command);
    let program = command.get_program().display().to_string();
    let mut child = command
        .spawn()
        .with_context(|| format!("{program} cannot be started"))?;
    let output = collect(child.stdout.take());
    let errors = collect(child.stderr.take());
    let start = Instant::now();
    loop {
        if interrupt::pending().is_some() {
            let _ = process_group::end(&mut child);
            bail!("interrupted");
        }
        if start.elapsed() > limit {
            let _ = process_group::end(&mut child);
            bail!(late());
        }
        // While something that it started still writes, it is not waited for: its number then
        // remains that of its group.
        if output.is_finished()
            && errors.is_finished()
            && let Some(status) = child.try_wait()?
        {
            return Ok(Answer {
                status,
                output: output.join().unwrap_or_default(),
                errors: errors.join().unwrap_or_default(),
            });
        }
        thread::sleep(LOOK);
    }
}

/// Reads a stream to its end, on a thread that only waits, and keeps what comes first.
fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // A broken pipe ends the text; what was read so far counts.
            let _ = stream.by_ref().take(OUTPUT_MAX).read_to_end(&mut bytes);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::peers::made_up::Tools;

    #[test]
    fn only_what_can_be_started_is_found() {
        let tools = Tools::new();
        let go = tools.add("go", "exit 0");
        std::fs::write(tools.directory().join("erl"), "no program").unwrap();
        std::fs::create_dir(tools.directory().join("java")).unwrap();
        assert_eq!(search("go", &tools.variables()), Some(go));
        for name in ["erl", "java", "zig"] {
            assert_eq!(search(name, &tools.variables()), None, "{name}");
        }
        assert_eq!(search("go", &|_| None), None);
        assert_eq!(search("go", &|_| Some("::".into())), None);
    }

    #[test]
    fn what_a_tool_writes_is_bounded() {
        let tools = Tools::new();
        let flood = tools.add("flood", "head -c 3000000 /dev/zero; echo oh no >&2; exit 3");
        let answer = run(&mut Command::new(flood), ANSWER_LIMIT).unwrap();
        assert_eq!(answer.output.len() as u64, OUTPUT_MAX);
        assert_eq!(answer.errors, "oh no\n");
        assert_eq!(answer.status.code(), Some(3));
    }

    #[test]
    fn a_tool_that_fails_or_hangs_is_told_of() {
        let tools = Tools::new();
        for (script, why) in [
            ("exit 3", "version` ended with exit status: 3"),
            (
                "echo >&2; echo oh no >&2; echo more >&2; exit 3",
                "version` ended with exit status: 3: oh no",
            ),
        ] {
            let broken = tools.add("broken", script);
            let error = ask(&broken, "version").unwrap_err().to_string();
            assert!(error.ends_with(why), "{error}");
        }
        let slow = tools.add("slow", "sleep 600 & wait");
        let error = run(&mut Command::new(slow), Duration::ZERO).unwrap_err();
        assert!(error.to_string().contains("longer than 0 s"), "{error}");
        let gone = tools.directory().join("gone");
        let error = ask(&gone, "version").unwrap_err().to_string();
        assert!(error.contains("cannot be started"), "{error}");
    }
}
