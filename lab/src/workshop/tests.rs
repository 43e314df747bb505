use super::*;

/// The alias and this file must agree, or `cargo lab` and `cargo lab compare` measure different
/// programs.
#[test]
fn the_alias_aligns_loops_in_the_same_way() {
    let config = include_str!("../../../.cargo/config.toml");
    assert!(ALIGNMENT.iter().all(|flag| config.contains(flag)));
}

#[test]
fn the_program_is_found_among_cargos_messages() {
    let found = executable(r#"{"reason":"compiler-artifact","executable":"/a/b"}"#);
    assert_eq!(found, Some(PathBuf::from("/a/b")));
    let library = r#"{"reason":"compiler-artifact","executable":null}"#;
    assert_eq!(executable(library), None);
    assert_eq!(executable("Compiling x"), None);
}

#[test]
fn one_process_builds_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let busy = directory.path().join("busy");
    take(&busy).unwrap();
    // This process is alive.
    let error = take(&busy).unwrap_err().to_string();
    assert!(error.contains("builds revisions already"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_killed_process_left_is_taken_over() {
    let directory = tempfile::tempdir().unwrap();
    let busy = directory.path().join("busy");
    fs::write(&busy, "4294967295").unwrap();
    take(&busy).unwrap();
    let own = std::process::id().to_string();
    assert_eq!(fs::read_to_string(&busy).unwrap(), own);
}

/// Writes a program. Another process does it: a child of another test could otherwise hold the
/// file open, and what is open for writing cannot be started.
#[cfg(unix)]
fn make_script(file: &Path, text: &str) {
    let write = "printf %s \"$1\" > \"$0\" && chmod +x \"$0\"";
    let mut shell = Command::new("sh");
    let status = shell.arg("-c").arg(write).arg(file).arg(text).status();
    assert!(status.unwrap().success());
}

/// Has a script take the place of cargo, and returns how many programs there are, what their
/// layouts are, and what cargo was told.
#[cfg(unix)]
fn built_by(script: &str) -> (usize, &'static str, String) {
    let directory = tempfile::tempdir().unwrap();
    let cargo = directory.path().join("cargo");
    let log = directory.path().join("log");
    let done = r#"echo "{\"executable\":\"$0\"}""#;
    let script = format!(
        "#!/bin/sh\n{script}\necho \"$*\" >> {}\n{done}\n",
        log.display()
    );
    make_script(&cargo, &script);
    let build = Build {
        cargo: cargo.into_os_string(),
        root: directory.path(),
        target: directory.path(),
        flags: Flags::Aligned,
    };
    let places = directory.path().join("A");
    fs::create_dir(&places).unwrap();
    let (programs, layouts) = build.programs(&places, LAYOUTS).unwrap();
    assert!(programs.iter().all(|program| program.is_file()));
    (programs.len(), layouts, fs::read_to_string(log).unwrap())
}

#[test]
#[cfg(unix)]
fn there_are_ten_layouts_or_two() {
    let (count, layouts, log) = built_by("");
    assert_eq!((count, layouts), (10, "functions shuffled by the linker"));
    assert!(log.contains("--shuffle-sections=.text*=9"), "{log}");
    let (count, layouts, log) = built_by("case \"$*\" in *shuffle*) exit 1;; esac");
    assert_eq!(count, 2);
    assert!(layouts.contains("-Cmetadata"), "{layouts}");
    assert!(log.contains("-Cmetadata=another-layout"), "{log}");
}

#[test]
#[cfg(unix)]
fn a_lab_of_another_time_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("lab");
    make_script(&program, "#!/bin/sh\necho 'no such command' >&2\nexit 2\n");
    let built = Built {
        name: "revision old".to_owned(),
        commit: None,
        programs: vec![program],
        layouts: "",
        flags: Flags::Aligned,
        slowdown_percent: None,
    };
    let mut launcher = Launcher {
        program: PathBuf::new(),
    };
    let error = probe(&built, &mut launcher).unwrap_err().to_string();
    let says = |part: &str| assert!(error.contains(part), "{error}");
    says("revision old does not follow the orders");
    says("no such command");
}
