//! The macros. Each arm becomes a variable; one function waits for all of them; then the code of
//! the arm that was chosen runs where the macro stands.

/// Waits for the first of several receives and sends, and runs its arm.
///
/// ```
/// use drumline::channel::{mpmc, select, spsc};
/// use std::time::Duration;
///
/// let (mut numbers, mut number) = spsc::unbounded();
/// let (words, word) = mpmc::bounded(1);
/// numbers.send(1).unwrap();
/// let said = select! {
///     recv(number) -> message => format!("the number {}", message.unwrap()),
///     recv(word) -> message => format!("the word {}", message.unwrap()),
///     default(Duration::from_secs(3600)) => "nothing".to_owned(),
/// };
/// assert_eq!(said, "the number 1");
///
/// let mut greeting = Some("hello".to_owned());
/// select! {
///     recv(number) -> message => panic!("no other number was sent: {message:?}"),
///     send(words, greeting.take().unwrap()) -> sent => sent.unwrap(),
/// }
/// assert_eq!(word.recv().unwrap(), "hello");
/// ```
///
/// # Arms
///
/// * `recv(end) -> message => code`: `message` is a pattern for
///   `Result<T, `[`RecvError`](crate::channel::RecvError)`>`. An end that has ended is ready, and
///   says why.
/// * `send(end, value) -> result => code`: `result` is a pattern for
///   `Result<(), `[`SendError<T>`](crate::channel::SendError)`>`. The expression `value` is
///   evaluated when the arm is chosen, and not before: a variable that is moved there is still
///   there in all other arms. A place is kept for the value meanwhile, so the expression should not
///   wait for room in the same channel. A closed channel gives the value back.
/// * `default => code`: if no arm is ready now.
/// * `default(timeout) => code`: if none is until this [`Duration`](std::time::Duration) is over.
/// * `deadline(instant) => code`: if none is until this [`Instant`](std::time::Instant).
///
/// There is at least one `recv` or `send`, and at most one of the last three, which comes last.
/// Arms are separated by commas; after a block, the comma may be left out. Before them, `biased;`
/// says that the first arm comes first whenever it is ready; otherwise a random one does, which
/// stays the same for 16 selects of the thread.
///
/// An end is a variable, a field, or what else can be borrowed: it stays, and can be used in the
/// arms. The code of an arm may leave the function or a loop around the macro.
///
/// ```
/// use drumline::channel::{RecvError, select, spsc};
///
/// fn first_of_each(
///     left: &mut spsc::Receiver<u32>,
///     right: &mut spsc::Receiver<u32>,
/// ) -> Result<u32, RecvError> {
///     loop {
///         select! {
///             recv(left) -> message => return Ok(message?),
///             recv(right) -> message => if message? > 10 { break },
///         }
///     }
///     left.recv()
/// }
/// # let (mut to_left, mut left) = spsc::unbounded();
/// # let (mut to_right, mut right) = spsc::unbounded();
/// # to_right.send(11).unwrap();
/// # to_left.send(1).unwrap();
/// # assert_eq!(first_of_each(&mut left, &mut right), Ok(1));
/// ```
///
/// # Panics
///
/// If an arm sends to a rendezvous, which has no place to keep for a message.
///
/// # Blocking
///
/// Until an arm is ready, or the limit has come. In a pool, another thread has the place of this
/// one meanwhile. With `default` alone, never.
///
/// See [the module](mod@crate::channel::select) for what is promised, and
/// [`Select`](crate::channel::Select) for any number of ends.
#[macro_export]
macro_rules! select {
    ($($arms:tt)*) => { $crate::__select!(@begin wait $($arms)*) };
}

/// As [`select!`](crate::channel::select!), in a task: the thread does not wait.
///
/// ```
/// # drumline::block_on(async {
/// use drumline::channel::{select_async, spsc};
/// use std::time::Duration;
///
/// let (mut sender, mut receiver) = spsc::unbounded();
/// let (_silent, mut other) = spsc::unbounded::<u32>();
/// drumline::spawn(move || sender.send("hello"));
/// let heard = select_async! {
///     recv(receiver) -> message => message.unwrap(),
///     recv(other) -> _ => "the other one",
///     default(Duration::from_secs(3600)) => "nothing",
/// };
/// assert_eq!(heard, "hello");
/// # });
/// ```
///
/// It contains an `.await`, so it stands in an `async` function or block. Arms may await as well.
///
/// # Panics
///
/// As `select!`.
///
/// # Cancellation
///
/// A future that is dropped while it waits here has received nothing and sent nothing.
#[macro_export]
macro_rules! select_async {
    ($($arms:tt)*) => { $crate::__select!(@begin wait_async $($arms)*) };
}

/// The steps of the macros.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    (@begin $wait:ident) => {
        ::core::compile_error!("a select needs an arm: `recv(end) -> message => code` or `send(end, value) -> result => code`")
    };
    (@begin $wait:ident biased; $($rest:tt)*) => {
        $crate::__select!(@arms $wait true [] $($rest)*)
    };
    (@begin $wait:ident $($rest:tt)*) => {
        $crate::__select!(@arms $wait false [] $($rest)*)
    };

    // Each arm gets a variable `arm`, which is another one each time: it comes from another
    // expansion.
    (@arms $wait:ident $biased:ident [$($done:tt)*]
        recv($end:expr) -> $pattern:pat => $code:expr, $($rest:tt)*) => {
        $crate::__select!(@arms $wait $biased
            [$($done)* (recv arm {$end} {} {$pattern} {$code})] $($rest)*)
    };
    (@arms $wait:ident $biased:ident [$($done:tt)*]
        recv($end:expr) -> $pattern:pat => $code:block $($rest:tt)*) => {
        $crate::__select!(@arms $wait $biased
            [$($done)* (recv arm {$end} {} {$pattern} {$code})] $($rest)*)
    };
    (@arms $wait:ident $biased:ident [$($done:tt)*]
        recv($end:expr) -> $pattern:pat => $code:expr) => {
        $crate::__select!(@arms $wait $biased
            [$($done)* (recv arm {$end} {} {$pattern} {$code})])
    };
    (@arms $wait:ident $biased:ident [$($done:tt)*]
        send($end:expr, $value:expr) -> $pattern:pat => $code:expr, $($rest:tt)*) => {
        $crate::__select!(@arms $wait $biased
            [$($done)* (send arm {$end} {$value} {$pattern} {$code})] $($rest)*)
    };
    (@arms $wait:ident $biased:ident [$($done:tt)*]
        send($end:expr, $value:expr) -> $pattern:pat => $code:block $($rest:tt)*) => {
        $crate::__select!(@arms $wait $biased
            [$($done)* (send arm {$end} {$value} {$pattern} {$code})] $($rest)*)
    };
    (@arms $wait:ident $biased:ident [$($done:tt)*]
        send($end:expr, $value:expr) -> $pattern:pat => $code:expr) => {
        $crate::__select!(@arms $wait $biased
            [$($done)* (send arm {$end} {$value} {$pattern} {$code})])
    };

    // The limit, which comes last.
    (@arms $wait:ident $biased:ident [] $(default $(($($limit:tt)*))? => $($rest:tt)*)?) => {
        ::core::compile_error!("a select needs an arm: `recv(end) -> message => code` or `send(end, value) -> result => code`")
    };
    (@arms $wait:ident $biased:ident [$($done:tt)+]) => {
        $crate::__select!(@end $wait $biased [$($done)+] none {} { $crate::channel::select::__private::no_arm() })
    };
    (@arms $wait:ident $biased:ident [$($done:tt)+] default => $code:expr $(,)?) => {
        $crate::__select!(@end $wait $biased [$($done)+] now {} { $code })
    };
    (@arms $wait:ident $biased:ident [$($done:tt)+] default($timeout:expr) => $code:expr $(,)?) => {
        $crate::__select!(@end $wait $biased [$($done)+] after { $timeout } { $code })
    };
    (@arms $wait:ident $biased:ident [$($done:tt)+] deadline($instant:expr) => $code:expr $(,)?) => {
        $crate::__select!(@end $wait $biased [$($done)+] until { $instant } { $code })
    };
    (@arms $wait:ident $biased:ident [$($done:tt)*] $($rest:tt)+) => {
        ::core::compile_error!("an arm of a select is `recv(end) -> message => code` or `send(end, value) -> result => code`; the last one may be `default => code`, `default(timeout) => code` or `deadline(instant) => code`")
    };

    (@end $wait:ident $biased:ident
        [$(($kind:ident $arm:ident {$end:expr} {$($value:expr)?} {$pattern:pat} {$code:expr}))+]
        $limit:ident {$($time:expr)?} {$otherwise:expr}) => {{
        $(let mut $arm = $crate::__select!(@make $kind $end);)+
        $crate::__select!(@wait $wait $limit {$($time)?} $biased [$(&mut $arm),+]);
        $crate::__select!(@run
            [$(($kind $arm {$($value)?} {$pattern} {$code}))+] {$otherwise})
    }};

    (@make recv $end:expr) => {{
        #[allow(unused_imports)]
        use $crate::channel::select::__private::{RecvByMut as _, RecvByRef as _};
        $end.recv_in_select()
    }};
    (@make send $end:expr) => {{
        #[allow(unused_imports)]
        use $crate::channel::select::__private::{SendByMut as _, SendByRef as _};
        $end.send_in_select()
    }};

    (@wait $wait:ident now {} $biased:ident $arms:expr) => {
        $crate::channel::select::__private::try_wait(&mut $arms, $biased)
    };
    (@wait wait none {} $biased:ident $arms:expr) => {
        $crate::channel::select::__private::wait(&mut $arms, $biased, ::core::option::Option::None)
    };
    (@wait wait after {$time:expr} $biased:ident $arms:expr) => {{
        let deadline = $crate::channel::select::__private::after($time);
        $crate::channel::select::__private::wait(&mut $arms, $biased, deadline)
    }};
    (@wait wait until {$time:expr} $biased:ident $arms:expr) => {{
        let deadline = ::core::option::Option::Some($time);
        $crate::channel::select::__private::wait(&mut $arms, $biased, deadline)
    }};
    (@wait wait_async none {} $biased:ident $arms:expr) => {{
        let limit = $crate::channel::select::__private::no_limit();
        $crate::channel::select::__private::wait_async(&mut $arms, $biased, limit).await
    }};
    (@wait wait_async after {$time:expr} $biased:ident $arms:expr) => {{
        let limit = ::core::option::Option::Some($crate::channel::select::__private::sleep($time));
        $crate::channel::select::__private::wait_async(&mut $arms, $biased, limit).await
    }};
    (@wait wait_async until {$time:expr} $biased:ident $arms:expr) => {{
        let sleep = $crate::channel::select::__private::sleep_until($time);
        let limit = ::core::option::Option::Some(sleep);
        $crate::channel::select::__private::wait_async(&mut $arms, $biased, limit).await
    }};

    (@run [] {$otherwise:expr}) => { $otherwise };
    (@run [(recv $arm:ident {} {$pattern:pat} {$code:expr}) $($rest:tt)*] {$otherwise:expr}) => {
        if let ::core::option::Option::Some(result) = $arm.take_result() {
            let $pattern = result;
            $code
        } else {
            $crate::__select!(@run [$($rest)*] {$otherwise})
        }
    };
    (@run [(send $arm:ident {$value:expr} {$pattern:pat} {$code:expr}) $($rest:tt)*]
        {$otherwise:expr}) => {
        if $arm.is_chosen() {
            let $pattern = $arm.take_right().send($value);
            $code
        } else {
            $crate::__select!(@run [$($rest)*] {$otherwise})
        }
    };
}
