//! Pekko: typed actors, in Java.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::jdk::{self, Jdk};
use super::task::Task;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// The version of Pekko, as it is in [`LIBRARIES`] and [`GET`].
const VERSION: &str = "1.7.0";

/// How to get it.
const GET: &str = "apt-get install maven, and mvn dependency:get \
                   -Dartifact=org.apache.pekko:pekko-actor-typed_2.13:1.7.0";

/// What it needs of Maven's local repository, itself included: group, name and version of each.
const LIBRARIES: [(&str, &str, &str); 6] = [
    ("org/apache/pekko", "pekko-actor-typed_2.13", VERSION),
    ("org/apache/pekko", "pekko-actor_2.13", VERSION),
    ("org/apache/pekko", "pekko-slf4j_2.13", VERSION),
    ("org/scala-lang", "scala-library", "2.13.18"),
    ("com/typesafe", "config", "1.4.9"),
    ("org/slf4j", "slf4j-api", "2.0.17"),
];

/// The files that are compiled.
const SOURCES: [(&str, &str); 2] = [
    (
        "Session.java",
        include_str!("../../peers/java/Session.java"),
    ),
    ("Actors.java", include_str!("../../peers/pekko/Actors.java")),
];

/// Java, and where the libraries are.
#[derive(Debug)]
struct Pekko {
    jdk: Jdk,
    libraries: Vec<PathBuf>,
    version: String,
}

/// Looks for them. Nothing is fetched.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    let jdk = jdk::find(variables)?;
    let home = ["HOME", "USERPROFILE"].into_iter().find_map(variables);
    let home = home.filter(|home| !home.is_empty());
    let home = home.ok_or("pekko is looked for below HOME, which is not set")?;
    let repository = PathBuf::from(home).join(".m2").join("repository");
    let libraries = LIBRARIES.map(|(group, name, version)| {
        let file = format!("{name}-{version}.jar");
        repository.join(group).join(name).join(version).join(file)
    });
    if let Some(missing) = libraries.iter().find(|library| !library.is_file()) {
        let name = missing.file_name().unwrap_or_default().display();
        return Err(format!(
            "pekko is not in Maven's local repository (there is no {name}): {GET}"
        ));
    }
    let version = format!("{VERSION}, Java {}", jdk.version);
    Ok(Box::new(Pekko {
        jdk,
        libraries: libraries.into(),
        version,
    }))
}

impl Pekko {
    /// The libraries, and what else Java is to look through.
    fn class_path(&self, further: Option<&Path>) -> OsString {
        let all = self.libraries.iter().map(PathBuf::as_path).chain(further);
        let separator = if cfg!(windows) { ";" } else { ":" };
        let mut path = OsString::new();
        for place in all {
            if !path.is_empty() {
                path.push(separator);
            }
            path.push(place);
        }
        path
    }
}

impl Toolchain for Pekko {
    fn version(&self) -> &str {
        &self.version
    }

    fn sources(&self) -> Vec<Source> {
        Source::all(&SOURCES)
    }

    fn steps(&self) -> Vec<Step> {
        let names = SOURCES.map(|(name, _)| name).join(" ");
        let mut step = Step::line(&self.jdk.javac, &names);
        let libraries = self.class_path(None).to_string_lossy().into_owned();
        step.arguments.splice(0..0, ["-cp".to_owned(), libraries]);
        vec![step]
    }

    fn command(&self, directory: &Path, _task: &Task) -> Vec<OsString> {
        vec![
            self.jdk.java.clone().into(),
            "-cp".into(),
            self.class_path(Some(directory)),
            "Actors".into(),
        ]
    }

    fn warm_up_ms(&self, task: &Task) -> u64 {
        jdk::warm_up_ms(&task.effort)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;
    use crate::peers::made_up::Tools;

    #[test]
    fn each_library_is_looked_for() {
        let tools = Tools::new();
        tools.add("javac", "exit 0");
        tools.add("java", "echo openjdk 17.0.15");
        let home = tempfile::tempdir().unwrap();
        let path = tools.variables();
        let variables = |name: &str| match name {
            "HOME" => Some(home.path().as_os_str().to_owned()),
            other => path(other),
        };
        for (group, name, version) in LIBRARIES {
            let missing = find(&variables).unwrap_err();
            let file = format!("{name}-{version}.jar");
            assert!(missing.contains(&format!("there is no {file}): apt-get")));
            assert!(GET.contains(VERSION));
            let place = home.path().join(".m2/repository").join(group);
            let place = place.join(name).join(version);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join(file), "").unwrap();
        }
        let found = find(&variables).unwrap();
        assert_eq!(found.version(), "1.7.0, Java 17.0.15");
        let line = &found.steps()[0].arguments;
        assert_eq!(line[1].matches(".jar").count(), LIBRARIES.len());
        assert_eq!(line[2..], ["Session.java", "Actors.java"]);
    }

    #[test]
    fn java_is_needed_too() {
        let missing = find(&Tools::new().variables()).unwrap_err();
        assert!(missing.contains("java is not installed"), "{missing}");
        let tools = Tools::new();
        tools.add("javac", "exit 0");
        tools.add("java", "echo openjdk 17.0.15");
        let path = tools.variables();
        let variables = |name: &str| path(name).filter(|_| name == "PATH");
        assert!(find(&variables).unwrap_err().contains("HOME"));
    }
}
