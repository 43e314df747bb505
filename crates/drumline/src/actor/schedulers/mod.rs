//! Where actors run, if not in the pool.
//!
//! | file | noun |
//! |---|---|
//! | `shared_scheduler` | threads that share one queue |
//! | `hand_scheduler` | a test that runs them, one message at a time |
//! | `own_thread` | the thread of one actor |
//! | `thread_actor`, `inbox` | an actor that is a function on such a thread; how that receives |

pub(super) mod hand_scheduler;
pub(super) mod inbox;
pub(super) mod own_thread;
pub(super) mod shared_scheduler;
pub(super) mod thread_actor;

pub(super) use {own_thread::OwnThread, shared_scheduler::QueuedRun};
