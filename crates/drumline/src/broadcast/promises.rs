//! Programs that must not compile.
//!
//! A broadcast closure is used by several threads at once:
//!
//! ```compile_fail,E0277
//! let cell = std::cell::Cell::new(1);
//! drumline::broadcast(|_| cell.set(2));
//! ```
//!
//! Its results come from other threads:
//!
//! ```compile_fail,E0277
//! drumline::broadcast(|_| std::rc::Rc::new(1));
//! ```
//!
//! Its context stays on the thread of which it speaks:
//!
//! ```compile_fail,E0277
//! drumline::broadcast(|ctx| {
//!     std::thread::scope(|s| {
//!         s.spawn(|| ctx.index());
//!     });
//! });
//! ```
//!
//! A broadcast that its caller does not wait for may not borrow:
//!
//! ```compile_fail,E0597
//! let local = 1;
//! let borrow = &local;
//! drumline::spawn_broadcast(move |_| assert_eq!(*borrow, 1));
//! ```
