//! The place of a comparison on AWS Lambda.

use std::collections::{BTreeMap, HashSet};

use benchwright_model::{BenchmarkId, Diagnostic, RunId, Severity, Side};
use benchwright_places::dispatch::Money;
use benchwright_places::lambda::{self, Account, Lambda, LambdaSettings, Prediction};
use benchwright_places::{Expected, Unfit};
use benchwright_runner::{Build, EquipOrder, Equipment, equip};
use benchwright_worker::{BuildPlace, Program, Subject};

use super::{architecture, settings};
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::Project;

/// Connects to the function, within the ceiling of cost.
pub fn connect(project: &Project, run: RunId, subjects: &[Subject]) -> Result<Lambda, Problem> {
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

/// Packs and stores the programs of these benchmarks. Returns those that cannot run there.
pub fn prepare(
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

/// Which of these benchmarks cannot run there, as far as this machine can show.
pub fn unfit(project: &Project, subjects: &[Subject]) -> Result<Vec<Unfit>, Problem> {
    let architecture = architecture(&settings(&project.settings))?;
    Ok(lambda::unfit(subjects, &project.harnesses, architecture)?)
}

/// What the programs of these benchmarks need beside themselves.
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

/// Gives the benchmarks that stay here their programs for this machine, where those for another processor were built.
pub fn bring_home(builds: [&Build; 2], staying: &HashSet<BenchmarkId>, subjects: &mut [Subject]) {
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

/// Memory that comes with a whole processor, in megabytes.
const ONE_PROCESSOR: u32 = 1769;

/// What there is to say about the memory of functions, on which their share of processors depends.
pub fn size_notices(
    project: &Project,
    subjects: &[Subject],
    staying: &HashSet<BenchmarkId>,
) -> Vec<Diagnostic> {
    let going = subjects.iter().map(|subject| &subject.benchmark).filter(|id| !staying.contains(id));
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    going.for_each(|id| *counts.entry(project.settings.lambda.memory_of(id)).or_default() += 1);
    notices_of(&counts)
}

/// The same from the number of benchmarks per size.
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

/// What a comparison of these benchmarks will cost and take.
pub fn predicted(
    project: &Project,
    benchmarks: &[(Expected, u32)],
    waves: u32,
) -> Result<Prediction, Problem> {
    let settings = settings(&project.settings);
    let architecture = architecture(&settings)?;
    Ok(Prediction::of(benchmarks, waves, &settings, architecture))
}

#[cfg(test)]
mod tests {
    use super::*;

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
