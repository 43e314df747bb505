//! Java: a `ForkJoinPool`, and virtual threads where it has them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::task::Task;
use super::tool;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// How to get it.
const GET: &str = "apt-get install default-jdk-headless, or https://adoptium.net, with JAVA_HOME";

/// The first version that compiles the sources.
const OLDEST: u32 = 11;

/// The first version with virtual threads.
const VIRTUAL_THREADS: u32 = 21;

/// The workload that needs no virtual threads.
const TREE_SUM: &str = "tree-sum";

/// Compilation while the program runs takes at least this much warm-up, in milliseconds…
const WARM_UP_MS: u64 = 1_000;

/// …unless hardly any was asked for, as in a smoke run.
const WARM_UP_ASKED_MS: u64 = 10;

/// The files of `lab/peers/java`. The last one needs virtual threads.
const SOURCES: [(&str, &str); 3] = [
    (
        "Session.java",
        include_str!("../../peers/java/Session.java"),
    ),
    (
        "TreeSum.java",
        include_str!("../../peers/java/TreeSum.java"),
    ),
    (
        "Messages.java",
        include_str!("../../peers/java/Messages.java"),
    ),
];

/// The compiler and the machine.
#[derive(Debug)]
struct Java {
    javac: PathBuf,
    java: PathBuf,
    version: String,
    major: u32,
}

/// Looks for both: in `JAVA_HOME`, if that has them, else in `PATH`.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    let home = variables("JAVA_HOME").filter(|home| !home.is_empty());
    let home = home.map(|home| PathBuf::from(home).join("bin"));
    let at_home = home.and_then(|home| {
        let javac = tool::executable(&home, "javac")?;
        Some((javac, tool::executable(&home, "java")?))
    });
    let in_path = || {
        let javac = tool::search("javac", variables)?;
        Some((javac, tool::search("java", variables)?))
    };
    let (javac, java) = at_home
        .or_else(in_path)
        .ok_or_else(|| format!("java is not installed with its compiler, javac: {GET}"))?;
    let (version, major) = tool::version(&java, "Java", "--version", version, GET)?;
    if major < OLDEST {
        return Err(format!("java is {version}, and {OLDEST} is needed: {GET}"));
    }
    Ok(Box::new(Java {
        javac,
        java,
        version,
        major,
    }))
}

/// Reads "openjdk 17.0.15 2025-04-15" and what follows, as the version and its first number.
fn version(answer: &str) -> Option<(String, u32)> {
    let version = answer.lines().next()?.split_whitespace().nth(1)?;
    let end = version.find(|letter: char| !letter.is_ascii_digit());
    let major = version[..end.unwrap_or(version.len())].parse().ok()?;
    Some((version.to_owned(), major))
}

impl Java {
    fn has_virtual_threads(&self) -> bool {
        self.major >= VIRTUAL_THREADS
    }
}

impl Toolchain for Java {
    fn version(&self) -> &str {
        &self.version
    }

    fn sources(&self) -> Vec<Source> {
        let count = SOURCES.len() - usize::from(!self.has_virtual_threads());
        Source::all(&SOURCES[..count])
    }

    fn steps(&self) -> Vec<Step> {
        let names: Vec<&str> = self.sources().iter().map(|source| source.name).collect();
        vec![Step::line(&self.javac, &names.join(" "))]
    }

    fn command(&self, directory: &Path, task: &Task) -> Vec<OsString> {
        let jobs = task.jobs;
        let mut words: Vec<OsString> = vec![self.java.clone().into()];
        if task.workload != TREE_SUM {
            for name in ["parallelism", "maxPoolSize"] {
                words.push(format!("-Djdk.virtualThreadScheduler.{name}={jobs}").into());
            }
        }
        words.extend(["-cp".into(), directory.into()]);
        let class = if task.workload == TREE_SUM {
            "TreeSum"
        } else {
            "Messages"
        };
        words.push(class.into());
        words
    }

    fn lacks(&self, workload: &str) -> Option<String> {
        (workload != TREE_SUM && !self.has_virtual_threads()).then(|| {
            format!(
                "java is {}, and virtual threads need {VIRTUAL_THREADS}: https://adoptium.net, \
                 with JAVA_HOME",
                self.version
            )
        })
    }

    fn warm_up_ms(&self, task: &Task) -> u64 {
        match task.effort.warm_up_ms {
            hardly if hardly < WARM_UP_ASKED_MS => hardly,
            asked => asked.max(WARM_UP_MS),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use crate::peers::made_up::Tools;

    fn with_version(version: &str) -> Result<Box<dyn Toolchain>, String> {
        let tools = Tools::new();
        tools.add("javac", "exit 0");
        tools.add("java", &format!("echo '{version}'; echo more"));
        find(&tools.variables())
    }

    #[test]
    fn the_version_is_read() {
        let of = |text: &str| version(text).map(|(_, major)| major);
        assert_eq!(of("openjdk 17.0.15 2025-04-15\nmore"), Some(17));
        assert_eq!(of("java 25 2025-09-16 LTS"), Some(25));
        assert_eq!(of("openjdk 26-ea 2026-03-17"), Some(26));
        assert_eq!(of("coffee"), None);
        assert_eq!(of("a cup"), None);
    }

    #[test]
    fn one_that_is_missing_or_too_old_is_told_of() {
        let missing = find(&Tools::new().variables()).unwrap_err();
        assert!(missing.contains("java is not installed"), "{missing}");
        let old = with_version("openjdk 9.0.4").unwrap_err();
        assert!(old.contains("java is 9.0.4, and 11 is needed"), "{old}");
        let other = with_version("a cup of it").unwrap_err();
        assert!(other.contains("is not Java"), "{other}");
    }

    #[test]
    fn java_home_comes_before_path() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("bin")).unwrap();
        let tools = Tools::new();
        for (name, version) in [("bin/java", "25"), ("bin/javac", "25")] {
            let script = tools.add("tool", &format!("echo openjdk {version}"));
            std::fs::rename(script, home.path().join(name)).unwrap();
        }
        tools.add("javac", "exit 0");
        tools.add("java", "echo openjdk 17");
        let path = tools.variables();
        let both = |name: &str| match name {
            "JAVA_HOME" => Some(home.path().as_os_str().to_owned()),
            other => path(other),
        };
        assert_eq!(find(&both).unwrap().version(), "25");
        assert_eq!(find(&path).unwrap().version(), "17");
    }

    #[test]
    fn messages_need_virtual_threads() {
        let old = with_version("openjdk 17.0.15").unwrap();
        let reason = old.lacks("msgsend").unwrap();
        assert!(reason.contains("java is 17.0.15, and virtual threads need 21"));
        assert_eq!(old.lacks(TREE_SUM), None);
        assert_eq!(old.sources().len(), 2);
        let new = with_version("openjdk 25").unwrap();
        assert_eq!(new.lacks("msgsend"), None);
        assert_eq!(new.sources().len(), 3);
    }

    #[test]
    fn it_warms_up_for_longer_than_others() {
        let java = with_version("openjdk 25").unwrap();
        let warm_up = |effort| {
            java.warm_up_ms(&Task {
                workload: TREE_SUM,
                size: 1,
                jobs: 1,
                effort,
                repeats: true,
            })
        };
        assert_eq!(warm_up(Effort::usual()), 1_000);
        assert_eq!(warm_up(Effort::full()), 3_000);
        assert_eq!(warm_up(Effort::smoke()), 1);
    }
}
