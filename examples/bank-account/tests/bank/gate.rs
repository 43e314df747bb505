//! Holds the only worker of a pool until a test lets it go.

use drumline::channel::oneshot;
use drumline::{JoinHandle, Pool};

/// A job that occupies one place of a pool.
pub struct Gate {
    open: oneshot::Sender<()>,
    job: JoinHandle<()>,
}

impl Gate {
    /// Returns when the job has its place. The pool must have no spares, which would take another.
    pub fn close(pool: &Pool) -> Self {
        let (open, opened) = oneshot::channel();
        let (inside, is_inside) = oneshot::channel();
        let job = pool.spawn(move || {
            inside.send(()).unwrap();
            opened.recv().unwrap();
        });
        is_inside.recv().unwrap();
        Gate { open, job }
    }

    pub fn open(self) {
        self.open.send(()).unwrap();
        self.job.join().unwrap();
    }
}
