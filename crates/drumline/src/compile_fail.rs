//! What must not compile: the lifetime and `Send` promises.
//!
//! Every case is a pair, a program that compiles and its twin that differs in
//! the one thing that is forbidden, so that the twin fails for that reason and
//! not for a typing error. Nightly toolchains check the error codes as well.

/// `join` takes closures that are `Send`.
///
/// ```
/// let shared = std::sync::Arc::new(1);
/// let (a, b) = drumline::join(|| *shared, || 2);
/// # assert_eq!(a + b, 3);
/// ```
///
/// ```compile_fail,E0277
/// let shared = std::rc::Rc::new(1);
/// let (a, b) = drumline::join(|| *shared, || 2);
/// ```
///
/// ```compile_fail,E0277
/// let shared = std::rc::Rc::new(1);
/// let (a, b) = drumline::join(|| 2, || *shared);
/// ```
///
/// ```compile_fail,E0277
/// let cell = std::cell::Cell::new(1);
/// drumline::join(|| cell.set(2), || ());
/// ```
pub struct JoinClosuresAreSend;

/// `join` returns results that are `Send`.
///
/// ```
/// let (a, b) = drumline::join(|| std::sync::Arc::new(1), || std::sync::Arc::new(2));
/// # assert_eq!(*a + *b, 3);
/// ```
///
/// ```compile_fail,E0277
/// let (a, b) = drumline::join(|| std::rc::Rc::new(1), || 2);
/// ```
///
/// ```compile_fail,E0277
/// let (a, b) = drumline::join(|| 1, || std::rc::Rc::new(2));
/// ```
pub struct JoinResultsAreSend;

/// The halves of a `join` do not write to the same thing.
///
/// ```
/// let (mut x, mut y) = (1, 2);
/// drumline::join(|| x += 1, || y += 1);
/// # assert_eq!(x + y, 5);
/// ```
///
/// ```compile_fail,E0499
/// let mut x = 1;
/// drumline::join(|| x += 1, || x += 1);
/// ```
///
/// ```compile_fail,E0502
/// let mut x = 1;
/// drumline::join(|| x += 1, || x);
/// ```
pub struct JoinHalvesDoNotAlias;

/// What a half borrows outlives the call, and what it returns does not borrow
/// from the half.
///
/// ```
/// let text = String::from("long enough");
/// let (a, _) = drumline::join(|| text.as_str(), || ());
/// # assert_eq!(a.len(), 11);
/// ```
///
/// ```compile_fail,E0597
/// let (a, _) = {
///     let text = String::from("too short");
///     let text = &text;
///     drumline::join(move || text.as_str(), || ())
/// };
/// assert_eq!(a.len(), 9);
/// ```
pub struct JoinResultsDoNotOutliveBorrows;

/// `join_context` promises the same.
///
/// ```
/// let shared = std::sync::Arc::new(1);
/// drumline::join_context(|_| *shared, |_| *shared);
/// ```
///
/// ```compile_fail,E0277
/// let shared = std::rc::Rc::new(1);
/// drumline::join_context(|_| *shared, |_| 1);
/// ```
///
/// ```compile_fail,E0277
/// drumline::join_context(|_| 1, |_| std::rc::Rc::new(1));
/// ```
pub struct JoinContextIsAsStrict;

/// `install` takes and returns what is `Send`.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// let shared = std::sync::Arc::new(1);
/// let one = pool.install(|| shared.clone());
/// # assert_eq!(*one, 1);
/// ```
///
/// ```compile_fail,E0277
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// let shared = std::rc::Rc::new(1);
/// let one = pool.install(|| *shared);
/// ```
///
/// ```compile_fail,E0277
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// let one = pool.install(|| std::rc::Rc::new(1));
/// ```
///
/// ```compile_fail,E0277
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// let shared = std::rc::Rc::new(1);
/// pool.join(|| *shared, || ());
/// ```
pub struct InstallIsAsStrict;

/// A pool is not moved or dropped while a call is inside.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// pool.install(|| ());
/// drop(pool);
/// ```
///
/// ```compile_fail,E0505
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// pool.install(|| drop(pool));
/// ```
///
/// ```compile_fail,E0505
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// let inside = &pool;
/// let other = pool;
/// inside.install(|| ());
/// ```
///
/// ```compile_fail,E0382
/// let pool = drumline::Pool::builder().jobs(1).build().unwrap();
/// pool.shutdown().unwrap();
/// pool.install(|| ());
/// ```
pub struct PoolsStayWhileInUse;

/// The threads of a scoped pool borrow what outlives it, and share it.
///
/// ```
/// let count = std::sync::atomic::AtomicUsize::new(0);
/// drumline::Pool::builder().jobs(1).build_scoped(
///     |thread| {
///         count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///         thread.run()
///     },
///     |pool| pool.install(|| ()),
/// ).unwrap();
/// # assert_eq!(count.into_inner(), 1);
/// ```
///
/// ```compile_fail,E0277
/// let count = std::cell::Cell::new(0);
/// drumline::Pool::builder().jobs(1).build_scoped(
///     |thread| {
///         count.set(1);
///         thread.run()
///     },
///     |pool| pool.install(|| ()),
/// ).unwrap();
/// ```
pub struct ScopedWrappersAreShared;

/// A scoped pool does not leave its scope.
///
/// ```
/// drumline::Pool::builder().jobs(1).build_scoped(
///     |thread| thread.run(),
///     |pool| pool.jobs(),
/// ).unwrap();
/// ```
///
/// ```compile_fail
/// // A lifetime error that has no code.
/// drumline::Pool::builder().jobs(1).build_scoped(
///     |thread| thread.run(),
///     |pool| pool,
/// ).unwrap();
/// ```
///
/// ```compile_fail,E0521
/// let mut kept = None;
/// drumline::Pool::builder().jobs(1).build_scoped(
///     |thread| thread.run(),
///     |pool| kept = Some(pool),
/// ).unwrap();
/// ```
pub struct ScopedPoolsStayInside;

/// What a scoped pool's thread borrows outlives the call.
///
/// ```
/// let text = String::from("long enough");
/// let wrapper = |thread: drumline::ThreadBuilder| {
///     let _ = text.len();
///     thread.run()
/// };
/// drumline::Pool::builder().jobs(1).build_scoped(wrapper, |_| ()).unwrap();
/// ```
///
/// ```compile_fail,E0597
/// let wrapper = {
///     let text = String::from("too short");
///     let text = &text;
///     move |thread: drumline::ThreadBuilder| {
///         let _ = text.len();
///         thread.run()
///     }
/// };
/// drumline::Pool::builder().jobs(1).build_scoped(wrapper, |_| ()).unwrap();
/// ```
pub struct ScopedThreadsBorrowWhatLives;

/// Hooks outlive everything and are shared by the threads.
///
/// ```
/// let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
/// let builder = drumline::Pool::builder().start_handler(move |_| {
///     count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
/// });
/// # drop(builder);
/// ```
///
/// ```compile_fail,E0277
/// let count = std::rc::Rc::new(std::sync::atomic::AtomicUsize::new(0));
/// let builder = drumline::Pool::builder().start_handler(move |_| {
///     count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
/// });
/// ```
///
/// ```compile_fail,E0597
/// let count = std::sync::atomic::AtomicUsize::new(0);
/// let borrowed = &count;
/// let builder = drumline::Pool::builder().exit_handler(move |_| {
///     borrowed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
/// });
/// ```
pub struct HooksAreStaticAndShared;

/// The values of a `WorkerLocal` go from thread to thread.
///
/// ```
/// let local = drumline::WorkerLocal::new(|| std::cell::Cell::new(1));
/// local.with(|value| value.set(2));
/// ```
///
/// ```compile_fail,E0599
/// let local = drumline::WorkerLocal::new(|| std::rc::Rc::new(1));
/// local.with(|value| **value);
/// ```
pub struct WorkerLocalValuesAreSend;

/// A `WorkerLocal` is shared only if its values are `Send`, and what makes them is `Sync`.
///
/// ```
/// fn share<T: Sync>(_: &T) {}
/// share(&drumline::WorkerLocal::new(|| std::cell::Cell::new(1)));
/// ```
///
/// ```compile_fail,E0277
/// fn share<T: Sync>(_: &T) {}
/// share(&drumline::WorkerLocal::new(|| std::rc::Rc::new(1)));
/// ```
///
/// ```compile_fail,E0277
/// fn share<T: Sync>(_: &T) {}
/// let number = std::cell::Cell::new(1);
/// share(&drumline::WorkerLocal::new(|| number.get()));
/// ```
pub struct WorkerLocalIsSharedSafely;

/// What `with` lends stays inside.
///
/// ```
/// let local = drumline::WorkerLocal::new(|| 1);
/// let copied: u32 = local.with(|value| *value);
/// # assert_eq!(copied, 1);
/// ```
///
/// ```compile_fail
/// let local = drumline::WorkerLocal::new(|| 1);
/// let kept: &u32 = local.with(|value| value);
/// ```
pub struct WorkerLocalValuesStayInside;

/// What `with` lends is not sent to another thread, unless it is `Sync`.
///
/// ```
/// let local = drumline::WorkerLocal::new(|| 1);
/// local.with(|value| drumline::join(|| *value, || *value));
/// ```
///
/// ```compile_fail,E0277
/// let local = drumline::WorkerLocal::new(|| std::cell::Cell::new(1));
/// local.with(|value| drumline::join(|| value.get(), || value.get()));
/// ```
pub struct WorkerLocalValuesAreNotShared;

/// Going through the values of other threads asks for `Sync`, or for the `WorkerLocal` itself.
///
/// ```
/// let mut local = drumline::WorkerLocal::new(|| std::cell::Cell::new(1));
/// # local.with(|value| value.set(3));
/// let sum: u32 = local.iter_mut().map(|value| value.get()).sum();
/// # assert_eq!(sum, 3);
/// ```
///
/// ```compile_fail,E0277
/// let local = drumline::WorkerLocal::new(|| std::cell::Cell::new(1));
/// let sum: u32 = local.iter().map(|value| value.get()).sum();
/// ```
///
/// ```compile_fail,E0596
/// let local = drumline::WorkerLocal::new(|| std::cell::Cell::new(1));
/// let sum: u32 = local.iter_mut().map(|value| value.get()).sum();
/// ```
pub struct WorkerLocalIsReadByItsOwner;

/// `stream::iter` takes iterators that are `Send`.
///
/// ```
/// use std::io::BufRead;
/// let input = std::io::BufReader::new(std::io::stdin());
/// drop(drumline::stream::iter(input.lines()));
/// ```
///
/// ```compile_fail,E0277
/// drop(drumline::stream::iter(std::io::stdin().lines()));
/// ```
pub struct StreamIteratorsAreSend;

/// `stream` takes sources, and not iterators.
///
/// ```
/// let (_sender, receiver) = std::sync::mpsc::channel::<u32>();
/// drop(drumline::stream::stream(receiver));
/// ```
///
/// ```compile_fail,E0277
/// drop(drumline::stream::stream(0..10));
/// ```
pub struct StreamsBeginWithSources;
