//! What starts the threads of a pool.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use drumline::{BuildError, PoolBuilder};

use crate::{ThreadBuilder, ThreadPoolBuildError};

/// A way to start threads.
pub trait ThreadSpawn {
    /// Has `make` make a pool of the builder, and its threads started in this way.
    #[doc(hidden)]
    fn start<T>(
        self,
        builder: PoolBuilder,
        make: impl FnOnce(PoolBuilder) -> Result<T, BuildError>,
    ) -> Result<T, ThreadPoolBuildError>;
}

/// The pool starts its threads itself.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

/// A closure of the program starts them.
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl ThreadSpawn for DefaultSpawn {
    fn start<T>(
        self,
        builder: PoolBuilder,
        make: impl FnOnce(PoolBuilder) -> Result<T, BuildError>,
    ) -> Result<T, ThreadPoolBuildError> {
        Ok(make(builder)?)
    }
}

impl<F: FnMut(ThreadBuilder) -> io::Result<()>> ThreadSpawn for CustomSpawn<F> {
    fn start<T>(
        mut self,
        builder: PoolBuilder,
        make: impl FnOnce(PoolBuilder) -> Result<T, BuildError>,
    ) -> Result<T, ThreadPoolBuildError> {
        // Drumline asks for a closure that borrows nothing, and calls it before the pool is made.
        // So the threads are collected meanwhile, and started afterwards.
        let wanted = Rc::new(RefCell::new(Vec::new()));
        let collected = Rc::clone(&wanted);
        let made = make(builder.spawn_handler(move |thread| {
            collected.borrow_mut().push(thread);
            Ok(())
        }))?;
        for thread in wanted.take() {
            (self.0)(ThreadBuilder::new(thread))?;
        }
        Ok(made)
    }
}
