//! A word of the calling thread that costs one load to read.
//!
//! `std`'s `thread_local!` in a library is reached, until the linker knows better, through a call:
//! the linker turns that call into plain instructions, but by then the compiler has moved every
//! value out of the registers that a call destroys. In a function that forks, that makes *each* call
//! of it save registers, also the calls that do not fork.
//!
//! On Linux with glibc, on x86-64, the word is therefore a symbol in a thread-local section that two
//! instructions reach (the *initial-exec* model of the System V ABI: its place relative to the
//! thread pointer is fixed when the program, or a library with it, is loaded). Only the assembler
//! may name it: to the compiler it looks like an ordinary static, at an address where there is
//! nothing. Elsewhere, and with `--cfg drumline_portable`, it is a `thread_local!`.

pub(crate) use word::{get, set};

/// Whether [`get`] leaves the caller's registers alone.
pub(crate) const CHEAP: bool = word::CHEAP;

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(miri, shuttle, drumline_portable))
))]
mod word {
    use core::sync::atomic::AtomicPtr;
    use std::arch::asm;
    use std::ptr;

    pub(super) const CHEAP: bool = true;

    /// Never to be named in Rust; see above. Zeros, as the section demands.
    #[unsafe(link_section = ".tbss.drumline")]
    static WORD: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

    /// The word.
    #[inline(always)]
    pub(crate) fn get<T>() -> *const T {
        let word: *const T;
        // SAFETY: the first instruction loads the place of the word relative to the thread pointer,
        // the second the word. Only the calling thread uses it, nothing is written, no flag and no
        // stack is touched.
        unsafe {
            asm!(
                "mov {word}, qword ptr [rip + {place}@GOTTPOFF]",
                "mov {word}, qword ptr fs:[{word}]",
                word = out(reg) word,
                place = sym WORD,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        word
    }

    /// Changes the word.
    #[inline]
    pub(crate) fn set<T>(word: *const T) {
        // SAFETY: as in `get`; what is written is the word alone, which `get` is known to read.
        unsafe {
            asm!(
                "mov {place_of}, qword ptr [rip + {place}@GOTTPOFF]",
                "mov qword ptr fs:[{place_of}], {word}",
                place_of = out(reg) _,
                word = in(reg) word,
                place = sym WORD,
                options(nostack, preserves_flags),
            );
        }
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(miri, shuttle, drumline_portable))
)))]
mod word {
    use std::cell::Cell;
    use std::ptr;

    pub(super) const CHEAP: bool = false;

    crate::sync::per_thread! {
        static WORD: Cell<*const ()> = const { Cell::new(ptr::null()) };
    }

    /// The word.
    #[inline(always)]
    pub(crate) fn get<T>() -> *const T {
        WORD.with(Cell::get).cast()
    }

    /// Changes the word.
    #[inline]
    pub(crate) fn set<T>(word: *const T) {
        WORD.with(|cell| cell.set(word.cast()));
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::ptr;

    #[test]
    fn each_thread_has_its_own() {
        let mut words = [1_u8, 2];
        let [mine, theirs] = &mut words;
        let before = super::get::<u8>();
        super::set(&raw const *mine);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(super::get::<u8>().is_null());
                super::set(&raw const *theirs);
                assert!(ptr::eq(super::get::<u8>(), &raw const *theirs));
            });
        });
        assert!(ptr::eq(super::get::<u8>(), &raw const *mine));
        super::set(before);
    }
}
