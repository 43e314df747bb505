//! How much of the heap is in use, as the C library counts it.
//!
//! A counting allocator would tell as well. But every allocation of every workload would pay for
//! it, and it would not count what the C library puts in front of each block.

/// The bytes of the heap that are in use, all threads together; `None` if the C library does not
/// say. Freed blocks that a thread keeps for itself count as used; it keeps a few hundred at most.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn bytes_in_use() -> Option<u64> {
    type Mallinfo2 = unsafe extern "C" fn() -> libc::mallinfo2;

    // SAFETY: the name ends with a zero byte.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"mallinfo2".as_ptr()) };
    // Before version 2.33 there is none.
    if symbol.is_null() {
        return None;
    }
    // SAFETY: the symbol of this name is the function of this type, and it is not null.
    let mallinfo2 = unsafe { std::mem::transmute::<*mut libc::c_void, Mallinfo2>(symbol) };
    // SAFETY: it may be called at any time, from any thread.
    let info = unsafe { mallinfo2() };
    // Large blocks are mappings of their own.
    u64::try_from(info.uordblks + info.hblkhd).ok()
}

/// The bytes of the heap that are in use: unknown on this system.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn bytes_in_use() -> Option<u64> {
    None
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_in_use() {
        // Above what tests that run at the same time may free, and in blocks of both kinds.
        const BLOCKS: usize = 1 << 16;
        let before = bytes_in_use().unwrap();
        let small: Vec<Box<[u8]>> = (0..BLOCKS)
            .map(|_| vec![1; 1 << 10].into_boxed_slice())
            .collect();
        let with_small = bytes_in_use().unwrap();
        assert!(with_small >= before + (48 << 20), "{before} {with_small}");
        let large = vec![1u8; 64 << 20];
        let with_large = bytes_in_use().unwrap();
        assert!(with_large >= with_small + (48 << 20), "{with_large}");
        drop((small, large));
        assert!(bytes_in_use().unwrap() + (96 << 20) <= with_large);
    }
}
