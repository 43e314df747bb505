//! The program `vgmrender` of ymfm, made from the sources that ymfm-sys brings along.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The models that `vgmrender` is linked with.
const MODELS: [&str; 7] = ["adpcm", "misc", "opl", "opm", "opn", "pcm", "ssg"];

/// The program, which is compiled once for all tests.
pub static PROGRAM: LazyLock<PathBuf> = LazyLock::new(compile);

fn compile() -> PathBuf {
    let ymfm = sources();
    let example = ymfm.join("examples/vgmrender");
    let program = directory().join("vgmrender");
    let mut compiler = Command::new("c++");
    compiler
        .args(["-O2", "-std=c++14", "-w", "-I"])
        .arg(ymfm.join("src"))
        .args(["vgmrender.cpp", "em_inflate.cpp"].map(|name| example.join(name)))
        .args(MODELS.map(|model| ymfm.join(format!("src/ymfm_{model}.cpp"))))
        .arg("-o")
        .arg(&program);
    run(&mut compiler);
    program
}

/// Renders a file, and returns the samples of left and right.
pub fn render(program: &Path, name: &str, file: &[u8]) -> Vec<[i16; 2]> {
    /// The bytes of the header that the program writes.
    const HEADER: usize = 44;
    let log = directory().join(format!("{name}.vgm"));
    let sound = directory().join(format!("{name}.wav"));
    std::fs::write(&log, file).unwrap();
    // The program looks for a ROM of the YM2608 in the directory where it runs.
    let mut renders = Command::new(program);
    renders.current_dir(directory());
    run(renders.arg(&log).arg("-o").arg(&sound));
    let bytes = std::fs::read(&sound).unwrap();
    let (frames, rest) = bytes[HEADER..].as_chunks::<4>();
    assert!(rest.is_empty());
    frames
        .iter()
        .map(|&[a, b, c, d]| [i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d])])
        .collect()
}

fn directory() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The directory of ymfm in the sources of ymfm-sys.
fn sources() -> PathBuf {
    let version = run(Command::new(env!("CARGO")).arg("-vV"));
    let version = String::from_utf8_lossy(&version);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    // Without the platform, cargo wants the packages of all others too, which need not be here.
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["metadata", "--format-version=1", "--offline"])
        .args(["--filter-platform", host.expect("cargo names its host")])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let metadata: serde_json::Value = serde_json::from_slice(&run(&mut cargo)).unwrap();
    let manifest = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|package| package["name"] == "ymfm-sys")
        .and_then(|package| package["manifest_path"].as_str())
        .expect("chipmill depends on ymfm-sys");
    Path::new(manifest)
        .with_file_name("components")
        .join("ymfm")
}

/// Runs a command that must succeed, and returns what it prints.
fn run(command: &mut Command) -> Vec<u8> {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    output.stdout
}
