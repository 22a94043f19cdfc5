//! What the first process of a benchmark tells the others.

use std::sync::Arc;
use std::time::Duration;

use super::features::Record;
use super::learned::{FIRST_SERIOUS_LOOK, Learned};
use super::prefix::Prefix;
use super::trained::Trained;
use crate::{EndedProcess, Processes, StopPlan, StopRule};

/// Makes a [`Learned`] rule for each process of a benchmark. There is no end of processes: their number is somebody else's decision.
#[derive(Debug, Clone)]
pub struct LearnedPlan {
    trained: Arc<Trained>,
    cap: Option<Duration>,
    record: Option<Arc<Record>>,
}

impl LearnedPlan {
    /// With these models; warm-up takes no longer than `cap`.
    pub fn new(trained: Arc<Trained>, cap: Option<Duration>) -> Self {
        LearnedPlan { trained, cap, record: None }
    }
}

impl StopPlan for LearnedPlan {
    fn rule(&self) -> Box<dyn StopRule> {
        Box::new(Learned::new(Arc::clone(&self.trained), self.record.clone(), self.cap))
    }

    fn ended(&mut self, process: EndedProcess<'_>) -> Processes {
        // Until a process has run long enough to tell something, the next is a first one again.
        if self.record.is_none() {
            let are_times = process.values.iter().all(|value| value.is_finite() && *value > 0.0);
            let mut prefix = Prefix::new();
            if are_times {
                process.values.iter().for_each(|value| prefix.push(*value));
            }
            self.record = Record::new(&prefix, FIRST_SERIOUS_LOOK).map(Arc::new);
        }
        Processes::Another
    }
}
