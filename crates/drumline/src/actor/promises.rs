//! What must not compile: what actors promise of their threads and types.

/// Actors are sent to other threads.
///
/// ```
/// use drumline::actor::Actor;
/// struct Shared(std::sync::Arc<u32>);
/// impl Actor for Shared {}
/// # let _ = Shared(std::sync::Arc::new(1)).0;
/// ```
///
/// ```compile_fail,E0277
/// use drumline::actor::Actor;
/// struct Shared(std::rc::Rc<u32>);
/// impl Actor for Shared {}
/// # let _ = Shared(std::rc::Rc::new(1)).0;
/// ```
pub struct ActorsAreSend;

/// So are messages.
///
/// ```
/// use drumline::actor::*;
/// struct Any;
/// impl Actor for Any {}
/// impl<M> Handler<M> for Any {
///     type Reply = ();
///     fn handle(&mut self, _: M, _: &mut Context<Self>) {}
/// }
/// fn tell(any: &ActorRef<Any>) {
///     let _ = any.tell(std::sync::Arc::new(1));
/// }
/// ```
///
/// ```compile_fail,E0277
/// use drumline::actor::*;
/// struct Any;
/// impl Actor for Any {}
/// impl<M> Handler<M> for Any {
///     type Reply = ();
///     fn handle(&mut self, _: M, _: &mut Context<Self>) {}
/// }
/// fn tell(any: &ActorRef<Any>) {
///     let _ = any.tell(std::rc::Rc::new(1));
/// }
/// ```
pub struct MessagesAreSend;

/// An actor borrows nothing, and neither do messages.
///
/// ```
/// use drumline::actor::*;
/// struct Text(String);
/// impl Actor for Text {}
/// fn spawn(system: &ActorSystem, text: &str) {
///     system.spawn(Text(text.to_owned()));
/// }
/// # let _ = |text: Text| text.0;
/// ```
///
/// ```compile_fail
/// use drumline::actor::*;
/// struct Text<'a>(&'a str);
/// impl<'a> Actor for Text<'a> {}
/// fn spawn(system: &ActorSystem, text: &str) {
///     system.spawn(Text(text));
/// }
/// ```
pub struct ActorsBorrowNothing;

/// An actor gets only messages for which it has a handler.
///
/// ```
/// use drumline::actor::*;
/// struct Counter(u32);
/// impl Actor for Counter {}
/// impl Handler<u32> for Counter {
///     type Reply = ();
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) {
///         self.0 += number;
///     }
/// }
/// fn tell(counter: &ActorRef<Counter>) {
///     let _ = counter.tell(1_u32);
/// }
/// ```
///
/// ```compile_fail,E0277
/// use drumline::actor::*;
/// struct Counter(u32);
/// impl Actor for Counter {}
/// impl Handler<u32> for Counter {
///     type Reply = ();
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) {
///         self.0 += number;
///     }
/// }
/// fn tell(counter: &ActorRef<Counter>) {
///     let _ = counter.tell(1_i64);
/// }
/// ```
pub struct MessagesHaveHandlers;

/// A context stays with its handler.
///
/// ```
/// use drumline::actor::*;
/// struct Keeper(Option<ActorRef<Keeper>>);
/// impl Actor for Keeper {
///     fn started(&mut self, context: &mut Context<Self>) {
///         self.0 = Some(context.actor_ref());
///     }
/// }
/// ```
///
/// ```compile_fail
/// use drumline::actor::*;
/// struct Keeper(Option<&'static mut Context<Keeper>>);
/// impl Actor for Keeper {
///     fn started(&mut self, context: &mut Context<Self>) {
///         self.0 = Some(context);
///     }
/// }
/// ```
pub struct ContextsAreBorrowed;
