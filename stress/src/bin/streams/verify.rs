//! After a round: what became of the items, beside what a loop would do and what the stream says.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use drumline::stream::{OnPanic, Report};

use crate::item::Tally;
use crate::plan::End;
use crate::round::{Round, Told};

impl Round {
    /// Asks what became of the items.
    pub fn verify(&self, told: thread::Result<Told>) {
        let plan = &self.plan;
        let load = |count: &AtomicU32| count.load(Ordering::Relaxed);
        let (mut taken, mut lost, mut arrived) = (0, Vec::new(), Tally::default());
        let stops = plan.on_panic == OnPanic::Stop;
        let panic_stage = plan.panics.map_or(0, |(stage, _)| stage);
        let any_lost = self.marks.iter().any(|mark| load(&mark.lost) > 0);
        let is_left = matches!(plan.end, End::Leave(_) | End::Drop(_))
            || plan.cancel.is_some_and(|(stage, _)| stage == 1)
            || (stops && any_lost && panic_stage == 1);
        for (number, mark) in (0..).zip(&self.marks) {
            let place = mark.place.load(Ordering::Relaxed);
            let is_taken = place > 0;
            let loses = plan.panics_with(panic_stage, number);
            let copies = if is_taken { plan.copies(number) } else { 0 };
            let (to_arrive, to_lose) = match (loses, panic_stage) {
                (false, _) => (copies, 0),
                (true, 0) => (0, u32::from(is_taken)),
                (true, _) => (0, copies),
            };
            let check = |ok: bool, why: &str| {
                if !ok {
                    self.check(false, &format!("{why}, as for item {number}"));
                }
            };
            let is = |count, should: u32| load(count) == should;
            let may = |count, should| load(count) == should || (is_left && load(count) < should);
            check(is(&mark.dropped, load(&mark.made)), "not dropped once");
            let worked = is(&mark.worked, u32::from(is_taken));
            check(worked, "taken and not worked on once");
            check(may(&mark.arrived, to_arrive), "not arrived once");
            check(may(&mark.lost, to_lose), "not lost to a panic");
            taken += u64::from(is_taken);
            lost.extend((0..load(&mark.lost)).map(|_| (place, number)));
            let count = u64::from(load(&mark.arrived));
            arrived.merge(Tally::new(count, count * number));
        }
        lost.sort_unstable();
        self.check(self.progress.finished() as u64 == taken, "wrong progress");
        let is_whole = !is_left && plan.cancel.is_none() && !(stops && any_lost);
        let all_taken = taken == plan.items || !is_whole;
        self.check(all_taken, "the stream has ended before its source");
        match told {
            Ok((tally, report)) => {
                let may_hide = matches!(plan.end, End::Drop(_));
                let is_right = !(stops && any_lost) || may_hide;
                self.check(is_right, "a panic has not been told");
                self.check(tally.is_like(arrived), "the end says something else");
                if let Some(report) = report {
                    self.verify_report(report, taken, &lost);
                }
            }
            Err(payload) => {
                let Ok(number) = payload.downcast::<u64>() else {
                    self.check(false, "a strange panic");
                    return;
                };
                let is_first = lost.first().is_some_and(|(_, first)| *first == *number);
                let is_any = lost.iter().any(|(_, lost)| *lost == *number);
                let is_right = if plan.ordered || panic_stage == 0 {
                    is_first
                } else {
                    is_any
                };
                self.check(stops && is_right, "the wrong panic");
            }
        }
    }

    fn verify_report(&self, report: Report, taken: u64, lost: &[(u64, u64)]) {
        if !self.plan.two {
            self.check(report.items == taken, "a report with wrong items");
        }
        let mut told = Vec::new();
        for panic in report.panics {
            let (stage, index) = (panic.stage(), panic.index());
            let Ok(number) = panic.into_payload().downcast::<u64>() else {
                return self.check(false, "a strange panic");
            };
            self.check(self.plan.panics_with(stage, *number), "a panic elsewhere");
            let place = self.marks[*number as usize].place.load(Ordering::Relaxed);
            let is_there = stage > 0 || place == index + 1;
            self.check(is_there, "a panic with the number of another item");
            told.push((place, *number));
        }
        told.sort_unstable();
        self.check(told == lost, "a report with wrong panics");
    }
}
