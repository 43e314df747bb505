//! Why a task has no value.

use std::any::Any;
use std::fmt;

use crate::unwind::{self, Payload};

/// Why a task has ended without a value.
///
/// ```
/// use drumline::JoinError;
///
/// let task = drumline::spawn(|| panic!("no value"));
/// let error: JoinError = task.join().unwrap_err();
/// assert!(error.is_panic());
/// assert_eq!(error.to_string(), "the task panicked: no value");
/// assert_eq!(error.into_panic().downcast_ref(), Some(&"no value"));
/// ```
pub enum JoinError {
    /// It panicked: the first time, if it did again when it was dropped. A future that panics when
    /// it is dropped gives no value, though it was ready.
    Panicked(PanicPayload),
    /// It was cancelled before it had ended.
    Cancelled,
    /// It was a future that waited when its pool ended, or that was made after that.
    Shutdown,
}

/// What a task panicked with.
///
/// It can be shared between threads, so it gives out no reference to the payload.
///
/// ```
/// use drumline::{JoinError, PanicPayload};
///
/// fn log(payload: &PanicPayload) -> String {
///     format!("a task has panicked: {}", payload.message().unwrap_or("for no reason"))
/// }
///
/// let Err(JoinError::Panicked(payload)) = drumline::spawn(|| panic!("oh")).join() else {
///     unreachable!("it panics")
/// };
/// assert_eq!(log(&payload), "a task has panicked: oh");
/// ```
pub struct PanicPayload(Payload);

// SAFETY: through a shared reference it gives out only a text, which may be shared.
unsafe impl Sync for PanicPayload {}

impl PanicPayload {
    /// The payload, for [`std::panic::resume_unwind`] or a downcast.
    ///
    /// ```
    /// use drumline::JoinError;
    ///
    /// let task = drumline::spawn(|| std::panic::panic_any(7_u8));
    /// let Err(JoinError::Panicked(payload)) = task.join() else { unreachable!() };
    /// assert_eq!(payload.into_inner().downcast_ref(), Some(&7_u8));
    /// ```
    #[must_use]
    pub fn into_inner(self) -> Box<dyn Any + Send> {
        self.0
    }

    /// What the panic said, if its payload is a text.
    ///
    /// ```
    /// use drumline::JoinError;
    ///
    /// let task = drumline::spawn(|| panic!("{} and {}", 1, 2));
    /// let Err(JoinError::Panicked(payload)) = task.join() else { unreachable!() };
    /// assert_eq!(payload.message(), Some("1 and 2"));
    /// ```
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        unwind::message(&*self.0)
    }
}

impl fmt::Debug for PanicPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PanicPayload")
            .field(&self.message())
            .finish()
    }
}

impl JoinError {
    pub(crate) fn panicked(payload: Payload) -> Self {
        JoinError::Panicked(PanicPayload(payload))
    }

    /// Whether the task panicked.
    ///
    /// ```
    /// let task = drumline::spawn(|| panic!());
    /// assert!(task.join().unwrap_err().is_panic());
    /// ```
    #[must_use]
    pub fn is_panic(&self) -> bool {
        matches!(self, JoinError::Panicked(_))
    }

    /// Whether the task was cancelled.
    ///
    /// ```
    /// let task = drumline::spawn_future(std::future::pending::<()>());
    /// task.abort();
    /// assert!(task.join().unwrap_err().is_cancelled());
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, JoinError::Cancelled)
    }

    /// Whether the pool of the task has ended.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// let task = pool.spawn_future(std::future::pending::<()>());
    /// pool.shutdown()?;
    /// assert!(task.join().unwrap_err().is_shutdown());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_shutdown(&self) -> bool {
        matches!(self, JoinError::Shutdown)
    }

    /// The payload of the panic, for [`std::panic::resume_unwind`].
    ///
    /// ```
    /// let error = drumline::spawn(|| std::panic::panic_any(7_u8)).join().unwrap_err();
    /// assert_eq!(error.into_panic().downcast_ref(), Some(&7_u8));
    /// ```
    ///
    /// # Panics
    ///
    /// If the task did not panic.
    #[must_use]
    pub fn into_panic(self) -> Box<dyn Any + Send> {
        match self {
            JoinError::Panicked(payload) => payload.0,
            error => panic!("`into_panic` of a task that did not panic: {error}"),
        }
    }

    /// The payload of the panic, or this error again if the task did not panic.
    ///
    /// ```
    /// let task = drumline::spawn_future(std::future::pending::<()>());
    /// task.abort();
    /// match task.join().unwrap_err().try_into_panic() {
    ///     Ok(payload) => std::panic::resume_unwind(payload),
    ///     Err(error) => assert!(error.is_cancelled()),
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// This error, if it is another one.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send>, JoinError> {
        match self {
            JoinError::Panicked(payload) => Ok(payload.0),
            error => Err(error),
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Panicked(payload) => f.debug_tuple("Panicked").field(payload).finish(),
            JoinError::Cancelled => f.write_str("Cancelled"),
            JoinError::Shutdown => f.write_str("Shutdown"),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Panicked(payload) => match payload.message() {
                Some(message) => write!(f, "the task panicked: {message}"),
                None => f.write_str("the task panicked"),
            },
            JoinError::Cancelled => f.write_str("the task was cancelled"),
            JoinError::Shutdown => f.write_str(
                "the pool of the task has ended while the task waited; keep the pool until its \
                 tasks have ended",
            ),
        }
    }
}

impl std::error::Error for JoinError {}
