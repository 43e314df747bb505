//! The paths of a [`Select`](super::Select): each has a function of the program, which makes one
//! type of what has come of it.
//!
//! # The race feared
//!
//! *A path keeps others waiting while a function of the program runs.* That may take as long as it
//! likes, and may itself wait for another receiver. So a path that is chosen while all are listened
//! to only keeps what has come. Then no path listens any more, and what they were called for is
//! passed on. The function runs after that. Where nothing is listened to, both is one step.

use std::task::Waker;

use super::arms::{RecvArm, SelectArm, SendArm};
use super::ends::{RecvEnd, SendEnd};
use super::waiting::{Listened, Paths};
use crate::channel::{RecvError, SendError};

/// A fair select uses one path at most this many times before it turns to the next one.
const IN_A_ROW: u32 = 64;

pub(super) struct PathList<'a, R> {
    paths: Vec<Box<dyn HandledPath<R> + Send + 'a>>,
    /// The path that has the turn.
    current: usize,
    /// How often it was chosen in a row.
    in_a_row: u32,
    is_biased: bool,
    /// Whether paths may listen.
    is_listening: bool,
}

/// What came of a look at a path.
enum PathAttempt<R> {
    /// It would have to wait.
    Nothing,
    Chosen(R),
    /// The same, and it leaves the select.
    Last(R),
    /// It leaves the select.
    Over,
}

/// A path, and what makes an `R` of what has come of it.
trait HandledPath<R> {
    /// Chooses the path, unless it would have to wait, and makes an `R` of what has come.
    fn attempt(&mut self) -> PathAttempt<R> {
        if self.choose() {
            self.finish()
        } else {
            PathAttempt::Nothing
        }
    }

    /// The first half of it: the path keeps what has come, or the place for its message.
    fn choose(&mut self) -> bool;

    /// The second half, which runs functions of the program.
    fn finish(&mut self) -> PathAttempt<R>;

    fn listen(&mut self, waker: &Waker) -> Listened;

    /// Leaves nothing behind, but for what was chosen and is not finished.
    fn unlisten(&mut self);
}

struct RecvHandler<E: RecvEnd, F> {
    arm: RecvArm<E>,
    handler: F,
}

struct SendHandler<E: SendEnd, S, F> {
    arm: SendArm<E>,
    source: S,
    handler: F,
}

impl<E: RecvEnd, F> RecvHandler<E, F> {
    #[inline]
    fn handle<R>(&mut self, result: Result<E::Message, RecvError>) -> PathAttempt<R>
    where
        F: FnMut(Result<E::Message, RecvError>) -> R,
    {
        match result {
            Ok(message) => PathAttempt::Chosen((self.handler)(Ok(message))),
            Err(end) => PathAttempt::Last((self.handler)(Err(end))),
        }
    }
}

impl<R, E, F> HandledPath<R> for RecvHandler<E, F>
where
    E: RecvEnd,
    F: FnMut(Result<E::Message, RecvError>) -> R,
{
    /// Without a stop of the message in the arm.
    #[inline]
    fn attempt(&mut self) -> PathAttempt<R> {
        match self.arm.take() {
            Some(result) => self.handle(result),
            None => PathAttempt::Nothing,
        }
    }

    fn choose(&mut self) -> bool {
        self.arm.choose()
    }

    fn finish(&mut self) -> PathAttempt<R> {
        match self.arm.take_result() {
            Some(result) => self.handle(result),
            None => PathAttempt::Nothing,
        }
    }

    fn listen(&mut self, waker: &Waker) -> Listened {
        self.arm.listen(waker)
    }

    fn unlisten(&mut self) {
        self.arm.unlisten();
    }
}

impl<R, E, S, F> HandledPath<R> for SendHandler<E, S, F>
where
    E: SendEnd,
    S: FnMut() -> Option<E::Message>,
    F: FnMut(Result<(), SendError<E::Message>>) -> R,
{
    fn choose(&mut self) -> bool {
        self.arm.choose()
    }

    fn finish(&mut self) -> PathAttempt<R> {
        let right = self.arm.take_right();
        // There is a place, or will never be one: only now a message is taken. Without one, or
        // after a panic, the right gives the place back.
        let Some(message) = (self.source)() else {
            return PathAttempt::Over;
        };
        match right.send(message) {
            Ok(()) => PathAttempt::Chosen((self.handler)(Ok(()))),
            Err(back) => PathAttempt::Last((self.handler)(Err(back))),
        }
    }

    fn listen(&mut self, waker: &Waker) -> Listened {
        self.arm.listen(waker)
    }

    fn unlisten(&mut self) {
        self.arm.unlisten();
    }
}

impl<'a, R> PathList<'a, R> {
    pub(super) fn new(is_biased: bool) -> Self {
        PathList {
            paths: Vec::new(),
            current: 0,
            in_a_row: 0,
            is_biased,
            is_listening: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    pub(super) fn is_biased(&self) -> bool {
        self.is_biased
    }

    pub(super) fn add_recv<E, F>(&mut self, end: E, handler: F)
    where
        E: RecvEnd + Send + 'a,
        F: FnMut(Result<E::Message, RecvError>) -> R + Send + 'a,
    {
        let arm = RecvArm::new(end);
        self.paths.push(Box::new(RecvHandler { arm, handler }));
    }

    #[track_caller]
    pub(super) fn add_send<E, S, F>(&mut self, end: E, source: S, handler: F)
    where
        E: SendEnd + Send + 'a,
        S: FnMut() -> Option<E::Message> + Send + 'a,
        F: FnMut(Result<(), SendError<E::Message>>) -> R + Send + 'a,
    {
        let arm = SendArm::new(end);
        self.paths.push(Box::new(SendHandler {
            arm,
            source,
            handler,
        }));
    }

    /// Takes a path out, which leaves nothing behind.
    fn take_out(&mut self, index: usize) {
        let mut path = self.paths.remove(index);
        path.unlisten();
        if index < self.current {
            self.current -= 1;
        }
    }

    /// Looks at a path. It may be gone afterwards.
    #[inline]
    fn attempt(&mut self, index: usize) -> PathAttempt<R> {
        let attempt = if self.is_listening {
            self.attempt_listening(index)
        } else {
            self.paths[index].attempt()
        };
        if let PathAttempt::Last(_) | PathAttempt::Over = attempt {
            self.take_out(index);
        }
        attempt
    }

    /// Looks at a path while all are listened to.
    #[cold]
    fn attempt_listening(&mut self, index: usize) -> PathAttempt<R> {
        if !self.paths[index].choose() {
            return PathAttempt::Nothing;
        }
        self.unlisten();
        self.paths[index].finish()
    }

    #[cold]
    fn choose_first(&mut self) -> Option<R> {
        let mut index = 0;
        while index < self.paths.len() {
            match self.attempt(index) {
                PathAttempt::Chosen(chosen) | PathAttempt::Last(chosen) => return Some(chosen),
                PathAttempt::Nothing => index += 1,
                PathAttempt::Over => {}
            }
        }
        None
    }

    /// Looks at all paths, and last at the one that had its turn.
    #[inline(never)]
    fn choose_next(&mut self) -> Option<R> {
        let mut left = self.paths.len();
        let mut index = self.current + 1;
        while left > 0 {
            left -= 1;
            if index >= self.paths.len() {
                index = 0;
            }
            match self.attempt(index) {
                PathAttempt::Chosen(chosen) => {
                    self.current = index;
                    self.in_a_row = 1;
                    return Some(chosen);
                }
                PathAttempt::Last(chosen) => return Some(chosen),
                PathAttempt::Nothing => index += 1,
                PathAttempt::Over => {}
            }
        }
        None
    }
}

impl<R> Paths for PathList<'_, R> {
    type Chosen = R;

    #[inline]
    fn choose(&mut self) -> Option<R> {
        if self.is_biased {
            return self.choose_first();
        }
        if self.in_a_row < IN_A_ROW && self.current < self.paths.len() {
            match self.attempt(self.current) {
                PathAttempt::Chosen(chosen) => {
                    self.in_a_row += 1;
                    return Some(chosen);
                }
                PathAttempt::Last(chosen) => return Some(chosen),
                PathAttempt::Nothing | PathAttempt::Over => {}
            }
        }
        self.choose_next()
    }

    fn is_over(&self) -> bool {
        self.paths.is_empty()
    }

    fn is_listening(&self) -> bool {
        self.is_listening
    }

    fn listen(&mut self, waker: &Waker, mut listened: impl FnMut(Listened)) {
        // First, because a waker that panics when it is cloned leaves the paths before it listed.
        self.is_listening = true;
        for path in &mut self.paths {
            listened(path.listen(waker));
        }
    }

    fn unlisten(&mut self) {
        for path in &mut self.paths {
            path.unlisten();
        }
        self.is_listening = false;
    }
}

impl<R> Drop for PathList<'_, R> {
    fn drop(&mut self) {
        // A future that was forgotten has left something behind.
        self.unlisten();
    }
}
