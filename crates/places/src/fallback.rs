//! A place elsewhere, and this machine for what cannot leave it.

use std::collections::HashSet;

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Trial};
use benchwright_worker::Call;

use crate::{Local, Place, PlaceError};

/// Benchmarks that cannot leave this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// Which ones.
    pub benchmarks: Vec<BenchmarkId>,
    /// Why.
    pub why: String,
    /// What to do about it; empty where nothing general helps.
    pub hint: String,
}

/// A place elsewhere with this machine beside it.
pub struct Fallback<Elsewhere> {
    elsewhere: Elsewhere,
    home: Option<Local>,
    staying: HashSet<BenchmarkId>,
}

impl<Elsewhere: Place> Fallback<Elsewhere> {
    /// Calls of the benchmarks `staying` go to `home`, if there is one; all others elsewhere.
    pub fn new(elsewhere: Elsewhere, home: Option<Local>, staying: HashSet<BenchmarkId>) -> Self {
        Fallback { elsewhere, home, staying }
    }

    /// The place elsewhere.
    pub fn elsewhere(&self) -> &Elsewhere {
        &self.elsewhere
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

    /// First what goes elsewhere, then what stays: waiting for others would disturb what is measured here.
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
        if !going.is_empty() {
            let mut hand_over = |number: usize, trial| on_trial(going[number], trial);
            noticed.extend(self.elsewhere.carry_out_all(&those(&going), &mut hand_over)?);
        }
        if let Some(home) = &mut self.home
            && !staying.is_empty()
        {
            let mut hand_over = |number: usize, trial| on_trial(staying[number], trial);
            noticed.extend(home.carry_out_all(&those(&staying), &mut hand_over)?);
        }
        Ok(noticed)
    }

    fn instances(&self) -> Vec<Instance> {
        self.elsewhere.instances()
    }
}

#[cfg(test)]
mod tests {
    use benchwright_process::Interrupt;
    use benchwright_worker::{CommonEnvironment, Worker};

    use super::*;
    use crate::test_call::call;

    /// Somewhere that notes what it is asked for.
    struct Far(Vec<String>);

    impl Place for Far {
        fn describe(&self) -> String {
            "far away".into()
        }
        fn carry_out(
            &mut self,
            call: &Call,
            _: &mut dyn FnMut(Trial),
        ) -> Result<Vec<Diagnostic>, PlaceError> {
            self.0.push(call.subject.benchmark.name.clone());
            Ok(Vec::new())
        }
        fn capacity(&self) -> usize {
            9
        }
    }

    fn asked(has_home: bool) -> (Vec<String>, Vec<(usize, String)>) {
        let scratch = tempfile::tempdir().unwrap();
        let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
        let home = has_home.then(|| Local::new(worker, Interrupt::new()));
        let staying = HashSet::from([BenchmarkId::new("go", "p", "stays")]);
        let mut place = Fallback::new(Far(Vec::new()), home, staying);
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
    fn without_a_home_everything_goes() {
        assert_eq!(asked(false).0, ["goes", "stays", "goes"]);
    }
}
