//! How the C library's allocator treats large blocks.

/// Blocks from this size on are the system's own: its memory comes back when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 256 << 10;

/// Has large blocks given back to the system. To be called first, before there are threads.
///
/// The allocator of glibc raises that size to the largest block that was ever freed, and keeps
/// twice as much for each thread. Here the large blocks are songs while they are read. That memory
/// would be as much as all songs that are rendered at once.
pub fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it changes a setting of the allocator, which no other thread uses yet. If it
        // refuses, the setting stays as it was.
        let _is_set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    }
}
