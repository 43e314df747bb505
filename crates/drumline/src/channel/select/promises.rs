//! Programs that must not compile. Each has a twin that compiles.
//!
//! An end is borrowed mutably by one path:
//!
//! ```
//! use drumline::channel::{Select, spsc};
//! let (_sender, mut receiver) = spsc::unbounded::<u32>();
//! let (_other, mut second) = spsc::unbounded::<u32>();
//! let mut select = Select::new();
//! select.recv(&mut receiver, |_| ()).recv(&mut second, |_| ());
//! ```
//!
//! ```compile_fail,E0499
//! use drumline::channel::{Select, spsc};
//! let (_sender, mut receiver) = spsc::unbounded::<u32>();
//! let mut select = Select::new();
//! select.recv(&mut receiver, |_| ()).recv(&mut receiver, |_| ());
//! ```
//!
//! ```compile_fail,E0499
//! use drumline::channel::{select, spsc};
//! let (_sender, mut receiver) = spsc::unbounded::<u32>();
//! select! {
//!     recv(receiver) -> _ => (),
//!     recv(receiver) -> _ => (),
//!     default => (),
//! }
//! ```
//!
//! A sender does not receive, and a receiver does not send:
//!
//! ```
//! use drumline::channel::{Select, mpmc};
//! let (sender, receiver) = mpmc::bounded::<u32>(1);
//! let mut select = Select::new();
//! select.recv(&receiver, |_| ()).send(&sender, || None, |_| ());
//! ```
//!
//! ```compile_fail,E0277
//! use drumline::channel::{Select, mpmc};
//! let (sender, _receiver) = mpmc::bounded::<u32>(1);
//! let mut select = Select::new();
//! select.recv(&sender, |_| ());
//! ```
//!
//! ```compile_fail,E0277
//! use drumline::channel::{Select, mpmc};
//! let (_sender, receiver) = mpmc::bounded::<u32>(1);
//! let mut select = Select::new();
//! select.send(&receiver, || None, |_| ());
//! ```
//!
//! ```compile_fail,E0599
//! use drumline::channel::{mpmc, select};
//! let (sender, _receiver) = mpmc::bounded::<u32>(1);
//! select! { recv(sender) -> _ => (), default => () }
//! ```
//!
//! A value that was sent is gone:
//!
//! ```
//! use drumline::channel::{mpmc, select};
//! let (sender, _receiver) = mpmc::bounded(1);
//! let value = String::new();
//! select! { send(sender, value) -> _ => (), default => drop(value) }
//! ```
//!
//! ```compile_fail,E0382
//! use drumline::channel::{mpmc, select};
//! let (sender, _receiver) = mpmc::bounded(1);
//! let value = String::new();
//! select! { send(sender, value) -> _ => (), default => () }
//! drop(value);
//! ```
//!
//! A pattern that may not match says nothing of what comes then:
//!
//! ```
//! use drumline::channel::{mpmc, select};
//! let (_sender, receiver) = mpmc::unbounded::<u32>();
//! select! { recv(receiver) -> message => drop(message), default => () }
//! ```
//!
//! ```compile_fail,E0005
//! use drumline::channel::{mpmc, select};
//! let (_sender, receiver) = mpmc::unbounded::<u32>();
//! select! { recv(receiver) -> Ok(message) => drop(message), default => () }
//! ```
//!
//! There is an arm, it has its form, and the limit comes last:
//!
//! ```compile_fail
//! drumline::channel::select! {}
//! ```
//!
//! ```compile_fail
//! drumline::channel::select! { default => () }
//! ```
//!
//! ```compile_fail
//! use drumline::channel::{mpmc, select};
//! let (_sender, receiver) = mpmc::unbounded::<u32>();
//! select! { receive(receiver) -> _ => () }
//! ```
//!
//! ```compile_fail
//! use drumline::channel::{mpmc, select};
//! let (_sender, receiver) = mpmc::unbounded::<u32>();
//! select! { default => (), recv(receiver) -> _ => () }
//! ```
