//! Shared libraries that contain Drumline can be loaded: many of them, and with thread-locals
//! besides.
//!
//! A library is compiled with optimisation, by a `cargo build` in a package of its own: what it
//! asks of the loader depends on how it is linked.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::env;
use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

/// How many copies of a library one process loads.
const COPIES: usize = 60;

/// The libraries of the test package, and how many thread-locals of 8 bytes each of them has.
const LIBRARIES: [(&str, u64); 2] = [("few", 1), ("many", 512)];

/// The directory in which the libraries are, compiled at the first call.
fn libraries() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-library");
        write_package(&package);
        let output = Command::new(env!("CARGO"))
            .args(["build", "--release", "--offline", "--quiet", "--examples"])
            .current_dir(&package)
            .env("CARGO_TARGET_DIR", package.join("target"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        package.join("target/release/examples")
    })
}

fn write_package(package: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut manifest = format!(
        "[package]\nname = 'shared-library'\nversion = '0.0.0'\nedition = '2024'\n\n\
         [dependencies]\ndrumline = {{ path = '{}' }}\n\n[workspace]\n",
        here.display()
    );
    fs::create_dir_all(package.join("src")).unwrap();
    fs::create_dir_all(package.join("examples")).unwrap();
    write(&package.join("src/lib.rs"), "");
    for (name, cells) in LIBRARIES {
        manifest += &format!("\n[[example]]\nname = '{name}'\ncrate-type = ['cdylib']\n");
        let source = include_str!("shared_library/exports.rs");
        let source = format!("{source}\nconst CELLS: usize = {cells};\n");
        write(&package.join(format!("examples/{name}.rs")), &source);
    }
    write(&package.join("Cargo.toml"), &manifest);
    // The versions of the workspace are those that need no network.
    if let Ok(lock) = fs::read_to_string(here.join("../../Cargo.lock")) {
        let mine = package.join("Cargo.lock");
        if !mine.exists() {
            write(&mine, &lock);
        }
    }
}

/// Writes a file, unless it is the same already: a new one would be compiled anew.
fn write(path: &Path, contents: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(contents) {
        fs::write(path, contents).unwrap();
    }
}

/// A library that stays loaded, because its threads run its code.
struct Library(*mut c_void);

// SAFETY: a handle may be used by any thread; nothing unloads the library.
unsafe impl Sync for Library {}

impl Library {
    #[track_caller]
    fn load(path: &Path) -> Self {
        let name = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: a string; what runs at load is Rust's own.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: the call has no conditions.
            let message = unsafe { libc::dlerror() };
            // SAFETY: after a failure it is a string, which stays until the next call on this
            // thread.
            let message = unsafe { CStr::from_ptr(message) };
            panic!("{message:?}");
        }
        Library(handle)
    }

    #[track_caller]
    fn symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the library is loaded, and the name is a string.
        let symbol = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!symbol.is_null(), "no {name:?}");
        symbol
    }

    fn number(&self, name: &CStr, n: u64) -> u64 {
        // SAFETY: the function has this type in `exports.rs`.
        let function: extern "C" fn(u64) -> u64 = unsafe { std::mem::transmute(self.symbol(name)) };
        function(n)
    }

    fn cells(&self) -> u64 {
        // SAFETY: the function has this type in `exports.rs`.
        let function: extern "C" fn() -> u64 =
            unsafe { std::mem::transmute(self.symbol(c"count_cells")) };
        function()
    }
}

/// Copies of a library, each of which the loader takes for a different one.
fn copies(name: &str) -> Vec<Library> {
    let original = libraries().join(format!("lib{name}.so"));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("copies-of-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let copies = (0..COPIES)
        .map(|number| {
            let copy = directory.join(format!("lib{name}{number}.so"));
            fs::copy(&original, &copy).unwrap();
            Library::load(&copy)
        })
        .collect();
    fs::remove_dir_all(&directory).unwrap();
    copies
}

/// Calls the library on its own threads, on this one, and on a thread that never called it before.
fn check(library: &Library, cells: u64) {
    assert_eq!(library.number(c"fibonacci", 15), 610);
    assert_eq!(library.number(c"fibonacci_here", 12), 144);
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(library.number(c"fibonacci_here", 10), 55);
            assert_eq!(library.cells(), cells);
        });
    });
    assert_eq!(library.cells(), cells);
}

#[test]
fn sixty_copies_of_a_library_work_in_one_process() {
    let (name, cells) = LIBRARIES[0];
    for library in copies(name) {
        check(&library, cells);
    }
}

#[test]
fn libraries_may_have_thread_locals_of_their_own() {
    let (name, cells) = LIBRARIES[1];
    for library in copies(name) {
        check(&library, cells);
    }
}
