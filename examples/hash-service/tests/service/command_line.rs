//! Runs the program.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::client::Client;
use crate::running::wait_until;

fn hash_service() -> Command {
    Command::new(env!("CARGO_BIN_EXE_hash-service"))
}

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The program, and where it listens.
struct Program {
    child: Child,
    address: SocketAddr,
    // Kept open while the program runs.
    _stdout: BufReader<ChildStdout>,
}

impl Program {
    fn start(args: &[&str]) -> Self {
        let mut child = hash_service()
            .args(["--listen", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on http://");
        Program {
            child,
            address: address.unwrap().parse().unwrap(),
            _stdout: stdout,
        }
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        kill(Pid::from_raw(id), signal).unwrap();
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_signal_ends_it_with_success() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut program = Program::start(&["--rounds", "0"]);
        let response = Client::connect(program.address).ask("POST", "/hash", b"abc");
        assert!(response.body.starts_with("ba7816bf"), "{response:?}");
        program.signal(signal);
        assert_eq!(program.exit_code(), Some(0));
    }
}

#[test]
fn a_second_signal_does_not_wait() {
    // Four billion rounds: minutes.
    let rounds = u32::MAX.to_string();
    let mut program = Program::start(&["--rounds", &rounds, "--deadline", "86400000"]);
    let mut client = Client::with_upload(program.address, b"abc");
    let mut other = Client::connect(program.address);
    wait_until(|| {
        let stats = other.ask("GET", "/stats", b"").body;
        stats.contains("jobs_begun_total 1\n")
    });
    program.signal(Signal::SIGTERM);
    // It has seen the first signal when it accepts no more connections.
    wait_until(|| std::net::TcpStream::connect(program.address).is_err());
    assert_eq!(program.child.try_wait().unwrap(), None);
    program.signal(Signal::SIGTERM);
    assert_eq!(program.exit_code(), Some(130));
    client.send(b""); // It has kept its connection until now.
}

#[test]
fn a_port_in_use_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = hash_service()
        .args(["--listen", &address])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = message(&output);
    assert!(
        message.starts_with(&format!("hash-service: cannot listen on {address}: ")),
        "{message}"
    );
}

#[test]
fn arguments_that_make_no_sense_are_errors() {
    for (option, value) in [
        ("--jobs", "0"),
        ("--jobs", "many"),
        ("--queue", "-1"),
        ("--queue", "99999999999"),
        ("--deadline", "0"),
        ("--body-limit", "0"),
        ("--io-threads", "0"),
        ("--listen", "nowhere"),
    ] {
        let argument = format!("{option}={value}");
        let output = hash_service().arg(&argument).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{argument}: {output:?}");
        let message = message(&output);
        assert!(message.contains(option), "{argument}: {message}");
    }
}
