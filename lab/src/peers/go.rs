//! Go.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::task::Task;
use super::tool;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// How to get it.
const GET: &str = "apt-get install golang-go, or https://go.dev/dl";

/// The files of `lab/peers/go`.
const SOURCES: [(&str, &str); 8] = [
    ("go.mod", include_str!("../../peers/go/go.mod")),
    ("main.go", include_str!("../../peers/go/main.go")),
    ("session.go", include_str!("../../peers/go/session.go")),
    (
        "usage_unix.go",
        include_str!("../../peers/go/usage_unix.go"),
    ),
    (
        "usage_other.go",
        include_str!("../../peers/go/usage_other.go"),
    ),
    ("tree_sum.go", include_str!("../../peers/go/tree_sum.go")),
    ("messages.go", include_str!("../../peers/go/messages.go")),
    ("ring.go", include_str!("../../peers/go/ring.go")),
];

/// What keeps a build from the network, and from a workspace or flags of the user's.
const VARIABLES: [(&str, &str); 5] = [
    ("GO111MODULE", "on"),
    ("GOFLAGS", "-mod=mod"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("GOWORK", "off"),
];

/// Names the place for what it has compiled, which is else below the user's own directory.
const CACHE: &str = "GOCACHE";

/// The tool `go`.
#[derive(Debug)]
struct Go {
    program: PathBuf,
    version: String,
    /// Whether it knows a place for what it has compiled.
    has_cache: bool,
}

/// Looks for it.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    let program =
        tool::search("go", variables).ok_or_else(|| format!("go is not installed: {GET}"))?;
    let version = tool::version(&program, "Go", "version", version, GET)?;
    let is_set = |name: &&str| variables(name).is_some_and(|value| !value.is_empty());
    Ok(Box::new(Go {
        program,
        version,
        has_cache: [CACHE, "XDG_CACHE_HOME", "HOME"].iter().any(is_set),
    }))
}

/// Reads "go version go1.19.8 linux/amd64".
fn version(answer: &str) -> Option<String> {
    let rest = answer.strip_prefix("go version go")?;
    rest.split_whitespace().next().map(str::to_owned)
}

impl Toolchain for Go {
    fn version(&self) -> &str {
        &self.version
    }

    fn sources(&self) -> Vec<Source> {
        Source::all(&SOURCES)
    }

    fn steps(&self) -> Vec<Step> {
        let build = format!("build -trimpath -o peer{EXE_SUFFIX} .");
        let mut step = Step::line(&self.program, &build);
        step.variables = VARIABLES.to_vec();
        step.keeps = (!self.has_cache).then_some(CACHE);
        vec![step]
    }

    fn command(&self, directory: &Path, _task: &Task) -> Vec<OsString> {
        vec![directory.join(format!("peer{EXE_SUFFIX}")).into()]
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::peers::made_up::Tools;

    #[test]
    fn the_version_is_read() {
        assert_eq!(
            version("go version go1.19.8 linux/amd64\n").as_deref(),
            Some("1.19.8")
        );
        assert_eq!(version("hello"), None);
    }

    #[test]
    fn one_that_is_missing_or_another_is_told_of() {
        let tools = Tools::new();
        let error = |tools: &Tools| find(&tools.variables()).unwrap_err();
        let missing = error(&tools);
        assert!(
            missing.starts_with("go is not installed: apt-get"),
            "{missing}"
        );
        tools.add("go", "echo a board game");
        let other = error(&tools);
        assert!(
            other.contains("is not Go (it says \"a board game\")"),
            "{other}"
        );
        tools.add("go", "exit 1");
        let broken = error(&tools);
        assert!(broken.contains("does not say its version"), "{broken}");
        tools.add("go", "echo go version go9.9 here/now");
        let found = find(&tools.variables()).unwrap();
        assert_eq!(found.version(), "9.9");
    }

    #[test]
    fn without_a_home_it_has_a_cache_of_the_lab() {
        let tools = Tools::new();
        tools.add("go", "echo go version go9.9 here/now");
        let path = tools.variables();
        assert_eq!(find(&path).unwrap().steps()[0].keeps, Some("GOCACHE"));
        for (known, value, keeps) in [
            ("HOME", "/home", None),
            ("HOME", "", Some("GOCACHE")),
            ("XDG_CACHE_HOME", "/cache", None),
            ("GOCACHE", "/cache", None),
        ] {
            let variables = |name: &str| match name {
                name if name == known => Some(value.into()),
                name => path(name),
            };
            let steps = find(&variables).unwrap().steps();
            assert_eq!(steps[0].keeps, keeps, "{known}={value}");
        }
    }
}
