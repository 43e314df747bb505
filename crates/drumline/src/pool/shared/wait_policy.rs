//! What a thread that waits may run.

/// What a thread of a pool runs while it waits for the other half of a
/// [`join`](crate::join()), the jobs of a [`scope`](crate::scope()) or a
/// [task](crate::JoinHandle::join); see
/// [`PoolBuilder::wait_policy`](crate::PoolBuilder::wait_policy).
///
/// ```
/// use drumline::{Pool, WaitPolicy};
///
/// assert_eq!(WaitPolicy::default(), WaitPolicy::Related);
/// let pool = Pool::builder().jobs(2).wait_policy(WaitPolicy::Related).build()?;
/// assert_eq!(pool.join(|| 1, || 2), (1, 2));
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitPolicy {
    /// Only what belongs to the thing it waits for: what the awaited work has
    /// forked. With nothing of that kind it sleeps, and another thread takes
    /// its place.
    ///
    /// What runs on a thread while it waits is then what it would have called
    /// itself in a sequential program, so a lock that it holds, or a `RefCell`
    /// that it has borrowed, is wanted only where that program would want it.
    /// To help so is leapfrogging (Wagner and Calder, 1993).
    #[default]
    Related,
    /// Any work of the pool, where there is none that belongs to the thing it waits
    /// for: its own tasks, those of others, the half of a stranger's join. This
    /// is what rayon does, which also runs the second halves of the thread's own pending joins;
    /// here these wait for another thread.
    ///
    /// **The risk.** A stranger runs on top of the waiting frame, and that frame goes on only after
    /// it. If the frame holds a lock that the stranger wants, that is a deadlock. Whether it comes
    /// to that depends on which threads are idle at the time. If the frame has borrowed a `RefCell`
    /// of the thread, the stranger panics. If the frame is part of a task that the stranger joins,
    /// both wait for ever. A call can last longer than its own work, by any stranger's length.
    /// Strangers that wait take further strangers, so stacks grow beyond those of the sequential
    /// program, up to three quarters of what there is. A thread with less than a quarter of its
    /// stack left takes no further stranger. In a pool without [spares](crate::PoolBuilder::spares)
    /// all threads can come to that, while they wait for calls into another pool that calls back.
    /// Then both pools stand still, and larger [stacks](crate::PoolBuilder::stack_size) help.
    ///
    /// **When to use it.** The jobs of the program often wait for others, and for long, and hold
    /// nothing meanwhile. The program cannot have further threads, because memory is counted, or
    /// because threads are pinned, one per processor.
    Steal,
}
