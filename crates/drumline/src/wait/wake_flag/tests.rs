use std::task::Waker;

use super::{LOUD, Teller, Told, WakeFlag, wait_for_barrier};

/// Tells the flag, and returns whether it is lazy then.
fn tell(flag: &WakeFlag, teller: &mut Teller) -> bool {
    assert_eq!(flag.tell(teller), Told::Done);
    flag.is_lazy()
}

/// Waits at this number of flags several times, and is told each time.
fn wait_among(flags: usize, times: usize, flag: &WakeFlag, teller: &mut Teller) {
    for _ in 0..times {
        let _has_to_settle = flag.list_among(Waker::noop(), &mut false, flags);
        let _is_lazy = tell(flag, teller);
    }
}

#[test]
fn of_many_flags_each_is_lazy_soon() {
    wait_for_barrier();
    let (flag, mut teller) = (WakeFlag::new(), Teller::default());
    wait_among(1_000, 5, &flag, &mut teller);
    assert_eq!(tell(&flag, &mut teller), teller.may_be_lazy());
}

#[test]
fn a_flag_that_waits_alone_again_is_told_loudly_for_as_long_as_any() {
    wait_for_barrier();
    let (flag, mut teller) = (WakeFlag::new(), Teller::default());
    wait_among(1_000, 5, &flag, &mut teller);
    let _is_ready = flag.list(Waker::noop(), &mut false, || false);
    assert!((0..LOUD).all(|_| !tell(&flag, &mut teller)));
    assert_eq!(tell(&flag, &mut teller), teller.may_be_lazy());
}

#[test]
fn a_tell_that_wakes_is_not_lazy() {
    let (flag, mut teller) = (WakeFlag::new(), Teller::default());
    for _ in 0..10 {
        let _has_to_settle = flag.list_among(Waker::noop(), &mut false, 1_000);
        assert!(!tell(&flag, &mut teller));
    }
}

#[test]
fn a_flag_that_seldom_waits_among_many_is_told_loudly() {
    let (flag, mut teller) = (WakeFlag::new(), Teller::default());
    for _ in 0..10 {
        wait_among(1_000, 1, &flag, &mut teller);
        assert!((0..LOUD / 5).all(|_| !tell(&flag, &mut teller)));
        wait_among(1, 1, &flag, &mut teller);
        assert!((0..LOUD / 5).all(|_| !tell(&flag, &mut teller)));
    }
}
