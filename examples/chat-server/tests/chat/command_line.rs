//! Runs the program.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::client::Client;

fn chat_server() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chat-server"))
}

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn ctrl_c_ends_it_with_success() {
    let mut child = chat_server()
        .args(["serve", "--listen=127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").unwrap();
    let address: SocketAddr = address.parse().unwrap();
    let mut ada = Client::join(address, "ada");
    ada.send("hello");
    ada.wait_for(|line| line == "ada: hello");

    let id = i32::try_from(child.id()).unwrap();
    kill(Pid::from_raw(id), Signal::SIGINT).unwrap();
    assert_eq!(ada.rest(), ["* the server shuts down; goodbye"]);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "1 clients said 1 lines; 0 were too slow\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_load_is_reported() {
    let output = chat_server()
        .args(["load", "--clients=3", "--lines=2"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("3 clients said 6 lines in "), "{text}");
    assert!(text.contains(" 18 lines, "), "{text}");
}

#[test]
fn too_few_descriptors_are_an_error_that_says_how_many_are_needed() {
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 64 && exec \"$0\" load --clients 1000"])
        .arg(env!("CARGO_BIN_EXE_chat-server"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = message(&output);
    for part in ["2064 file descriptors", "may have 64", "ulimit -Hn 2064"] {
        assert!(message.contains(part), "{message}");
    }
}

/// The soft limit is too low, and the hard one is not.
#[test]
fn the_soft_limit_is_raised() {
    let output = Command::new("sh")
        .args(["-c", "ulimit -Sn 32 && exec \"$0\" load --clients 20"])
        .arg(env!("CARGO_BIN_EXE_chat-server"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_port_in_use_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = chat_server()
        .args(["serve", "--listen", &address])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = message(&output);
    assert!(
        message.starts_with(&format!("chat-server: cannot listen on {address}: ")),
        "{message}"
    );
}

#[test]
fn arguments_that_make_no_sense_are_errors() {
    for arguments in [
        ["load", "--clients=0"],
        ["load", "--lines=0"],
        ["load", "--connections=0"],
        ["serve", "--jobs=0"],
        ["serve", "--backlog=0"],
        ["serve", "--grace=-1"],
        ["serve", "--listen=nowhere"],
    ] {
        let output = chat_server().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let (option, _) = arguments[1].split_once('=').unwrap();
        let message = message(&output);
        assert!(message.contains(option), "{arguments:?}: {message}");
    }
}
