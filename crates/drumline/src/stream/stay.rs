//! From the arrival of a consumer until it leaves.

use super::consumer::StageConsumer;
use super::executor::{ConsumerBody, Executor};
use super::source::Source;
use super::stage::Stage;
use super::work::Work;
use crate::sync::Arc;

impl<'s, S, W> ConsumerBody<'s> for Stage<S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    fn consume(self: Arc<Self>, executor: &(dyn Executor<'s> + Sync)) {
        loop {
            if self.stage_state.arrive() {
                if self.is_blind {
                    StageConsumer::new(&self, executor, false, None).stay_and_watch();
                } else {
                    self.stay_or_aside(executor);
                }
                if self.stage_state.has_ended() {
                    executor.dismiss();
                }
            }
            if !executor.rest() {
                return;
            }
        }
    }
}

impl<'s, S, W> Stage<S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    /// A consumer that has arrived works, or stays aside, until others do what there is to do.
    fn stay_or_aside(self: &Arc<Self>, executor: &(dyn Executor<'s> + Sync)) {
        let mut watches = self.stage_state.arrives_to_watch();
        loop {
            if !watches {
                // What it knows of the items is for others while it is aside.
                StageConsumer::new(self, executor, false, None).stay();
            }
            watches = false;
            if !self.stay_aside(executor) {
                return;
            }
        }
    }
}
