//! Memory of zeros that costs address space until it is touched.
//!
//! The allocator of the C library gives zeros as well, but where it uses memory again it has to
//! write them: all of the memory is touched then, and belongs to the process from the beginning.
//! So what is large comes from the kernel, page by page as it is used, and goes back there.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// From this size on memory comes from the kernel: less is not worth a system call.
const LARGE: usize = 64 << 10;

/// Memory that was zero when it came. It goes back when this is dropped.
#[derive(Debug)]
pub(crate) struct Zeroed {
    start: NonNull<u8>,
    layout: Layout,
    is_mapped: bool,
}

impl Zeroed {
    /// Memory of this layout, whose size is not 0. `None`: there is none.
    pub(crate) fn new(layout: Layout) -> Option<Self> {
        let is_large = layout.size() >= LARGE && layout.align() <= kernel::PAGE;
        if is_large && let Some(start) = kernel::map(layout.size()) {
            return Some(Zeroed {
                start,
                layout,
                is_mapped: true,
            });
        }
        // Also where the process has as many mappings as it may have.
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })?;
        Some(Zeroed {
            start,
            layout,
            is_mapped: false,
        })
    }

    /// Where it begins. It stays there.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Zeroed {
    fn drop(&mut self) {
        if self.is_mapped {
            // SAFETY: mapped with this size, and not used again.
            unsafe { kernel::unmap(self.start, self.layout.size()) };
        } else {
            // SAFETY: allocated with this layout, and not used again.
            unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

#[cfg(all(unix, not(miri)))]
mod kernel {
    use std::ptr::{self, NonNull};

    /// No page is smaller.
    pub(super) const PAGE: usize = 4096;

    /// Maps memory, in whole pages. `None`: the kernel has none.
    pub(super) fn map(len: usize) -> Option<NonNull<u8>> {
        // SAFETY: a new mapping, at a place that the kernel chooses.
        let mapped = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        let is_mapped = !ptr::eq(mapped, libc::MAP_FAILED);
        NonNull::new(mapped.cast()).filter(|_| is_mapped)
    }

    /// An error leaves the pages mapped, and nothing can be done about that.
    ///
    /// # Safety
    ///
    /// Mapped with this length, and not used again.
    pub(super) unsafe fn unmap(start: NonNull<u8>, len: usize) {
        // SAFETY: the caller's obligation.
        unsafe { libc::munmap(start.as_ptr().cast(), len) };
    }
}

/// The allocator has it all.
#[cfg(not(all(unix, not(miri))))]
mod kernel {
    use std::ptr::NonNull;

    pub(super) const PAGE: usize = 0;

    pub(super) fn map(_: usize) -> Option<NonNull<u8>> {
        None
    }

    /// # Safety
    ///
    /// Never called.
    pub(super) unsafe fn unmap(_: NonNull<u8>, _: usize) {
        unreachable!("nothing is mapped here");
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_whatever_was_there_before() {
        for size in [16, LARGE - 16, LARGE, 256 << 10] {
            let layout = Layout::from_size_align(size, 16).unwrap();
            for _ in 0..3 {
                let memory = Zeroed::new(layout).unwrap();
                // SAFETY: of this size, and no other reference to it is there.
                let bytes =
                    unsafe { std::slice::from_raw_parts_mut(memory.start().as_ptr(), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
            }
        }
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let layout = Layout::from_size_align(isize::MAX as usize & !15, 16).unwrap();
        assert!(Zeroed::new(layout).is_none());
    }

    #[test]
    fn a_large_alignment_holds() {
        let layout = Layout::from_size_align(256 << 10, 64 << 10).unwrap();
        let memory = Zeroed::new(layout).unwrap();
        assert_eq!(memory.start().addr().get() % (64 << 10), 0);
    }

    /// What is not touched is not there.
    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn memory_that_is_not_touched_takes_none() {
        let layout = Layout::from_size_align(256 << 10, 16).unwrap();
        // Of several, one that is not part of a huge page: the system may map it together with
        // other memory of the process. They are kept, so that each lies elsewhere.
        let mut kept = Vec::new();
        let is_mostly_absent = |_| {
            let memory = Zeroed::new(layout).unwrap();
            assert!(memory.is_mapped);
            // SAFETY: the first byte of memory that was just allocated.
            unsafe { memory.start().write(1) };
            let pages = layout.size() / kernel::PAGE;
            let mut are_there = vec![0_u8; pages];
            // SAFETY: mapped memory, and a byte for each of its pages. Pages may be larger: then
            // fewer bytes are written.
            let told = unsafe {
                let start = memory.start().as_ptr().cast();
                libc::mincore(start, layout.size(), are_there.as_mut_ptr())
            };
            assert_eq!(told, 0);
            kept.push(memory);
            are_there.iter().filter(|&&page| page & 1 == 1).count() < pages / 2
        };
        assert!((0..10).any(is_mostly_absent));
    }
}
