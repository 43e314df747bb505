//! The parts that [`protocol!`](crate::protocol!) is made of. The public macro is in
//! [`grammar`](super::grammar).
//!
//! The text is one side's. `grammar` cuts it into states, each with its kind (`send`, `recv`,
//! `choose`, `offer`) and the rest in braces. From there, each macro takes one state, and makes one
//! thing of it. A macro that needs to know which side sends has a rule for each kind.
//!
//! Inside of the module that is made there are these names; `$state` stands for each state:
//!
//! | path | what it is |
//! |---|---|
//! | `$first::$state`, `$second::$state`, `$first::End`, `$second::End` | the endpoints |
//! | `$first::end`, `$second::end` | other names of `End`, for the `end` in the text |
//! | `choice::$state::$branch` | what `choose` takes |
//! | `offer::$state` | what `offer` gives |
//! | `lanes::__Up`, `lanes::__Down` | all messages of one direction |

/// What is sent in a state in this direction: `up` is from the first role to the second.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_payload {
    (up $state:ident send { $type:ty => $next:ident }) => {
        $type
    };
    (down $state:ident recv { $type:ty => $next:ident }) => {
        $type
    };
    (up $state:ident choose { $($branches:tt)* }) => {
        super::choice::$state::__Branch
    };
    (down $state:ident offer { $($branches:tt)* }) => {
        super::choice::$state::__Branch
    };
    ($direction:ident $state:ident $kind:ident { $($rest:tt)* }) => {
        $crate::protocol::machinery::Never
    };
}

/// The module in `choice` of a state with branches: a struct for each.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_choice {
    ($visibility:tt [$first:ident $second:ident] $state:ident choose { $($branches:tt)* }) => {
        $crate::__protocol_choice!(
            @ $visibility [$first $second $first __Up] $state { $($branches)* }
        );
    };
    ($visibility:tt [$first:ident $second:ident] $state:ident offer { $($branches:tt)* }) => {
        $crate::__protocol_choice!(
            @ $visibility [$first $second $second __Down] $state { $($branches)* }
        );
    };
    (
        @ $visibility:tt [$first:ident $second:ident $role:ident $direction:ident]
        $state:ident {
            $(
                $(#[$attribute:meta])*
                $branch:ident $(($type:ty))? => $next:ident
            ),+ $(,)?
        }
    ) => {
        #[doc = concat!(
            "The branches of the step `", stringify!($state), "`, which the ", stringify!($role),
            " chooses from.",
        )]
        pub mod $state {
            use super::super::super::*;

            $(
                $crate::__protocol_visible! {
                    $visibility [
                    $(#[$attribute])*
                    #[doc = ""]
                    #[doc = concat!(
                        "A branch of [`", stringify!($state), "`](super::super::", stringify!($role),
                        "::", stringify!($state), "). Then comes the step `", stringify!($next), "`.",
                    )]
                    ]
                    struct $branch $((pub $type))?;
                }

                impl $crate::protocol::Message<super::super::$role::$state> for $branch {
                    type Next = super::super::$role::$next;

                    #[inline]
                    fn pack(self) -> super::super::lanes::$direction {
                        super::super::lanes::$direction::$state(__Branch::$branch(self))
                    }

                    #[inline]
                    fn unpack(message: super::super::lanes::$direction) -> Self {
                        match message {
                            super::super::lanes::$direction::$state(
                                __Branch::$branch(this),
                            ) => this,
                            _ => $crate::protocol::machinery::crossed(),
                        }
                    }
                }
            )+

            $crate::__protocol_visible! {
                $visibility [#[doc(hidden)]]
                enum __Branch {
                    $($branch($branch)),+
                }
            }
        }
    };
    ($visibility:tt $roles:tt $state:ident $kind:ident $rest:tt) => {};
}

/// The enum in `offer` of a state with branches: a variant for each.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_offer {
    ($visibility:tt [$first:ident $second:ident] $state:ident choose { $($branches:tt)* }) => {
        $crate::__protocol_offer!(@ $visibility $second __Up $state { $($branches)* });
    };
    ($visibility:tt [$first:ident $second:ident] $state:ident offer { $($branches:tt)* }) => {
        $crate::__protocol_offer!(@ $visibility $first __Down $state { $($branches)* });
    };
    (
        @ [$($visibility:tt)*] $role:ident $direction:ident $state:ident {
            $(
                $(#[$attribute:meta])*
                $branch:ident $(($type:ty))? => $next:ident
            ),+ $(,)?
        }
    ) => {
        #[doc = concat!(
            "What the ", stringify!($role), " gets in the step [`", stringify!($state),
            "`](super::", stringify!($role), "::", stringify!($state),
            "): the branch that its peer has chosen, and the next endpoint.",
        )]
        #[must_use = "a session that is dropped in the middle is left; go on with its next step"]
        $($visibility)* enum $state {
            $(
                $(#[$attribute])*
                #[doc = ""]
                #[doc = concat!("Then comes the step `", stringify!($next), "`.")]
                $branch($($type,)? super::$role::$next),
            )+
        }

        impl ::core::fmt::Debug for $state {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    $($state::$branch(..) => f.write_str(stringify!($branch)),)+
                }
            }
        }

        impl $crate::protocol::Receiving for super::$role::$state {
            type Received = $state;

            #[inline]
            fn received(
                wire: $crate::protocol::machinery::Wire<Self::Out, Self::In>,
                message: Self::In,
            ) -> $state {
                match message {
                    super::lanes::$direction::$state(message) => match message {
                        $(
                            super::choice::$state::__Branch::$branch(this) => {
                                let next = $crate::protocol::machinery::advance::<
                                    super::$role::$state,
                                    super::$role::$next,
                                >(wire);
                                $crate::__protocol_branch!(
                                    $state $branch this next $(($type))?
                                )
                            }
                        )+
                    },
                    #[allow(unreachable_patterns)]
                    _ => $crate::protocol::machinery::crossed(),
                }
            }
        }
    };
    ($visibility:tt $roles:tt $state:ident $kind:ident $rest:tt) => {};
}

/// A variant of an offer, of the branch that has come.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_branch {
    ($state:ident $branch:ident $this:ident $next:ident) => {
        $state::$branch($next)
    };
    ($state:ident $branch:ident $this:ident $next:ident ($type:ty)) => {
        $state::$branch($this.0, $next)
    };
}

/// An item with this visibility, which a repetition cannot take apart.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_visible {
    ([$($visibility:tt)*] [$($attribute:tt)*] $($item:tt)+) => {
        $($attribute)* $($visibility)* $($item)+
    };
}
