//! Asks the processor for lines of memory before they are used. When there is no stable way to ask,
//! these functions do nothing.

#[cfg(all(target_arch = "x86_64", not(any(miri, drumline_loom))))]
mod hint {
    use std::arch::asm;
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    #[inline(always)]
    pub(super) fn read<T>(address: *const T) {
        // SAFETY: a hint. The address may be any.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }

    /// The intrinsic would ask for a line that other processors may keep as well, unless the
    /// program is compiled for newer ones only.
    #[inline(always)]
    pub(super) fn write<T>(address: *mut T) {
        // SAFETY: a hint. The address may be any. Each 64-bit processor of AMD has this
        // instruction, and those of Intel that do not have it pass over it.
        unsafe {
            asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags));
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, drumline_loom)))))]
mod hint {
    pub(super) fn read<T>(_address: *const T) {}

    pub(super) fn write<T>(_address: *mut T) {}
}

/// Asks for the line of an address that will be read soon.
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    hint::read(address);
}

/// Asks for the line of an address that will be written soon: no other processor has it then.
#[inline(always)]
pub(crate) fn prefetch_for_write<T>(address: *mut T) {
    hint::write(address);
}
