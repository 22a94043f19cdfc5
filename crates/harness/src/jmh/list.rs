//! Lists the benchmarks of an executable.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use benchwright_model::Diagnostic;

use super::class_path::ClassPath;
use super::command::MAIN;
use super::fact::Fact;
use super::harness::TEXT;
use super::jdk::Jdk;
use super::name::Selection;
use super::{shim, toolchain};
use crate::steps;
use crate::{HarnessError, ListRequest, Listing, StepOutput, StepRunner};

/// Time limit for listing, which runs no benchmark.
const LIMIT: Duration = Duration::from_secs(5 * 60);

/// Maximum number of combinations of parameters.
const MOST_COMBINATIONS: usize = 100_000;

/// Finds the benchmarks. Each mode and each combination of parameters is one.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    if request.executable.flavour == TEXT {
        return from_text(request, run);
    }
    let output = ask(request, &["list"], true, run)?;
    let facts: Vec<Fact> = shim::facts(&output).collect();
    if output.status != 0 {
        let failure = facts.iter().find_map(|fact| match fact {
            Fact::Failure(words) => Some(words.clone()),
            _ => None,
        });
        let words = failure.unwrap_or_else(|| steps::own_words(&output));
        return Err(steps::tool_error(&purpose(request), &output, words));
    }
    Ok(from_facts(facts))
}

fn purpose(request: &ListRequest<'_>) -> String {
    format!("list the benchmarks of {}", request.executable.package)
}

/// Runs the shim or JMH itself with `first` and the user's arguments.
fn ask(
    request: &ListRequest<'_>,
    first: &[&str],
    with_shim: bool,
    run: &mut dyn StepRunner,
) -> Result<StepOutput, HarnessError> {
    let executable = request.executable;
    let out = std::path::absolute(request.out).unwrap_or_else(|_| request.out.to_owned());
    let class_path = ClassPath::of(&out, &executable.path);
    let program = Jdk::of(executable).program("java");
    let dir = request.root.join(&executable.dir);
    let mut step = steps::step(purpose(request), program, [""; 0], &dir, LIMIT);
    step.args = match with_shim {
        true => shim::class_path_args(&out, &executable.package, &class_path),
        false => vec!["-cp".into(), class_path.text(&out).into(), MAIN.into()],
    };
    step.args.extend(first.iter().map(Into::into));
    step.args.extend(request.args.iter().map(Into::into));
    run.run(&step).map_err(|failure| steps::failed(&step, failure, |_| toolchain::HINT.into()))
}

/// Adds the mode to the names of benchmarks that have several.
fn from_facts(facts: Vec<Fact>) -> Listing {
    let mut listing = Listing::default();
    let mut found: Vec<Selection> = Vec::new();
    let mut seen = HashSet::new();
    for fact in facts {
        match fact {
            Fact::Benchmark { name, mode, mut parameters } => {
                // Their order depends on the version of JMH.
                parameters.sort();
                let selection = Selection { name, parameters, mode: Some(mode) };
                // If the user sets a mode, it replaces every mode of the suite.
                if seen.insert(selection.clone()) {
                    found.push(selection);
                }
            }
            Fact::Missing { name, parameter } => {
                let message = format!("left out: its parameter `{parameter}` has no values");
                let hint = format!("give some: -- -p {parameter}=1,2");
                listing.diagnostics.push(Diagnostic::warning(name, message).hint(hint));
            }
            _ => {}
        }
    }
    // JMH sorts by mode first, but users look for names.
    found.sort_by(|one, other| one.name.cmp(&other.name));
    let mut modes: HashMap<(String, Vec<(String, String)>), usize> = HashMap::new();
    for selection in &found {
        *modes.entry((selection.name.clone(), selection.parameters.clone())).or_default() += 1;
    }
    for mut selection in found {
        if modes[&(selection.name.clone(), selection.parameters.clone())] == 1 {
            selection.mode = None;
        }
        listing.benchmarks.push(selection.id());
    }
    listing
}

/// Without the shim: `-lp`, or `-l` for older versions of JMH.
fn from_text(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let mut output = ask(request, &["-lp"], false, run)?;
    if !output.stdout.contains("Benchmarks:") {
        output = ask(request, &["-l"], false, run)?;
    }
    if output.status != 0 || !output.stdout.contains("Benchmarks:") {
        return Err(steps::tool_error(&purpose(request), &output, steps::own_words(&output)));
    }
    let mut seen = HashSet::new();
    let all = text_selections(&output.stdout).into_iter().map(|selection| selection.id());
    // A benchmark with several modes is listed once per mode.
    let benchmarks = all.filter(|id| seen.insert(id.clone())).collect();
    Ok(Listing { benchmarks, ..Listing::default() })
}

/// Parses the output of `-lp`: a name per line, followed by `  param "size" = {1, 2}`.
fn text_selections(text: &str) -> Vec<Selection> {
    let mut found: Vec<Vec<Selection>> = Vec::new();
    for line in text.lines().skip_while(|line| !line.starts_with("Benchmarks:")).skip(1) {
        let line = line.trim_end();
        if let Some(parameter) = line.trim_start().strip_prefix("param \"") {
            let Some((name, values)) = parameter.split_once("\" = {") else { continue };
            let values: Vec<&str> = values.trim_end_matches('}').split(", ").collect();
            if let Some(last) = found.last_mut() {
                let with = |before: &Selection, value: &str| {
                    let mut longer = before.clone();
                    longer.parameters.push((name.into(), value.into()));
                    longer
                };
                let combined = last.iter().flat_map(|before| values.iter().map(|value| with(before, value)));
                *last = combined.take(MOST_COMBINATIONS).collect();
            }
        } else if !line.is_empty() && !line.contains(char::is_whitespace) {
            found.push(vec![Selection { name: line.into(), parameters: Vec::new(), mode: None }]);
        }
    }
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
