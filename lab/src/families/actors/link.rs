//! References of actors that know each other in a circle: one of them is started before another
//! one that it sends messages to.

use std::sync::{Mutex, PoisonError};

/// Where a reference is found once its actor has been started.
#[derive(Debug)]
pub struct Slot<T>(Mutex<Option<T>>);

impl<T: Clone> Slot<T> {
    /// An empty one that lasts as long as the process, as its actors do.
    pub fn leaked() -> &'static Self {
        Box::leak(Box::new(Self(Mutex::new(None))))
    }

    /// Puts the reference in.
    pub fn fill(&self, reference: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reference);
    }

    fn get(&self) -> T {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.clone()
            .expect("no message comes before the references")
    }
}

/// A reference to an actor, which is known now or once it is needed.
#[derive(Debug)]
pub enum Link<T: 'static> {
    /// The reference.
    Known(T),
    /// Where it will be.
    Later(&'static Slot<T>),
}

impl<T: Clone> Link<T> {
    /// The reference. From the second call on, no lock is taken.
    #[inline]
    pub fn get(&mut self) -> &T {
        if let Self::Later(slot) = self {
            *self = Self::Known(slot.get());
        }
        match self {
            Self::Known(reference) => reference,
            Self::Later(_) => unreachable!("it was replaced"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_looked_up_once() {
        let slot = Slot::leaked();
        let mut link = Link::Later(slot);
        slot.fill(1);
        assert_eq!(link.get(), &1);
        slot.fill(2);
        assert_eq!(link.get(), &1);
    }
}
