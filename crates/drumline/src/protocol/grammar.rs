//! The macro that a program writes.

/// Makes the types of a protocol: a session is between two sides that take turns as this says.
///
/// ```
/// drumline::protocol! {
///     /// What a client and its bank say to each other.
///     pub mod bank of client with server {
///         /// The client says what it wants.
///         Start = choose {
///             Deposit(u64) => Balance,
///             Withdraw(u64) => Answer,
///             Quit => end,
///         };
///         Balance = recv u64 => Start;
///         Answer = offer {
///             Granted(u64) => Start,
///             Refused => Start,
///         };
///     }
/// }
/// use bank::{choice, client, offer, server};
/// use drumline::protocol::PeerLeft;
///
/// fn teller(mut start: server::Start) -> Result<server::End, PeerLeft> {
///     let mut balance = 0;
///     loop {
///         start = match start.offer()? {
///             offer::Start::Deposit(amount, reply) => {
///                 balance += amount;
///                 reply.send(balance)?
///             }
///             offer::Start::Withdraw(amount, answer) if amount <= balance => {
///                 balance -= amount;
///                 answer.choose(choice::Answer::Granted(balance))?
///             }
///             offer::Start::Withdraw(_, answer) => answer.choose(choice::Answer::Refused)?,
///             offer::Start::Quit(end) => return Ok(end),
///         }
///     }
/// }
///
/// fn customer(start: client::Start) -> Result<client::End, PeerLeft> {
///     let (balance, start) = start.choose(choice::Start::Deposit(5))?.recv()?;
///     assert_eq!(balance, 5);
///     match start.choose(choice::Start::Withdraw(7))?.offer()? {
///         offer::Answer::Granted(_, _) => panic!("there is too little"),
///         offer::Answer::Refused(start) => Ok(start.choose(choice::Start::Quit)?),
///     }
/// }
///
/// let (client, server) = bank::unbounded();
/// let teller = std::thread::spawn(|| teller(server));
/// assert!(customer(client).is_ok());
/// assert!(teller.join().unwrap().is_ok());
/// ```
///
/// # What to write
///
/// A module with a name, and the two roles. What follows is the view of the *first* role: the
/// states, of which the first one is where a session begins. Each state has one of these steps:
///
/// | state | the first role | the second role |
/// |---|---|---|
/// | `Name = send Type => Next;` | sends a message | receives it |
/// | `Name = recv Type => Next;` | receives a message | sends it |
/// | `Name = choose { A(Type) => Next, B => Next };` | sends one of the branches | gets an enum to match on |
/// | `Name = offer { A(Type) => Next, B => Next };` | gets an enum to match on | sends one of the branches |
///
/// `Next` is the name of a state, also of an earlier one or of this one: that is a loop. Or it is
/// `end`: the session is over. A branch has a message or none. Several values are a tuple. Any type
/// that is `Send` and owns what it has can be a message, with the names that are in scope around
/// the macro. An endpoint of another session, in any of its states, is such a type: to send it is
/// to *delegate* the rest of that session. States and branches may have attributes, as
/// documentation.
///
/// The macro stands where modules stand. Inside of a function it does not see the types that are
/// declared in that function. The name of a state hides that of a type, and so does the name of a
/// branch in its own message, and `End`, which is the name of the last state. For a type that is
/// hidden, write its whole path: `Order = send crate::Order => Paid;`. A path that begins with
/// `self` or `super` does not lead to it, because the macro writes the type in modules of its own.
/// The two roles have two names, and neither is `choice`, `offer` or `lanes`: those are modules as
/// well.
///
/// # What it makes
///
/// For a module `bank` of a `client` with a `server`:
///
/// | | |
/// |---|---|
/// | `bank::unbounded()` | makes a session: `(client::Start, server::Start)`. A send never waits |
/// | `bank::bounded(capacity)` | the same with room for `capacity` messages in each direction |
/// | `bank::client::Balance`, … | the endpoint of the client in each state |
/// | `bank::server::Balance`, … | that of the server, with the dual step |
/// | `bank::client::End`, `bank::server::End` | what the last step gives; holds nothing |
/// | `bank::choice::Start::Deposit`, … | the branches, for `choose`: a struct for each |
/// | `bank::offer::Start` | what `offer` gives: an enum of the branches, each with the next endpoint |
///
/// Each step takes the endpoint by value, and returns the next one. So there is one thing that can
/// be done next, and it can be done once. A wrong step does not compile, and the message of the
/// compiler names the state. A function that takes `server::Start` and returns `server::End` has
/// gone to the end.
///
/// | step | waits | tries | in time | awaits |
/// |---|---|---|---|---|
/// | send | `send` | `try_send` | `send_timeout`, `send_deadline` | `send_async`, `ready` |
/// | receive | `recv` | `try_recv` | `recv_timeout`, `recv_deadline` | `recv_async`, `ready` |
/// | choose | `choose` | `try_choose` | `choose_timeout`, `choose_deadline` | `choose_async`, `ready` |
/// | offer | `offer` | `try_offer` | `offer_timeout`, `offer_deadline` | `offer_async`, `ready` |
///
/// What tries, or waits for a time, gives the endpoint back if nothing happens
/// ([`NotReceived`](crate::protocol::NotReceived), [`NotSent`](crate::protocol::NotSent)).
/// [`select`](crate::protocol::select()) receives from the first of several sessions.
///
/// A protocol that is misspelt:
///
/// ```compile_fail
/// drumline::protocol! {
///     mod bank of client with server {
///         Start = tell u64 => end;
///     }
/// }
/// ```
#[macro_export]
macro_rules! protocol {
    ($(#[$attribute:meta])* mod $($rest:tt)+) => {
        $crate::__protocol_head! {
            [$(#[$attribute])*] [] [pub(in super::super)] [pub(in super::super::super)] $($rest)+
        }
    };
    ($(#[$attribute:meta])* pub(self) mod $($rest:tt)+) => {
        $crate::protocol! { $(#[$attribute])* mod $($rest)+ }
    };
    ($(#[$attribute:meta])* pub mod $($rest:tt)+) => {
        $crate::__protocol_head! { [$(#[$attribute])*] [pub] [pub] [pub] $($rest)+ }
    };
    ($(#[$attribute:meta])* pub(super) mod $($rest:tt)+) => {
        $crate::__protocol_head! {
            [$(#[$attribute])*] [pub(super)] [pub(in super::super::super)]
            [pub(in super::super::super::super)] $($rest)+
        }
    };
    ($(#[$attribute:meta])* pub(in super $($place:tt)*) mod $($rest:tt)+) => {
        $crate::__protocol_head! {
            [$(#[$attribute])*] [pub(in super $($place)*)]
            [pub(in super::super::super $($place)*)]
            [pub(in super::super::super::super $($place)*)] $($rest)+
        }
    };
    // In the crate, or below a path of the crate.
    ($(#[$attribute:meta])* pub($($place:tt)+) mod $($rest:tt)+) => {
        $crate::__protocol_head! {
            [$(#[$attribute])*] [pub($($place)+)] [pub($($place)+)] [pub($($place)+)] $($rest)+
        }
    };
    ($($rest:tt)*) => {
        $crate::__protocol_head! { $($rest)* }
    };
}

/// The first line, with the visibility of the module, and that of the types in its modules and in
/// their modules. They are visible where the module is: then messages may be so, too.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_head {
    (
        $attributes:tt $visibility:tt $inner:tt $innermost:tt
        $protocol:ident of $first:ident with $second:ident { $($states:tt)+ }
    ) => {
        $crate::__protocol_parse! {
            { $attributes $visibility $inner $innermost $protocol $first $second }
            []
            $($states)+
        }
    };
    ($($rest:tt)*) => {
        ::core::compile_error!(
            "a protocol is written `mod name of role with role { State = step; … }`"
        );
    };
}

/// Cuts the text into states: `[attributes] Name kind { rest }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_parse {
    ($head:tt [$($done:tt)+]) => {
        $crate::__protocol_module! { $head $($done)+ }
    };
    (
        $head:tt [$($done:tt)*]
        $(#[$attribute:meta])* $state:ident = send $type:ty => $next:ident;
        $($rest:tt)*
    ) => {
        $crate::__protocol_parse! {
            $head
            [$($done)* { [$(#[$attribute])*] $state send { $type => $next } }]
            $($rest)*
        }
    };
    (
        $head:tt [$($done:tt)*]
        $(#[$attribute:meta])* $state:ident = recv $type:ty => $next:ident;
        $($rest:tt)*
    ) => {
        $crate::__protocol_parse! {
            $head
            [$($done)* { [$(#[$attribute])*] $state recv { $type => $next } }]
            $($rest)*
        }
    };
    (
        $head:tt [$($done:tt)*]
        $(#[$attribute:meta])* $state:ident = choose { $($branches:tt)+ };
        $($rest:tt)*
    ) => {
        $crate::__protocol_parse! {
            $head
            [$($done)* { [$(#[$attribute])*] $state choose { $($branches)+ } }]
            $($rest)*
        }
    };
    (
        $head:tt [$($done:tt)*]
        $(#[$attribute:meta])* $state:ident = offer { $($branches:tt)+ };
        $($rest:tt)*
    ) => {
        $crate::__protocol_parse! {
            $head
            [$($done)* { [$(#[$attribute])*] $state offer { $($branches)+ } }]
            $($rest)*
        }
    };
    ($head:tt [$($done:tt)*] $(#[$attribute:meta])* $state:ident $($rest:tt)*) => {
        ::core::compile_error!(::core::concat!(
            "the state `",
            ::core::stringify!($state),
            "` is written `= send Type => Next;`, `= recv Type => Next;`, \
             `= choose { Branch(Type) => Next, … };` or `= offer { … };`",
        ));
    };
    ($head:tt [$($done:tt)*] $($rest:tt)*) => {
        ::core::compile_error!("the name of a state is expected here: `Name = step;`");
    };
}

/// Makes the module, of the states.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_module {
    (
        {
            [$(#[$attribute:meta])*] [$($visibility:tt)*] $inner:tt $innermost:tt
            $protocol:ident $first:ident $second:ident
        }
        { $first_attributes:tt $first_state:ident $first_kind:ident $first_rest:tt }
        $({ $attributes:tt $state:ident $kind:ident $rest:tt })*
    ) => {
        $(#[$attribute])*
        #[doc = ""]
        #[doc = concat!(
            "A protocol of a [`", stringify!($first), "`] with a [`", stringify!($second), "`]. \
             A session is made by [`unbounded`] or [`bounded`], and begins in the step \
             [`", stringify!($first_state), "`](", stringify!($first), "::",
            stringify!($first_state), ").",
        )]
        #[allow(
            dead_code, missing_debug_implementations, non_snake_case, unreachable_pub,
            unused_imports, unused_qualifications, clippy::all, clippy::pedantic,
            reason = "made by a macro"
        )]
        $($visibility)* mod $protocol {
            #[doc = concat!(
                "A new session, in which a send never waits: both sides in their step `",
                stringify!($first_state), "`.",
            )]
            pub fn unbounded() -> ($first::$first_state, $second::$first_state) {
                let (first, second) = $crate::protocol::machinery::unbounded();
                (
                    $crate::protocol::machinery::State::enter(first),
                    $crate::protocol::machinery::State::enter(second),
                )
            }

            #[doc = concat!(
                "A new session, with at most `capacity` messages on their way in each direction: \
                 both sides in their step `", stringify!($first_state), "`.",
            )]
            ///
            /// # Panics
            ///
            /// If `capacity` is 0: such a session passes nothing on.
            pub fn bounded(
                capacity: usize,
            ) -> ($first::$first_state, $second::$first_state) {
                let (first, second) = $crate::protocol::machinery::bounded(capacity);
                (
                    $crate::protocol::machinery::State::enter(first),
                    $crate::protocol::machinery::State::enter(second),
                )
            }

            $crate::__protocol_role! {
                $inner $protocol $first __Up __Down End
                { $first_attributes $first_state $first_kind $first_rest }
                $({ $attributes $state $kind $rest })*
            }
            $crate::__protocol_role! {
                $inner $protocol $second __Down __Up End
                { $first_attributes $first_state $first_kind $first_rest }
                $({ $attributes $state $kind $rest })*
            }

            /// The branches of the steps in which a side chooses.
            pub mod choice {
                $crate::__protocol_choice!(
                    $innermost [$first $second] $first_state $first_kind $first_rest
                );
                $($crate::__protocol_choice!(
                    $innermost [$first $second] $state $kind $rest
                );)*
            }

            /// What a side gets that offers its peer a choice.
            pub mod offer {
                use super::super::*;

                $crate::__protocol_offer!(
                    $inner [$first $second] $first_state $first_kind $first_rest
                );
                $($crate::__protocol_offer!($inner [$first $second] $state $kind $rest);)*
            }

            $crate::__protocol_lanes! {
                $inner
                { $first_state $first_kind $first_rest }
                $({ $state $kind $rest })*
            }
        }
    };
}

/// Makes the messages of the two lanes.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_lanes {
    ([$($visibility:tt)*] $({ $state:ident $kind:ident $rest:tt })+) => {
        /// All messages of one direction. What the other side sends is never made.
        #[doc(hidden)]
        pub mod lanes {
            use super::super::*;

            $($visibility)* enum __Up {
                $($state($crate::__protocol_payload!(up $state $kind $rest)),)+
            }

            $($visibility)* enum __Down {
                $($state($crate::__protocol_payload!(down $state $kind $rest)),)+
            }
        }
    };
}

/// Makes the endpoints of one role.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_role {
    (
        $visibility:tt $protocol:ident $role:ident $out:ident $in:ident $end:ident
        $({ $attributes:tt $state:ident $kind:ident $rest:tt })+
    ) => {
        #[doc = concat!("The endpoints of the ", stringify!($role), ", one for each state.")]
        pub mod $role {
            use super::super::*;

            $(
                $crate::__protocol_state!(
                    $visibility $protocol $role $out $in $attributes $state $kind $rest
                );
            )+

            $crate::__protocol_end!($visibility $role $out $in $end);
        }
    };
}

/// Makes the end of one role.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_end {
    ([$($visibility:tt)*] $role:ident $out:ident $in:ident $end:ident) => {
        #[doc = concat!(
            "The ", stringify!($role), " has gone through the whole protocol. Holds nothing.",
        )]
        #[derive(::core::fmt::Debug)]
        $($visibility)* struct $end {
            _by_the_last_step: (),
        }

        #[allow(non_camel_case_types)]
        pub(super) type end = $end;

        impl $crate::protocol::machinery::State for $end {
            type Out = super::lanes::$out;
            type In = super::lanes::$in;

            const NAME: &'static str = "end";

            fn stay(
                wire: $crate::protocol::machinery::Wire<
                    super::lanes::$out,
                    super::lanes::$in,
                >,
            ) -> Self {
                Self::enter(wire)
            }

            fn enter(
                wire: $crate::protocol::machinery::Wire<
                    super::lanes::$out,
                    super::lanes::$in,
                >,
            ) -> Self {
                wire.end();
                $end {
                    _by_the_last_step: (),
                }
            }
        }
    };
}
