//! The code layouts in which the fresh duets of suspects run.
//!
//! The position of a function in its executable can change its time by a few per cent, and every duet of the
//! same two executables shows the same difference. Fresh duets therefore run programs whose functions are in
//! random order, with a new pair of programs for each duet as long as there are layouts left. A difference
//! that is due to placement alone then becomes noise, equally likely to be positive and negative. Layouts are
//! made one by one, when the first duet needs them, and serve all suspects of an executable.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use benchwright_harness::no_layouts;
use benchwright_model::{Diagnostic, Event, Severity, Side};
use benchwright_worker::{Program, Subject};

use crate::compare::TRIES;
use crate::order;

/// Makes programs in other code layouts.
pub trait Relinker {
    /// The programs of base and head in these layouts, from a cache if they were made before. `on_step` is
    /// called with the purpose of each step.
    fn relink(
        &mut self,
        layouts: [Layout<'_>; 2],
        on_step: &mut dyn FnMut(Side, &str),
    ) -> Result<[Program; 2], NoLayout>;
}

/// A program and the layout to link it in.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// The program as it was built.
    pub program: &'a Program,
    /// Which version it belongs to.
    pub side: Side,
    /// The seed of the run. It separates the layouts of two runs.
    pub run_seed: u64,
    /// The layout's number within the run.
    pub number: u32,
    /// Seed of the order of functions.
    pub seed: u64,
}

/// Why a program could not be made in another layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLayout {
    /// The user interrupted the work.
    #[error("finish before the interrupt")]
    Interrupted,
    /// It is not possible for such programs, for this reason.
    #[error("{0}")]
    Cannot(String),
    /// It should have worked, but failed with this error.
    #[error("{0}")]
    Failed(String),
}

/// What identifies the executables of a subject.
type Pair = (PathBuf, PathBuf);

/// The layouts of a run.
pub(crate) struct Layouts<'a> {
    relinker: &'a mut dyn Relinker,
    run_seed: u64,
    /// How many different layouts there may be. 0 means none.
    count: u32,
    /// Duets that each suspect, by index, had when confirmation began.
    screened: HashMap<usize, u32>,
    made: HashMap<(Pair, u32), [Program; 2]>,
    refused: HashSet<Pair>,
    spent: Duration,
}

/// The subject of one duet.
pub(crate) enum Chosen {
    /// With these programs in the layout with this number. `None` means as they were built.
    Subject(Box<Subject>, Option<u32>),
    /// With the programs as they were built, because of this problem.
    AsBuilt(Box<Subject>, Diagnostic),
    /// The user interrupted.
    Interrupted,
}

impl<'a> Layouts<'a> {
    pub(crate) fn new(relinker: &'a mut dyn Relinker, run_seed: u64, count: u32) -> Self {
        Layouts {
            relinker,
            run_seed,
            count,
            screened: HashMap::new(),
            made: HashMap::new(),
            refused: HashSet::new(),
            spent: Duration::ZERO,
        }
    }

    /// Records how many duets a suspect has when confirmation begins.
    pub(crate) fn begin(&mut self, index: usize, duets: u32) {
        self.screened.insert(index, duets);
    }

    /// The number of the layout for a duet. `None` before confirmation. A duet that is repeated because a
    /// half failed gets another layout, because the failure may be due to the layout. Only its last attempt
    /// runs the programs as they were built, in case all layouts break them.
    pub(crate) fn number(&self, index: usize, duet: u32, attempt: u32) -> Option<u32> {
        let screened = *self.screened.get(&index)?;
        let fresh = duet.saturating_sub(screened);
        (self.count > 0 && attempt + 1 < TRIES).then(|| fresh.wrapping_add(attempt) % self.count)
    }

    /// The expected time for making this layout, from the time that earlier ones took.
    pub(crate) fn expected(&self, subject: &Subject, number: u32) -> Duration {
        let is_there = pair(subject)
            .is_none_or(|pair| self.refused.contains(&pair) || self.made.contains_key(&(pair, number)));
        if is_there { Duration::ZERO } else { self.spent / self.made.len().max(1) as u32 }
    }

    /// The subject with its programs in the layout with this number.
    pub(crate) fn choose(&mut self, subject: &Subject, number: u32, emit: &mut dyn FnMut(Event)) -> Chosen {
        let as_built = || Box::new(subject.clone());
        let Some(pair) = pair(subject).filter(|pair| !self.refused.contains(pair)) else {
            return Chosen::Subject(as_built(), None);
        };
        if !self.made.contains_key(&(pair.clone(), number)) {
            match self.make(subject, number, emit) {
                Ok(programs) => drop(self.made.insert((pair.clone(), number), programs)),
                Err(NoLayout::Interrupted) => return Chosen::Interrupted,
                Err(why) => {
                    let diagnostic = self.refuse(subject, &pair, &why);
                    return Chosen::AsBuilt(as_built(), diagnostic);
                }
            }
        }
        let [base, head] = self.made[&(pair, number)].clone();
        let subject = Subject { benchmark: subject.benchmark.clone(), base: Some(base), head: Some(head) };
        Chosen::Subject(Box::new(subject), Some(number))
    }

    fn make(
        &mut self,
        subject: &Subject,
        number: u32,
        emit: &mut dyn FnMut(Event),
    ) -> Result<[Program; 2], NoLayout> {
        let started = Instant::now();
        let run_seed = self.run_seed;
        let layout = |side| {
            let program = subject.program(side)?;
            let executable = &program.executable;
            let seed = order::layout(run_seed, &executable.harness, &executable.package, side, number);
            Some(Layout { program, side, run_seed, number, seed })
        };
        let (Some(base), Some(head)) = (layout(Side::Base), layout(Side::Head)) else {
            return Err(NoLayout::Failed("a version has no program".into()));
        };
        let made = self.relinker.relink([base, head], &mut |side, purpose| {
            emit(Event::Step { side, purpose: purpose.to_owned() });
        })?;
        self.spent += started.elapsed();
        Ok(made)
    }

    /// Continues with the programs as they were built, on both sides, and reports this once per executable.
    fn refuse(&mut self, subject: &Subject, pair: &Pair, why: &NoLayout) -> Diagnostic {
        let layouts = self.made.keys().filter(|(made, _)| made == pair).count();
        self.refused.insert(pair.clone());
        let rests = match layouts {
            0 => "one code layout per side".to_owned(),
            n => format!("{n} random code layouts per side and that of the build"),
        };
        let benchmark = &subject.benchmark;
        match why {
            // A reason that holds for a whole language is reported once, for the harness.
            NoLayout::Cannot(reason) if *reason == no_layouts(&benchmark.harness) => {
                let message = format!("verdicts of suspects rest on {rests}: {why}");
                Diagnostic { severity: Severity::Note, ..Diagnostic::warning(&benchmark.harness, message) }
            }
            _ => {
                let severity =
                    if matches!(why, NoLayout::Cannot(_)) { Severity::Note } else { Severity::Warning };
                let message = format!("verdicts of its suspects rest on {rests}: {why}");
                Diagnostic { severity, ..Diagnostic::warning(&benchmark.package, message) }
            }
        }
    }
}

fn pair(subject: &Subject) -> Option<Pair> {
    Some((subject.program(Side::Base)?.path(), subject.program(Side::Head)?.path()))
}
