//! Java: a `ForkJoinPool`, and virtual threads where it has them.

use std::ffi::OsString;
use std::path::Path;

use super::jdk::{self, Jdk};
use super::task::Task;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// The first version with virtual threads.
const VIRTUAL_THREADS: u32 = 21;

/// The workload that needs no virtual threads.
const TREE_SUM: &str = "tree-sum";

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

/// With these tools.
#[derive(Debug)]
struct Java(Jdk);

/// Looks for them.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    Ok(Box::new(Java(jdk::find(variables)?)))
}

impl Java {
    fn has_virtual_threads(&self) -> bool {
        self.0.major >= VIRTUAL_THREADS
    }
}

impl Toolchain for Java {
    fn version(&self) -> &str {
        &self.0.version
    }

    fn sources(&self) -> Vec<Source> {
        let count = SOURCES.len() - usize::from(!self.has_virtual_threads());
        Source::all(&SOURCES[..count])
    }

    fn steps(&self) -> Vec<Step> {
        let names: Vec<&str> = self.sources().iter().map(|source| source.name).collect();
        vec![Step::line(&self.0.javac, &names.join(" "))]
    }

    fn command(&self, directory: &Path, task: &Task) -> Vec<OsString> {
        let jobs = task.jobs;
        let mut words: Vec<OsString> = vec![self.0.java.clone().into()];
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
                self.0.version
            )
        })
    }

    fn warm_up_ms(&self, task: &Task) -> u64 {
        jdk::warm_up_ms(&task.effort)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::peers::made_up::Tools;

    fn with_version(version: &str) -> Result<Box<dyn Toolchain>, String> {
        let tools = Tools::new();
        tools.add("javac", "exit 0");
        tools.add("java", &format!("echo '{version}'; echo more"));
        find(&tools.variables())
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
}
