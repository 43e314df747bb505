//! Spans of `tracing` that go on from a sender to the handler of its message.
//!
//! With the feature `tracing`, a message that is sent in a span carries it. Its handler runs in a
//! span of its own, below that one, with the name of the actor and the type of the message. So what
//! a request causes is found below the span of that request, through any number of actors. Where
//! the subscriber wants no spans of the library, the handler runs in the span of the sender itself.
//!
//! Without the feature these types are empty, and cost nothing.

#[cfg(feature = "tracing")]
mod spans {
    use std::future::Future;

    use tracing::instrument::Instrument;
    use tracing::span::{EnteredSpan, Id, Span};

    use crate::actor::cell::ActorCore;

    /// The span in which a message was sent, if there was one.
    pub(in crate::actor) struct SentSpan(Option<Box<Span>>);

    /// The span in which a handler runs, until this is dropped.
    pub(in crate::actor) type HandlerSpan = EnteredSpan;

    impl SentSpan {
        /// That of the calling thread.
        pub(in crate::actor) fn current() -> Self {
            let span = Span::current();
            SentSpan((!span.is_none()).then(|| Box::new(span)))
        }

        /// Enters the span for the handler of a message of this type.
        pub(in crate::actor) fn enter(
            self,
            core: &ActorCore,
            message: fn() -> &'static str,
        ) -> HandlerSpan {
            let sent: Option<Id> = self.0.as_ref().and_then(|span| span.id());
            let span = tracing::debug_span!(
                target: "drumline",
                parent: sent,
                "message",
                actor = core.name(),
                message = message(),
            );
            let span = match self.0 {
                Some(sent) if span.is_disabled() => *sent,
                _ => span,
            };
            span.entered()
        }
    }

    /// Polls the future in the span in which it was made.
    pub(in crate::actor) fn in_current<F>(future: F) -> impl Future<Output = F::Output> + Send
    where
        F: Future + Send,
    {
        future.in_current_span()
    }
}

#[cfg(not(feature = "tracing"))]
mod spans {
    use std::future::Future;

    use crate::actor::cell::ActorCore;

    /// Nothing: there are no spans.
    pub(in crate::actor) struct SentSpan;

    /// As above.
    pub(in crate::actor) struct HandlerSpan;

    impl SentSpan {
        #[inline]
        pub(in crate::actor) fn current() -> Self {
            SentSpan
        }

        #[inline]
        pub(in crate::actor) fn enter(self, _: &ActorCore, _: fn() -> &'static str) -> HandlerSpan {
            HandlerSpan
        }
    }

    /// The future.
    #[inline]
    pub(in crate::actor) fn in_current<F>(future: F) -> impl Future<Output = F::Output> + Send
    where
        F: Future + Send,
    {
        future
    }
}

pub(super) use spans::{SentSpan, in_current};
