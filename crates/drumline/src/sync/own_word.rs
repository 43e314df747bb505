//! A word of the calling thread that costs one load to read.
//!
//! `std`'s `thread_local!` in a library is reached, until the linker knows better, through a call:
//! the linker turns that call into plain instructions, but by then the compiler has moved every
//! value out of the registers that a call destroys. In a function that forks, that makes *each*
//! call of it save registers, also the calls that do not fork.
//!
//! On Linux with glibc, on x86-64, the word is therefore a symbol in a thread-local section, which
//! only the assembler may name: to the compiler it looks like an ordinary static, at an address
//! where there is nothing. Elsewhere, and with `--cfg drumline_portable`, it is a `thread_local!`.
//!
//! The instructions are those of a *TLS descriptor* of the System V ABI: `rax` gets the address of
//! a descriptor, and a call through it puts the offset of the word from the thread pointer in
//! `rax`.
//!
//! - In a program, the linker knows the offset. It turns the two instructions into a constant and
//!   an instruction of two bytes that does nothing. bfd, gold, lld and mold do so, for programs
//!   that are position independent, at fixed addresses, or static.
//! - In a shared library, the call stays. The loader chooses what it reaches: two instructions
//!   while the library has its thread-locals in the static block, else a function that finds, and
//!   at first allocates, the block of the thread. A `join` costs 0.4 to 2.1 ns more there.
//!
//! Rejected: the *initial-exec* model, a load of the offset. It costs the same in a program, and
//! less in a shared library. But each such library needs room in the static block, and `dlopen`
//! fails when that is full: after a few small libraries, or at one with many thread-locals.
//!
//! Not solved: bfd and gold refuse a Rust `dylib` with Drumline inside (not a `cdylib`), because
//! the compiler tells them that the word is ordinary data. lld, mold and `drumline_portable` work.

pub(crate) use word::{get, set};

/// Whether [`get`] leaves the caller's registers alone.
pub(crate) const CHEAP: bool = word::CHEAP;

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(miri, drumline_shuttle, drumline_portable))
))]
mod word {
    use core::sync::atomic::AtomicPtr;
    use std::arch::asm;
    use std::ptr;

    pub(super) const CHEAP: bool = true;

    /// Never to be named in Rust; see above. Zeros, as the section demands.
    #[unsafe(link_section = ".tbss.drumline")]
    static WORD: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

    /// `asm!` that begins with the offset of the word in `rax`, followed by `$then`.
    ///
    /// The linkers know the first two instructions in exactly this form. There is no `nostack`: the
    /// call writes below the stack pointer. By the ABI it changes `rax` and the flags alone. Older
    /// releases of glibc also lose vector and mask registers when they allocate the word of a
    /// thread (bug 31372). So none of those registers may hold a value here.
    macro_rules! with_offset {
        ($then:literal, [$($operands:tt)*], [$($options:tt)*]) => {
            asm!(
                "lea rax, [rip + {word}@tlsdesc]",
                "call qword ptr [rax + {word}@tlscall]",
                $then,
                word = sym WORD,
                $($operands)*,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                out("xmm16") _, out("xmm17") _, out("xmm18") _, out("xmm19") _,
                out("xmm20") _, out("xmm21") _, out("xmm22") _, out("xmm23") _,
                out("xmm24") _, out("xmm25") _, out("xmm26") _, out("xmm27") _,
                out("xmm28") _, out("xmm29") _, out("xmm30") _, out("xmm31") _,
                out("k0") _, out("k1") _, out("k2") _, out("k3") _,
                out("k4") _, out("k5") _, out("k6") _, out("k7") _,
                $($options)*
            )
        };
    }

    /// The word.
    #[inline(always)]
    pub(crate) fn get<T>() -> *const T {
        let word: *const T;
        // SAFETY: the first two instructions find the place of the word, and the last one loads it.
        // Only the calling thread uses it. `pure` and `readonly` hold although the loader may
        // allocate memory for the word: the compiler takes the addresses of its own thread-locals
        // for pure values, too.
        unsafe {
            with_offset!(
                "mov rax, qword ptr fs:[rax]",
                [out("rax") word],
                [options(pure, readonly)]
            );
        }
        word
    }

    /// Changes the word.
    #[inline]
    pub(crate) fn set<T>(word: *const T) {
        // SAFETY: as in `get`; what is written is the word alone, which `get` is known to read.
        unsafe {
            with_offset!(
                "mov qword ptr fs:[rax], {value}",
                [value = in(reg) word, out("rax") _],
                []
            );
        }
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(miri, drumline_shuttle, drumline_portable))
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

#[cfg(all(test, not(drumline_shuttle)))]
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
