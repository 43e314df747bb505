//! `two-items`: the shortest loop that is worth sharing.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::nap::{Peak, sleep_precisely};
use crate::session::Session;
use crate::spin;
use crate::workload::{Shows, WorkloadCard};

const MILLISECONDS: u64 = 100;

/// Two items that sleep, or spin.
#[derive(Debug)]
pub struct TwoItems {
    spin: bool,
    peak: Peak,
}

impl LoopWorkload for TwoItems {
    const CARD: WorkloadCard = WorkloadCard {
        name: "two-items",
        about: "two items of 100 ms each; the size chooses what they do: 0 sleep, 1 spin",
        analysis: "With two jobs the right answer is 100 ms: few items are no reason to keep them \
                   together. With one job it is 200 ms, unless the pool notices that the thread \
                   sleeps and puts another one in its place: then two ran at once, and it is held \
                   against no peer.",
        item: "item",
        size_counts: "what they do",
        sizes: &[0, 1],
        smoke_sizes: &[0],
        limits: (0, 1),
        default_rank: None,
        outside: false,
        shows: Shows::Path,
    };

    const NEEDS: Need = Need::MapSum;

    const COST: Cost = Cost::Uneven;

    fn build(size: u64) -> Result<Self> {
        // Before the runtime makes its threads.
        sleep_precisely();
        Ok(Self {
            spin: size == 1,
            peak: Peak::default(),
        })
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        let item = |&one: &u64| {
            self.peak.during(|| {
                if self.spin {
                    (0..MILLISECONDS).for_each(|_| spin::one_millisecond());
                } else {
                    sleep(Duration::from_millis(MILLISECONDS));
                }
            });
            one
        };
        runtime.enter(|context| {
            session.sample_prepared(
                2,
                &mut (),
                |()| (),
                |()| R::map_sum(context, &[1, 1], item),
                |(), sum| match sum {
                    2 => Ok(()),
                    sum => Err(format!("wrong answer: {sum}, expected 2")),
                },
            );
            session.items_peak(self.peak.most() as u64);
        });
    }

    fn size_label(size: u64) -> String {
        if size == 0 { "sleep" } else { "spin" }.to_owned()
    }
}
