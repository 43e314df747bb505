//! Peers in other languages. Where a language is not installed, its test says so and passes, unless
//! `LAB_PEERS_DEMANDED` names it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use drumline_lab::peers;
use drumline_lab::record::Record;

use crate::scripts::write_script;
use crate::{command, stderr, stdout};

/// A variable with the names of peers that must be installed, separated by commas.
const DEMANDED: &str = "LAB_PEERS_DEMANDED";

/// Runs the lab with a target directory, which has what was compiled. If there is a `path`, tools
/// are looked for there and nowhere else.
fn lab(target: &Path, path: Option<OsString>, arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    command.env("CARGO_TARGET_DIR", target);
    command.env_remove(DEMANDED);
    if let Some(path) = path {
        command.env("PATH", path);
        for elsewhere in ["JAVA_HOME", "LAB_SPICE", "LAB_ZIG"] {
            command.env_remove(elsewhere);
        }
    }
    command.output().unwrap()
}

fn records(output: &Output) -> Vec<Record> {
    let text = stdout(output);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Whether a language is installed. If it is not, a line says so.
fn is_installed(name: &str) -> bool {
    let peer = peers::all().iter().find(|peer| peer.card.name == name);
    let Err(how) = peer.unwrap().version() else {
        return true;
    };
    let demanded = std::env::var(DEMANDED).unwrap_or_default();
    assert!(
        demanded.split(',').all(|demanded| demanded != name),
        "{DEMANDED} asks for {name}: {how}"
    );
    println!("not run: {how}");
    false
}

/// Runs all workloads of a peer, with sizes that take every path.
fn run_all(name: &str) {
    if !is_installed(name) {
        return;
    }
    let target = tempfile::tempdir().unwrap();
    let peer = peers::all().iter().find(|peer| peer.card.name == name);
    let peer = peer.unwrap();
    for workload in peer.workloads() {
        let sizes = match workload {
            // Each process starts 100,000 actors.
            "actor-ring" => "2",
            _ => "1,2,3,1000",
        };
        let arguments = ["run", workload, "--runtime", name, "--size", sizes];
        let effort = ["--jobs", "1,3", "--smoke", "--samples", "2", "--json", "-"];
        let output = lab(target.path(), None, &[&arguments[..], &effort].concat());
        let error = stderr(&output);
        assert!(output.status.success(), "{workload}: {error}");
        let records = records(&output);
        assert_eq!(records.len(), 2 * sizes.split(',').count(), "{workload}");
        for record in records {
            let line = serde_json::to_string(&record).unwrap();
            if record.declined.is_some() {
                continue;
            }
            assert_eq!(record.ok, Some(true), "{line}");
            assert_eq!(record.wall_ns_samples.len(), 2, "{line}");
            assert!(record.items >= Some(record.size), "{line}");
            assert_eq!(record.runtime_version.as_deref(), peer.version().ok());
        }
    }
}

#[test]
fn go_runs() {
    run_all("go");
}

#[test]
fn erlang_runs() {
    run_all("erlang");
}

#[test]
fn onetbb_runs() {
    run_all("onetbb");
}

#[test]
fn java_runs() {
    run_all("java");
}

#[test]
fn spice_runs() {
    run_all("spice");
}

#[test]
fn pekko_runs() {
    run_all("pekko");
}

/// Directories with a program `go` that writes a program of this text when it compiles.
struct MadeUpGo {
    tools: tempfile::TempDir,
    target: tempfile::TempDir,
}

impl MadeUpGo {
    fn new(version: &str, build: &str) -> Self {
        let tools = tempfile::tempdir().unwrap();
        let script = format!("if [ \"$1\" = version ]; then echo '{version}'; exit; fi\n{build}");
        write_script(&tools.path().join("go"), &script);
        let target = tempfile::tempdir().unwrap();
        Self { tools, target }
    }

    /// One whose program says this.
    fn saying(text: &str) -> Self {
        let build = format!(
            "printf '%s\\n' '#!/bin/sh' 'echo \"$@\" >> \"$0.log\"' \"echo '{text}'\" > peer\n\
             chmod +x peer"
        );
        Self::new("go version go9.9 here/now", &build)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let own = std::env::var_os("PATH").unwrap_or_default();
        let mut path = vec![PathBuf::from(self.tools.path())];
        path.extend(std::env::split_paths(&own));
        let path = std::env::join_paths(path).unwrap();
        lab(self.target.path(), Some(path), arguments)
    }

    /// Runs a tree of three nodes.
    fn tree_sum(&self) -> Output {
        let what = ["run", "tree-sum", "--size", "3", "--jobs", "2"];
        let how = ["--rounds", "2", "--samples", "1", "--runtime", "go"];
        self.run(&[&what[..], &how, &["--json", "-"]].concat())
    }
}

#[test]
fn a_record_has_what_a_peer_says_and_its_version() {
    let go =
        MadeUpGo::saying(r#"{\"protocol\":1,\"items\":3,\"operations\":2,\"wall_ns\":[60.0]}"#);
    let output = go.tree_sum();
    assert!(output.status.success(), "{}", stderr(&output));
    let [record] = &records(&output)[..] else {
        panic!("{}", stdout(&output));
    };
    assert_eq!(
        (record.ok, record.items, record.rounds),
        (Some(true), Some(3), 2)
    );
    assert_eq!(record.wall_ns_median, Some(60.0));
    assert_eq!(record.runtime_version.as_deref(), Some("9.9"));
    assert_eq!(record.threads_peak, None);
    // It was compiled once, and started in each round with all that it has to know.
    assert_eq!(stderr(&output).matches("compiling the peer go").count(), 1);
    let compiled = fs::read_dir(go.target.path().join("lab-peers")).unwrap();
    let [compiled] = &Vec::from_iter(compiled)[..] else {
        panic!("there is one directory");
    };
    let log = compiled.as_ref().unwrap().path().join("peer.log");
    let line = "tree-sum 3 2 100 400 1 1 2000000\n";
    assert_eq!(fs::read_to_string(log).unwrap(), line.repeat(2));
}

#[test]
fn rubbish_and_wrong_answers_are_rows_that_say_so() {
    for (text, why) in [
        ("hello", "no JSON"),
        (r#"{\"protocol\":2}"#, "protocol 2"),
        (
            r#"{\"protocol\":1,\"error\":\"wrong answer: 5\"}"#,
            "wrong answer: 5",
        ),
    ] {
        let output = MadeUpGo::saying(text).tree_sum();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let records = records(&output);
        assert_eq!(records[0].ok, Some(false));
        let error = records[0].error.as_deref().unwrap();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_a_compiler_refuses_is_a_row_that_says_so() {
    let go = MadeUpGo::new(
        "go version go9.9 here/now",
        "echo main.go:7: what >&2; exit 1",
    );
    let output = go.tree_sum();
    assert_eq!(output.status.code(), Some(1));
    let error = records(&output)[0].error.clone().unwrap();
    assert!(
        error.contains("the peer go cannot be compiled") && error.contains("main.go:7: what"),
        "{error}"
    );
}

#[test]
fn one_that_is_not_installed_has_a_row_only_where_it_is_named() {
    let go = MadeUpGo::new("a board game", "exit 1");
    let output = go.tree_sum();
    assert!(output.status.success(), "{}", stderr(&output));
    let [record] = &records(&output)[..] else {
        panic!("{}", stdout(&output));
    };
    assert_eq!((record.ok, record.rounds), (None, 2));
    let reason = record.declined.as_deref().unwrap();
    assert!(reason.contains("https://go.dev/dl"), "{reason}");

    // An empty directory is all of PATH.
    let nothing = tempfile::tempdir().unwrap();
    let path = Some(nothing.path().as_os_str().to_owned());
    let target = tempfile::tempdir().unwrap();
    let arguments = [
        "run",
        "tree-sum",
        "--size",
        "3",
        "--smoke",
        "--jobs",
        "1",
        "--peers",
        "--runtime",
        "seq",
        "--json",
        "-",
    ];
    let output = lab(target.path(), path.clone(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let runtimes = records(&output).into_iter().map(|record| record.runtime);
    assert_eq!(Vec::from_iter(runtimes), ["seq"]);
    let notes = stderr(&output);
    assert!(notes.contains("no row: go is not installed: "), "{notes}");

    let list = stdout(&lab(target.path(), path, &["list"]));
    assert!(list.contains("go is not installed: apt-get"), "{list}");
}

/// A directory with tools that are shell scripts, and with fifos at which they wait for each other.
/// The directory is all of `PATH`.
struct Waiting {
    place: tempfile::TempDir,
}

impl Waiting {
    fn new(fifos: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        for fifo in fifos {
            nix::unistd::mkfifo(&place.path().join(fifo), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        Self { place }
    }

    /// Adds a tool. `wait` is a redirection, which is done when the other end is open, too.
    fn add(&self, name: &str, wait: &str, answer: &str) {
        let place = self.place.path();
        let script = format!("#!/bin/sh\n: {wait}\necho '{answer}'\n");
        let write = "cd \"$1\" && printf %s \"$3\" > \"$2\" && chmod 755 \"$2\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", write, "sh"]).arg(place).arg(name);
        let script = script.replace("AT/", &format!("{}/", place.display()));
        assert!(shell.arg(script).status().unwrap().success());
    }

    fn list(&self) -> String {
        let path = Some(self.place.path().as_os_str().to_owned());
        let output = lab(&self.place.path().join("target"), path, &["list"]);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    }
}

/// Each of two tools answers after the other one was started. So they cannot be asked in turn.
#[test]
fn all_tools_are_asked_at_once() {
    let waiting = Waiting::new(&["a", "b"]);
    waiting.add("go", "< AT/a", "go version go9.9 here/now");
    waiting.add("erl", "> AT/a", "99/1.2");
    waiting.add("erlc", "", "");
    let macros = "#define TBB_VERSION_MAJOR 2021\n#define TBB_VERSION_MINOR 8\n\
                  #define __VERSION__ \"12.2.0\"";
    waiting.add("c++", "< AT/b", macros);
    waiting.add("java", "> AT/b", "openjdk 25");
    waiting.add("javac", "", "");
    let list = waiting.list();
    for name in ["go 9.9", "erlang OTP 99", "onetbb 2021.8", "java 25"] {
        assert!(list.contains(name), "{name}\n{list}");
    }
}

#[test]
fn a_tool_that_never_answers_has_a_line_that_says_so() {
    // Nothing ever opens the other end.
    let waiting = Waiting::new(&["never"]);
    waiting.add("go", "< AT/never", "");
    let list = waiting.list();
    assert!(
        list.contains("go version` did not answer within 30 s): apt-get"),
        "{list}"
    );
}

/// The directory that the option names comes before that of the variable, which is its default.
#[test]
fn a_checkout_of_spice_is_named_by_an_option_or_a_variable() {
    let waiting = Waiting::new(&[]);
    waiting.add("zig", "", "0.13.0");
    for name in ["by-option", "by-variable"] {
        let source = waiting.place.path().join(name).join("src");
        fs::create_dir_all(&source).unwrap();
        fs::write(source.join("root.zig"), "pub const Task = 1;").unwrap();
    }
    let list = |variable: Option<&str>, arguments: &[&str]| {
        let mut command = command(&[&["list"], arguments].concat());
        command.current_dir(&waiting.place);
        command.env("PATH", waiting.place.path());
        for unset in ["JAVA_HOME", "LAB_ZIG", "LAB_SPICE"] {
            command.env_remove(unset);
        }
        command.envs(variable.map(|name| ("LAB_SPICE", name)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let found = "spice unknown revision, zig 0.13.0";
    let none = list(None, &[]);
    assert!(none.contains("that --spice names: git clone"), "{none}");
    for (variable, arguments) in [
        (None, &["--spice", "by-option"][..]),
        (Some("by-variable"), &[]),
        (Some("nowhere"), &["--spice", "by-option"]),
    ] {
        let list = list(variable, arguments);
        assert!(list.contains(found), "{variable:?} {arguments:?}\n{list}");
    }
    let wrong = list(Some("by-variable"), &["--spice", "nowhere"]);
    let why = "--spice nowhere is no checkout of spice";
    assert!(wrong.contains(why), "{wrong}");
    let empty = list(Some(""), &[]);
    assert!(empty.contains("that --spice names"), "{empty}");
}

#[test]
fn one_that_is_demanded_fails_where_it_is_not_installed() {
    let nothing = tempfile::tempdir().unwrap();
    let arguments = [
        "run",
        "tree-sum",
        "--size",
        "3",
        "--smoke",
        "--jobs",
        "1",
        "--runtime",
        "seq,go",
        "--json",
        "-",
    ];
    let output = command(&arguments)
        .env("CARGO_TARGET_DIR", nothing.path().join("target"))
        .env("PATH", nothing.path())
        .env(DEMANDED, "erlang,go")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let records = records(&output);
    let go = records
        .iter()
        .find(|record| record.runtime == "go")
        .unwrap();
    assert_eq!(go.ok, Some(false));
    let error = go.error.as_deref().unwrap();
    assert!(
        error.contains("demands it, and go is not installed"),
        "{error}"
    );
}

#[test]
fn a_run_that_does_not_ask_for_peers_has_none() {
    let go = MadeUpGo::new("go version go9.9 here/now", "exit 1");
    let arguments = ["run", "tree-sum", "--size", "3", "--jobs", "1", "--smoke"];
    let output = go.run(&[&arguments[..], &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(records(&output).iter().all(|record| record.runtime != "go"));

    let refused = go.run(&["run", "fib", "--runtime", "go", "--smoke"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("does not run fib"));
}
