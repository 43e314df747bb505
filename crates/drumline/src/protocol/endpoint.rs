//! What the states of all protocols have in common.

use super::PeerLeft;
use super::departure::Step;
use super::wire::Wire;

/// What a step leads to: an endpoint, or the end of the session.
#[doc(hidden)]
pub trait State: Sized {
    /// What this side sends.
    type Out: Send;
    /// What this side receives.
    type In: Send;

    /// The name of the state.
    const NAME: &'static str;

    /// The state comes next.
    fn enter(wire: Wire<Self::Out, Self::In>) -> Self;

    /// The state comes next, and is the one that was before.
    fn stay(wire: Wire<Self::Out, Self::In>) -> Self;
}

/// Goes from the state `E` to the state `N`.
#[doc(hidden)]
#[inline(always)]
pub fn advance<E: Endpoint, N: State<Out = E::Out, In = E::In>>(wire: Wire<E::Out, E::In>) -> N {
    if const { are_equal(E::NAME, N::NAME) } {
        N::stay(wire)
    } else {
        N::enter(wire)
    }
}

/// Compares two names while the program is compiled.
const fn are_equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// One side of a session, in one of its states.
///
/// Implemented by the types that [`protocol!`](crate::protocol!) makes, and by nothing else. Their
/// own methods are the steps.
///
/// ```
/// use drumline::protocol::Endpoint;
///
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// /// Leaves a session, in whichever step it is.
/// fn leave(endpoint: impl Endpoint) {
///     drop(endpoint);
/// }
///
/// let (paper, reader) = news::unbounded();
/// leave(paper);
/// assert!(reader.recv().is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no endpoint of a session in which a step is left",
    label = "not a state that `drumline::protocol!` has made"
)]
pub trait Endpoint: State {
    #[doc(hidden)]
    const STEP: &'static Step;

    #[doc(hidden)]
    fn into_wire(self) -> Wire<Self::Out, Self::In>;

    #[doc(hidden)]
    fn wire(&mut self) -> &mut Wire<Self::Out, Self::In>;

    #[doc(hidden)]
    fn as_wire(&self) -> &Wire<Self::Out, Self::In>;
}

/// An endpoint with a receive, or an offer, as its next step. It can be
/// [selected](super::select()).
///
/// ```
/// use drumline::protocol::{self, Receiving};
///
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// /// The next message of any of these sessions.
/// fn next<E: Receiving>(sessions: &mut Vec<E>) -> Option<E::Received> {
///     let (_place, received) = protocol::select(sessions)?;
///     received.ok()
/// }
///
/// let (paper, reader) = news::unbounded();
/// assert!(paper.send("all is well".to_owned()).is_ok());
/// let (text, _end) = next(&mut vec![reader]).unwrap();
/// assert_eq!(text, "all is well");
/// ```
#[diagnostic::on_unimplemented(
    message = "the next step of `{Self}` is no receive",
    label = "nothing is received in this step",
    note = "only steps that receive can be selected: `recv` and `offer`"
)]
pub trait Receiving: Endpoint {
    /// What the step gives: the message and the next endpoint; after an offer the enum of the
    /// branches.
    type Received;

    #[doc(hidden)]
    fn received(wire: Wire<Self::Out, Self::In>, message: Self::In) -> Self::Received;
}

/// A message that the endpoint `E` can send in its next step: the one of a `send`, or a branch of a
/// `choose`.
///
/// ```
/// use drumline::protocol::Message;
///
/// drumline::protocol! {
///     mod adding of client with server {
///         Numbers = choose {
///             Another(u64) => Numbers,
///             NoMore => end,
///         };
///     }
/// }
/// use adding::{choice, client};
///
/// /// Any branch of the step.
/// fn send<M: Message<client::Numbers>>(numbers: client::Numbers, branch: M) -> M::Next {
///     numbers.choose(branch).unwrap()
/// }
///
/// let (numbers, _server) = adding::unbounded();
/// let numbers = send(numbers, choice::Numbers::Another(42));
/// let client::End { .. } = send(numbers, choice::Numbers::NoMore);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent in the step `{E}`",
    label = "this is no branch of the step `{E}`",
    note = "the branches of a step are in the module of that name in `choice`"
)]
pub trait Message<E: Endpoint>: Sized {
    /// The endpoint after it, or the end.
    type Next: State<Out = E::Out, In = E::In>;

    #[doc(hidden)]
    fn pack(self) -> E::Out;

    #[doc(hidden)]
    fn unpack(message: E::Out) -> Self;
}

/// What a receive has brought.
pub(super) type Outcome<E> = Result<<E as Receiving>::Received, PeerLeft>;

/// What is never made: in place of the messages of a step that the other side sends.
#[doc(hidden)]
#[derive(Debug)]
pub enum Never {}

/// A message has come that the step of this side does not expect.
#[doc(hidden)]
#[cold]
pub fn crossed() -> ! {
    unreachable!(
        "both sides of a session go through the same steps, and no other one has its lanes"
    )
}
