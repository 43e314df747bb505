//! What parallel iterators begin with, besides slices: the types of the language and of the
//! standard library that can become one.

pub mod array;
pub mod collections;
mod number;
pub mod option;
pub mod range;
pub mod range_inclusive;
pub mod result;
pub mod str;
pub mod string;
pub mod vec;

mod delegate;
mod owned;
mod span;
