//! Another place, with this machine for benchmarks that cannot run there.

use std::collections::HashSet;
use std::time::Instant;

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Trial};
use benchwright_worker::Call;

use crate::{Local, Place, PlaceError};

/// Benchmarks that cannot leave this machine, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The benchmarks.
    pub benchmarks: Vec<BenchmarkId>,
    /// Why.
    pub why: String,
    /// Advice for the user. Empty if there is none.
    pub hint: String,
}

/// Another place combined with this machine.
pub struct Fallback<Elsewhere> {
    elsewhere: Elsewhere,
    home: Option<Local>,
    staying: HashSet<BenchmarkId>,
}

impl<Elsewhere: Place> Fallback<Elsewhere> {
    /// Calls of the benchmarks in `staying` go to `home`, if there is one. All others go elsewhere.
    pub fn new(elsewhere: Elsewhere, home: Option<Local>, staying: HashSet<BenchmarkId>) -> Self {
        Fallback { elsewhere, home, staying }
    }

    fn stays(&self, call: &Call) -> bool {
        self.home.is_some() && self.staying.contains(&call.subject.benchmark)
    }
}

impl<Elsewhere: Place> Place for Fallback<Elsewhere> {
    fn describe(&self) -> String {
        self.elsewhere.describe()
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        match (self.stays(call), &mut self.home) {
            (true, Some(home)) => home.carry_out(call, on_trial),
            _ => self.elsewhere.carry_out(call, on_trial),
        }
    }

    fn capacity(&self) -> usize {
        self.elsewhere.capacity()
    }

    fn end_by(&mut self, deadline: Option<Instant>) {
        self.elsewhere.end_by(deadline);
        if let Some(home) = &mut self.home {
            home.end_by(deadline);
        }
    }

    /// Carries out the calls elsewhere first, then those on this machine, which would be disturbed by waiting
    /// for other machines.
    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        let (staying, going): (Vec<usize>, Vec<usize>) =
            (0..calls.len()).partition(|&number| self.stays(&calls[number]));
        let those =
            |numbers: &[usize]| numbers.iter().map(|&number| calls[number].clone()).collect::<Vec<_>>();
        let mut noticed = Vec::new();
        let mut spent = None;
        if !going.is_empty() {
            let mut hand_over = |number: usize, trial| on_trial(going[number], trial);
            match self.elsewhere.carry_out_all(&those(&going), &mut hand_over) {
                Err(PlaceError::OutOfMoney { what, noticed: until_then }) => {
                    spent = Some(what);
                    noticed.extend(until_then);
                }
                carried_out => noticed.extend(carried_out?),
            }
        }
        if let Some(home) = &mut self.home
            && !staying.is_empty()
        {
            let mut hand_over = |number: usize, trial| on_trial(staying[number], trial);
            match home.carry_out_all(&those(&staying), &mut hand_over) {
                Err(PlaceError::OutOfTime { noticed: until_then }) => {
                    noticed.extend(until_then);
                    return Err(PlaceError::OutOfTime { noticed });
                }
                carried_out => noticed.extend(carried_out?),
            }
        }
        match spent {
            Some(what) => Err(PlaceError::OutOfMoney { what, noticed }),
            None => Ok(noticed),
        }
    }

    fn instances(&self) -> Vec<Instance> {
        self.elsewhere.instances()
    }

    fn spent(&self) -> Option<String> {
        self.elsewhere.spent()
    }
}

#[cfg(test)]
mod tests {
    use benchwright_process::Interrupt;
    use benchwright_worker::{CommonEnvironment, Worker};

    use super::*;
    use crate::test_call::call;

    /// A place that records its calls as long as there is money.
    struct Far(Vec<String>, bool);

    impl Place for Far {
        fn describe(&self) -> String {
            "far away".into()
        }
        fn carry_out(
            &mut self,
            call: &Call,
            _: &mut dyn FnMut(Trial),
        ) -> Result<Vec<Diagnostic>, PlaceError> {
            if !self.1 {
                let noticed = vec![Diagnostic::warning("far", "dear")];
                return Err(PlaceError::OutOfMoney { what: "pay".into(), noticed });
            }
            self.0.push(call.subject.benchmark.name.clone());
            Ok(Vec::new())
        }
        fn capacity(&self) -> usize {
            9
        }
    }

    fn place(has_home: bool, has_money: bool) -> (Fallback<Far>, tempfile::TempDir) {
        let scratch = tempfile::tempdir().unwrap();
        let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
        let home = has_home.then(|| Local::new(worker, Interrupt::new()));
        let staying = HashSet::from([BenchmarkId::new("go", "p", "stays")]);
        (Fallback::new(Far(Vec::new(), has_money), home, staying), scratch)
    }

    fn asked(has_home: bool) -> (Vec<String>, Vec<(usize, String)>) {
        let (mut place, _scratch) = place(has_home, true);
        assert_eq!((place.capacity(), place.describe().as_str()), (9, "far away"));
        let mut came = Vec::new();
        let calls = [call("goes", 0), call("stays", 0), call("goes", 1)];
        place.carry_out_all(&calls, &mut |number, trial| came.push((number, trial.benchmark.name))).unwrap();
        (place.elsewhere.0, came)
    }

    #[test]
    fn what_cannot_leave_runs_here_and_keeps_its_number() {
        let (far, here) = asked(true);
        assert_eq!(far, ["goes", "goes"]);
        assert_eq!(here, [(1, "stays".to_owned()), (1, "stays".to_owned())]);
    }

    #[test]
    fn what_costs_nothing_is_measured_when_the_money_is_spent() {
        let mut came = 0;
        let calls = [call("goes", 0), call("stays", 0)];
        let (mut place, _scratch) = place(true, false);
        let error = place.carry_out_all(&calls, &mut |_, _| came += 1).unwrap_err();
        let PlaceError::OutOfMoney { what, noticed } = error else { panic!("{error:?}") };
        assert_eq!((what.as_str(), noticed.len(), came), ("pay", 1, 2));
    }

    #[test]
    fn the_deadline_is_for_both() {
        let (mut place, _scratch) = place(true, true);
        place.end_by(Some(Instant::now()));
        let error = place.carry_out_all(&[call("stays", 0)], &mut |_, _| panic!("no time")).unwrap_err();
        assert!(matches!(error, PlaceError::OutOfTime { .. }), "{error:?}");
    }

    #[test]
    fn without_a_home_everything_goes() {
        assert_eq!(asked(false).0, ["goes", "stays", "goes"]);
    }
}
