//! The compiler of Java, and its machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::tool;
use super::toolchain::Variables;
use crate::effort::Effort;

/// How to get it.
const GET: &str = "apt-get install default-jdk-headless, or https://adoptium.net, with JAVA_HOME";

/// The first version that compiles the sources.
const OLDEST: u32 = 11;

/// Compilation while the program runs takes at least this much warm-up, in milliseconds…
const WARM_UP_MS: u64 = 1_000;

/// …unless hardly any was asked for, as in a smoke run.
const WARM_UP_ASKED_MS: u64 = 10;

/// The compiler and the machine.
#[derive(Debug)]
pub struct Jdk {
    /// The compiler.
    pub javac: PathBuf,
    /// The machine.
    pub java: PathBuf,
    /// Its version.
    pub version: String,
    /// The first number of the version.
    pub major: u32,
}

/// A version and its first number, or why there is none.
type Version = Result<(String, u32), String>;

/// The versions of the machines that were asked. Each is asked once: two peers look for one at the
/// same time, and to start a machine takes a second of a busy processor.
static VERSIONS: Mutex<BTreeMap<PathBuf, Arc<OnceLock<Version>>>> = Mutex::new(BTreeMap::new());

/// Looks for both: in `JAVA_HOME`, if that is set, else in `PATH`.
///
/// # Errors
///
/// They are missing, too old, or say nothing; the error says how to get them.
pub fn find(variables: Variables) -> Result<Jdk, String> {
    let home = variables("JAVA_HOME").filter(|home| !home.is_empty());
    let (javac, java) = if let Some(home) = home {
        let place = PathBuf::from(&home).join("bin");
        let both = ["javac", "java"].map(|name| tool::executable(&place, name));
        let [Some(javac), Some(java)] = both else {
            let home = home.display();
            return Err(format!(
                "JAVA_HOME is {home}, which has no bin/javac: {GET}"
            ));
        };
        (javac, java)
    } else {
        let both = ["javac", "java"].map(|name| tool::search(name, variables));
        let [Some(javac), Some(java)] = both else {
            return Err(format!(
                "java is not installed with its compiler, javac: {GET}"
            ));
        };
        (javac, java)
    };
    let (version, major) = version_of(&java)?;
    if major < OLDEST {
        return Err(format!("java is {version}, and {OLDEST} is needed: {GET}"));
    }
    Ok(Jdk {
        javac,
        java,
        version,
        major,
    })
}

/// The version of this machine. A peer that comes while it is being asked waits for the answer.
fn version_of(java: &Path) -> Version {
    let cell = {
        let mut versions = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(versions.entry(java.to_owned()).or_default())
    };
    let ask = || tool::version(java, "Java", "--version", version, GET);
    cell.get_or_init(ask).clone()
}

/// Reads "openjdk 17.0.15 2025-04-15" and what follows, as the version and its first number.
fn version(answer: &str) -> Option<(String, u32)> {
    let version = answer.lines().next()?.split_whitespace().nth(1)?;
    let end = version.find(|letter: char| !letter.is_ascii_digit());
    let major = version[..end.unwrap_or(version.len())].parse().ok()?;
    Some((version.to_owned(), major))
}

/// How long programs of Java warm up, in milliseconds: they are compiled while they run.
pub fn warm_up_ms(effort: &Effort) -> u64 {
    match effort.warm_up_ms {
        hardly if hardly < WARM_UP_ASKED_MS => hardly,
        asked => asked.max(WARM_UP_MS),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::peers::made_up::Tools;

    fn with_version(version: &str) -> Result<Jdk, String> {
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
    fn a_machine_is_asked_once() {
        let tools = Tools::new();
        tools.add("javac", "exit 0");
        let asked = tools.directory().join("asked");
        let script = format!("echo >> {}; echo openjdk 25", asked.display());
        tools.add("java", &script);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(find(&tools.variables()).unwrap().major, 25));
            }
        });
        assert_eq!(std::fs::read_to_string(asked).unwrap(), "\n");
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
        assert_eq!(find(&both).unwrap().version, "25");
        std::fs::remove_file(home.path().join("bin/javac")).unwrap();
        let error = find(&both).unwrap_err();
        assert!(error.contains("which has no bin/javac"), "{error}");
        assert_eq!(find(&path).unwrap().version, "17");
    }

    #[test]
    fn it_warms_up_for_longer_than_others() {
        assert_eq!(warm_up_ms(&Effort::usual()), 1_000);
        assert_eq!(warm_up_ms(&Effort::full()), 3_000);
        assert_eq!(warm_up_ms(&Effort::smoke()), 1);
    }
}
