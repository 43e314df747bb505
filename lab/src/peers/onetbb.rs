//! C++ with oneTBB.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::task::Task;
use super::tool;
use super::toolchain::{Source, Step, Toolchain, Variables};

/// How to get it.
const GET: &str = "apt-get install g++ libtbb-dev, or https://github.com/uxlfoundation/oneTBB";

/// The files of `lab/peers/onetbb`.
const SOURCES: [(&str, &str); 5] = [
    ("main.cpp", include_str!("../../peers/onetbb/main.cpp")),
    (
        "session.hpp",
        include_str!("../../peers/onetbb/session.hpp"),
    ),
    (
        "workloads.hpp",
        include_str!("../../peers/onetbb/workloads.hpp"),
    ),
    (
        "tree_sum.cpp",
        include_str!("../../peers/onetbb/tree_sum.cpp"),
    ),
    ("loops.cpp", include_str!("../../peers/onetbb/loops.cpp")),
];

/// The library's own version file, which a compiler names that does not find it.
const HEADER: &str = "oneapi/tbb/version.h";

/// Has the compiler tell all macros that the version file leaves behind.
const ASK: &str = "-std=c++17 -dM -E -include oneapi/tbb/version.h -x c++ -";

/// A compiler that finds the library.
#[derive(Debug)]
struct OneTbb {
    compiler: PathBuf,
    version: String,
}

/// Looks for both.
pub fn find(variables: Variables) -> Result<Box<dyn Toolchain>, String> {
    let compiler = tool::search("c++", variables)
        .ok_or_else(|| format!("onetbb needs a C++ compiler named c++: {GET}"))?;
    let answer = tool::answer(&compiler, Path::new("."), ASK)
        .map_err(|error| format!("onetbb needs a C++ compiler that works ({error:#}): {GET}"))?;
    if !answer.status.success() {
        return Err(if answer.errors.contains(HEADER) {
            format!("onetbb is not installed (c++ finds no {HEADER}): {GET}")
        } else {
            let (compiler, failure) = (compiler.display(), answer.failure());
            format!("the C++ compiler of onetbb is broken ({compiler} {failure}): {GET}")
        });
    }
    let version = version(&answer.output)
        .ok_or_else(|| format!("c++ does not tell the version of onetbb: {GET}"))?;
    Ok(Box::new(OneTbb { compiler, version }))
}

/// Reads the macros.
fn version(macros: &str) -> Option<String> {
    let value = |name: &str| {
        macros.lines().find_map(|line| {
            let (macro_name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
            (macro_name == name).then(|| value.trim().trim_matches('"').trim())
        })
    };
    let (major, minor) = (value("TBB_VERSION_MAJOR")?, value("TBB_VERSION_MINOR")?);
    let compiler = value("__VERSION__")?;
    Some(format!("{major}.{minor}, c++ {compiler}"))
}

impl Toolchain for OneTbb {
    fn version(&self) -> &str {
        &self.version
    }

    fn sources(&self) -> Vec<Source> {
        Source::all(&SOURCES)
    }

    fn steps(&self) -> Vec<Step> {
        let files = "main.cpp tree_sum.cpp loops.cpp";
        // At cache lines, as everything that is compiled from Rust; see `lab/BIAS.md`, "Placement".
        let flags = "-std=c++17 -O3 -DNDEBUG -falign-functions=64 -falign-loops=64";
        let line = format!("{flags} -o peer{EXE_SUFFIX} {files} -ltbb");
        vec![Step::line(&self.compiler, &line)]
    }

    fn command(&self, directory: &Path, _task: &Task) -> Vec<OsString> {
        vec![directory.join(format!("peer{EXE_SUFFIX}")).into()]
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::peers::made_up::Tools;

    const MACROS: &str = "#define TBB_VERSION_MAJOR 2021\n#define TBB_VERSION_MINOR 8\n\
                          #define __VERSION__ \"12.2.0\"\n";

    #[test]
    fn the_version_is_read() {
        assert_eq!(version(MACROS).as_deref(), Some("2021.8, c++ 12.2.0"));
        assert_eq!(version("#define __VERSION__ \"12.2.0\"\n"), None);
    }

    #[test]
    fn functions_and_loops_begin_at_cache_lines() {
        let tbb = OneTbb {
            compiler: "c++".into(),
            version: String::new(),
        };
        let [step] = &tbb.steps()[..] else {
            panic!("there is one step");
        };
        let words = format!("{step:?}");
        assert!(words.contains("-falign-functions=64"), "{words}");
        assert!(words.contains("-falign-loops=64"), "{words}");
    }

    #[test]
    fn one_that_is_missing_is_told_of() {
        let tools = Tools::new();
        let error = |tools: &Tools| find(&tools.variables()).unwrap_err();
        assert!(error(&tools).contains("needs a C++ compiler named c++: apt-get"));
        let crash = "c++: fatal error: cannot execute cc1plus";
        tools.add("c++", &format!("echo '{crash}' >&2; echo more >&2; exit 1"));
        let broken = error(&tools);
        assert!(
            broken.contains("compiler of onetbb is broken")
                && broken.contains(&format!("{crash})")),
            "{broken}"
        );
        tools.add("c++", "exit 1");
        assert!(error(&tools).contains("broken"));
        let fatal = "<command-line>: fatal error: oneapi/tbb/version.h: No such file or directory";
        tools.add("c++", &format!("echo '{fatal}' >&2; exit 1"));
        let missing = error(&tools);
        assert!(
            missing.contains("finds no oneapi/tbb/version.h"),
            "{missing}"
        );
        tools.add("c++", "echo hello");
        assert!(error(&tools).contains("does not tell the version"));
        tools.add("c++", &format!("echo '{MACROS}'"));
        let found = find(&tools.variables()).unwrap();
        assert_eq!(found.version(), "2021.8, c++ 12.2.0");
    }
}
