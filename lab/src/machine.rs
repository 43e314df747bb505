//! The machine and the build, as far as they can matter for a figure.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::process;

/// The machine. `None` is what it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Processors that the system schedules on.
    pub cores_logical: Option<usize>,
    /// Cores, however many threads each has.
    pub cores_physical: Option<usize>,
    /// Processors in the affinity mask of this process.
    pub cores_affinity: Option<usize>,
    /// Processors' worth of time that the control group grants.
    pub cgroup_quota: Option<f64>,
    /// What the standard library makes of all that: the default number of jobs.
    pub cores_available: Option<usize>,
    /// Model of the processor.
    pub cpu_model: Option<String>,
    /// How the kernel chooses the clock frequency.
    pub frequency_governor: Option<String>,
    /// Memory of the machine.
    pub memory_total_bytes: Option<u64>,
    /// Memory that was available at the start.
    pub memory_free_bytes: Option<u64>,
    /// Operating system.
    pub os: Option<String>,
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Architecture.
    pub architecture: String,
}

impl Machine {
    /// Looks around.
    pub fn look() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = process::memory();
        Self {
            cores_logical: nonzero(cpuinfo_values(&cpuinfo, "processor").count()),
            cores_physical: cores_physical(&cpuinfo),
            cores_affinity: cores_affinity(),
            cgroup_quota: cgroup_quota(),
            cores_available: cores_available(),
            cpu_model: cpuinfo_values(&cpuinfo, "model name").next(),
            frequency_governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            memory_total_bytes: memory.map(|(total, _)| total),
            memory_free_bytes: memory.and_then(|(_, free)| free),
            os: os_name().or_else(|| Some(std::env::consts::OS.to_owned())),
            kernel: line("/proc/sys/kernel/osrelease"),
            architecture: std::env::consts::ARCH.to_owned(),
        }
    }

    /// Whether both are one machine, as far as that can be told: its processors. Kernel and memory
    /// may change.
    pub fn is_like(&self, other: &Self) -> bool {
        let processors = |machine: &Self| {
            let model = machine.cpu_model.clone();
            let cores = (machine.cores_logical, machine.cores_physical);
            (machine.architecture.clone(), model, cores)
        };
        processors(self) == processors(other)
    }

    /// The machine in a line.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        parts.push(
            self.cpu_model
                .clone()
                .unwrap_or_else(|| "unknown processor".to_owned()),
        );
        if let Some(cores) = self.cores_available {
            let kind = match (self.cores_logical, self.cores_physical) {
                (Some(logical), Some(physical)) => {
                    format!("{cores} processors usable ({logical} logical, {physical} cores)")
                }
                _ => format!("{cores} processors usable"),
            };
            parts.push(kind);
        }
        if let Some(bytes) = self.memory_total_bytes {
            parts.push(format!("{:.0} GiB", bytes as f64 / (1u64 << 30) as f64));
        }
        parts.extend(self.os.clone());
        parts.extend(
            self.kernel
                .as_ref()
                .map(|kernel| format!("kernel {kernel}")),
        );
        parts.push(self.architecture.clone());
        parts.join(", ")
    }
}

/// How many jobs are "all cores" for this process.
pub fn cores_available() -> Option<usize> {
    std::thread::available_parallelism().ok().map(usize::from)
}

fn nonzero(number: usize) -> Option<usize> {
    (number > 0).then_some(number)
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn cpuinfo_values<'a>(cpuinfo: &'a str, key: &'a str) -> impl Iterator<Item = String> + 'a {
    cpuinfo.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

fn cores_physical(cpuinfo: &str) -> Option<usize> {
    let packages = cpuinfo_values(cpuinfo, "physical id");
    let mut cores: Vec<_> = packages.zip(cpuinfo_values(cpuinfo, "core id")).collect();
    cores.sort();
    cores.dedup();
    nonzero(cores.len())
}

fn os_name() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

#[cfg(target_os = "linux")]
fn cores_affinity() -> Option<usize> {
    use nix::sched::{CpuSet, sched_getaffinity};
    let mask = sched_getaffinity(nix::unistd::Pid::from_raw(0)).ok()?;
    let cores = (0..CpuSet::count()).filter(|core| mask.is_set(*core).unwrap_or(false));
    nonzero(cores.count())
}

#[cfg(not(target_os = "linux"))]
fn cores_affinity() -> Option<usize> {
    None
}

/// The quota of this control group or the tightest one above it.
fn cgroup_quota() -> Option<f64> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"));
    if let Some(path) = path {
        let root = Path::new("/sys/fs/cgroup");
        let own = root.join(path);
        let quotas = own
            .ancestors()
            .take_while(|group| group.starts_with(root))
            .filter_map(|group| quota(&fs::read_to_string(group.join("cpu.max")).ok()?));
        return quotas.min_by(f64::total_cmp);
    }
    let old = Path::new("/sys/fs/cgroup/cpu");
    let read = |file| fs::read_to_string(old.join(file)).ok();
    let (quota_us, period_us) = (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?);
    quota(&format!("{} {}", quota_us.trim(), period_us.trim()))
}

/// Reads "quota period"; `max` and `-1` mean that there is no quota.
fn quota(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// The program that measures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Build {
    /// The compiler.
    pub rustc: Option<String>,
    /// What it compiled for.
    pub target: Option<String>,
    /// Name of the profile's family: `release` or `debug`.
    pub profile: Option<String>,
    /// Optimisation level.
    pub opt_level: Option<String>,
    /// Debug information.
    pub debug: Option<String>,
    /// Further flags.
    pub rustflags: Option<String>,
    /// Whether loops and functions begin at cache lines, for every runtime; see `BIAS.md`,
    /// "Placement".
    pub loops_aligned: bool,
    /// Processor features that the compiler could count on.
    pub target_features: Option<String>,
    /// Whether debug assertions are compiled in; figures are worthless then.
    pub debug_assertions: bool,
    /// Revision of the files that it was built from.
    pub git_revision: Option<String>,
    /// Whether files differ from that revision; those of kept records do not count.
    pub git_dirty: Option<bool>,
}

/// The flags that align loops and functions. `cargo lab` gives them, unless `RUSTFLAGS` replaces
/// what it gives.
pub const ALIGNMENT: [&str; 2] = [
    "-Cllvm-args=-align-all-nofallthru-blocks=6",
    "-Cllvm-args=-align-all-functions=6",
];

impl Build {
    /// What is wrong with this program as an instrument, if something is.
    pub fn warning(&self) -> Option<String> {
        if self.debug_assertions {
            return Some("compiled without optimisation: these figures mean nothing".to_owned());
        }
        if self.loops_aligned {
            return None;
        }
        let cause = match &self.rustflags {
            Some(flags) => format!("RUSTFLAGS ({flags}) replace the flags of `cargo lab`"),
            None => "it was not compiled by `cargo lab`".to_owned(),
        };
        Some(format!(
            "warning: loops are not aligned in this build, because {cause}: figures of loops of \
             nanoseconds depend on where the linker put them; add {}",
            ALIGNMENT.join(" ")
        ))
    }

    /// Looks at this program, and at the files that it was built from. Where those are gone, the
    /// revision is unknown.
    pub fn look() -> Self {
        Self::look_with(&source())
    }

    /// The same for a program that is built from the files of the [`workspace`] as they are.
    pub fn look_at_workspace() -> Self {
        Self::look_with(&workspace())
    }

    fn look_with(files: &Path) -> Self {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (git_revision, git_dirty) = git_facts(files);
        Self {
            rustc: text(env!("LAB_RUSTC")),
            target: text(env!("LAB_TARGET")),
            profile: text(env!("LAB_PROFILE")),
            opt_level: text(env!("LAB_OPT_LEVEL")),
            debug: text(env!("LAB_DEBUG")),
            rustflags: text(env!("LAB_RUSTFLAGS")),
            loops_aligned: ALIGNMENT
                .iter()
                .all(|flag| env!("LAB_RUSTFLAGS").contains(flag)),
            target_features: text(env!("LAB_TARGET_FEATURES")),
            debug_assertions: cfg!(debug_assertions),
            git_revision,
            git_dirty,
        }
    }
}

/// Where records are kept, seen from the root of the workspace.
pub const RECORDS: &str = "lab/records";

/// The revision of files, and whether some differ from it. A kept record does not make its own
/// successor differ.
fn git_facts(files: &Path) -> (Option<String>, Option<bool>) {
    let revision = git_in(files, &["rev-parse", "HEAD"]).filter(|text| !text.is_empty());
    // Each file by itself: a directory that git does not know may hold records and other files.
    let status = ["status", "--porcelain", "--untracked-files=all", "--", ":/"];
    let but_records = format!(":(top,exclude){RECORDS}");
    let differing = git_in(files, &[&status[..], &[&but_records]].concat());
    (revision, differing.map(|text| !text.is_empty()))
}

/// What git says about the repository; `None` if it fails.
pub fn git(arguments: &[&str]) -> Option<String> {
    git_in(&workspace(), arguments)
}

fn git_in(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The repository, if `cargo` started this program; else the current directory.
pub fn workspace() -> PathBuf {
    started_by_cargo().unwrap_or_else(|| PathBuf::from("."))
}

/// The root of the files that this program was built from. They may be gone.
fn source() -> PathBuf {
    let built = above(env!("CARGO_MANIFEST_DIR").as_ref());
    started_by_cargo().or(built).unwrap_or_default()
}

/// The root of the workspace, if `cargo` has just built this program and started it.
fn started_by_cargo() -> Option<PathBuf> {
    above(&std::env::var_os("CARGO_MANIFEST_DIR")?)
}

fn above(lab: &OsStr) -> Option<PathBuf> {
    Path::new(lab).parent().map(Path::to_owned)
}

/// Where cargo builds.
pub fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// The version of a package that was compiled in: the newest, if a dependency has an older one.
pub fn version_of(package: &str) -> Option<String> {
    const VERSIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/versions.rs"));
    let (_, version) = VERSIONS.iter().rev().find(|(name, _)| *name == package)?;
    Some((*version).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas() {
        assert_eq!(quota("150000 100000\n"), Some(1.5));
        assert_eq!(quota("max 100000\n"), None);
        assert_eq!(quota("-1 100000"), None);
    }

    #[test]
    fn threads_of_one_core_are_one_core() {
        let text = "processor : 0\nphysical id : 0\ncore id : 0\n\n\
                    processor : 1\nphysical id : 0\ncore id : 0\n";
        assert_eq!(cores_physical(text), Some(1));
        assert_eq!(cpuinfo_values(text, "processor").count(), 2);
        assert_eq!(cores_physical(""), None);
    }

    #[test]
    fn kept_records_do_not_make_files_differ() {
        let directory = tempfile::tempdir().unwrap();
        let files = directory.path();
        let put = |name: &str| {
            let file = files.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        };
        let git = |line: &str| git_in(files, &line.split(' ').collect::<Vec<_>>()).unwrap();
        git("init --quiet");
        put("file");
        git("add .");
        git("-c user.name=lab -c user.email=lab@example.invalid commit --quiet --message first");
        let revision = git("rev-parse HEAD");
        let clean = (Some(revision.clone()), Some(false));
        assert_eq!(git_facts(files), clean);
        put("lab/records/2026-11-22-0123456.jsonl");
        assert_eq!(git_facts(files), clean);
        assert_eq!(git_facts(&files.join("lab")), clean);
        put("lab/notes");
        assert_eq!(git_facts(files), (Some(revision), Some(true)));
        assert_eq!(git_facts(&files.join("gone")), (None, None));
    }

    #[test]
    fn versions_of_peers_are_known() {
        for package in ["rayon", "chili", "forte", "tokio", "blocking", "drumline"] {
            assert!(version_of(package).is_some(), "{package}");
        }
        assert_eq!(version_of("no such package"), None);
    }
}
