//! The traits that give types their parallel methods; to be imported whole.
//!
//! ```
//! use drumline::prelude::*;
//!
//! let sum: u64 = (1..=100u64).into_par_iter().sum();
//! assert_eq!(sum, 5050);
//! ```

pub use crate::iter::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
    IntoParallelRefMutIterator, ParallelBridge, ParallelDrainFull, ParallelDrainRange,
    ParallelExtend, ParallelIterator,
};
pub use crate::slice::{ParallelSlice, ParallelSliceMut};
pub use crate::source::str::ParallelString;
