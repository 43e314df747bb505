//! The stacks of loom's threads, used again.
//!
//! loom gives each thread of a model a stack of its own, and maps all of them anew for every order
//! that it explores: some models explore millions. Two thirds of the models' processor time was the
//! kernel's. In the program of the models, the functions here take the place of the C library's.
//! A stack that is given back is kept, as it is, for the next thread that asks for one of its size.
//! Its lowest page is still the one that no thread may touch. All other memory goes to the kernel
//! as before.

use std::ffi::{c_int, c_long, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stack that was mapped.
struct Stack {
    /// Where it begins.
    base: *mut c_void,
    /// Its bytes.
    len: usize,
    /// Whether it was given back.
    is_free: bool,
}

// SAFETY: the address is a number here. Nothing is read or written by way of it.
unsafe impl Send for Stack {}

/// All of them: as many as a model has threads.
static STACKS: Mutex<Vec<Stack>> = Mutex::new(Vec::new());

fn stacks() -> MutexGuard<'static, Vec<Stack>> {
    STACKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As in the C library.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    let is_stack = address.is_null() && file == -1 && flags & libc::MAP_STACK != 0;
    if is_stack {
        let mut all = stacks();
        let free = all
            .iter_mut()
            .find(|stack| stack.is_free && stack.len == len);
        if let Some(stack) = free {
            stack.is_free = false;
            return stack.base;
        }
    }
    // SAFETY: what the caller has promised, as the kernel asks for it.
    let mapped = unsafe {
        libc::syscall(
            libc::SYS_mmap,
            address,
            len,
            protection,
            flags,
            file,
            offset,
        )
    };
    let base = ptr::with_exposed_provenance_mut(mapped as usize);
    if is_stack && !ptr::eq(base, libc::MAP_FAILED) {
        stacks().push(Stack {
            base,
            len,
            is_free: false,
        });
    }
    base
}

/// As in the C library.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(address: *mut c_void, len: usize) -> c_int {
    let mut all = stacks();
    let whole = all
        .iter_mut()
        .find(|stack| ptr::eq(stack.base, address) && stack.len == len);
    if let Some(stack) = whole {
        stack.is_free = true;
        return 0;
    }
    // A part of one that goes is no stack any more.
    let (begin, end) = (address.addr(), address.addr() + len);
    all.retain(|stack| stack.base.addr() + stack.len <= begin || end <= stack.base.addr());
    drop(all);
    // SAFETY: what the caller has promised.
    let result: c_long = unsafe { libc::syscall(libc::SYS_munmap, address, len) };
    result as c_int
}

#[test]
fn loom_stacks_are_used_again() {
    // Of a size that no model has.
    let len = 3 << 20;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_STACK;
    // SAFETY: this maps new memory.
    let map = || unsafe { mmap(ptr::null_mut(), len, protection, flags, -1, 0) };
    let (first, second) = (map(), map());
    assert_ne!(first, second);
    // SAFETY: nothing is there.
    assert_eq!(unsafe { munmap(first, len) }, 0);
    assert_eq!(map(), first);
    // And loom takes its stacks from here.
    loom::model(|| {
        loom::thread::spawn(|| ()).join().unwrap();
    });
    assert!(stacks().iter().any(|stack| stack.len != len));
}
