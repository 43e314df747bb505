//! Wrong steps do not compile, and what the compiler says names the step.
//!
//! Each case is a pair: a program that compiles, and its twin that differs in one step. All are
//! examples of one package, which is checked by one `cargo check`.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What all programs begin with. None of them uses all of it, and that is no error to look for.
const PRELUDE: &str = r#"
#![deny(unused_must_use)]
#![allow(dead_code, unused_variables, unused_imports)]

drumline::protocol! {
    pub mod bank of client with server {
        Start = choose {
            Deposit(u64) => Balance,
            Withdraw(u64) => Answer,
            Quit => end,
        };
        Balance = recv u64 => Start;
        Answer = offer {
            Granted(String) => Start,
            Refused => Start,
        };
    }
}

drumline::protocol! {
    pub mod hand_over of old with new {
        Rest = send bank::client::Answer => Done;
        Done = recv String => end;
    }
}

use bank::{choice, client, offer, server};
use drumline::protocol::{PeerLeft, select};

fn main() {}
"#;

struct Case {
    name: &'static str,
    right: &'static str,
    wrong: &'static str,
    /// What the compiler has to say of the wrong one.
    says: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        name: "send-instead-of-recv",
        right: "fn f(next: client::Balance) { drop(next.recv()); }",
        wrong: "fn f(next: client::Balance) { drop(next.send(5)); }",
        says: &["no method named `send` found", "client::Balance"],
    },
    Case {
        name: "recv-instead-of-send",
        right: "fn f(next: server::Balance) { drop(next.send(5)); }",
        wrong: "fn f(next: server::Balance) { drop(next.recv()); }",
        says: &["no method named `recv` found", "server::Balance"],
    },
    Case {
        name: "choose-instead-of-offer",
        right: "fn f(next: client::Answer) { drop(next.offer()); }",
        wrong: "fn f(next: client::Answer) { drop(next.choose(choice::Answer::Refused)); }",
        says: &["no method named `choose` found", "client::Answer"],
    },
    Case {
        name: "offer-instead-of-choose",
        right: "fn f(next: server::Answer) { drop(next.choose(choice::Answer::Refused)); }",
        wrong: "fn f(next: server::Answer) { drop(next.offer()); }",
        says: &["no method named `offer` found", "server::Answer"],
    },
    Case {
        name: "wrong-type",
        right: "fn f(next: server::Balance) { drop(next.send(5)); }",
        wrong: "fn f(next: server::Balance) { drop(next.send(\"five\")); }",
        says: &["mismatched types", "expected `u64`, found `&str`"],
    },
    Case {
        name: "wrong-type-of-a-branch",
        right: "fn f(next: client::Start) { drop(next.choose(choice::Start::Deposit(5))); }",
        wrong: "fn f(next: client::Start) { drop(next.choose(choice::Start::Deposit(\"5\"))); }",
        says: &[
            "mismatched types",
            "expected `u64`, found `&str`",
            "Deposit",
        ],
    },
    Case {
        name: "branch-of-another-step",
        right: "fn f(next: client::Start) { drop(next.choose(choice::Start::Quit)); }",
        wrong: "fn f(next: client::Start) { drop(next.choose(choice::Answer::Refused)); }",
        says: &[
            "`Refused` cannot be sent in the step `client::Start`",
            "this is no branch of the step `client::Start`",
        ],
    },
    Case {
        name: "no-branch-at-all",
        right: "fn f(next: client::Start) { drop(next.choose(choice::Start::Quit)); }",
        wrong: "fn f(next: client::Start) { drop(next.choose(5u64)); }",
        says: &["`u64` cannot be sent in the step `client::Start`"],
    },
    Case {
        name: "unknown-branch",
        right: "fn f(next: client::Start) { drop(next.choose(choice::Start::Quit)); }",
        wrong: "fn f(next: client::Start) { drop(next.choose(choice::Start::Steal)); }",
        says: &["cannot find value `Steal` in module `choice::Start`"],
    },
    Case {
        name: "twice",
        right: "fn f(next: client::Balance) { drop(next.recv().unwrap().1); }",
        wrong: "fn f(next: client::Balance) { drop(next.recv()); drop(next.recv()); }",
        says: &["use of moved value: `next`", "client::Balance"],
    },
    Case {
        name: "twice-after-a-failure",
        right: "fn f(next: client::Balance) { let Err(_) = next.try_recv() else { return }; }",
        wrong: "fn f(next: client::Balance) { let Err(_) = next.try_recv() else { return }; \
                drop(next.recv()); }",
        says: &["use of moved value: `next`", "client::Balance"],
    },
    Case {
        name: "copied",
        right: "fn f(next: client::Balance) { drop(next) }",
        wrong: "fn f(next: client::Balance) { drop(next.clone()) }",
        says: &["no method named `clone` found", "client::Balance"],
    },
    Case {
        name: "ends-early",
        right: "fn f(next: client::Start) -> Result<client::End, PeerLeft> { \
                Ok(next.choose(choice::Start::Quit)?) }",
        wrong: "fn f(next: client::Start) -> Result<client::End, PeerLeft> { \
                Ok(next.choose(choice::Start::Deposit(1))?) }",
        says: &["expected `End`, found `Balance`"],
    },
    Case {
        name: "ends-by-itself",
        right: "fn f(next: client::Start) -> Result<client::End, PeerLeft> { \
                Ok(next.choose(choice::Start::Quit)?) }",
        wrong: "fn f(next: client::Start) -> client::End { client::End { _by_the_last_step: () } }",
        says: &["field `_by_the_last_step` of struct `client::End` is private"],
    },
    Case {
        name: "endpoint-of-its-own",
        right: "fn f() -> client::Start { bank::unbounded().0 }",
        wrong: "fn f() -> client::Balance { bank::unbounded().0 }",
        says: &["mismatched types", "expected `Balance`, found `Start`"],
    },
    Case {
        name: "left-in-the-middle",
        right: "fn f(next: client::Balance) { drop(next.recv().unwrap().1); }",
        wrong: "fn f(next: server::Balance) { next.send(1).unwrap(); }",
        says: &[
            "unused `server::Start` that must be used",
            "go on with its next step",
        ],
    },
    Case {
        name: "left-at-an-offer",
        right: "fn f(next: client::Answer) { drop(next.offer().unwrap()); }",
        wrong: "fn f(next: client::Answer) { next.offer().unwrap(); }",
        says: &[
            "offer::Answer` that must be used",
            "go on with its next step",
        ],
    },
    Case {
        name: "a-branch-is-missing",
        right: "fn f(next: client::Answer) -> client::Start { match next.offer().unwrap() { \
                offer::Answer::Granted(_, start) | offer::Answer::Refused(start) => start } }",
        wrong: "fn f(next: client::Answer) -> client::Start { match next.offer().unwrap() { \
                offer::Answer::Granted(_, start) => start } }",
        says: &[
            "non-exhaustive patterns",
            "offer::Answer::Refused(_)` not covered",
        ],
    },
    Case {
        name: "of-the-other-side",
        right: "fn f() -> client::Start { bank::unbounded().0 }",
        wrong: "fn f() -> client::Start { bank::unbounded().1 }",
        says: &["expected `client::Start`, found `server::Start`"],
    },
    Case {
        name: "not-delegated-in-this-state",
        right: "fn f(old: hand_over::old::Rest, next: client::Answer) { drop(old.send(next)); }",
        wrong: "fn f(old: hand_over::old::Rest, next: client::Balance) { drop(old.send(next)); }",
        says: &["mismatched types", "expected `Answer`, found `Balance`"],
    },
    Case {
        name: "used-after-its-delegation",
        right: "fn f(old: hand_over::old::Rest, next: client::Answer) { drop(old.send(next)); }",
        wrong: "fn f(old: hand_over::old::Rest, next: client::Answer) { drop(old.send(next)); \
                drop(next.offer()); }",
        says: &["use of moved value: `next`", "client::Answer"],
    },
    Case {
        name: "select-of-a-step-that-sends",
        right: "fn f(mut all: Vec<client::Balance>) { drop(select(&mut all)); }",
        wrong: "fn f(mut all: Vec<server::Balance>) { drop(select(&mut all)); }",
        says: &["the next step of `server::Balance` is no receive"],
    },
    Case {
        name: "select-of-a-tuple-with-a-step-that-sends",
        right: "fn f(a: client::Balance, b: client::Answer) { drop(select((a, b))); }",
        wrong: "fn f(a: client::Balance, b: server::Answer) { drop(select((a, b))); }",
        says: &["the next step of `server::Answer` is no receive"],
    },
    Case {
        name: "message-that-is-not-send",
        right: "drumline::protocol! { mod p of a with b { Only = send Vec<u8> => end; } }",
        wrong: "drumline::protocol! { mod p of a with b { Only = send std::rc::Rc<u8> => end; } }",
        says: &[
            "`Rc<u8>` cannot be sent between threads safely",
            "within `p::lanes::__Up`",
        ],
    },
    Case {
        name: "state-that-is-missing",
        right: "drumline::protocol! { mod p of a with b { Only = send u8 => Only; } }",
        wrong: "drumline::protocol! { mod p of a with b { Only = send u8 => Other; } }",
        says: &["cannot find type `Other`"],
    },
    Case {
        name: "step-that-is-none",
        right: "drumline::protocol! { mod p of a with b { Only = send u8 => end; } }",
        wrong: "drumline::protocol! { mod p of a with b { Only = tell u8 => end; } }",
        says: &["the state `Only` is written `= send Type => Next;`"],
    },
    Case {
        name: "protocol-without-states",
        right: "drumline::protocol! { mod p of a with b { Only = send u8 => end; } }",
        wrong: "drumline::protocol! { mod p of a with b { } }",
        says: &["a protocol is written `mod name of role with role { State = step; … }`"],
    },
];

fn write_package(package: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = 'wrong-steps'\nversion = '0.0.0'\nedition = '2024'\n\n\
         [dependencies]\ndrumline = {{ path = '{}' }}\n\n[workspace]\n",
        here.display()
    );
    let examples = package.join("examples");
    // A case that has gone would be an example still.
    let _none_at_first = fs::remove_dir_all(&examples);
    fs::create_dir_all(package.join("src")).unwrap();
    fs::create_dir_all(&examples).unwrap();
    fs::write(package.join("src/lib.rs"), "").unwrap();
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    for case in CASES {
        for (twin, text) in [("right", case.right), ("wrong", case.wrong)] {
            let file = examples.join(format!("{}-{twin}.rs", case.name));
            fs::write(file, format!("{PRELUDE}\n{text}\n")).unwrap();
        }
    }
    // The versions of the workspace are those that need no network.
    if let Ok(lock) = fs::read_to_string(here.join("../../Cargo.lock")) {
        fs::write(package.join("Cargo.lock"), lock).unwrap();
    }
}

/// The errors of each example, by its name.
fn errors(package: &Path) -> HashMap<String, String> {
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--examples", "--keep-going"])
        .args(["--message-format", "json"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", package.join("target"))
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut errors = HashMap::new();
    let mut are_there = false;
    for line in lines.lines() {
        are_there |= line.contains(r#""reason":"compiler-message""#);
        if let Some((target, rendered)) = error(line) {
            *errors.entry(target).or_insert_with(String::new) += &rendered;
        }
    }
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(are_there, "cargo has not got to the examples: {told}");
    errors
}

/// The example and the text of an error, out of a line of cargo's.
fn error(line: &str) -> Option<(String, String)> {
    let (_, target) = line.split_once(r#""target":{"#)?;
    let (_, name) = target.split_once(r#""name":""#)?;
    let (name, _) = name.split_once('"')?;
    let (_, rendered) = line.split_once(r#""rendered":""#)?;
    line.contains(r#""level":"error""#)
        .then(|| (name.to_owned(), unescaped(rendered)))
}

/// A string of JSON, up to its closing quotation mark.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => match letters.next() {
                Some('n') => plain.push('\n'),
                Some(other) => plain.push(other),
                None => break,
            },
            _ => plain.push(letter),
        }
    }
    plain
}

#[test]
fn wrong_steps_do_not_compile() {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-steps");
    write_package(&package);
    let errors = errors(&package);
    let mut failures = Vec::new();
    for case in CASES {
        if let Some(error) = errors.get(&format!("{}-right", case.name)) {
            failures.push(format!("{}: the right twin has\n{error}", case.name));
        }
        let Some(error) = errors.get(&format!("{}-wrong", case.name)) else {
            failures.push(format!("{}: the wrong twin compiles", case.name));
            continue;
        };
        // Some compilers say from where a path begins, and some do not.
        let plain = error.replace("bank::", "");
        for said in case.says {
            if !plain.contains(said) {
                failures.push(format!("{}: `{said}` is not in\n{error}", case.name));
            }
        }
        if env::var_os("DRUMLINE_SHOW").is_some() {
            println!("---- {}\n{error}", case.name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
