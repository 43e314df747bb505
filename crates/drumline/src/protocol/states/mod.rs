//! The endpoints that [`protocol!`](crate::protocol!) makes: a type for each state and role. The
//! methods of a type are its step.

mod receiving;
mod sending;

/// The endpoint of one role in one state. The text is that of the first role, which sends `Up`; for
/// the second one each step is its dual.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_state {
    (
        $visibility:tt $protocol:ident $role:ident __Up __Down $about:tt
        $state:ident send $rest:tt
    ) => {
        $crate::__protocol_sending!(
            @send $visibility $protocol $role __Up __Down $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Up __Down $about:tt
        $state:ident choose $rest:tt
    ) => {
        $crate::__protocol_sending!(
            @choose $visibility $protocol $role __Up __Down $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Up __Down $about:tt
        $state:ident recv $rest:tt
    ) => {
        $crate::__protocol_receiving!(
            @recv $visibility $protocol $role __Up __Down $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Up __Down $about:tt
        $state:ident offer $rest:tt
    ) => {
        $crate::__protocol_receiving!(
            @offer $visibility $protocol $role __Up __Down $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Down __Up $about:tt
        $state:ident recv $rest:tt
    ) => {
        $crate::__protocol_sending!(
            @send $visibility $protocol $role __Down __Up $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Down __Up $about:tt
        $state:ident offer $rest:tt
    ) => {
        $crate::__protocol_sending!(
            @choose $visibility $protocol $role __Down __Up $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Down __Up $about:tt
        $state:ident send $rest:tt
    ) => {
        $crate::__protocol_receiving!(
            @recv $visibility $protocol $role __Down __Up $about $state $rest
        );
    };
    (
        $visibility:tt $protocol:ident $role:ident __Down __Up $about:tt
        $state:ident choose $rest:tt
    ) => {
        $crate::__protocol_receiving!(
            @offer $visibility $protocol $role __Down __Up $about $state $rest
        );
    };
}

/// The type of an endpoint.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_endpoint {
    (
        [$($visibility:tt)*] $protocol:ident $role:ident $out:ident $in:ident
        [$(#[$attribute:meta])*] $state:ident
        $step:expr
    ) => {
        $(#[$attribute])*
        #[doc = ""]
        #[doc = $step]
        #[must_use = "a session that is dropped in the middle is left; go on with its next step"]
        $($visibility)* struct $state {
            wire: $crate::protocol::machinery::Wire<super::lanes::$out, super::lanes::$in>,
        }

        impl $crate::protocol::machinery::State for $state {
            type Out = super::lanes::$out;
            type In = super::lanes::$in;

            const NAME: &'static str = stringify!($state);

            #[inline]
            fn stay(
                wire: $crate::protocol::machinery::Wire<super::lanes::$out, super::lanes::$in>,
            ) -> Self {
                $state { wire }
            }

            #[inline]
            fn enter(
                wire: $crate::protocol::machinery::Wire<super::lanes::$out, super::lanes::$in>,
            ) -> Self {
                $state {
                    wire: wire.at(<$state as $crate::protocol::Endpoint>::STEP),
                }
            }
        }

        impl $crate::protocol::Endpoint for $state {
            const STEP: &'static $crate::protocol::machinery::Step =
                &$crate::protocol::machinery::Step {
                    protocol: stringify!($protocol),
                    role: stringify!($role),
                    state: stringify!($state),
                };

            #[inline]
            fn into_wire(
                self,
            ) -> $crate::protocol::machinery::Wire<super::lanes::$out, super::lanes::$in> {
                self.wire
            }

            #[inline]
            fn wire(
                &mut self,
            ) -> &mut $crate::protocol::machinery::Wire<super::lanes::$out, super::lanes::$in> {
                &mut self.wire
            }

            #[inline]
            fn as_wire(
                &self,
            ) -> &$crate::protocol::machinery::Wire<super::lanes::$out, super::lanes::$in> {
                &self.wire
            }
        }

        impl ::core::fmt::Debug for $state {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(stringify!($state)).finish_non_exhaustive()
            }
        }
    };
}
