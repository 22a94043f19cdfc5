//! Steps that are not carried out, for tests that use their output.

use crate::{Step, StepFailure, StepOutput, StepRunner};

/// Answers steps one after the other and records them.
pub(crate) struct Scripted(pub(crate) Vec<Result<StepOutput, StepFailure>>, pub(crate) Vec<Step>);

impl StepRunner for Scripted {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.1.push(step.clone());
        self.0.remove(0)
    }
}

/// A step that went well and printed this.
pub(crate) fn printed(stdout: &str) -> Result<StepOutput, StepFailure> {
    Ok(StepOutput { stdout: stdout.into(), ..StepOutput::default() })
}
