//! Programs that must not compile.
//!
//! The context of a broadcast stays on the thread that it describes:
//!
//! ```compile_fail,E0277
//! rayon::broadcast(|context| {
//!     std::thread::scope(|s| {
//!         s.spawn(|| context.index());
//!     });
//! });
//! ```
//!
//! A job of a scope may not borrow what the scope's closure owns:
//!
//! ```compile_fail,E0373
//! rayon::scope(|scope| {
//!     let local = 1;
//!     scope.spawn(|_| assert_eq!(local, 1));
//! });
//! ```
//!
//! ```compile_fail,E0373
//! rayon::scope_fifo(|scope| {
//!     let local = 1;
//!     scope.spawn_fifo(|_| assert_eq!(local, 1));
//! });
//! ```
//!
//! Nor may a broadcast of the scope:
//!
//! ```compile_fail,E0373
//! rayon::scope(|scope| {
//!     let local = 1;
//!     scope.spawn_broadcast(|_, _| assert_eq!(local, 1));
//! });
//! ```
//!
//! The lifetime of a scope neither shrinks nor grows:
//!
//! ```compile_fail
//! fn shrink<'a, 'long: 'a>(scope: &'a rayon::Scope<'long>) -> &'a rayon::Scope<'a> {
//!     scope
//! }
//! ```
//!
//! ```compile_fail
//! fn grow<'a>(scope: &'a rayon::Scope<'a>) -> &'a rayon::Scope<'static> {
//!     scope
//! }
//! ```
//!
//! ```compile_fail
//! fn shrink<'a, 'long: 'a>(scope: &'a rayon::ScopeFifo<'long>) -> &'a rayon::ScopeFifo<'a> {
//!     scope
//! }
//! ```
