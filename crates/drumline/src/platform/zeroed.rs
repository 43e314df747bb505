//! Memory of zeros that costs address space until it is touched.
//!
//! The allocator of the C library gives zeros as well, but where it uses memory again it has to
//! write them: all of the memory is touched then, and belongs to the process from the beginning.
//! So what is large comes from the kernel, page by page as it is used, and goes back there.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// From this size on memory comes from the kernel: less is not worth a system call.
const LARGE: usize = 64 << 10;

/// Zeros of this layout, whose size is not 0. `None`: there is no memory.
pub(crate) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    if layout.size() >= LARGE
        && let Some(mapped) = kernel::map(layout)
    {
        return mapped;
    }
    // SAFETY: the size is not 0.
    NonNull::new(unsafe { alloc::alloc_zeroed(layout) })
}

/// Gives memory back.
///
/// # Safety
///
/// It came from [`allocate`] with this layout, and is not used again.
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    // SAFETY: as the caller has promised. `unmap` takes what `map` gave, which decides by the
    // layout alone.
    unsafe {
        if layout.size() < LARGE || !kernel::unmap(memory, layout) {
            alloc::dealloc(memory.as_ptr(), layout);
        }
    }
}

#[cfg(all(unix, not(miri)))]
mod kernel {
    use std::alloc::Layout;
    use std::ptr::{self, NonNull};

    /// No page is smaller.
    const PAGE: usize = 4096;

    /// Maps memory, in whole pages. The inner `None`: there is none. The outer one: of this layout
    /// memory does not come from here.
    pub(super) fn map(layout: Layout) -> Option<Option<NonNull<u8>>> {
        if layout.align() > PAGE {
            return None;
        }
        // SAFETY: a new mapping, at a place that the kernel chooses.
        let mapped = unsafe {
            libc::mmap(
                ptr::null_mut(),
                layout.size(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        let is_mapped = !ptr::eq(mapped, libc::MAP_FAILED);
        Some(NonNull::new(mapped.cast()).filter(|_| is_mapped))
    }

    /// `false`: of this layout memory does not come from here.
    ///
    /// # Safety
    ///
    /// As for [`free`](super::free).
    pub(super) unsafe fn unmap(memory: NonNull<u8>, layout: Layout) -> bool {
        if layout.align() > PAGE {
            return false;
        }
        // SAFETY: mapped with this size, and not used again. An error leaves the pages mapped, and
        // nothing can be done about that.
        unsafe { libc::munmap(memory.as_ptr().cast(), layout.size()) };
        true
    }
}

#[cfg(not(all(unix, not(miri))))]
mod kernel {
    use std::alloc::Layout;
    use std::ptr::NonNull;

    pub(super) fn map(_: Layout) -> Option<Option<NonNull<u8>>> {
        None
    }

    pub(super) unsafe fn unmap(_: NonNull<u8>, _: Layout) -> bool {
        false
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
                let memory = allocate(layout).unwrap();
                // SAFETY: of this size, and given back below only.
                let bytes = unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
                // SAFETY: allocated with this layout, and not used again.
                unsafe { free(memory, layout) };
            }
        }
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let layout = Layout::from_size_align(isize::MAX as usize & !15, 16).unwrap();
        assert_eq!(allocate(layout), None);
    }

    /// What is not touched is not there.
    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn memory_that_is_not_touched_takes_none() {
        let layout = Layout::from_size_align(256 << 10, 16).unwrap();
        for _ in 0..3 {
            let memory = allocate(layout).unwrap();
            // SAFETY: the first byte of memory that was just allocated.
            unsafe { memory.write(1) };
            let pages = layout.size() / 4096;
            let mut are_there = vec![0_u8; pages];
            // SAFETY: mapped memory, and a byte for each of its pages. Pages may be larger: then
            // fewer bytes are written.
            let told = unsafe {
                let start = memory.as_ptr().cast();
                libc::mincore(start, layout.size(), are_there.as_mut_ptr())
            };
            assert_eq!(told, 0);
            let touched = are_there.iter().filter(|&&page| page & 1 == 1).count();
            // SAFETY: allocated with this layout, and not used again.
            unsafe { free(memory, layout) };
            assert!(touched < pages / 2, "{touched} of {pages} pages");
        }
    }
}
