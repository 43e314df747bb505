//! Accounts and tellers that panic.

use bank_transfer::{LoadReport, Refusal};

use crate::{load, pool};

/// No money was made or lost, and all panics are known.
#[track_caller]
fn check(report: &LoadReport) {
    assert_eq!(report.audit, Ok(()));
    assert_eq!(report.after, report.before);
    assert_eq!(report.abandoned, [""; 0]);
    assert_eq!(report.outcomes.len(), 400);
    assert!(report.done() > 0 && report.done() < 400);
}

#[test]
fn no_money_is_lost_whatever_panics() {
    for (jobs, seed) in [(1, 1), (2, 2), (2, 3), (3, 4), (3, 5)] {
        let report = load(5, seed).run(&pool(jobs));
        check(&report);
        assert!(report.hits > 100, "{}", report.hits);
        assert_eq!(report.failures, report.hits);
        assert_eq!(report.restarts as u64, report.hits);
        let sum: Option<u64> = report.balances.iter().copied().sum();
        assert_eq!(sum, Some(report.before));
    }
}

#[test]
fn without_faults_nothing_is_started_again() {
    let report = load(0, 1).run(&pool(2));
    check(&report);
    assert_eq!((report.hits, report.failures, report.restarts), (0, 0, 0));
}

#[test]
fn a_corrupt_account_is_closed_and_the_others_go_on() {
    for seed in 1..=4 {
        let mut load = load(5, seed);
        load.corrupt = Some(2);
        let report = load.run(&pool(2));
        check(&report);
        // One panic is that of the account that cannot be read.
        assert_eq!(report.failures, report.hits + 1);
        assert_eq!(report.restarts as u64, report.hits);
        let closed: Vec<_> = (0..5).filter(|n| report.balances[*n].is_none()).collect();
        assert_eq!(closed, [2]);
        let mut refused = 0;
        for (order, outcome) in &report.outcomes {
            if order.from == 2 || order.to == 2 {
                assert!(outcome.is_err(), "{order:?}");
            }
            refused += u32::from(*outcome == Err(Refusal::Closed(2)));
        }
        assert!(refused > 0);
    }
}

#[test]
fn too_many_failures_of_tellers_let_all_tellers_begin_anew() {
    for (jobs, seed) in [(1, 1), (2, 2), (3, 3)] {
        let mut load = load(5, seed);
        load.bank.teller_restarts = 2;
        let report = load.run(&pool(jobs));
        check(&report);
        assert_eq!(report.failures, report.hits);
        assert!(
            report
                .outcomes
                .iter()
                .all(|(_, o)| *o != Err(Refusal::NoTeller))
        );
    }
}
