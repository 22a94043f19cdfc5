//! Which stop rule ends the processes of which benchmark.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use benchwright_config::{Pairing, Settings, StopName, format_duration};
use benchwright_harness::{Harness, Stop, StopBy, Stopping, TrialShape};
use benchwright_model::{Diagnostic, SampleKind, Severity};
use benchwright_runner::{Shapes, short_hash};
use benchwright_steady::classify::Trained;
use benchwright_steady::rules::catalogue;
use benchwright_worker::{Asked, Subject};

use crate::problem::{Problem, because};
use crate::project::Project;

/// The rule that can be trained.
const LEARNED: &str = "learned";

/// What `auto` means for Java virtual machines, whose processes the rule was trained on.
const FOR_JAVA: &str = LEARNED;

/// What `auto` means for everything else that warms up.
const FOR_OTHERS: &str = "steady";

/// The rule that decides the number of processes of a quick look under `auto`.
const FOR_PROCESSES: &str = "cv";

/// Trained rules can combine shorter iterations but not divide longer ones. Slightly longer ones are
/// accepted.
const LONGEST_TRAINED: Duration = Duration::from_millis(105);

/// The longest warm-up of Java virtual machines, unless set otherwise. Some compile again after twenty
/// seconds.
pub const LONGEST_WARMUP: Duration = Duration::from_secs(30);

/// The longest warm-up of everything else. Engines for JavaScript have compiled hot code within a second or
/// two. Values that still disagree after this time are noisy.
const LONGEST_WARMUP_OF_OTHERS: Duration = Duration::from_secs(10);

/// Iterations of the first process of a benchmark whose values come at the end: enough for the rule `steady`
/// to work.
const FIRST_LENGTH: u32 = 20;

/// The rule that finds the end of warm-up in recorded processes: the one that `auto` would use while such
/// processes run.
pub fn recorded_rule(kind: SampleKind, iteration_time: Duration) -> &'static str {
    if kind == SampleKind::Java && iteration_time <= LONGEST_TRAINED { FOR_JAVA } else { FOR_OTHERS }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Two versions: the judge decides how many duets there are.
    Comparison,
    /// One version, without a set number of processes.
    QuickLook,
    /// One version over levels that were asked for or planned. Their numbers are fixed.
    Levels,
}

/// The result of choosing stop rules.
pub struct Stops {
    /// Notices for the user.
    pub notices: Vec<Diagnostic>,
    /// Settings that a run stores: the name of the user's own models and a digest of them, so that the run
    /// can only be resumed with the same models.
    pub settings: BTreeMap<String, String>,
}

/// Chooses the stop rule of every benchmark and puts it into the `usual` shapes.
pub fn choose(
    project: &Project,
    usual: Shapes,
    subjects: &[Subject],
    (purpose, seed): (Purpose, u64),
) -> Result<(Shapes, Stops), Problem> {
    let own = project.settings.trial.stop_models.as_deref().map(|path| project.root.join(path));
    let models = own.as_deref().map(choose_models).transpose()?;
    let choice = Choice { settings: &project.settings, purpose, seed };
    let (mut shapes, before) = (usual.clone(), usual);
    let mut notes: Vec<String> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for subject in subjects {
        let id = &subject.benchmark;
        let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
        let program = subject.head.as_ref().or(subject.base.as_ref());
        let (Some(harness), Some(program), Ok(usual)) = (harness, program, before.of(id)) else {
            continue;
        };
        let stopping = harness.stopping(&program.executable, &program.place.out);
        let is_planned = before.by_benchmark.contains_key(id);
        let shaped = choice.shape(harness.as_ref(), stopping, (usual, is_planned));
        let (shape, note) = shaped.map_err(|(rule, error)| {
            let hint = error.hint();
            let what = format!("end processes of `{id}` by the rule `{rule}`");
            Problem::misuse(because(what, error), hint)
        })?;
        notes.extend(note.filter(|note| !notes.contains(note)));
        // The first benchmark of a harness sets the shape of the harness. Benchmarks that differ get shapes
        // of their own.
        match shapes.by_harness.get_mut(&id.harness) {
            Some(common) if !is_planned && seen.insert(&id.harness) => *common = shape,
            Some(common) if !is_planned && *common == shape => {}
            _ => drop(shapes.by_benchmark.insert(id.clone(), shape)),
        }
    }
    if let Some(path) = own {
        let is_used = |shape: &TrialShape| matches!(&shape.stop, Stop::Rule(by) if by.rule == LEARNED);
        let does = match shapes.by_harness.values().chain(shapes.by_benchmark.values()).any(is_used) {
            true => "is used by the stop rule `learned`",
            false => "has no effect: no process is ended by the stop rule `learned`",
        };
        notes.push(format!("`{}` {does}", path.display()));
    }
    let note = |message| Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) };
    let settings = models.map(|models| ("stop-models".to_owned(), models)).into_iter().collect();
    Ok((shapes, Stops { notices: notes.into_iter().map(note).collect(), settings }))
}

/// Uses models written by `steady train` for the rule `learned`. Returns their name and a digest.
pub fn choose_models(path: &Path) -> Result<String, Problem> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        Problem::failed(
            because(format!("read the models `{shown}`"), error),
            "`benchwright steady train --out` writes them",
        )
    })?;
    let trained = Trained::read(&bytes).map_err(|error| {
        Problem::misuse(because(format!("use `{shown}`"), error), "`steady train` writes such files")
    })?;
    trained.choose();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name} {}", short_hash(&[&bytes])))
}

/// What a choice depends on.
struct Choice<'a> {
    settings: &'a Settings,
    purpose: Purpose,
    seed: u64,
}

/// The rule that was refused, and why.
type Refused = (&'static str, benchwright_steady::rules::catalogue::RuleError);

impl Choice<'_> {
    /// The shape with its stop rule, and a note. `is_planned`: a plan sets the number of iterations.
    fn shape(
        &self,
        harness: &dyn Harness,
        stopping: Stopping,
        (usual, is_planned): (&TrialShape, bool),
    ) -> Result<(TrialShape, Option<String>), Refused> {
        let mut shape = TrialShape { iteration_time: harness.iteration_time(usual), ..usual.clone() };
        let is_length_free =
            !is_planned && self.settings.trial.iterations.is_none() && self.purpose != Purpose::Levels;
        let (rule, note) = self.rule(harness, stopping, &shape, is_length_free);
        let Some(rule) = rule else { return Ok((shape, note)) };
        let is_live = stopping != Stopping::Afterwards;
        if !is_live && is_length_free {
            shape.iterations = shape.iterations.max(FIRST_LENGTH);
        }
        let by = self.by(rule, (harness.samples(), stopping), &shape).map_err(|error| (rule, error))?;
        Ok((TrialShape { stop: Stop::Rule(by), ..shape }, note))
    }

    fn by(
        &self,
        rule: &'static str,
        (kind, stopping): (SampleKind, Stopping),
        shape: &TrialShape,
    ) -> Result<StopBy, benchwright_steady::rules::catalogue::RuleError> {
        let usual = match (stopping, kind) {
            (Stopping::Live, SampleKind::Java) => LONGEST_WARMUP,
            (Stopping::Live, _) => LONGEST_WARMUP_OF_OTHERS,
            _ => LONGEST_WARMUP,
        };
        let longest_warmup = self.settings.trial.max_warmup.unwrap_or(usual);
        let is_live = stopping != Stopping::Afterwards;
        Asked { rule, processes: self.processes(), is_live, longest_warmup, seed: self.seed }.stop(shape)
    }

    /// The name of the rule. `None` means the suite's own numbers.
    fn rule(
        &self,
        harness: &dyn Harness,
        stopping: Stopping,
        shape: &TrialShape,
        is_length_free: bool,
    ) -> (Option<&'static str>, Option<String>) {
        let asked = self.settings.trial.stop;
        let is_named = matches!(asked, StopName::Rule(_));
        let none = |why: &str| {
            let note = format!("stop rule `{}` has no effect on {}: {why}", asked.word(), harness.name());
            (None, is_named.then_some(note))
        };
        match (stopping, asked) {
            (_, StopName::Fixed) | (Stopping::OnRequest, StopName::Auto) => (None, None),
            (Stopping::Never, _) => {
                none("its code is compiled beforehand or not at all, so nothing warms up")
            }
            // The half that continues would have the machine for itself.
            _ if self.is_parallel() => {
                none("halves of a duet that run at the same time must end at the same time")
            }
            // Rules that choose the number of iterations would ignore a number that was given.
            (Stopping::Live, StopName::Auto) if harness.samples() == SampleKind::Java && is_length_free => {
                if shape.iteration_time <= LONGEST_TRAINED {
                    return (Some(FOR_JAVA), None);
                }
                let time = format_duration(shape.iteration_time);
                let note = format!(
                    "iterations take {time}: the stop rule is `{FOR_OTHERS}` instead of `{FOR_JAVA}`, which was trained on 100ms"
                );
                (Some(FOR_OTHERS), Some(note))
            }
            (_, StopName::Auto) => (Some(FOR_OTHERS), None),
            (_, StopName::Rule(name)) => (Some(name), None),
        }
    }

    fn is_parallel(&self) -> bool {
        self.purpose == Purpose::Comparison && self.settings.schedule.pairing == Pairing::Parallel
    }

    /// The rule that decides the number of processes. `None` if the judge or the levels decide.
    fn processes(&self) -> Option<&'static str> {
        match (self.purpose, self.settings.trial.stop) {
            (Purpose::QuickLook, StopName::Auto) => Some(FOR_PROCESSES),
            (Purpose::QuickLook, StopName::Rule(name)) => {
                catalogue::rule(name).ok().filter(|rule| rule.decides_processes).map(|rule| rule.name)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_harness::by_name;
    use benchwright_steady::rules::catalogue::{RULES, RuleError, recorded};

    fn settings(stop: StopName, pairing: Pairing) -> Settings {
        let mut settings = Settings::default();
        settings.trial.stop = stop;
        settings.schedule.pairing = pairing;
        settings
    }

    fn shape(iteration_ms: u64) -> TrialShape {
        TrialShape::fixed(3, Duration::from_millis(iteration_ms))
    }

    /// A harness, and what a stop rule can do for its trials.
    type Case = (&'static str, Stopping);

    const JAVA: Case = ("jmh", Stopping::Live);
    const NODE: Case = ("javascript", Stopping::Live);
    const SHIM: Case = ("shim", Stopping::OnRequest);
    const PYPY: Case = ("python", Stopping::Afterwards);
    const GO: Case = ("go", Stopping::Never);

    /// The chosen rule, the one for the number of processes, and whether there is a note.
    fn chosen(
        purpose: Purpose,
        stop: &str,
        (harness, stopping): Case,
        shape: &TrialShape,
    ) -> Result<(Option<&'static str>, Option<&'static str>, bool), RuleError> {
        let stop = StopName::choices().into_iter().find(|(word, _)| *word == stop).expect("a word").1;
        let settings = settings(stop, Pairing::Sequential);
        let choice = Choice { settings: &settings, purpose, seed: 7 };
        let harness = by_name(harness).expect("the harness");
        let (shape, note) =
            choice.shape(harness.as_ref(), stopping, (shape, false)).map_err(|(_, error)| error)?;
        Ok(match shape.stop {
            Stop::Rule(by) => {
                assert_eq!((by.is_live, by.seed), (stopping != Stopping::Afterwards, 7));
                let name = |name: &str| recorded(name).expect("a rule").name;
                (Some(name(&by.rule)), by.processes.as_deref().map(name), note.is_some())
            }
            Stop::Fixed => (None, None, note.is_some()),
        })
    }

    #[test]
    fn auto_takes_the_rule_that_fits() {
        let check = |purpose, case, millis, expected| {
            assert_eq!(chosen(purpose, "auto", case, &shape(millis)), Ok(expected), "{case:?}");
        };
        let compare = Purpose::Comparison;
        check(compare, JAVA, 100, (Some("learned"), None, false));
        check(compare, JAVA, 20, (Some("learned"), None, false));
        check(compare, JAVA, 1000, (Some("steady"), None, true));
        check(compare, NODE, 100, (Some("steady"), None, false));
        check(compare, PYPY, 100, (Some("steady"), None, false));
        check(compare, SHIM, 100, (None, None, false));
        check(compare, GO, 20, (None, None, false));
        check(Purpose::QuickLook, JAVA, 100, (Some("learned"), Some("cv"), false));
        // Levels, plans and the user may set the number of iterations.
        check(Purpose::Levels, JAVA, 100, (Some("steady"), None, false));
        check(Purpose::Levels, JAVA, 1000, (Some("steady"), None, false));
        let mut settings = settings(StopName::Auto, Pairing::Sequential);
        let jmh = by_name("jmh").expect("the harness");
        let rule = |settings: &Settings, is_planned| {
            let choice = Choice { settings, purpose: compare, seed: 1 };
            let shaped = choice.shape(jmh.as_ref(), JAVA.1, (&shape(100), is_planned)).expect("a rule");
            shaped.0.live().map(|by| recorded(&by.rule).expect("a rule").name)
        };
        assert_eq!((rule(&settings, false), rule(&settings, true)), (Some("learned"), Some("steady")));
        settings.trial.iterations = Some(3);
        assert_eq!(rule(&settings, false), Some("steady"));
    }

    #[test]
    fn a_rule_by_name_is_taken_where_something_warms_up_and_said_to_be_useless_elsewhere() {
        for (word, name) in StopName::choices() {
            let StopName::Rule(rule) = name else { continue };
            assert!(RULES.iter().any(|known| known.name == rule), "{rule}");
            let processes = Some(rule).filter(|rule| ["cv", "rciw", "kld", "jmh"].contains(rule));
            for case in [JAVA, NODE, SHIM, PYPY] {
                let found = chosen(Purpose::QuickLook, word, case, &shape(100));
                assert_eq!(found, Ok((Some(rule), processes, false)), "{word}");
            }
            assert_eq!(chosen(Purpose::Comparison, word, JAVA, &shape(100)), Ok((Some(rule), None, false)));
            assert_eq!(chosen(Purpose::Levels, word, GO, &shape(100)), Ok((None, None, true)));
        }
        assert_eq!(chosen(Purpose::Levels, "fixed", JAVA, &shape(100)), Ok((None, None, false)));
    }

    #[test]
    fn trained_rules_refuse_long_iterations_wherever_they_come_from() {
        let told = TrialShape { args: vec!["-r".into(), "1s".into()], ..shape(100) };
        for (shape, is_refused) in [(shape(1000), true), (told, true), (shape(10), false)] {
            for rule in ["learned", "classifier", "fcn", "rocket"] {
                let found = chosen(Purpose::Comparison, rule, JAVA, &shape);
                assert_eq!(matches!(found, Err(RuleError::LongIterations(_))), is_refused, "{rule}");
            }
            assert!(chosen(Purpose::Comparison, "cv", JAVA, &shape).is_ok());
        }
    }

    #[test]
    fn halves_that_run_at_once_end_by_themselves() {
        let settings = settings(StopName::Rule("cv"), Pairing::Parallel);
        let jmh = by_name("jmh").expect("the harness");
        let stop = |purpose| {
            let choice = Choice { settings: &settings, purpose, seed: 1 };
            let (shape, note) = choice.shape(jmh.as_ref(), JAVA.1, (&shape(100), false)).expect("no refusal");
            (shape.stop == Stop::Fixed, note.is_some())
        };
        assert_eq!(stop(Purpose::Comparison), (true, true));
        assert_eq!(stop(Purpose::QuickLook), (false, false), "a run of one version has no halves");
    }

    #[test]
    fn a_process_that_tells_at_the_end_begins_with_enough_to_judge() {
        let mut settings = settings(StopName::Auto, Pairing::Sequential);
        let python = by_name("python").expect("the harness");
        let iterations = |settings: &Settings, purpose| {
            let choice = Choice { settings, purpose, seed: 1 };
            choice
                .shape(python.as_ref(), Stopping::Afterwards, (&shape(100), false))
                .expect("a rule")
                .0
                .iterations
        };
        assert_eq!(iterations(&settings, Purpose::Comparison), 20);
        assert_eq!(iterations(&settings, Purpose::Levels), 3, "as the levels say");
        settings.trial.iterations = Some(3);
        assert_eq!(iterations(&settings, Purpose::Comparison), 3, "as the user says");
    }
}
