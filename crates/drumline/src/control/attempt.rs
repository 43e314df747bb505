//! What can fail: the types that `?` works with.

use std::ops::ControlFlow;
use std::task::Poll;

/// A type that `?` works with; stands for the standard library's `Try`, which is not stable.
///
/// It cannot be implemented elsewhere, because it cannot be named there.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot fail",
    label = "not a type that `?` works with",
    note = "an `Option`, a `Result` or a `ControlFlow` can, and a `Poll` of one of the first two"
)]
pub trait Attempt: Sized {
    /// What comes of it where it succeeds.
    type Output;

    /// What is left of it where it fails.
    type Failure;

    /// A success.
    fn success(output: Self::Output) -> Self;

    /// A failure.
    fn failure(failure: Self::Failure) -> Self;

    /// Tells the two apart.
    fn branch(self) -> ControlFlow<Self::Failure, Self::Output>;

    /// Whether it is a failure.
    fn has_failed(&self) -> bool;
}

impl<T> Attempt for Option<T> {
    type Output = T;
    type Failure = ();

    #[inline]
    fn success(output: T) -> Self {
        Some(output)
    }

    #[inline]
    fn failure((): ()) -> Self {
        None
    }

    #[inline]
    fn branch(self) -> ControlFlow<(), T> {
        match self {
            Some(output) => ControlFlow::Continue(output),
            None => ControlFlow::Break(()),
        }
    }

    #[inline]
    fn has_failed(&self) -> bool {
        self.is_none()
    }
}

impl<T, E> Attempt for Result<T, E> {
    type Output = T;
    type Failure = E;

    #[inline]
    fn success(output: T) -> Self {
        Ok(output)
    }

    #[inline]
    fn failure(failure: E) -> Self {
        Err(failure)
    }

    #[inline]
    fn branch(self) -> ControlFlow<E, T> {
        match self {
            Ok(output) => ControlFlow::Continue(output),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    #[inline]
    fn has_failed(&self) -> bool {
        self.is_err()
    }
}

impl<B, C> Attempt for ControlFlow<B, C> {
    type Output = C;
    type Failure = B;

    #[inline]
    fn success(output: C) -> Self {
        ControlFlow::Continue(output)
    }

    #[inline]
    fn failure(failure: B) -> Self {
        ControlFlow::Break(failure)
    }

    #[inline]
    fn branch(self) -> ControlFlow<B, C> {
        self
    }

    #[inline]
    fn has_failed(&self) -> bool {
        self.is_break()
    }
}

impl<T, E> Attempt for Poll<Result<T, E>> {
    type Output = Poll<T>;
    type Failure = E;

    #[inline]
    fn success(output: Poll<T>) -> Self {
        output.map(Ok)
    }

    #[inline]
    fn failure(failure: E) -> Self {
        Poll::Ready(Err(failure))
    }

    #[inline]
    fn branch(self) -> ControlFlow<E, Poll<T>> {
        match self {
            Poll::Pending => ControlFlow::Continue(Poll::Pending),
            Poll::Ready(Ok(output)) => ControlFlow::Continue(Poll::Ready(output)),
            Poll::Ready(Err(failure)) => ControlFlow::Break(failure),
        }
    }

    #[inline]
    fn has_failed(&self) -> bool {
        matches!(self, Poll::Ready(Err(_)))
    }
}

impl<T, E> Attempt for Poll<Option<Result<T, E>>> {
    type Output = Poll<Option<T>>;
    type Failure = E;

    #[inline]
    fn success(output: Poll<Option<T>>) -> Self {
        output.map(|ready| ready.map(Ok))
    }

    #[inline]
    fn failure(failure: E) -> Self {
        Poll::Ready(Some(Err(failure)))
    }

    #[inline]
    fn branch(self) -> ControlFlow<E, Poll<Option<T>>> {
        match self {
            Poll::Pending => ControlFlow::Continue(Poll::Pending),
            Poll::Ready(None) => ControlFlow::Continue(Poll::Ready(None)),
            Poll::Ready(Some(Ok(output))) => ControlFlow::Continue(Poll::Ready(Some(output))),
            Poll::Ready(Some(Err(failure))) => ControlFlow::Break(failure),
        }
    }

    #[inline]
    fn has_failed(&self) -> bool {
        matches!(self, Poll::Ready(Some(Err(_))))
    }
}
