//! How many references to a registry there are: a count for all threads, and an account for each
//! worker.
//!
//! Each handle and each task refers to its pool. With one count for all, each spawn changes it
//! four times, from every worker: a line of memory that moves between all processors. So a worker
//! has an *account*: a plain number that it alone changes. Only other threads change the count.
//!
//! An account may fall below zero, when its worker drops what others have made. So the count must
//! not reach zero before that is known. As long as an account is open, it is *worth* [`WORTH`]
//! references in the count, which is more than it can ever owe. (Weights for references are from
//! Bevan, and from Watson and Watson, both of 1987.)
//!
//! ```text
//!   count  =  references − Σ balances of open accounts  +  WORTH × open accounts
//!
//!   open(): count += WORTH      settle(): count += balance      close(): count += balance − WORTH
//! ```
//!
//! | event | step |
//! |---|---|
//! | a worker clones or drops a reference | its balance + 1, − 1 |
//! | any other thread does | the count + 1, − 1; at 0 the registry is freed |
//! | a balance comes near to what the account is worth | `settle` |
//! | a worker begins, ends | `open`, `close` |
//!
//! **The race feared**: the count reaches zero while there are references. It is the references
//! and, for each open account, what that is worth less its balance. No term is negative, and that
//! of an open account is positive. So the count is zero when there are no references and no open
//! account. `close` is one step: in two, the worth could go before the balance comes. The thread
//! that closes has a reference of its own which the count knows, so `close` never frees.
//!
//! **What a thread did with the registry** comes before the step in which the last reference goes:
//! steps of the count release, and the last one acquires. A worker's own steps are published when
//! its account is closed.

use std::cell::Cell;
use std::ptr;

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::planted;

/// What an open account is worth, in references.
const WORTH: usize = 1 << (usize::BITS / 2);

/// A balance is settled when it is as far from zero.
const FAR: usize = WORTH / 2;

/// The references to a registry that no account knows, and what the accounts are worth.
#[derive(Debug)]
pub(crate) struct RefCount(AtomicUsize);

impl RefCount {
    /// Of a registry with one reference.
    pub(crate) fn new() -> Self {
        RefCount(AtomicUsize::new(1))
    }

    /// A reference is made from another one.
    #[inline]
    pub(crate) fn up(&self) {
        self.add(1);
    }

    fn add(&self, more: usize) {
        // Relaxed: the caller has a reference.
        if self.0.fetch_add(more, Ordering::Relaxed) > usize::MAX / 2 {
            // The memory would be freed under the eyes of others.
            std::process::abort();
        }
    }

    /// A reference is made where there may be none any more. Returns whether there was one.
    #[must_use]
    pub(crate) fn try_up(&self) -> bool {
        // Relaxed, twice: the caller knows the registry from the thread that lent it.
        let more = |count| (count > 0).then(|| count + 1);
        let made = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        made.is_ok()
    }

    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    pub(crate) fn get(&self) -> usize {
        // Relaxed: a look.
        self.0.load(Ordering::Relaxed)
    }

    /// A reference is dropped. Returns whether it was the last one.
    #[inline]
    #[must_use]
    pub(crate) fn down(&self) -> bool {
        // Release: what this thread did with the registry comes before its end.
        if self.0.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        // Acquire: and what all others did.
        self.0.load(Ordering::Acquire);
        true
    }
}

/// The references of one thread to one registry, while it is a worker there.
///
/// The thread alone uses it, and keeps it apart from the registry: with it, it finds out whether
/// the registry is its own.
#[derive(Debug)]
pub(crate) struct RefAccount {
    /// The count that the account belongs to; null: it is closed.
    count: Cell<*const RefCount>,
    /// References made less references dropped.
    balance: Cell<isize>,
}

/// What a thread had before it opened an account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    count: *const RefCount,
    balance: isize,
}

impl RefAccount {
    /// A closed one.
    pub(crate) const fn closed() -> Self {
        RefAccount {
            count: Cell::new(ptr::null()),
            balance: Cell::new(0),
        }
    }

    /// Opens an account with this count. The caller has a reference that the count knows.
    pub(crate) fn open(&self, count: &RefCount) -> Before {
        count.add(WORTH);
        Before {
            count: self.count.replace(count),
            balance: self.balance.replace(0),
        }
    }

    /// Closes it. The caller has a reference that the count knows.
    pub(crate) fn close(&self, count: &RefCount, before: Before) {
        debug_assert!(self.is_of(count), "accounts are closed by their threads");
        self.count.set(before.count);
        let balance = self.balance.replace(before.balance).cast_unsigned();
        // Release, each time: what this thread did with the registry comes before its end.
        if planted!(RefAccountClosedInTwoSteps) {
            count.0.fetch_sub(WORTH, Ordering::Release);
            count.0.fetch_add(balance, Ordering::Release);
        } else {
            let change = balance.wrapping_sub(WORTH);
            count.0.fetch_add(change, Ordering::Release);
        }
    }

    #[inline]
    fn is_of(&self, count: &RefCount) -> bool {
        ptr::eq(self.count.get(), count)
    }

    /// A reference is made from another one. `false`: this account does not know the count.
    #[inline]
    #[must_use]
    pub(crate) fn up(&self, count: &RefCount) -> bool {
        self.change(count, 1)
    }

    /// A reference is dropped, and another one is left. `false`: as above.
    #[inline]
    #[must_use]
    pub(crate) fn down(&self, count: &RefCount) -> bool {
        self.change(count, -1)
    }

    #[inline]
    fn change(&self, count: &RefCount, change: isize) -> bool {
        let is_of = self.is_of(count);
        if is_of {
            let balance = self.balance.get() + change;
            self.balance.set(balance);
            if balance.unsigned_abs() >= FAR {
                self.settle(count);
            }
        }
        is_of
    }

    #[cold]
    fn settle(&self, count: &RefCount) {
        let balance = self.balance.replace(0).cast_unsigned();
        // Relaxed: the account stays open, and publishes what its thread did when it is closed.
        count.0.fetch_add(balance, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn a_balance_is_settled_in_time() {
        let (count, account) = (RefCount::new(), RefAccount::closed());
        assert!(!account.up(&count), "no account is open");
        let before = account.open(&count);
        assert!(account.up(&count));
        account.balance.set(FAR.cast_signed() - 1);
        assert!(account.up(&count));
        assert_eq!(account.balance.get(), 0);
        account.balance.set(1 - FAR.cast_signed());
        assert!(account.down(&count));
        assert_eq!(account.balance.get(), 0);
        account.close(&count, before);
        assert!(count.down(), "all are gone");
    }

    #[test]
    fn an_account_with_another_count_waits() {
        let (outer, inner, account) = (RefCount::new(), RefCount::new(), RefAccount::closed());
        let none = account.open(&outer);
        assert!(account.up(&outer));
        let before = account.open(&inner);
        assert!(account.up(&inner));
        assert!(!account.up(&outer));
        account.close(&inner, before);
        assert!(account.down(&outer));
        account.close(&outer, none);
        assert!(outer.down());
        assert!(!inner.down());
        assert!(inner.down());
    }

    #[test]
    fn a_reference_is_not_made_of_none() {
        let count = RefCount::new();
        assert!(count.try_up());
        assert!(!count.down());
        assert!(count.down());
        assert!(!count.try_up());
    }
}
