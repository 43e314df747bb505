//! A cell of which loom checks that only one thread at a time is in it.

#[cfg(not(drumline_loom))]
mod cell {
    use std::cell::UnsafeCell;

    /// Plain memory, for which a protocol says which thread may use it.
    ///
    /// It lies in memory as the value does.
    #[derive(Debug)]
    #[repr(transparent)]
    pub(crate) struct CheckedCell<T>(UnsafeCell<T>);

    impl<T> CheckedCell<T> {
        pub(crate) fn new(value: T) -> Self {
            CheckedCell(UnsafeCell::new(value))
        }

        /// Hands the address of the value to `access`, which must be the only one to use it.
        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
            access(self.0.get())
        }
    }
}

#[cfg(drumline_loom)]
mod cell {
    pub(crate) use loom::cell::UnsafeCell as CheckedCell;
}

pub(crate) use cell::CheckedCell;
