//! What the runtime asks of the operating system, and what it does where the answer is no.
//!
//! Everything here is a leaf: it names neither the scheduler nor any other module of the crate,
//! holds no state but what the kernel or a `fork` handler needs and what the system has answered,
//! and never panics. Each file owns one noun and hides its variants behind it, so that no other
//! module contains a `cfg` on the system:
//!
//! | noun | what it gives | native on | elsewhere |
//! |---|---|---|---|
//! | [`membarrier`] | a barrier that *other* threads pay for | Linux, Windows | no: owners fence |
//! | [`futex`] | sleep until a word changes | Linux, Windows | hashed condition variables |
//! | [`timer`] | naps of some tens of microseconds that end on time | Linux | nothing |
//! | [`thread_state`] | whether another thread stands still | Linux | no thread does |
//! | [`preemptions`] | how often a thread had to make room | Linux | never |
//! | [`topology`] | how many processors and real cores | Linux, Windows, Apple | what `std` knows |
//! | [`thread_quota`] | how many threads this process may have | Linux, Android | no answer |
//! | [`stack`] | how much of its stack a thread has left | Linux with glibc | no answer |
//! | [`stderr`] | saying something on standard error, come what may | Unix | through `std` |
//! | [`fork`] | a number that changes in a forked child | Linux, Android, Apple, BSD | a constant |
//! | [`zeroed`] | memory that costs address space until it is touched | Unix | the allocator's |
//! | [`known`] | a number that is found out once, without a lock | everywhere | – |
//!
//! Under Miri the last column applies throughout, since an interpreter has no kernel to ask.
//! Under loom there is no [`futex`] at all (the models sleep on loom's own primitives), and
//! [`membarrier`] says no, because a model checker sees only fences that are in the program.
//!
//! Words that the kernel looks at, and counters that a signal-safe handler writes, must be the
//! hardware's own atomics even under a model checker. They are therefore named through
//! `core::sync::atomic` in this directory, and do not go through the crate's `sync` façade.

pub(crate) mod fork;
#[cfg(not(drumline_loom))]
pub(crate) mod futex;
pub(crate) mod known;
#[cfg_attr(
    drumline_fence,
    allow(dead_code, reason = "a build with fences asks for no barrier")
)]
pub(crate) mod membarrier;
pub(crate) mod preemptions;
pub(crate) mod stack;
pub(crate) mod stderr;
pub(crate) mod thread_quota;
pub(crate) mod thread_state;
pub(crate) mod timer;
pub(crate) mod topology;
#[cfg(not(any(drumline_loom, miri)))]
pub(crate) mod zeroed;
