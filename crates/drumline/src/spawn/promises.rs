//! Programs that must not compile.
//!
//! A task may not borrow:
//!
//! ```compile_fail,E0597
//! let local = 1;
//! let borrow = &local;
//! drumline::spawn(move || *borrow);
//! ```
//!
//! What a task owns goes to another thread:
//!
//! ```compile_fail,E0277
//! let shared = std::rc::Rc::new(1);
//! drumline::spawn(move || drop(shared));
//! ```
//!
//! And so does what it returns:
//!
//! ```compile_fail,E0277
//! drumline::spawn(|| std::rc::Rc::new(1));
//! ```
//!
//! A task is joined once:
//!
//! ```compile_fail,E0382
//! let task = drumline::spawn(|| 1);
//! task.join();
//! task.join();
//! ```
