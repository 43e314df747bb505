//! Endpoints that are waited for together.

use crate::channel::spsc::Listen;
use crate::protocol::endpoint::{Outcome, Receiving};
use crate::protocol::{NotReceived, steps};

/// Endpoints that can be waited for together: a `&mut Vec`, or a tuple of two to four.
///
/// See [`select`](super::select()).
///
/// ```
/// use drumline::protocol::{self, Selectable};
///
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// /// Whether one of several sessions has something now.
/// fn has_news(sessions: impl Selectable) -> bool {
///     protocol::try_select(sessions).is_ok()
/// }
///
/// let (paper, reader) = news::unbounded();
/// let mut readers = vec![reader];
/// assert!(!has_news(&mut readers));
/// assert!(paper.send("all is well".to_owned()).is_ok());
/// assert!(has_news(&mut readers));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be selected",
    note = "select from a `&mut Vec` of endpoints, or from a tuple of two to four, all of which \
            receive in their next step"
)]
pub trait Selectable: Group {
    /// Which endpoint was received from, and what came.
    type Selected;

    /// Receives from the endpoint at this place, which is ready.
    #[doc(hidden)]
    fn take(self, place: usize) -> Self::Selected;

    /// What a select gives if there is nothing to wait for. Otherwise the endpoints come back.
    #[doc(hidden)]
    fn take_none(self) -> Result<Self::Selected, Self>;
}

/// The lanes of endpoints.
pub trait Group: Sized {
    /// How many there are.
    fn len(&self) -> usize;

    /// The one at this place.
    fn lane(&mut self, place: usize) -> &mut dyn Listen;
}

/// Receives from an endpoint that is ready.
pub(super) fn take_ready<E: Receiving>(endpoint: E) -> Outcome<E> {
    match steps::try_recv(endpoint) {
        Ok(received) => Ok(received),
        Err(NotReceived::Ever(left)) => Err(left),
        Err(NotReceived::Yet(_)) => unreachable!("it was ready, and this is the one receiver"),
    }
}

impl<E: Receiving> Group for &mut Vec<E> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn lane(&mut self, place: usize) -> &mut dyn Listen {
        self[place].wire().receiver()
    }
}

impl<E: Receiving> Selectable for &mut Vec<E> {
    type Selected = Option<(usize, Outcome<E>)>;

    fn take(self, place: usize) -> Self::Selected {
        Some((place, take_ready(self.remove(place))))
    }

    fn take_none(self) -> Result<Self::Selected, Self> {
        if self.is_empty() { Ok(None) } else { Err(self) }
    }
}
