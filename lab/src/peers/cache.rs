//! Compiled peers, in a directory below cargo's target directory.
//!
//! The directory of a peer is named by a hash of everything that it is made from. It is filled
//! under another name, and renamed when it is complete. So what is found there is complete, also
//! when several labs compile at once, or one is ended meanwhile.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use sha1::{Digest, Sha1};

use super::tool;
use super::toolchain::{Source, Step, Toolchain};
use crate::console;
use crate::machine::target_directory;

/// How long a compiler may take. The first build in Go compiles its standard library, too.
const COMPILE_LIMIT: Duration = Duration::from_secs(600);

/// How many lines of a compiler's message are shown.
const LINES_SHOWN: usize = 4;

/// Where compiled peers are.
pub fn place() -> PathBuf {
    target_directory().join("lab-peers")
}

/// The directory of a peer, below `place`. It is compiled if it is not there.
///
/// # Errors
///
/// The compiler refuses it, or the directory cannot be written.
pub fn compiled(place: &Path, name: &str, toolchain: &dyn Toolchain) -> Result<PathBuf> {
    let (sources, steps) = (toolchain.sources(), toolchain.steps());
    let key = key(toolchain.version(), &sources, &steps);
    let directory = std::path::absolute(place)
        .with_context(|| format!("{} is no place for files", place.display()))?
        .join(format!("{name}-{key}"));
    if directory.is_dir() {
        return Ok(directory);
    }
    console::note(&format!("compiling the peer {name}"));
    let draft = directory.with_file_name(format!("{name}-{key}.{}", std::process::id()));
    let result = compile(&draft, &sources, &steps)
        .with_context(|| format!("the peer {name} cannot be compiled"))
        .and_then(|()| {
            let renamed = fs::rename(&draft, &directory);
            if directory.is_dir() {
                // Perhaps the one of another lab, which was faster. They are the same.
                return Ok(());
            }
            renamed.with_context(|| {
                let name = directory.display();
                format!("{name} cannot be made; CARGO_TARGET_DIR names another place")
            })
        });
    // After a success there is none, unless another lab was faster.
    let _ = fs::remove_dir_all(&draft);
    result.map(|()| directory)
}

/// A hash of everything that a peer is made from. The length of each part is hashed before it, so
/// nothing can move from one part to the next one.
fn key(version: &str, sources: &[Source], steps: &[Step]) -> String {
    let mut hash = Sha1::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(version);
    for source in sources {
        add(source.name);
        add(&source.text);
    }
    for step in steps {
        add(&step.program.to_string_lossy());
        step.arguments.iter().for_each(|argument| add(argument));
        for (name, value) in &step.variables {
            add(name);
            add(value);
        }
    }
    let mut key = String::new();
    for byte in &hash.finalize()[..8] {
        write!(key, "{byte:02x}").expect("a text takes what is written");
    }
    key
}

/// Writes the sources into a new directory, and compiles them there.
fn compile(directory: &Path, sources: &[Source], steps: &[Step]) -> Result<()> {
    let cannot = |path: &Path| {
        format!(
            "{} cannot be written; CARGO_TARGET_DIR names another place",
            path.display()
        )
    };
    // One that is there was left by a process of the same number.
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory).with_context(|| cannot(directory))?;
    for source in sources {
        let file = directory.join(source.name);
        fs::write(&file, &source.text).with_context(|| cannot(&file))?;
    }
    for step in steps {
        run(directory, step)?;
    }
    Ok(())
}

fn run(directory: &Path, step: &Step) -> Result<()> {
    let mut command = Command::new(&step.program);
    command
        .args(&step.arguments)
        .envs(step.variables.iter().copied())
        .current_dir(directory);
    if let Some(name) = step.keeps {
        // Beside the peers, so that the next version has it, too.
        command.env(name, directory.with_file_name(name.to_lowercase()));
    }
    let answer = tool::run(&mut command, COMPILE_LIMIT)?;
    if answer.status.success() {
        return Ok(());
    }
    let lines = answer.errors.lines().chain(answer.output.lines());
    let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let shown = lines[..lines.len().min(LINES_SHOWN)].join(" / ");
    let program = step.program.display();
    bail!("{program} ended with {}: {shown}", answer.status)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::peers::Task;
    use crate::peers::made_up::Tools;

    /// A language whose compiler is a script.
    #[derive(Debug)]
    struct Script(PathBuf, Option<&'static str>);

    impl Toolchain for Script {
        fn version(&self) -> &str {
            "1"
        }

        fn sources(&self) -> Vec<Source> {
            vec![Source::own("main", "text\n")]
        }

        fn steps(&self) -> Vec<Step> {
            let mut step = Step::line(&self.0, "main peer");
            step.keeps = self.1;
            vec![step]
        }

        fn command(&self, directory: &Path, _task: &Task) -> Vec<OsString> {
            vec![directory.join("peer").into()]
        }
    }

    fn names(place: &Path) -> Vec<String> {
        let entries = fs::read_dir(place).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_peer_is_compiled_once() {
        let tools = Tools::new();
        let place = tempfile::tempdir().unwrap();
        let log = tools.directory().join("log");
        let script = format!("cp \"$1\" \"$2\"; echo once >> '{}'", log.display());
        let compiler = Script(tools.add("copy", &script), None);
        let first = compiled(place.path(), "script", &compiler).unwrap();
        assert_eq!(fs::read_to_string(first.join("peer")).unwrap(), "text\n");
        assert_eq!(compiled(place.path(), "script", &compiler).unwrap(), first);
        assert_eq!(fs::read_to_string(log).unwrap(), "once\n");
        assert_eq!(names(place.path()).len(), 1);
    }

    #[test]
    fn what_a_compiler_refuses_leaves_nothing_and_is_shown() {
        let tools = Tools::new();
        let place = tempfile::tempdir().unwrap();
        let script = "echo; echo 'main:1: no such word' >&2; exit 2";
        let compiler = Script(tools.add("refuse", script), None);
        let error = compiled(place.path(), "script", &compiler).unwrap_err();
        let error = format!("{error:#}");
        assert!(
            error.contains("the peer script cannot be compiled")
                && error.contains("refuse ended with exit status: 2: main:1: no such word"),
            "{error}"
        );
        assert_eq!(names(place.path()), [""; 0]);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_of() {
        let tools = Tools::new();
        let compiler = Script(tools.add("copy", "cp \"$1\" \"$2\""), None);
        let file = tools.directory().join("copy");
        let error = compiled(&file, "script", &compiler).unwrap_err();
        assert!(
            format!("{error:#}")
                .contains("cannot be written; CARGO_TARGET_DIR names another place"),
            "{error:#}"
        );
    }

    #[test]
    fn what_a_compiler_keeps_lies_beside_the_peers() {
        let tools = Tools::new();
        let place = tempfile::tempdir().unwrap();
        let script = "printf %s \"$LAB_TEST_KEEPS\" > \"$2\"";
        let compiler = Script(tools.add("tell", script), Some("LAB_TEST_KEEPS"));
        let peer = compiled(place.path(), "script", &compiler).unwrap();
        let kept = fs::read_to_string(peer.join("peer")).unwrap();
        assert_eq!(Path::new(&kept), place.path().join("lab_test_keeps"));
    }

    #[test]
    fn everything_that_a_peer_is_made_from_is_in_its_key() {
        let sources = [Source::own("a", "text")];
        let mut step = Step::line(Path::new("/bin/compile"), "-O2 a");
        let first = key("1.0", &sources, &[step.clone()]);
        assert_eq!(first.len(), 16);
        assert_eq!(key("1.0", &sources, &[step.clone()]), first);
        let mut keys = vec![first];
        keys.push(key("1.1", &sources, &[step.clone()]));
        keys.push(key("1.0", &[Source::own("a", "other")], &[step.clone()]));
        keys.push(key("1.0", &[Source::own("at", "ext")], &[step.clone()]));
        keys.push(key("1.0", &[], &[step.clone()]));
        step.variables.push(("NAME", "value"));
        keys.push(key("1.0", &sources, &[step.clone()]));
        step.arguments[0] = "-O3".to_owned();
        keys.push(key("1.0", &sources, &[step.clone()]));
        step.program = "/bin/other".into();
        keys.push(key("1.0", &sources, &[step]));
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }
}
