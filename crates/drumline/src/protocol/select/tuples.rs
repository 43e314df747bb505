//! Tuples of endpoints in different states.

use super::group::{Group, Selectable, take_ready};
use crate::channel::spsc::Listen;
use crate::protocol::PeerLeft;
use crate::protocol::endpoint::Receiving;

/// Which of two sessions has come; made by [`select`](super::select()).
#[derive(Debug)]
pub enum Selected2<A: Receiving, B: Receiving> {
    /// The first; with the other one.
    First(Result<A::Received, PeerLeft>, B),
    /// The second; with the other one.
    Second(A, Result<B::Received, PeerLeft>),
}

/// Which of three sessions has come; made by [`select`](super::select()).
#[derive(Debug)]
pub enum Selected3<A: Receiving, B: Receiving, C: Receiving> {
    /// The first; with the others.
    First(Result<A::Received, PeerLeft>, B, C),
    /// The second; with the others.
    Second(A, Result<B::Received, PeerLeft>, C),
    /// The third; with the others.
    Third(A, B, Result<C::Received, PeerLeft>),
}

/// Which of four sessions has come; made by [`select`](super::select()).
#[derive(Debug)]
pub enum Selected4<A: Receiving, B: Receiving, C: Receiving, D: Receiving> {
    /// The first; with the others.
    First(Result<A::Received, PeerLeft>, B, C, D),
    /// The second; with the others.
    Second(A, Result<B::Received, PeerLeft>, C, D),
    /// The third; with the others.
    Third(A, B, Result<C::Received, PeerLeft>, D),
    /// The fourth; with the others.
    Fourth(A, B, C, Result<D::Received, PeerLeft>),
}

/// A tuple as a group: its enum and its length, the names of its parts, and for each place the
/// variant that is made when this part has come.
macro_rules! tuple {
    (
        $selected:ident $len:literal [$($part:ident: $type:ident),*]
        $($place:literal $variant:ident($($field:ident),*) of $taken:ident,)*
    ) => {
        impl<$($type: Receiving),*> Group for ($($type,)*) {
            fn len(&self) -> usize {
                $len
            }

            fn lane(&mut self, place: usize) -> &mut dyn Listen {
                let ($($part,)*) = self;
                match place {
                    $($place => $taken.wire().receiver(),)*
                    _ => unreachable!("the places of a tuple are below its length"),
                }
            }
        }

        impl<$($type: Receiving),*> Selectable for ($($type,)*) {
            type Selected = $selected<$($type),*>;

            fn take(self, place: usize) -> Self::Selected {
                let ($($part,)*) = self;
                match place {
                    $($place => {
                        let $taken = take_ready($taken);
                        $selected::$variant($($field),*)
                    })*
                    _ => unreachable!("the places of a tuple are below its length"),
                }
            }

            fn take_none(self) -> Result<Self::Selected, Self> {
                Err(self)
            }
        }
    };
}

tuple! { Selected2 2 [a: A, b: B]
    0 First(a, b) of a,
    1 Second(a, b) of b,
}
tuple! { Selected3 3 [a: A, b: B, c: C]
    0 First(a, b, c) of a,
    1 Second(a, b, c) of b,
    2 Third(a, b, c) of c,
}
tuple! { Selected4 4 [a: A, b: B, c: C, d: D]
    0 First(a, b, c, d) of a,
    1 Second(a, b, c, d) of b,
    2 Third(a, b, c, d) of c,
    3 Fourth(a, b, c, d) of d,
}
