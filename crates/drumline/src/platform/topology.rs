//! How many processors this process may use, and how many real cores they are.
//!
//! All of it is asked anew at each call, since masks change while a program runs; nothing here is
//! on a fast path.

use std::num::NonZeroUsize;
use std::thread;

/// The number of logical processors that the calling thread may run on, or `None` where the system
/// has no such mask or does not tell.
pub(crate) fn affinity_cores() -> Option<usize> {
    imp::affinity_cores().filter(|&cores| cores > 0)
}

/// The number of physical cores among the processors that the calling thread may run on: hardware
/// threads of one core count once. At least 1; the number of logical processors where the system
/// does not tell.
pub(crate) fn physical_cores() -> usize {
    imp::physical_cores()
        .filter(|&cores| cores > 0)
        .or_else(affinity_cores)
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get))
}

#[cfg(all(target_os = "linux", not(miri)))]
mod imp {
    use libc::{c_int, c_ulong, cpu_set_t};
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    const SYSFS: &str = "/sys/devices/system/cpu";

    pub(super) fn affinity_cores() -> Option<usize> {
        let mask = affinity_mask()?;
        Some(mask.iter().map(|word| word.count_ones() as usize).sum())
    }

    pub(super) fn physical_cores() -> Option<usize> {
        let mask = affinity_mask()?;
        Some(cores_among(processors(&mask), Path::new(SYSFS)))
    }

    /// The kernel's mask, long enough for all the processors it knows.
    fn affinity_mask() -> Option<Vec<c_ulong>> {
        const THIS_THREAD: libc::pid_t = 0;
        // `cpu_set_t` ends at 1,024 processors. The kernel answers EINVAL to a mask that is too
        // short for it, so the mask grows until it is not; no kernel is built for this many.
        const MOST_PROCESSORS: usize = 1 << 20;
        let mut words = size_of::<cpu_set_t>() / size_of::<c_ulong>();
        while words * c_ulong::BITS as usize <= MOST_PROCESSORS {
            let mut mask: Vec<c_ulong> = vec![0; words];
            let bytes = words * size_of::<c_ulong>();
            // SAFETY: `mask` is `bytes` bytes long, exclusively borrowed, and aligned as the array
            // of `unsigned long` that a `cpu_set_t` is; at most `bytes` bytes are written, and any
            // bits are a valid mask.
            let answer: c_int =
                unsafe { libc::sched_getaffinity(THIS_THREAD, bytes, mask.as_mut_ptr().cast()) };
            if answer == 0 {
                return Some(mask);
            }
            if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
                return None;
            }
            words *= 2;
        }
        None
    }

    /// The numbers of the processors in a mask, lowest first.
    fn processors(mask: &[c_ulong]) -> impl Iterator<Item = usize> {
        let bits = c_ulong::BITS as usize;
        mask.iter().enumerate().flat_map(move |(place, &word)| {
            (0..bits)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| place * bits + bit)
        })
    }

    fn cores_among(processors: impl Iterator<Item = usize>, sysfs: &Path) -> usize {
        processors
            .map(|processor| core_of(processor, sysfs))
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// A name for the core that a processor belongs to; equal for its siblings.
    ///
    /// The list of siblings comes first, under its new and its old name: it says just what is asked
    /// for. A core's number is only made unique by its package on some machines, and by its die
    /// or cluster too on others.
    fn core_of(processor: usize, sysfs: &Path) -> String {
        let topology = sysfs.join(format!("cpu{processor}")).join("topology");
        let read = |file: &str| {
            let text = fs::read_to_string(topology.join(file)).ok()?;
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        if let Some(siblings) = read("core_cpus_list").or_else(|| read("thread_siblings_list")) {
            return format!("siblings {siblings}");
        }
        if let (Some(package), Some(core)) = (read("physical_package_id"), read("core_id")) {
            return format!("package {package} core {core}");
        }
        format!("processor {processor}")
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::path::PathBuf;
        use std::process;

        /// A made-up `/sys/devices/system/cpu`.
        struct Sysfs(PathBuf);

        impl Sysfs {
            fn new(name: &str) -> Self {
                let name = format!("drumline-topology-{}-{name}", process::id());
                Sysfs(std::env::temp_dir().join(name))
            }

            fn write(&self, processor: usize, file: &str, text: &str) {
                let folder = self.0.join(format!("cpu{processor}/topology"));
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(file), format!("{text}\n")).unwrap();
            }
        }

        impl Drop for Sysfs {
            fn drop(&mut self) {
                let _ = fs::remove_dir_all(&self.0);
            }
        }

        #[test]
        fn a_mask_of_several_words() {
            let mut mask = [0; 3];
            mask[0] = 0b1010;
            mask[2] = 1;
            let bits = c_ulong::BITS as usize;
            assert!(processors(&mask).eq([1, 3, 2 * bits]));
        }

        #[test]
        fn siblings_count_once() {
            let sysfs = Sysfs::new("siblings");
            for processor in 0..8 {
                let first = processor % 4;
                let siblings = format!("{first},{}", first + 4);
                let file = if processor % 2 == 0 {
                    "core_cpus_list"
                } else {
                    "thread_siblings_list"
                };
                sysfs.write(processor, file, &siblings);
            }
            assert_eq!(cores_among(0..8, &sysfs.0), 4);
            assert_eq!(cores_among([0, 4, 5].into_iter(), &sysfs.0), 2);
            assert_eq!(cores_among([7].into_iter(), &sysfs.0), 1);
        }

        #[test]
        fn without_siblings_the_numbers_of_package_and_core() {
            let sysfs = Sysfs::new("numbers");
            for processor in 0..8 {
                sysfs.write(
                    processor,
                    "physical_package_id",
                    &format!("{}", processor / 4),
                );
                sysfs.write(processor, "core_id", &format!("{}", processor / 2 % 2));
            }
            assert_eq!(cores_among(0..8, &sysfs.0), 4);
            assert_eq!(cores_among(0..4, &sysfs.0), 2);
        }

        #[test]
        fn without_anything_each_is_a_core() {
            let sysfs = Sysfs::new("nothing");
            assert_eq!(cores_among(0..5, &sysfs.0), 5);
            sysfs.write(0, "core_id", "0");
            sysfs.write(1, "core_id", "0");
            assert_eq!(cores_among(0..2, &sysfs.0), 2);
        }

        #[test]
        fn the_mask_is_what_the_kernel_prints() {
            let status = fs::read_to_string("/proc/thread-self/status").unwrap();
            let list = status
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
                .unwrap();
            let allowed: usize = list
                .trim()
                .split(',')
                .map(|range| {
                    let (from, to) = range.split_once('-').unwrap_or((range, range));
                    to.parse::<usize>().unwrap() - from.parse::<usize>().unwrap() + 1
                })
                .sum();
            // The printed mask also has processors that are not online.
            let cores = affinity_cores().unwrap();
            assert!((1..=allowed).contains(&cores), "{cores} of {allowed}");
        }
    }
}

#[cfg(all(windows, not(miri)))]
mod imp {
    use core::ffi::c_void;

    /// `SYSTEM_LOGICAL_PROCESSOR_INFORMATION`; the union at its end is only room here.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Information {
        processors: usize,
        relationship: i32,
        rest: [u64; 2],
    }

    const RELATION_PROCESSOR_CORE: i32 = 0;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> *mut c_void;
        fn GetProcessAffinityMask(process: *mut c_void, own: *mut usize, all: *mut usize) -> i32;
        fn GetLogicalProcessorInformation(buffer: *mut Information, bytes: *mut u32) -> i32;
    }

    pub(super) fn affinity_cores() -> Option<usize> {
        Some(affinity_mask()?.count_ones() as usize)
    }

    /// The processors of this process within its group of at most 64; `None` if it has several
    /// groups, of which the system then tells nothing.
    fn affinity_mask() -> Option<usize> {
        let (mut own, mut all) = (0, 0);
        // SAFETY: returns a constant that stands for this process, and has no obligations.
        let process = unsafe { GetCurrentProcess() };
        // SAFETY: the handle is this process's; both numbers are exclusively borrowed.
        let answer = unsafe { GetProcessAffinityMask(process, &raw mut own, &raw mut all) };
        (answer != 0 && own != 0).then_some(own)
    }

    pub(super) fn physical_cores() -> Option<usize> {
        let mask = affinity_mask()?;
        // A group's cores, caches and nodes; the system says how much room they need.
        let mut bytes = 0;
        // SAFETY: a buffer of no bytes is not written to.
        unsafe { GetLogicalProcessorInformation(core::ptr::null_mut(), &raw mut bytes) };
        let empty = Information {
            processors: 0,
            relationship: -1,
            rest: [0; 2],
        };
        let mut list = vec![empty; (bytes as usize).div_ceil(size_of::<Information>())];
        // SAFETY: the list has room for `bytes` bytes, is exclusively borrowed, and any bits are
        // a valid `Information`.
        let answer = unsafe { GetLogicalProcessorInformation(list.as_mut_ptr(), &raw mut bytes) };
        let core = |entry: &&Information| {
            entry.relationship == RELATION_PROCESSOR_CORE && entry.processors & mask != 0
        };
        (answer != 0).then(|| list.iter().filter(core).count())
    }
}

#[cfg(all(target_vendor = "apple", not(miri)))]
mod imp {
    use core::ptr;
    use libc::c_int;

    pub(super) fn affinity_cores() -> Option<usize> {
        None
    }

    pub(super) fn physical_cores() -> Option<usize> {
        let mut cores: c_int = 0;
        let mut bytes = size_of::<c_int>();
        // SAFETY: the name ends with a zero; `cores` has room for the `bytes` bytes given, both are
        // exclusively borrowed; nothing is set.
        let answer = unsafe {
            libc::sysctlbyname(
                c"hw.physicalcpu".as_ptr(),
                (&raw mut cores).cast(),
                &raw mut bytes,
                ptr::null_mut(),
                0,
            )
        };
        (answer == 0 && bytes == size_of::<c_int>())
            .then(|| usize::try_from(cores).ok())
            .flatten()
    }
}

#[cfg(any(miri, not(any(target_os = "linux", windows, target_vendor = "apple"))))]
mod imp {
    pub(super) fn affinity_cores() -> Option<usize> {
        None
    }

    pub(super) fn physical_cores() -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn physical_cores_are_among_the_logical() {
        let physical = physical_cores();
        assert!(physical >= 1);
        if let Some(logical) = affinity_cores() {
            assert!(physical <= logical, "{physical} of {logical}");
        }
    }

    #[test]
    fn a_quota_only_takes_away() {
        let usable = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        if let Some(logical) = affinity_cores() {
            assert!(usable <= logical, "{usable} of {logical}");
        }
    }
}
