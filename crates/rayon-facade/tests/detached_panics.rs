//! A panic of a detached task ends the process, unless there is a handler for it.

use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;

/// Runs one of the programs below in a process of its own.
fn output_of(program: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", program, "--ignored", "--nocapture"]);
    command.env("RUST_BACKTRACE", "0");
    command.output().unwrap()
}

/// The program ends by an abort; what it has said until then.
#[track_caller]
fn aborts(program: &str) -> String {
    let output = output_of(program);
    assert!(!output.status.success(), "{output:?}");
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        assert!(output.status.signal().is_some(), "{output:?}");
    }
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits for the abort of another thread. If there is none, the process ends after a while.
fn wait_for_the_end() -> ! {
    thread::sleep(Duration::from_secs(120));
    panic!("it goes on");
}

#[test]
fn a_task_without_a_handler_aborts() {
    for program in [
        "program_spawn",
        "program_spawn_fifo",
        "program_spawn_in_a_pool",
        "program_spawn_broadcast",
    ] {
        let said = aborts(program);
        assert_eq!(said.matches("boom").count(), 1, "{program}: {said}");
        assert!(said.contains("aborting"), "{program}: {said}");
    }
}

#[test]
fn so_does_one_that_no_hook_hears_of() {
    let said = aborts("program_quiet");
    assert!(said.contains("aborting"), "{said}");
}

#[test]
fn so_does_a_handler_that_panics() {
    let said = aborts("program_handler_that_panics");
    assert!(said.contains("the panic handler panicked"), "{said}");
}

/// The payload of the handler's panic must not have its say: its drop panics, too.
#[test]
fn so_does_a_handler_that_panics_with_a_bomb() {
    let said = aborts("program_handler_with_a_bomb");
    assert!(said.contains("the panic handler panicked"), "{said}");
}

#[test]
fn a_handler_gets_the_payload() {
    let (tell, told) = mpsc::channel();
    let pool = ThreadPoolBuilder::new()
        .num_threads(2)
        .panic_handler(move |payload| tell.send(payload).unwrap())
        .build()
        .unwrap();
    pool.spawn(|| std::panic::resume_unwind(Box::new(7)));
    let payload = told.recv_timeout(Duration::from_secs(120)).unwrap();
    assert_eq!(payload.downcast_ref(), Some(&7));
    assert_eq!(pool.install(|| 6 * 7), 42);
}

#[test]
#[ignore = "a program of `a_task_without_a_handler_aborts`"]
fn program_spawn() {
    rayon::spawn(|| panic!("boom"));
    wait_for_the_end();
}

#[test]
#[ignore = "a program of `a_task_without_a_handler_aborts`"]
fn program_spawn_fifo() {
    rayon::spawn_fifo(|| panic!("boom"));
    wait_for_the_end();
}

#[test]
#[ignore = "a program of `a_task_without_a_handler_aborts`"]
fn program_spawn_in_a_pool() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.spawn(|| panic!("boom"));
    wait_for_the_end();
}

#[test]
#[ignore = "a program of `a_task_without_a_handler_aborts`"]
fn program_spawn_broadcast() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.spawn_broadcast(|_| panic!("boom"));
    wait_for_the_end();
}

#[test]
#[ignore = "a program of `so_does_one_that_no_hook_hears_of`"]
fn program_quiet() {
    rayon::spawn(|| std::panic::resume_unwind(Box::new("boom")));
    wait_for_the_end();
}

#[test]
#[ignore = "a program of `so_does_a_handler_that_panics`"]
fn program_handler_that_panics() {
    let pool = ThreadPoolBuilder::new().panic_handler(|_| panic!("handler"));
    let pool = pool.build().unwrap();
    pool.spawn(|| panic!("boom"));
    wait_for_the_end();
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("bomb"));
    }
}

#[test]
#[ignore = "a program of `so_does_a_handler_that_panics_with_a_bomb`"]
fn program_handler_with_a_bomb() {
    let pool = ThreadPoolBuilder::new().panic_handler(|_| std::panic::panic_any(Bomb));
    let pool = pool.build().unwrap();
    pool.spawn(|| panic!("boom"));
    wait_for_the_end();
}
