//! Broadcasts that a scope waits for.

use super::BroadcastContext;
use crate::job::HeapJob;
use crate::pool::{Registry, local};
use crate::scope::{HasScopeState, Scope, ScopeFifo, ScopeState};
use crate::sync::Arc;
use crate::unwind;

impl<'scope> Scope<'scope> {
    /// Runs `body` once on every worker of the scope's pool; the scope waits for all of them.
    /// [`broadcast`](crate::broadcast()) says which threads are workers.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let seen = Mutex::new(Vec::new());
    /// pool.scope(|s| s.spawn_broadcast(|_, ctx| seen.lock().unwrap().push(ctx.index())));
    /// assert_eq!(seen.lock().unwrap().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        to_all(self, body);
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// As [`Scope::spawn_broadcast`].
    ///
    /// ```
    /// use std::sync::Mutex;
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let seen = Mutex::new(Vec::new());
    /// pool.scope_fifo(|s| s.spawn_broadcast(|_, ctx| seen.lock().unwrap().push(ctx.index())));
    /// assert_eq!(seen.lock().unwrap().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        to_all(self, body);
    }
}

fn to_all<'scope, S, BODY>(scope: &S, body: BODY)
where
    S: HasScopeState<'scope>,
    BODY: Fn(&S, BroadcastContext<'_>) + Send + Sync + 'scope,
{
    let registry: &Registry = scope.state().registry();
    let (workers, _open) = super::workers(registry);
    if workers.is_empty() {
        scope.add(move |scope| body(scope, BroadcastContext::new(0, 1)));
        return;
    }
    let body = Arc::new(body);
    scope.state().expect(workers.len());
    for (index, &worker) in workers.iter().enumerate() {
        let share = Share {
            body: Arc::clone(&body),
            state: Arc::clone(scope.state()),
            index,
            count: workers.len(),
        };
        // SAFETY: counted by `expect`, so that the scope, and with it what
        // `body` borrows, lasts until the share has been run and dropped.
        let job = unsafe { HeapJob::into_job_ref(move || share.run::<S>()) };
        registry.send(worker, job);
    }
}

struct Share<BODY> {
    body: Arc<BODY>,
    state: Arc<ScopeState>,
    index: usize,
    count: usize,
}

impl<BODY> Share<BODY> {
    fn run<'scope, S>(self)
    where
        S: HasScopeState<'scope>,
        BODY: Fn(&S, BroadcastContext<'_>),
    {
        let seat = local::seat().expect("jobs run in seats").index();
        let runner = self.state.enroll(seat);
        let scope = S::from_state(self.state);
        let context = BroadcastContext::new(self.index, self.count);
        let body = self.body;
        let outcome = unwind::catch(|| body(&scope, context));
        // Before the scope can end: the body may borrow from it.
        let dropped = unwind::catch(|| drop(body));
        let outcome = match (outcome, dropped) {
            (Err(payload), Err(surplus)) => {
                unwind::discard(surplus);
                Err(payload)
            }
            (outcome, dropped) => outcome.and(dropped),
        };
        scope.into_state().complete(runner, outcome);
    }
}
