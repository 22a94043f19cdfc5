//! The plan of the rule `learned`: later processes are compared with a long one.

use std::sync::Arc;
use std::time::Duration;

use super::features::Record;
use super::learned::{FIRST_SERIOUS_LOOK, Learned, Part};
use super::prefix::Prefix;
use super::trained::Trained;
use crate::{EndedProcess, Processes, StopPlan, StopRule};

/// Makes a [`Learned`] rule for each process of a benchmark. It never ends the sequence of processes, because
/// their number is decided elsewhere.
#[derive(Debug, Clone)]
pub struct LearnedPlan {
    trained: Arc<Trained>,
    cap: Option<Duration>,
    ended: u32,
    record: Option<Arc<Record>>,
}

impl LearnedPlan {
    /// Uses these models. Warm-up takes at most `cap`.
    pub fn new(trained: Arc<Trained>, cap: Option<Duration>) -> Self {
        LearnedPlan { trained, cap, ended: 0, record: None }
    }
}

impl StopPlan for LearnedPlan {
    fn rule(&self) -> Box<dyn StopRule> {
        let part = match &self.record {
            Some(record) => Part::After(Arc::clone(record)),
            None if self.ended < self.trained.settings.early => Part::Early,
            None => Part::Long,
        };
        Box::new(Learned::new(Arc::clone(&self.trained), part, self.cap))
    }

    fn ended(&mut self, process: EndedProcess<'_>) -> Processes {
        let was_long = self.ended >= self.trained.settings.early;
        // Until a long process has run far enough to be compared with, the next one is a long one again.
        if was_long && self.record.is_none() {
            let are_times = process.values.iter().all(|value| value.is_finite() && *value > 0.0);
            let mut prefix = Prefix::new();
            if are_times {
                process.values.iter().for_each(|value| prefix.push(*value));
            }
            self.record = Record::new(&prefix, FIRST_SERIOUS_LOOK).map(Arc::new);
        }
        self.ended = self.ended.saturating_add(1);
        Processes::Another
    }
}
