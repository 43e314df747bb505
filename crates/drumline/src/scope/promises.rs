//! Programs that must not compile.
//!
//! A job may not borrow what the body of the scope owns:
//!
//! ```compile_fail,E0597
//! drumline::scope(|s| {
//!     let local = 1;
//!     let borrow = &local;
//!     s.spawn(move |_| assert_eq!(*borrow, 1));
//! });
//! ```
//!
//! Two jobs may not borrow the same mutably:
//!
//! ```compile_fail,E0499
//! let mut value = 0;
//! drumline::scope(|s| {
//!     s.spawn(|_| value += 1);
//!     s.spawn(|_| value += 1);
//! });
//! ```
//!
//! A scope does not leave its body:
//!
//! ```compile_fail,E0521
//! let mut escaped = None;
//! drumline::in_place_scope(|s| escaped = Some(s));
//! ```
//!
//! Nor does it become one of a shorter life, by way of a job:
//!
//! ```compile_fail,E0597
//! fn shorten<'a>(s: &drumline::Scope<'static>) {
//!     let local = 1;
//!     let borrow = &local;
//!     s.spawn(move |_| assert_eq!(*borrow, 1));
//! }
//! ```
//!
//! What a job owns goes to another thread:
//!
//! ```compile_fail,E0277
//! let shared = std::rc::Rc::new(1);
//! drumline::in_place_scope(|s| s.spawn(|_| drop(shared)));
//! ```
//!
//! A body that is not in place may do so, too:
//!
//! ```compile_fail,E0277
//! let shared = std::rc::Rc::new(1);
//! drumline::scope(|_| drop(shared));
//! ```
