//! The states in which a role sends: `send` and `choose`.

/// The endpoint of a role that sends, and its steps.
#[doc(hidden)]
#[macro_export]
macro_rules! __protocol_sending {
    (
        @send $visibility:tt $protocol:ident $role:ident $out:ident $in:ident
        $attributes:tt $state:ident
        { $type:ty => $next:ident }
    ) => {
        $crate::__protocol_endpoint! {
            $visibility $protocol $role $out $in $attributes $state
            concat!(
                "The next step of the ", stringify!($role), " is to [`send`](Self::send) a `",
                stringify!($type), "`. Then comes the step `", stringify!($next), "`.",
            )
        }

        impl $crate::protocol::Message<$state> for $type {
            type Next = $next;

            #[inline]
            fn pack(self) -> super::lanes::$out {
                super::lanes::$out::$state(self)
            }

            #[inline]
            fn unpack(message: super::lanes::$out) -> Self {
                match message {
                    super::lanes::$out::$state(this) => this,
                    #[allow(unreachable_patterns)]
                    _ => $crate::protocol::machinery::crossed(),
                }
            }
        }

        impl $state {
            /// Sends the message, and goes on; waits for room if there is none.
            ///
            /// # Errors
            ///
            /// If the peer has left the session. Says in which step, and the message comes back.
            ///
            /// # Blocking
            ///
            /// While the session is full. Never if it was made without a bound.
            #[inline]
            #[track_caller]
            pub fn send(
                self,
                message: $type,
            ) -> ::core::result::Result<$next, $crate::protocol::SendError<$type>> {
                $crate::protocol::machinery::send(self, message)
            }

            /// Sends the message, and goes on, if there is room now.
            ///
            /// # Errors
            ///
            /// If there is no room; the endpoint and the message come back. And as
            /// [`send`](Self::send).
            #[inline]
            pub fn try_send(
                self,
                message: $type,
            ) -> ::core::result::Result<$next, $crate::protocol::NotSent<Self, $type>> {
                $crate::protocol::machinery::try_send(self, message)
            }

            /// As [`send`](Self::send), but waits for `timeout` at most.
            ///
            /// # Errors
            ///
            /// If there was no room until then; the endpoint and the message come back. And as
            /// [`send`](Self::send).
            ///
            /// # Blocking
            ///
            /// As [`send`](Self::send), for `timeout` at most.
            #[track_caller]
            pub fn send_timeout(
                self,
                message: $type,
                timeout: ::std::time::Duration,
            ) -> ::core::result::Result<$next, $crate::protocol::NotSent<Self, $type>> {
                $crate::protocol::machinery::send_timeout(self, message, timeout)
            }

            /// As [`send`](Self::send), but waits until `deadline` at most.
            ///
            /// # Errors
            ///
            /// As [`send_timeout`](Self::send_timeout).
            ///
            /// # Blocking
            ///
            /// As [`send`](Self::send), until `deadline` at most.
            #[track_caller]
            pub fn send_deadline(
                self,
                message: $type,
                deadline: ::std::time::Instant,
            ) -> ::core::result::Result<$next, $crate::protocol::NotSent<Self, $type>> {
                $crate::protocol::machinery::send_deadline(self, message, deadline)
            }

            /// A future that sends the message when there is room, and goes on.
            ///
            /// # Errors
            ///
            /// As [`send`](Self::send).
            ///
            /// # Cancellation
            ///
            /// If the future is dropped before it is ready, the message was not sent, and the
            /// session is left. Await [`ready`](Self::ready) first to keep both.
            #[track_caller]
            pub fn send_async(self, message: $type) -> $crate::protocol::SendAsync<Self, $type> {
                $crate::protocol::machinery::send_async(self, message)
            }

            $crate::__protocol_sending!(@room);
        }
    };

    (
        @choose $visibility:tt $protocol:ident $role:ident $out:ident $in:ident
        $attributes:tt $state:ident
        $branches:tt
    ) => {
        $crate::__protocol_endpoint! {
            $visibility $protocol $role $out $in $attributes $state
            concat!(
                "The next step of the ", stringify!($role), " is to [`choose`](Self::choose) \
                 one of the branches in [`choice::", stringify!($state), "`](mod@super::choice::",
                stringify!($state), ").",
            )
        }

        impl $state {
            /// Sends the branch that this side has chosen, and goes on there; waits for room if
            /// there is none.
            ///
            /// # Errors
            ///
            /// If the peer has left the session. Says in which step, and the branch comes back.
            ///
            /// # Blocking
            ///
            /// While the session is full. Never if it was made without a bound.
            #[inline]
            #[track_caller]
            pub fn choose<B: $crate::protocol::Message<Self>>(
                self,
                branch: B,
            ) -> ::core::result::Result<B::Next, $crate::protocol::SendError<B>> {
                $crate::protocol::machinery::send(self, branch)
            }

            /// Sends the branch, and goes on there, if there is room now.
            ///
            /// # Errors
            ///
            /// If there is no room; the endpoint and the branch come back. And as
            /// [`choose`](Self::choose).
            #[inline]
            pub fn try_choose<B: $crate::protocol::Message<Self>>(
                self,
                branch: B,
            ) -> ::core::result::Result<B::Next, $crate::protocol::NotSent<Self, B>> {
                $crate::protocol::machinery::try_send(self, branch)
            }

            /// As [`choose`](Self::choose), but waits for `timeout` at most.
            ///
            /// # Errors
            ///
            /// If there was no room until then; the endpoint and the branch come back. And as
            /// [`choose`](Self::choose).
            ///
            /// # Blocking
            ///
            /// As [`choose`](Self::choose), for `timeout` at most.
            #[track_caller]
            pub fn choose_timeout<B: $crate::protocol::Message<Self>>(
                self,
                branch: B,
                timeout: ::std::time::Duration,
            ) -> ::core::result::Result<B::Next, $crate::protocol::NotSent<Self, B>> {
                $crate::protocol::machinery::send_timeout(self, branch, timeout)
            }

            /// As [`choose`](Self::choose), but waits until `deadline` at most.
            ///
            /// # Errors
            ///
            /// As [`choose_timeout`](Self::choose_timeout).
            ///
            /// # Blocking
            ///
            /// As [`choose`](Self::choose), until `deadline` at most.
            #[track_caller]
            pub fn choose_deadline<B: $crate::protocol::Message<Self>>(
                self,
                branch: B,
                deadline: ::std::time::Instant,
            ) -> ::core::result::Result<B::Next, $crate::protocol::NotSent<Self, B>> {
                $crate::protocol::machinery::send_deadline(self, branch, deadline)
            }

            /// A future that sends the branch when there is room, and goes on there.
            ///
            /// # Errors
            ///
            /// As [`choose`](Self::choose).
            ///
            /// # Cancellation
            ///
            /// If the future is dropped before it is ready, the branch was not sent, and the
            /// session is left. Await [`ready`](Self::ready) first to keep both.
            #[track_caller]
            pub fn choose_async<B: $crate::protocol::Message<Self>>(
                self,
                branch: B,
            ) -> $crate::protocol::SendAsync<Self, B> {
                $crate::protocol::machinery::send_async(self, branch)
            }

            $crate::__protocol_sending!(@room);
        }
    };

    (@room) => {
        /// A future that is ready when there is room for the message, or the peer has left.
        ///
        /// # Cancellation
        ///
        /// A future that is dropped before it is ready has done nothing. The endpoint goes on.
        #[track_caller]
        pub fn ready(&mut self) -> $crate::protocol::SendReady<'_, Self> {
            $crate::protocol::machinery::send_ready(self)
        }

        /// Whether the peer has left the session.
        pub fn has_peer_left(&self) -> bool {
            $crate::protocol::machinery::has_peer_left(self)
        }
    };
}
