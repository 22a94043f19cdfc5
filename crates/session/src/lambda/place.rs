//! The place of a comparison on AWS Lambda.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use benchwright_analysis::predict::Prediction;
use benchwright_config::FunctionArchitecture;
use benchwright_harness::{Architecture, TrialTime};
use benchwright_model::{BenchmarkId, Diagnostic, RunId, Severity, Side};
use benchwright_places::dispatch::Money;
use benchwright_places::lambda::{self, Account, Lambda, LambdaSettings};
use benchwright_places::{Expected, Unfit};
use benchwright_report::scale;
use benchwright_runner::{Build, ComparePlan, EquipOrder, Equipment, equip};
use benchwright_worker::{BuildPlace, Program, Subject};

use super::{architecture, settings};
use crate::listener::Listener;
use crate::place::{Divided, PlaceOrder, Placement, Provider, Staying};
use crate::problem::Problem;
use crate::project::Project;
use crate::{forecast, stopping};

/// AWS Lambda, with this machine for benchmarks that cannot run there.
pub struct AwsLambda;

impl Provider for AwsLambda {
    fn name(&self) -> &'static str {
        "lambda"
    }

    fn title(&self) -> &'static str {
        "AWS Lambda"
    }

    fn about(&self) -> &'static str {
        "AWS Lambda, many instances at once"
    }

    /// The numbers of duets come from a table for this place: few looks and many calls per wave suit it best.
    fn adjust(&self, project: &mut Project) -> Result<(), Problem> {
        let lambda = project.settings.lambda.clone();
        let (fewest, most) = (lambda.fewest_results, lambda.calls.saturating_mul(lambda.repeats));
        let duets = &mut project.settings.duets;
        if !project.given.has_max_duets {
            duets.max = most.max(duets.min);
            duets.is_max_given = true;
        }
        if project.given.min_duets.is_none() {
            duets.min = fewest.min(duets.max);
        }
        duets.max = duets.max.max(duets.min);
        if duets.fixed.is_none() {
            duets.fixed = Some(most);
        }
        let trial = &mut project.settings.trial;
        let longest = longest_warmup(trial.stop.word(), lambda.execution_limit);
        if trial.max_warmup.unwrap_or(stopping::LONGEST_WARMUP) > longest {
            trial.max_warmup = Some(longest);
        }
        Ok(())
    }

    fn architecture(&self, project: &Project) -> Option<Architecture> {
        let wanted = match project.settings.lambda.architecture {
            Some(FunctionArchitecture::X86) => Some(Architecture::X86),
            Some(FunctionArchitecture::Arm) => Some(Architecture::Arm),
            None => Architecture::here(),
        };
        let is_here = wanted == Architecture::here() && cfg!(target_os = "linux");
        wanted.filter(|_| !is_here)
    }

    fn record(&self, project: &Project) -> BTreeMap<String, String> {
        let lambda = &project.settings.lambda;
        let rules =
            lambda.memory_for.iter().map(|rule| format!("{}: {}", rule.benchmark.glob(), rule.megabytes));
        let sizes: Vec<String> = std::iter::once(lambda.memory.to_string()).chain(rules).collect();
        let mut record = BTreeMap::from([("memory".to_owned(), sizes.join(", "))]);
        record.extend(project.architecture.map(|it| ("architecture".to_owned(), it.to_string())));
        record
    }

    fn unfit(&self, project: &Project, subjects: &[Subject]) -> Result<Vec<Unfit>, Problem> {
        let architecture = architecture(&settings(&project.settings))?;
        Ok(lambda::unfit(subjects, &project.harnesses, architecture)?)
    }

    fn connect(
        &self,
        order: &PlaceOrder<'_>,
        subjects: Vec<Subject>,
        listener: &mut dyn Listener,
    ) -> Result<Placement, Problem> {
        let PlaceOrder { project, run, builds, .. } = *order;
        let mut lambda = connect(project, run.clone(), &subjects)?;
        let unfit = prepare(project, &mut lambda, builds, &subjects, listener)?;
        let (staying, mut placement) = Staying::of(self.title(), unfit, order, subjects)?;
        bring_home(builds, &staying.benchmarks, &mut placement.subjects);
        placement.notices.extend(size_notices(project, &placement.subjects, &staying.benchmarks));
        Ok(Placement { place: Some(staying.beside(lambda)), ..placement })
    }

    fn predict(
        &self,
        project: &Project,
        plan: &ComparePlan,
        staying: &HashSet<BenchmarkId>,
    ) -> Result<(Prediction, String), Problem> {
        let divided = Divided::of(project, plan, staying);
        let settings = settings(&project.settings);
        let architecture = architecture(&settings)?;
        let predicted = |trial: fn(&TrialTime) -> Duration| {
            let sizes = divided.going.iter().map(|(id, ..)| project.settings.lambda.memory_of(id));
            let all: Vec<(Expected, u32)> = divided.expected(trial).into_iter().zip(sizes).collect();
            lambda::Prediction::of(&all, forecast::WAVES, &settings, architecture)
        };
        let (usual, longest) = (predicted(|time| time.usual), predicted(|time| time.longest));
        let text = format!(
            "on AWS Lambda: about {} calls, {:.0} GB-seconds, {}, {}",
            usual.calls,
            usual.gb_seconds,
            usual.cost,
            scale::duration(usual.time)
        );
        Ok((divided.prediction(usual.time, longest.time), text))
    }
}

/// The longest warm-up that fits into a limit of processes, so that a benchmark that does not become steady
/// is measured instead of killed by the limit. Apart from its warm-up, the limit must leave room for the
/// start of two virtual machines, for what the rule looks at after the warm-up, and for what is measured.
fn longest_warmup(rule: &str, limit: Duration) -> Duration {
    let longest = match rule {
        // Three fifths of the warm-up more, and forty iterations of 0.1 s.
        "auto" | "fixed" | "learned" | "steady" => limit.saturating_sub(Duration::from_secs(6)).div_f64(1.6),
        // A window of a hundred iterations, and two seconds.
        _ => limit.saturating_sub(Duration::from_secs(14)),
    };
    longest.max(Duration::from_secs(1))
}

/// Connects to the function, with the ceiling on cost.
fn connect(project: &Project, run: RunId, subjects: &[Subject]) -> Result<Lambda, Problem> {
    let configured = &project.settings.lambda;
    let ids = subjects.iter().map(|subject| &subject.benchmark);
    let memory_of = ids.map(|id| (id.clone(), configured.memory_of(id))).collect();
    let settings = LambdaSettings { memory_of, ..settings(&project.settings) };
    let architecture = architecture(&settings)?;
    let image = match settings.function {
        Some(_) => None,
        None => Some(lambda::find_image(None, architecture)?),
    };
    let account = Account::open(&settings)?;
    let cost = configured.max_cost.map(Money::dollars);
    let place =
        Lambda::connect(account, settings, architecture, image.as_ref(), run, project.interrupt.clone())?;
    Ok(place.within(cost))
}

/// Packs and stores the programs of these benchmarks. Returns the benchmarks that cannot run there.
fn prepare(
    project: &Project,
    place: &mut Lambda,
    builds: [&Build; 2],
    subjects: &[Subject],
    listener: &mut dyn Listener,
) -> Result<Vec<Unfit>, Problem> {
    let equipment = equipment(project, builds, subjects, listener);
    let unfit = place.prepare(subjects, &project.harnesses, &|program| {
        let made = equipment.of(program)?.clone();
        Some(made.map_err(|unequipped| (unequipped.why, unequipped.hint)))
    })?;
    let (count, bytes, unpacked) = place.package_sizes();
    listener.say(&format!(
        "{count} packages, {:.1} MB ({:.1} MB unpacked)",
        bytes as f64 / 1e6,
        unpacked as f64 / 1e6
    ));
    Ok(unfit)
}

/// The runtime images that the programs of these benchmarks need.
fn equipment(
    project: &Project,
    builds: [&Build; 2],
    subjects: &[Subject],
    listener: &mut dyn Listener,
) -> Equipment {
    let sides = [Side::Base, Side::Head];
    let programs: Vec<&Program> = subjects
        .iter()
        .flat_map(|subject| sides.into_iter().filter_map(|side| subject.program(side)))
        .collect();
    let order = EquipOrder {
        cache: &project.cache,
        harnesses: &project.harnesses,
        builds: &builds,
        programs: &programs,
        parts: &project.settings.lambda.java_modules,
        interrupt: &project.interrupt,
    };
    equip(&order, &mut |purpose| listener.say(purpose))
}

/// Gives the benchmarks that stay here programs for this machine, if the builds are for another processor.
fn bring_home(builds: [&Build; 2], staying: &HashSet<BenchmarkId>, subjects: &mut [Subject]) {
    let home = |program: &Program| {
        let mut built = builds.iter().flat_map(|build| &build.executables);
        let built =
            built.find(|it| it.out == program.place.out && it.executable.path == program.executable.path)?;
        let (executable, out) = built.here.clone()?;
        Some(Program { executable, place: BuildPlace { root: program.place.root.clone(), out } })
    };
    for subject in subjects.iter_mut().filter(|subject| staying.contains(&subject.benchmark)) {
        for program in [&mut subject.base, &mut subject.head].into_iter().flatten() {
            if let Some(own) = home(program) {
                *program = own;
            }
        }
    }
}

/// Memory size, in megabytes, at which a function has one whole processor.
const ONE_PROCESSOR: u32 = 1769;

/// Notices about the memory of functions, which determines their share of processors.
fn size_notices(project: &Project, subjects: &[Subject], staying: &HashSet<BenchmarkId>) -> Vec<Diagnostic> {
    let going = subjects.iter().map(|subject| &subject.benchmark).filter(|id| !staying.contains(id));
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    going.for_each(|id| *counts.entry(project.settings.lambda.memory_of(id)).or_default() += 1);
    notices_of(&counts)
}

/// The notices for these numbers of benchmarks per memory size.
fn notices_of(counts: &BTreeMap<u32, usize>) -> Vec<Diagnostic> {
    let small = counts.iter().filter(|(size, _)| **size < ONE_PROCESSOR).map(|(size, count)| {
        let share = f64::from(*size) / f64::from(ONE_PROCESSOR) * 100.0;
        let message = format!(
            "with {size} MB the platform gives {share:.0} % of a processor to {count} of the benchmarks, which makes them slower and noisier"
        );
        Diagnostic::warning("AWS Lambda", message).hint(format!("{ONE_PROCESSOR} MB give a whole processor"))
    });
    let mut notices: Vec<Diagnostic> = small.collect();
    if counts.len() > 1 {
        let sizes: Vec<String> =
            counts.iter().map(|(size, count)| format!("{count} with {size} MB")).collect();
        let message = format!(
            "functions have different sizes ({}) and so different shares of a processor: times of benchmarks on \
             different sizes cannot be compared",
            sizes.join(", ")
        );
        notices.push(Diagnostic { severity: Severity::Note, ..Diagnostic::warning("AWS Lambda", message) });
    }
    notices
}

#[cfg(test)]
mod tests {
    use benchwright_harness::TrialShape;
    use benchwright_worker::Asked;

    use super::*;

    #[test]
    fn processes_that_warm_up_end_before_the_limit() {
        let shape = TrialShape::fixed(3, Duration::from_millis(100));
        let limit = Duration::from_secs(20);
        for rule in ["learned", "steady", "cv", "rciw", "kld", "oscnn"] {
            let longest_warmup = longest_warmup(rule, limit);
            let asked = Asked { rule, processes: None, is_live: true, longest_warmup, seed: 1 };
            let whole = asked.stop(&shape).expect("a rule").longest + Duration::from_millis(1200);
            assert!(whole <= limit && whole > limit / 2, "{rule}: {whole:?}");
        }
        assert_eq!(longest_warmup("auto", Duration::from_secs(3)), Duration::from_secs(1));
    }

    #[test]
    fn sizes_below_a_processor_and_sizes_that_differ_are_told() {
        let check = |counts: &[(u32, usize)], words: &[&str]| {
            let told = notices_of(&counts.iter().copied().collect());
            assert_eq!(told.len(), words.len(), "{told:?}");
            for (notice, word) in told.iter().zip(words) {
                assert!(notice.message.contains(word), "{notice:?}");
            }
        };
        check(&[(2048, 9)], &[]);
        check(&[(1769, 9)], &[]);
        check(&[(512, 9)], &["with 512 MB the platform gives 29 % of a processor to 9 of the benchmarks"]);
        check(&[(2048, 3), (4096, 1)], &["3 with 2048 MB, 1 with 4096 MB"]);
        check(&[(128, 1), (2048, 2)], &["7 % of a processor", "different sizes"]);
    }
}
