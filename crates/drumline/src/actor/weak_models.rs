//! Loom models of weak references.

use std::sync::Arc;

use loom::sync::atomic::Ordering;
use loom::thread;

use super::life_word::RefDrop;
use super::models::{Adder, Note, explore};
use crate::sync::plant::{Plant, must_catch};

/// Upgrades, tells the actor something if that succeeds, and drops the reference. Returns whether
/// it has told.
fn upgrade_and_tell(adder: &Adder) -> bool {
    tell_by(adder, adder.upgrade())
}

/// Tells the actor something if there is a reference, and drops it.
fn tell_by(adder: &Adder, has_ref: bool) -> bool {
    if has_ref {
        adder.send(Note::Count(1));
        assert_eq!(
            adder.freed.load(Ordering::Relaxed),
            0,
            "there is a reference"
        );
        adder.drop_ref();
    }
    has_ref
}

/// The actor has ended, and has handled what it was told.
fn check(adder: &Adder, told: usize) {
    assert!(adder.word.is_dead());
    assert_eq!(adder.freed.load(Ordering::Relaxed), 1, "freed once");
    assert_eq!(adder.sum(), [0, 1, 11][told]);
}

/// The last reference is dropped while a weak one is upgraded.
fn upgrade_at_the_end() {
    explore(3, || {
        let adder = Adder::idle();
        let other = Arc::clone(&adder);
        let weak = thread::spawn(move || upgrade_and_tell(&other));
        adder.drop_ref();
        let told = weak.join().unwrap();
        check(&adder, usize::from(told));
    });
}

/// The same twice.
fn two_upgrades() {
    explore(2, || {
        let adder = Adder::idle();
        let weak = [(); 2].map(|()| {
            let other = Arc::clone(&adder);
            thread::spawn(move || upgrade_and_tell(&other))
        });
        adder.drop_ref();
        let told = weak.map(|weak| usize::from(weak.join().unwrap()));
        check(&adder, told[0] + told[1]);
    });
}

/// The actor has made a reference to itself while `final` is on its way, and another thread drops
/// that, while a weak one is upgraded.
fn upgrade_of_a_revived() {
    explore(2, || {
        let adder = Adder::idle();
        assert_eq!(adder.word.drop_ref(), RefDrop::SendFinal);
        // As a handler does with a message before `final`.
        adder.word.add_ref_in_run();
        let (holds, weak) = (Arc::clone(&adder), Arc::clone(&adder));
        let holder = thread::spawn(move || holds.drop_ref());
        let weak = thread::spawn(move || upgrade_and_tell(&weak));
        adder.send(Note::Final);
        holder.join().unwrap();
        let told = weak.join().unwrap();
        check(&adder, usize::from(told));
    });
}

/// The last reference is gone, and a handler is at work before `final`. A notice comes, and the
/// actor comes to that before its end, if the notice came in time.
fn notice_after_the_last() {
    explore(3, || {
        let adder = Adder::idle();
        assert_eq!(adder.word.drop_ref(), RefDrop::SendFinal);
        let reached = Arc::clone(&adder);
        let notice = thread::spawn(move || tell_by(&reached, reached.reach()));
        adder.send(Note::Final);
        let told = notice.join().unwrap();
        check(&adder, usize::from(told));
    });
}

/// The same, and the handler makes a reference.
fn notice_to_a_revived() {
    explore(2, || {
        let adder = Adder::idle();
        assert_eq!(adder.word.drop_ref(), RefDrop::SendFinal);
        adder.word.add_ref_in_run();
        let (holds, reached) = (Arc::clone(&adder), Arc::clone(&adder));
        let holder = thread::spawn(move || holds.drop_ref());
        let notice = thread::spawn(move || tell_by(&reached, reached.reach()));
        adder.send(Note::Final);
        holder.join().unwrap();
        let told = notice.join().unwrap();
        check(&adder, usize::from(told));
    });
}

#[test]
fn loom_actor_notice() {
    notice_after_the_last();
    must_catch(Plant::UpgradeTwoSteps, notice_after_the_last);
    must_catch(Plant::UpgradeOfEnding, notice_after_the_last);
    must_catch(Plant::ActorRevivedUnseen, notice_after_the_last);
    notice_to_a_revived();
}

#[test]
fn loom_actor_weak() {
    upgrade_at_the_end();
    must_catch(Plant::UpgradeTwoSteps, upgrade_at_the_end);
    must_catch(Plant::UpgradeOfEnding, upgrade_at_the_end);
    must_catch(Plant::WeakLinkLeftOpen, upgrade_at_the_end);
}

#[test]
fn loom_actor_weak_by_three() {
    two_upgrades();
    upgrade_of_a_revived();
}
