//! Finds the benchmarks of one file.

use benchwright_model::Diagnostic;

use super::command::{Call, Job};
use super::description::Description;
use super::harness::NAME;
use super::steps::{self, LIST_LIMIT};
use crate::{HarnessError, ListRequest, Listing, Step, StepOutput, StepRunner, protocol};

/// Makes the file list its benchmarks without running them.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let path = request.out.join(&request.executable.path);
    let description = Description::read(&path).map_err(steps::file_error(&path))?;
    let call = Call::of(request.out, &description, Job::List, request.args);
    let purpose = format!("list the benchmarks of {}", request.executable.package);
    let step = Step { env: call.env, ..steps::step(purpose, "node", call.args, call.dir, LIST_LIMIT) };
    let output = steps::run(&step, run)?;
    let listing = read(&request.executable.package, &output);
    if listing.benchmarks.is_empty() && output.status != 0 {
        return Err(steps::refusal(&step, &output));
    }
    Ok(listing)
}

/// The result of a listing run.
pub(super) fn read(package: &str, output: &StepOutput) -> Listing {
    let mut listing = protocol::listing(NAME, package, &output.stdout);
    if output.status != 0 && !listing.benchmarks.is_empty() {
        let message = format!(
            "ends with status {} while its benchmarks are listed; some may be missing",
            output.status
        );
        let hint = steps::own_words(&without_facts(output));
        listing.diagnostics.push(Diagnostic::warning(package, message).hint(hint));
    }
    listing
}

/// The output without the lines of the shim.
fn without_facts(output: &StepOutput) -> StepOutput {
    let lines = output.stdout.lines().filter(|line| protocol::parse(line).is_none());
    StepOutput { stdout: lines.collect::<Vec<_>>().join("\n"), ..output.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stdout: &str, status: i32, names: &[&str], diagnostics: usize) {
        let output = StepOutput { status, stdout: stdout.into(), ..StepOutput::default() };
        let listing = read("p/a.js", &output);
        let found: Vec<&str> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
        assert_eq!(found, names, "{stdout}");
        assert_eq!(listing.diagnostics.len(), diagnostics, "{:?}", listing.diagnostics);
    }

    #[test]
    fn names_are_taken_from_among_other_output() {
        check(
            "hello\n\n##benchwright {\"benchmark\":\"a\"}\r\nx\n##benchwright {\"benchmark\":\"b\"}\n",
            0,
            &["a", "b"],
            0,
        );
        check("##benchwright {\"benchmark\":\"a\"}\n##benchwright {\"benchmark\":\"a\"}\n", 0, &["a"], 1);
        check("nothing", 0, &[], 0);
    }

    #[test]
    fn what_is_wrong_is_told_and_the_rest_is_read() {
        check("##benchwright {\"benchmark\":\n##benchwright {\"benchmark\":\"b\"}\n", 0, &["b"], 1);
        check("##benchwright {\"benchmark\":\"b\"}\nTypeError\n", 1, &["b"], 1);
        check("##benchwright {\"error\":{\"message\":\"no\"}}\n", 0, &[], 1);
    }
}
