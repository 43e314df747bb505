//! How the C library's allocator treats large blocks.

/// Blocks from this size on are the system's own: its memory comes back when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 256 << 10;

/// Has large blocks given back to the system. To be called first, before there are threads.
///
/// The allocator of glibc raises that size to the largest block that was ever freed, and keeps
/// twice as much for each thread. Here the large blocks are the banks and the sample memories of
/// songs, which have up to 32 MiB: without this, that memory would stay when their song has ended.
/// All else that a song needs is in smaller blocks; see [`give_free_pages_back`]. The number of
/// arenas is the default: with one, eight songs in flight took no less memory.
pub fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it changes a setting of the allocator, which no other thread uses yet. If it
        // refuses, the setting stays as it was.
        let _is_set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    }
}

/// Gives free pages of the heaps back to the system: those of the songs that were planned, or of
/// one that has ended. Without this, eight songs in flight on two threads took 4 % more memory at the
/// end of an album of 61 songs.
pub fn give_free_pages_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it may be called by any thread at any time. Whether there was anything to give
        // back makes no difference.
        let _is_given = unsafe { libc::malloc_trim(0) };
    }
}
