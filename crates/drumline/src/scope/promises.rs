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
//!
//! A future of a scope may not borrow what the body of the scope owns:
//!
//! ```compile_fail,E0597
//! drumline::scope(|s| {
//!     let local = 1;
//!     let borrow = &local;
//!     s.spawn_future(async move { assert_eq!(*borrow, 1) });
//! });
//! ```
//!
//! Nor may its output outlive what it borrows:
//!
//! ```compile_fail,E0597
//! let handle = {
//!     let local = String::new();
//!     drumline::scope(|s| s.spawn_future(async { &local }))
//! };
//! drop(handle);
//! ```
//!
//! It is polled on several threads, one after the other:
//!
//! ```compile_fail
//! drumline::in_place_scope(|s| {
//!     s.spawn_future(async {
//!         let shared = std::rc::Rc::new(1);
//!         drumline::task::yield_now().await;
//!         drop(shared);
//!     });
//! });
//! ```
//!
//! No scope is a future. It could be forgotten while it waits, and then what its jobs borrow would
//! go before they do:
//!
//! ```compile_fail,E0277
//! async fn run() {
//!     let value = 1;
//!     drumline::scope(|s| s.spawn(|_| assert_eq!(value, 1))).await;
//! }
//! ```
//!
//! A future that borrows is spawned in a scope, not in a pool:
//!
//! ```compile_fail,E0597
//! let value = 1;
//! drumline::spawn_future(async { assert_eq!(&value, &1) });
//! ```
