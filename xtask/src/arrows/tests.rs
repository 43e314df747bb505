//! A check that cannot fail is worthless, so every rule gets a violation planted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::back::{ANY, Back};
use super::circles;
use super::consumer;
use super::rules::{LAYERS, ROOMS, TWINS};
use super::size::{self, Length};
use super::tree::Files;
use super::verdict::{Violation, judge};

/// Judges a library made of these files. Modules at the top are declared by themselves.
fn library(files: &[(&str, &str)]) -> Vec<Violation> {
    let mut all: Files = files
        .iter()
        .map(|(file, text)| (PathBuf::from(file), (*text).to_owned()))
        .collect();
    let tops: BTreeSet<String> = all
        .keys()
        .filter(|file| **file != Path::new("lib.rs"))
        .map(|file| {
            let first = file.iter().next().unwrap().to_str().unwrap();
            first.trim_end_matches(".rs").to_owned()
        })
        .collect();
    let mut lib: String = tops.iter().map(|name| format!("mod {name};\n")).collect();
    lib += all.get(Path::new("lib.rs")).map_or("", String::as_str);
    all.insert("lib.rs".into(), lib);
    judge(&all).unwrap()
}

#[track_caller]
fn breaks(rule: &str, files: &[(&str, &str)]) {
    let found = library(files);
    assert!(
        found.iter().any(|violation| violation.rule == rule),
        "{rule} not found in {found:?}"
    );
    assert!(
        found.iter().all(|violation| violation.rule == rule),
        "more than {rule}: {found:?}"
    );
}

#[track_caller]
fn keeps(files: &[(&str, &str)]) {
    assert_eq!(library(files), []);
}

#[test]
fn the_library_keeps_to_the_architecture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let report = super::examine(root).unwrap();
    let lines: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn layers_point_one_way() {
    fn visit(name: &'static str, trail: &mut Vec<&'static str>) {
        if let Some(start) = trail.iter().position(|seen| *seen == name) {
            let circle: BTreeSet<_> = trail[start..].iter().copied().collect();
            let twins = TWINS.iter().any(|twins| circle == BTreeSet::from(*twins));
            assert!(twins, "a circle: {trail:?} back to {name}");
            return;
        }
        let layer = LAYERS.iter().chain(ROOMS).find(|layer| layer.name == name);
        let layer = layer.unwrap_or_else(|| panic!("`{name}` is named but has no layer"));
        trail.push(name);
        for next in layer.may_use {
            visit(next, trail);
        }
        trail.pop();
    }
    for layer in LAYERS.iter().chain(ROOMS) {
        visit(layer.name, &mut Vec::new());
    }
}

#[test]
fn allowed_arrows_pass() {
    keeps(&[
        ("platform.rs", "pub fn barrier() {}"),
        (
            "sync/mod.rs",
            "mod barrier; pub use std::sync::atomic::AtomicUsize;",
        ),
        (
            "sync/barrier.rs",
            "use crate::platform; use super::AtomicUsize as A; fn f() { platform::barrier() }",
        ),
        (
            "wait.rs",
            "use crate::sync::AtomicUsize; fn f() { std::thread::park() }",
        ),
    ]);
}

#[test]
fn an_arrow_by_use() {
    breaks(
        "arrows",
        &[("channel.rs", "use crate::pool::Worker;"), ("pool.rs", "")],
    );
}

#[test]
fn an_arrow_between_rooms() {
    let lib = (
        "iter/mod.rs",
        "mod adapters; mod engine; pub use adapters::Map;",
    );
    let map = (
        "iter/adapters.rs",
        "use crate::iter::engine::run; pub struct Map;",
    );
    keeps(&[lib, map, ("iter/engine.rs", "pub fn run() {}")]);
    for upwards in [
        "use crate::iter::adapters::Map;",
        "use super::adapters::Map;",
        "use super::Map;",
    ] {
        breaks(
            "rooms",
            &[
                lib,
                ("iter/adapters.rs", "pub struct Map;"),
                ("iter/engine.rs", upwards),
            ],
        );
    }
}

#[test]
fn an_arrow_in_a_use_group() {
    breaks(
        "arrows",
        &[
            (
                "channel.rs",
                "use crate::{wait::Gate, pool::{self, Worker}};",
            ),
            ("pool.rs", ""),
            ("wait.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_in_code() {
    breaks(
        "arrows",
        &[
            ("iter.rs", "fn f() { crate::pool::go(); }"),
            ("pool.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_in_a_type() {
    breaks(
        "arrows",
        &[
            ("iter.rs", "struct S<'a>(&'a [crate::job::Job]);"),
            ("job.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_through_super() {
    breaks(
        "arrows",
        &[
            ("channel/mod.rs", "mod lane;"),
            ("channel/lane.rs", "use super::super::pool::Worker;"),
            ("pool.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_from_an_inline_module() {
    breaks(
        "arrows",
        &[
            (
                "channel.rs",
                "mod lane { fn f() { super::super::pool::go() } }",
            ),
            ("pool.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_inside_a_macro() {
    breaks(
        "arrows",
        &[
            (
                "channel.rs",
                "fn f() { assert_eq!(1, { crate::pool::go() }); }",
            ),
            ("pool.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_inside_a_macro_definition() {
    breaks(
        "arrows",
        &[
            (
                "channel.rs",
                "macro_rules! m { () => { use $crate::{wait, pool::go}; } }",
            ),
            ("pool.rs", ""),
            ("wait.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_inside_an_exported_macro() {
    breaks(
        "arrows",
        &[
            (
                "channel.rs",
                "#[macro_export] macro_rules! m { () => { $crate::pool::go() } }",
            ),
            ("pool.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_to_an_exported_macro() {
    let pool = "#[macro_export] macro_rules! m { () => {} }";
    breaks(
        "arrows",
        &[("channel.rs", "fn f() { crate::m!(); }"), ("pool.rs", pool)],
    );
}

#[test]
fn an_exported_macro_is_a_part_of_its_caller() {
    let channel = "#[macro_export] macro_rules! m { () => { \
                       pub mod made { use super::super::*; fn f() { super::pool::go() } } \
                       $crate::helper!(); \
                   } } \
                   #[macro_export] macro_rules! helper { () => {} }";
    keeps(&[("channel.rs", channel), ("pool.rs", "")]);
}

#[test]
fn an_arrow_through_a_renamed_root() {
    breaks(
        "arrows",
        &[
            (
                "channel.rs",
                "use crate as root; fn f() { root::pool::go() }",
            ),
            ("pool.rs", ""),
        ],
    );
}

#[test]
fn an_arrow_through_a_reexport_of_the_root() {
    breaks(
        "arrows",
        &[
            ("lib.rs", "pub use pool::Pool;"),
            ("channel.rs", "use crate::Pool;"),
            ("pool.rs", "pub struct Pool;"),
        ],
    );
}

#[test]
fn an_arrow_through_a_reexport_of_a_friend() {
    breaks(
        "arrows",
        &[
            ("iter.rs", "use crate::join::Worker;"),
            ("join.rs", "pub(crate) use crate::pool::Worker;"),
            ("pool.rs", "pub struct Worker;"),
        ],
    );
}

#[test]
fn an_arrow_through_a_glob_of_a_friend() {
    breaks(
        "arrows",
        &[
            ("iter.rs", "use crate::join::Worker;"),
            ("join.rs", "pub(crate) use crate::pool::*;"),
            ("pool.rs", "pub struct Worker;"),
        ],
    );
}

#[test]
fn a_glob_over_the_root() {
    breaks("arrows", &[("channel.rs", "use crate::*;")]);
    breaks("arrows", &[("channel.rs", "use super::*;")]);
}

#[test]
fn an_item_of_the_root() {
    breaks(
        "arrows",
        &[
            ("lib.rs", "pub fn helper() {}"),
            ("channel.rs", "fn f() { crate::helper() }"),
        ],
    );
}

#[test]
fn an_unknown_module() {
    let found = library(&[("gadget.rs", "")]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, "known-modules");
    assert!(found[0].message.contains("rules.rs"));
}

#[test]
fn a_file_that_is_not_compiled() {
    let mut files = Files::new();
    files.insert("lib.rs".into(), String::new());
    files.insert("forgotten.rs".into(), String::new());
    let found = judge(&files).unwrap();
    assert_eq!(found[0].rule, "no-orphans");
}

#[test]
fn a_missing_file_is_an_error() {
    let mut files = Files::new();
    files.insert("lib.rs".into(), "mod gone;".to_owned());
    let error = judge(&files).unwrap_err().to_string();
    assert!(error.contains("gone"), "{error}");
}

#[test]
fn files_behind_path_attributes_are_read() {
    for attribute in [
        "#[path = \"x86.rs\"]",
        "#[cfg_attr(unix, path = \"x86.rs\")]",
    ] {
        let text = format!("{attribute} mod imp;");
        breaks(
            "arrows",
            &[
                ("channel/mod.rs", &text),
                ("channel/x86.rs", "use crate::pool::X;"),
                ("pool.rs", ""),
            ],
        );
    }
}

#[test]
fn atomics_outside_of_sync() {
    let rule = "only-sync-names-atomics";
    for text in [
        "use std::sync::atomic::AtomicUsize;",
        "use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};",
        "use core::sync::atomic;",
        "use std::sync; fn f() { sync::atomic::fence() }",
        "use std::sync as s; fn f() { s::atomic::fence() }",
        "use core::sync::*;",
        "fn f() { std::sync::atomic::fence() }",
        "fn f() { ::std::sync::atomic::fence() }",
        "per_thread! { static A: u8 = std::sync::atomic::AtomicU8::new(0); }",
        "mod deep { use std::sync::atomic; }",
    ] {
        breaks(rule, &[("pool.rs", text)]);
    }
    breaks(rule, &[("lib.rs", "use std::sync::atomic::AtomicUsize;")]);
    keeps(&[("sync.rs", "use std::sync::atomic::AtomicUsize;")]);
    keeps(&[("pool.rs", "use std::sync::{Arc, Mutex}; use std::sync;")]);
}

#[test]
fn model_checkers_outside_of_sync() {
    let rule = "only-sync-and-wait-name-checkers";
    for text in ["fn f() { loom::model(|| ()) }", "use shuttle::sync::Mutex;"] {
        breaks(rule, &[("pool.rs", text)]);
        keeps(&[("wait.rs", text)]);
    }
}

#[test]
fn statics_that_runs_of_a_checker_share() {
    let rule = "statics-are-process-wide";
    let free = "static A: Mutex<u8> = Mutex::new(0);";
    let inside = "fn f() { static A: AtomicUsize = AtomicUsize::new(0); }";
    for text in [free, inside] {
        breaks(rule, &[("pool.rs", text)]);
        keeps(&[("sync.rs", text)]);
        keeps(&[("platform.rs", text)]);
    }
    for text in [
        "process_wide! { static A: Mutex<u8> = Mutex::new(0); }",
        "fn f() { static A: OnceLock<u8> = OnceLock::new(); }",
        "#[cfg(test)] mod tests { static A: Mutex<u8> = Mutex::new(0); }",
        "#[test] fn f() { static A: Mutex<u8> = Mutex::new(0); }",
    ] {
        keeps(&[("pool.rs", text)]);
    }
}

#[test]
fn thread_local_state_that_is_not_checked() {
    let rule = "thread-locals-are-checked";
    for text in [
        "thread_local! { static A: u8 = const { 0 }; }",
        "fn f() { std::thread_local! { static A: u8 = const { 0 }; } }",
    ] {
        breaks(rule, &[("pool.rs", text)]);
        keeps(&[("sync.rs", text)]);
        keeps(&[("platform.rs", text)]);
    }
    keeps(&[("pool.rs", "per_thread! { static A: u8 = const { 0 }; }")]);
    let test = "#[cfg(test)] mod tests { thread_local! { static A: u8 = const { 0 }; } }";
    keeps(&[("pool.rs", test)]);
}

#[test]
fn atomics_above_the_pool() {
    let sync = (
        "sync.rs",
        "pub use std::sync::atomic::{AtomicUsize, Ordering};",
    );
    let text = "use crate::sync::AtomicUsize;";
    breaks("no-atomics-above-the-pool", &[sync, ("join.rs", text)]);
    breaks(
        "no-atomics-above-the-pool",
        &[
            (
                "sync.rs",
                "pub use imp::*; mod imp { pub use std::sync::atomic::*; }",
            ),
            ("scope.rs", text),
        ],
    );
    keeps(&[sync, ("pool.rs", text)]);
    keeps(&[
        ("sync.rs", "pub use std::sync::{Arc, Mutex};"),
        ("scope.rs", "use crate::sync::Arc;"),
    ]);
}

#[test]
fn sleep_outside_of_wait() {
    let rule = "only-wait-sleeps";
    for text in [
        "fn f() { std::thread::park() }",
        "use std::thread; fn f() { thread::sleep(d) }",
        "use std::thread::{self, park_timeout};",
        "use std::thread::*;",
        "use std::sync::{Arc, Condvar};",
    ] {
        breaks(rule, &[("pool.rs", text)]);
    }
    let platform = ("platform.rs", "pub mod futex { pub fn wait() {} }");
    let futex = "fn f() { crate::platform::futex::wait() }";
    breaks(rule, &[platform, ("pool.rs", futex)]);
    keeps(&[platform, ("wait.rs", futex)]);
    keeps(&[(
        "pool.rs",
        "use std::thread; fn f() { thread::spawn(g).unpark() }",
    )]);
}

#[test]
fn a_channel_that_is_no_source() {
    let text = "use std::sync::mpsc::Receiver;";
    breaks("channels-are-sources-only", &[("pool.rs", text)]);
    keeps(&[("stream.rs", text)]);
}

#[test]
fn sleep_through_the_facade() {
    let sync = ("sync.rs", "pub mod thread { pub use std::thread::park; }");
    let text = "fn f() { crate::sync::thread::park() }";
    breaks("only-wait-sleeps", &[sync, ("pool.rs", text)]);
    keeps(&[sync, ("wait.rs", text)]);
    breaks(
        "only-wait-sleeps",
        &[("sync.rs", "fn f() { std::thread::park() }")],
    );
}

#[test]
fn system_calls_outside_of_platform() {
    let rule = "only-platform-calls-the-system";
    breaks(
        rule,
        &[("wait.rs", "fn f() { unsafe { libc::sched_yield(); } }")],
    );
    breaks(
        rule,
        &[("sync.rs", "unsafe extern \"C\" { fn getpid() -> i32; }")],
    );
    keeps(&[(
        "platform.rs",
        "unsafe extern \"C\" { fn getpid() -> i32; } use libc::c_int;",
    )]);
}

#[test]
fn tests_are_exempt_and_only_tests() {
    let text = "use std::sync::atomic::AtomicUsize; use crate::pool::X;";
    keeps(&[
        (
            "channel.rs",
            &format!("#[cfg(test)] mod tests {{ {text} }}"),
        ),
        ("pool.rs", ""),
    ]);
    keeps(&[(
        "channel.rs",
        &format!("#[cfg(all(drumline_loom, test))] mod m {{ {text} }}"),
    )]);
    keeps(&[
        ("channel/mod.rs", "#[cfg(test)] mod tests;"),
        ("channel/tests.rs", text),
    ]);
    keeps(&[("pool.rs", "#[test] fn t() { std::thread::park() }")]);
    keeps(&[(
        "pool.rs",
        "struct S; impl S { #[cfg(test)] fn t() { std::thread::park() } }",
    )]);
    for predicate in ["not(test)", "any(test, loom)", "loom"] {
        let text = format!("#[cfg({predicate})] mod m {{ use std::sync::atomic; }}");
        breaks("only-sync-names-atomics", &[("channel.rs", &text)]);
    }
}

#[test]
fn a_violation_says_where() {
    let found = library(&[("channel.rs", "\n\nuse crate::pool::X;"), ("pool.rs", "")]);
    let text = found[0].to_string();
    assert!(
        text.starts_with("channel.rs:3: `channel` must not name `pool`"),
        "{text}"
    );
}

#[test]
fn an_import_is_reported_once() {
    let text = "use std::sync::atomic::AtomicU8;\nfn f() { AtomicU8::new(0); }\n\
                fn g() { std::sync::atomic::AtomicU8::new(0); }";
    let lines: Vec<usize> = library(&[("pool.rs", text)])
        .iter()
        .map(|v| v.line)
        .collect();
    assert_eq!(lines, [1, 3]);
    let text = "use crate::pool::X;\nfn f() { X::new(0); }";
    assert_eq!(library(&[("channel.rs", text), ("pool.rs", "")]).len(), 1);
}

#[test]
fn lengths() {
    assert_eq!(size::length(500), Length::Fine);
    assert_eq!(size::length(501), Length::Long);
    assert_eq!(size::length(700), Length::Long);
    assert_eq!(size::length(701), Length::TooLong);
}

#[test]
fn unsafe_is_counted_in_code_and_macros_only() {
    let text = "// unsafe\n/// unsafe\nunsafe fn f() { unsafe { g() } m!({ unsafe { h() } }); \"unsafe\"; }";
    assert_eq!(size::unsafe_count(text), 3);
}

#[test]
fn consumers_keep_to_the_public_api() {
    let lib = "#[doc(hidden)] pub mod internals; #[doc(hidden)] pub use a::{b, c as d}; \
               pub fn __secret() {} pub fn join() {} #[doc(hidden)] mod private;";
    let hidden = consumer::hidden_names(lib).unwrap();
    let names: Vec<&str> = hidden.iter().map(String::as_str).collect();
    assert_eq!(names, ["__secret", "b", "d", "internals"]);

    let judge = |text| consumer::judge_file(Path::new("lab/src/main.rs"), text, &hidden).unwrap();
    assert_eq!(
        judge("use drumline::join; fn f() { drumline::join(a, b); }"),
        []
    );
    for text in [
        "use drumline::internals::Deque;",
        "use drumline::{join, internals};",
        "fn f() { println!(\"{}\", ::drumline::__secret()) }",
        "#[path = \"../../crates/drumline/src/pool/deque.rs\"] mod deque;",
        "include!(\"../../crates/drumline/src/pool/deque.rs\");",
    ] {
        assert_eq!(judge(text).len(), 1, "{text}");
    }
}

/// A library in which two files name each other through a re-export.
const CIRCLE: &[(&str, &str)] = &[
    ("lib.rs", "mod pool;"),
    (
        "pool/mod.rs",
        "mod seat; mod table; pub use seat::Seat; pub use table::Table;",
    ),
    ("pool/seat.rs", "use super::Table; pub struct Seat;"),
    ("pool/table.rs", "use super::Seat; pub struct Table;"),
];

fn circle_violations(files: &[(&str, &str)], back: &[Back]) -> Vec<String> {
    let files = files
        .iter()
        .map(|(file, text)| (PathBuf::from(file), (*text).to_owned()))
        .collect();
    let found = circles::judge(&files, back).unwrap();
    assert!(found.iter().all(|violation| violation.rule == "circles"));
    found.into_iter().map(|one| one.message).collect()
}

const fn back(from: &'static str, to: &'static [&'static str]) -> Back {
    let why = "a test";
    Back { from, to, why }
}

#[test]
fn a_circle_of_files() {
    let found = circle_violations(CIRCLE, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("pool/seat.rs -> pool/table.rs: Table"));
    assert!(found[0].contains("pool/table.rs -> pool/seat.rs: Seat"));
    assert!(!found[0].contains("mod.rs"), "it only hands names on");
}

#[test]
fn a_circle_through_a_private_import() {
    let files = &[
        ("lib.rs", "mod pool;"),
        ("pool/mod.rs", "mod seat; mod table; use table::Table;"),
        ("pool/seat.rs", "fn f(_: super::Table) {} pub struct Seat;"),
        (
            "pool/table.rs",
            "pub struct Table { _seat: super::seat::Seat }",
        ),
    ];
    assert_eq!(circle_violations(files, &[]).len(), 1);
}

#[test]
fn one_way_is_no_circle() {
    let files = &[
        ("lib.rs", "mod pool;"),
        (
            "pool/mod.rs",
            "mod seat; mod table; pub use seat::Seat; fn f() {}",
        ),
        ("pool/seat.rs", "use super::table::Table; pub struct Seat;"),
        (
            "pool/table.rs",
            "pub struct Table; #[cfg(test)] mod tests { use super::super::Seat; }",
        ),
    ];
    assert_eq!(circle_violations(files, &[]), [""; 0]);
}

#[test]
fn arrows_back_are_named_and_needed() {
    let named = back("pool/table.rs", &["pool/seat.rs"]);
    assert_eq!(circle_violations(CIRCLE, &[named]), [""; 0]);
    let to_any = back("pool/table.rs", &[ANY]);
    assert_eq!(circle_violations(CIRCLE, &[to_any]), [""; 0]);
    // The second closes no circle once the first is taken away.
    let both = [
        back("pool/table.rs", &["pool/seat.rs"]),
        back("pool/seat.rs", &["pool/table.rs"]),
    ];
    assert_eq!(circle_violations(CIRCLE, &both).len(), 2);
    let gone = [
        back("pool/table.rs", &["pool/seat.rs"]),
        back("pool/gone.rs", &["pool/seat.rs"]),
    ];
    assert_eq!(circle_violations(CIRCLE, &gone).len(), 1);
}
