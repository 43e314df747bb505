//! What `tracing` is told: events, and spans that go on from a sender to the handler of its
//! message.
//!
//! With the feature `tracing`, a message that is sent in a span carries it. Its handler runs in a
//! span of its own, below that one, with the name of the actor and the type of the message. So what
//! a request causes is found below the span of that request, through any number of actors. Where
//! the subscriber wants no spans of the library, the handler runs in the span of the sender itself.
//!
//! Without the feature all of this is empty, and costs nothing.

#[cfg(feature = "tracing")]
mod spans {
    use std::future::Future;

    use tracing::instrument::Instrument;
    use tracing::span::{EnteredSpan, Id, Span};

    use crate::actor::memory::ActorCore;
    use crate::pool::SharedRegistry;
    use crate::unwind;

    /// The span in which a message was sent, if there was one.
    pub(crate) struct SentSpan(Option<Box<Span>>);

    /// The span in which a handler runs, until this is dropped.
    ///
    /// A panic of the subscriber is reported then: the handler may have handed its actor on, to a
    /// future, and the run could not end that.
    pub(crate) struct HandlerSpan(Option<(EnteredSpan, SharedRegistry)>);

    impl Drop for HandlerSpan {
        fn drop(&mut self) {
            let Some((span, registry)) = self.0.take() else {
                return;
            };
            if let Err(payload) = unwind::catch(|| drop(span)) {
                registry.report_panic(payload);
            }
        }
    }

    impl SentSpan {
        /// That of the calling thread.
        pub(crate) fn current() -> Self {
            let span = Span::current();
            SentSpan((!span.is_none()).then(|| Box::new(span)))
        }

        /// Enters the span for the handler of a message of this type.
        pub(crate) fn enter(self, core: &ActorCore, message: fn() -> &'static str) -> HandlerSpan {
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
            if span.is_disabled() {
                return HandlerSpan(None);
            }
            // The actor may be gone at the end.
            let registry = SharedRegistry::clone(core.system.registry());
            HandlerSpan(Some((span.entered(), registry)))
        }
    }

    /// Polls the future in the span in which it was made.
    pub(crate) fn in_current<F>(future: F) -> impl Future<Output = F::Output> + Send
    where
        F: Future + Send,
    {
        future.in_current_span()
    }

    /// Tells the subscriber what happens to an actor.
    ///
    /// A panic of the subscriber is reported: it would leave an actor with an end that is half
    /// done.
    pub(crate) fn event(core: &ActorCore, what: &'static str) {
        let told = unwind::catch(|| {
            tracing::debug!(target: "drumline", actor = core.name(), "{what}");
        });
        if let Err(payload) = told {
            core.system.registry().report_panic(payload);
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod spans {
    use std::future::Future;

    use crate::actor::memory::ActorCore;

    /// Nothing: there are no spans.
    pub(crate) struct SentSpan;

    /// As above.
    pub(crate) struct HandlerSpan;

    impl SentSpan {
        #[inline]
        pub(crate) fn current() -> Self {
            SentSpan
        }

        #[inline]
        pub(crate) fn enter(self, _: &ActorCore, _: fn() -> &'static str) -> HandlerSpan {
            HandlerSpan
        }
    }

    /// The future.
    #[inline]
    pub(crate) fn in_current<F>(future: F) -> impl Future<Output = F::Output> + Send
    where
        F: Future + Send,
    {
        future
    }

    #[inline]
    pub(crate) fn event(_: &ActorCore, _: &'static str) {}
}

pub(crate) use spans::{SentSpan, event, in_current};
