//! The states in which a role receives: `recv` and `offer`.

/// The endpoint of a role that receives, and its steps.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_receiving {
    (
        @recv $visibility:tt $protocol:ident $role:ident $out:ident $in:ident
        $attributes:tt $state:ident
        { $type:ty => $next:ident }
    ) => {
        $crate::__protocol_endpoint! {
            $visibility $protocol $role $out $in $attributes $state
            concat!(
                "The next step of the ", stringify!($role), " is to [`recv`](Self::recv) a `",
                stringify!($type), "`. Then comes the step `", stringify!($next), "`.",
            )
        }

        impl $crate::protocol::Receiving for $state {
            type Received = ($type, $next);

            #[inline]
            fn received(
                wire: $crate::protocol::machinery::Wire<Self::Out, Self::In>,
                message: Self::In,
            ) -> Self::Received {
                match message {
                    super::lanes::$in::$state(message) => (
                        message,
                        $crate::protocol::machinery::advance::<Self, $next>(wire),
                    ),
                    #[allow(unreachable_patterns)]
                    _ => $crate::protocol::machinery::crossed(),
                }
            }
        }

        impl $state {
            /// Receives the message, and goes on; waits for it if it is not there.
            ///
            /// # Errors
            ///
            /// If the peer has left the session. Says in which step.
            ///
            /// # Blocking
            ///
            /// Until there is a message, or the peer has left.
            #[inline]
            #[track_caller]
            pub fn recv(
                self,
            ) -> ::core::result::Result<($type, $next), $crate::protocol::PeerLeft> {
                $crate::protocol::machinery::recv(self)
            }

            /// Receives the message, and goes on, if it is there now.
            ///
            /// # Errors
            ///
            /// If it is not there; the endpoint comes back. And as [`recv`](Self::recv).
            #[inline]
            pub fn try_recv(
                self,
            ) -> ::core::result::Result<($type, $next), $crate::protocol::NotReceived<Self>> {
                $crate::protocol::machinery::try_recv(self)
            }

            /// As [`recv`](Self::recv), but waits for `timeout` at most.
            ///
            /// # Errors
            ///
            /// If no message came until then; the endpoint comes back. And as [`recv`](Self::recv).
            ///
            /// # Blocking
            ///
            /// As [`recv`](Self::recv), for `timeout` at most.
            #[track_caller]
            pub fn recv_timeout(
                self,
                timeout: ::std::time::Duration,
            ) -> ::core::result::Result<($type, $next), $crate::protocol::NotReceived<Self>> {
                $crate::protocol::machinery::recv_timeout(self, timeout)
            }

            /// As [`recv`](Self::recv), but waits until `deadline` at most.
            ///
            /// # Errors
            ///
            /// As [`recv_timeout`](Self::recv_timeout).
            ///
            /// # Blocking
            ///
            /// As [`recv`](Self::recv), until `deadline` at most.
            #[track_caller]
            pub fn recv_deadline(
                self,
                deadline: ::std::time::Instant,
            ) -> ::core::result::Result<($type, $next), $crate::protocol::NotReceived<Self>> {
                $crate::protocol::machinery::recv_deadline(self, deadline)
            }

            /// A future that receives the message, and goes on.
            ///
            /// # Errors
            ///
            /// As [`recv`](Self::recv).
            ///
            /// # Cancellation
            ///
            /// If the future is dropped before it is ready, nothing was received, and the
            /// session is left. Await [`ready`](Self::ready) first to keep the endpoint.
            #[track_caller]
            pub fn recv_async(self) -> $crate::protocol::RecvAsync<Self> {
                $crate::protocol::machinery::recv_async(self)
            }

            $crate::__protocol_receiving!(@message);
        }
    };

    (
        @offer $visibility:tt $protocol:ident $role:ident $out:ident $in:ident
        $attributes:tt $state:ident
        $branches:tt
    ) => {
        $crate::__protocol_endpoint! {
            $visibility $protocol $role $out $in $attributes $state
            concat!(
                "The next step of the ", stringify!($role), " is to [`offer`](Self::offer) the \
                 branches of [`offer::", stringify!($state), "`](enum@super::offer::",
                stringify!($state), "), of which its peer chooses one.",
            )
        }

        impl $state {
            /// Receives the branch that the peer has chosen, and goes on there; waits until it has.
            ///
            /// # Errors
            ///
            /// If the peer has left the session. Says in which step.
            ///
            /// # Blocking
            ///
            /// Until the peer has chosen, or has left.
            #[inline]
            #[track_caller]
            pub fn offer(
                self,
            ) -> ::core::result::Result<super::offer::$state, $crate::protocol::PeerLeft> {
                $crate::protocol::machinery::recv(self)
            }

            /// Receives the branch that the peer has chosen, and goes on there, if it has by now.
            ///
            /// # Errors
            ///
            /// If it has not; the endpoint comes back. And as [`offer`](Self::offer).
            #[inline]
            pub fn try_offer(
                self,
            ) -> ::core::result::Result<super::offer::$state, $crate::protocol::NotReceived<Self>>
            {
                $crate::protocol::machinery::try_recv(self)
            }

            /// As [`offer`](Self::offer), but waits for `timeout` at most.
            ///
            /// # Errors
            ///
            /// If the peer has not chosen until then; the endpoint comes back. And as
            /// [`offer`](Self::offer).
            ///
            /// # Blocking
            ///
            /// As [`offer`](Self::offer), for `timeout` at most.
            #[track_caller]
            pub fn offer_timeout(
                self,
                timeout: ::std::time::Duration,
            ) -> ::core::result::Result<super::offer::$state, $crate::protocol::NotReceived<Self>>
            {
                $crate::protocol::machinery::recv_timeout(self, timeout)
            }

            /// As [`offer`](Self::offer), but waits until `deadline` at most.
            ///
            /// # Errors
            ///
            /// As [`offer_timeout`](Self::offer_timeout).
            ///
            /// # Blocking
            ///
            /// As [`offer`](Self::offer), until `deadline` at most.
            #[track_caller]
            pub fn offer_deadline(
                self,
                deadline: ::std::time::Instant,
            ) -> ::core::result::Result<super::offer::$state, $crate::protocol::NotReceived<Self>>
            {
                $crate::protocol::machinery::recv_deadline(self, deadline)
            }

            /// A future that receives the branch that the peer chooses, and goes on there.
            ///
            /// # Errors
            ///
            /// As [`offer`](Self::offer).
            ///
            /// # Cancellation
            ///
            /// If the future is dropped before it is ready, nothing was received, and the
            /// session is left. Await [`ready`](Self::ready) first to keep the endpoint.
            #[track_caller]
            pub fn offer_async(self) -> $crate::protocol::RecvAsync<Self> {
                $crate::protocol::machinery::recv_async(self)
            }

            $crate::__protocol_receiving!(@message);
        }
    };

    (@message) => {
        /// A future that is ready when there is a message, or the peer has left.
        ///
        /// # Cancellation
        ///
        /// A future that is dropped before it is ready has done nothing. The endpoint goes on.
        #[track_caller]
        pub fn ready(&mut self) -> $crate::protocol::RecvReady<'_, Self> {
            $crate::protocol::machinery::recv_ready(self)
        }

        /// Whether the peer has left the session. Messages from before may be there.
        pub fn has_peer_left(&self) -> bool {
            $crate::protocol::machinery::has_peer_left(self)
        }
    };
}
