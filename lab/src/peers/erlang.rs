//! Erlang.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::task::Task;
use super::tool;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// How to get it.
const GET: &str = "apt-get install erlang-base, or https://www.erlang.org/downloads";

/// The files of `lab/peers/erlang`.
const SOURCES: [(&str, &str); 7] = [
    (
        "lab_peer.erl",
        include_str!("../../peers/erlang/lab_peer.erl"),
    ),
    (
        "lab_session.erl",
        include_str!("../../peers/erlang/lab_session.erl"),
    ),
    (
        "lab_msgsend.erl",
        include_str!("../../peers/erlang/lab_msgsend.erl"),
    ),
    (
        "lab_ping_pong.erl",
        include_str!("../../peers/erlang/lab_ping_pong.erl"),
    ),
    (
        "lab_ring.erl",
        include_str!("../../peers/erlang/lab_ring.erl"),
    ),
    (
        "lab_actor_ring.erl",
        include_str!("../../peers/erlang/lab_actor_ring.erl"),
    ),
    (
        "lab_actor_pingpong.erl",
        include_str!("../../peers/erlang/lab_actor_pingpong.erl"),
    ),
];

/// What the emulator is asked, in one word, because a line is taken apart at its blanks.
const ASK: &str = "-noinput -eval io:format(\"~s/~s\",[erlang:system_info(otp_release),\
                   erlang:system_info(version)]),halt().";

/// The compiler and the emulator.
#[derive(Debug)]
struct Erlang {
    erlc: PathBuf,
    erl: PathBuf,
    version: String,
}

/// Looks for both.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    let search = |name: &str| {
        tool::search(name, variables)
            .ok_or_else(|| format!("erlang is not installed (there is no {name}): {GET}"))
    };
    let (erlc, erl) = (search("erlc")?, search("erl")?);
    let version = tool::version(&erl, "Erlang", ASK, version, GET)?;
    Ok(Box::new(Erlang { erlc, erl, version }))
}

/// Reads the answer, such as "25/13.1.5".
fn version(answer: &str) -> Option<String> {
    let (release, emulator) = answer.trim().split_once('/')?;
    let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    (is_number(release) && is_number(emulator)).then(|| format!("OTP {release}, ERTS {emulator}"))
}

impl Toolchain for Erlang {
    fn version(&self) -> &str {
        &self.version
    }

    fn sources(&self) -> Vec<Source> {
        Source::all(&SOURCES)
    }

    fn steps(&self) -> Vec<Step> {
        let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        vec![Step::line(&self.erlc, &names.join(" "))]
    }

    fn command(&self, directory: &Path, task: &Task) -> Vec<OsString> {
        let jobs = task.jobs;
        let mut words: Vec<OsString> = vec![self.erl.clone().into()];
        let schedulers = format!("+S {jobs}:{jobs} -noinput -env ERL_CRASH_DUMP_SECONDS 0 -pa");
        words.extend(schedulers.split(' ').map(OsString::from));
        words.push(directory.into());
        words.extend(["-run", "lab_peer", "main"].map(OsString::from));
        words
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::peers::made_up::Tools;

    #[test]
    fn the_version_is_read() {
        assert_eq!(version("25/13.1.5").as_deref(), Some("OTP 25, ERTS 13.1.5"));
        assert_eq!(version("hello"), None);
        assert_eq!(version("a/b"), None);
    }

    #[test]
    fn one_that_is_missing_or_another_is_told_of() {
        let tools = Tools::new();
        let error = |tools: &Tools| find(&tools.variables()).unwrap_err();
        let missing = error(&tools);
        assert!(
            missing.starts_with("erlang is not installed (there is no erlc): apt-get"),
            "{missing}"
        );
        tools.add("erlc", "exit 0");
        assert!(error(&tools).contains("no erl)"));
        tools.add("erl", "echo hello");
        let other = error(&tools);
        assert!(other.contains("is not Erlang"), "{other}");
        tools.add("erl", "echo 99/1.2");
        let found = find(&tools.variables()).unwrap();
        assert_eq!(found.version(), "OTP 99, ERTS 1.2");
    }
}
