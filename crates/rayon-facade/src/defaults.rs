//! What all pools of this crate have in common, the global one included.

use std::any::Any;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::Once;

use drumline::{PoolBuilder, WaitPolicy};

/// Threads as rayon has them: as many as jobs and never more; a thread that waits runs any job; a
/// broadcast goes to all of them.
pub(crate) fn as_rayon() -> PoolBuilder {
    PoolBuilder::new()
        .guests(false)
        .spares(false)
        .wait_policy(WaitPolicy::Steal)
        .broadcast_to_member(true)
        .panic_handler(|_| abort("a task that no thread waits for panicked"))
}

/// The handler of a program, which must not panic itself.
pub(crate) fn guarded<H>(hook: H) -> impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static
where
    H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
{
    move |payload| {
        // The payload is not dropped before the process aborts: that may panic, too.
        let _panicked = match catch_unwind(AssertUnwindSafe(|| hook(payload))) {
            Ok(()) => return,
            Err(panicked) => panicked,
        };
        abort("the panic handler panicked");
    }
}

fn abort(why: &str) -> ! {
    // Where standard error is closed the process ends without the message.
    let _ = writeln!(
        std::io::stderr(),
        "drumline under rayon's name: {why}; aborting"
    );
    process::abort()
}

/// Has the global pool made in this way, if the program does not build it.
///
/// Methods of iterators belong to Drumline, so a call of theirs can be the first use of the global
/// pool. Where the linker runs functions before `main`, this is one of them. Elsewhere the
/// functions of this crate call it.
pub(crate) fn describe_global() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error: it exists, and so was described by the program.
        let _ = PoolBuilder::describe_global(as_rayon);
    });
}

extern "C" fn before_main() {
    describe_global();
}

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_vendor = "apple",
    windows
))]
// SAFETY: each of these sections is a list of functions of this type, which the system calls once,
// before `main`. This one uses a `Once` and a static of Drumline, and nothing that `main` prepares.
#[used]
#[cfg_attr(
    not(any(target_vendor = "apple", windows)),
    unsafe(link_section = ".init_array")
)]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static BEFORE_MAIN: extern "C" fn() = before_main;
