//! Finds the benchmarks in an executable.

use std::ffi::OsString;

use benchwright_model::{BenchmarkId, Diagnostic};

use super::flavour::Flavour;
use super::harness::NAME;
use super::steps::{self, LIST_LIMIT};
use super::{criterion, divan, libtest};
use crate::{HarnessError, ListRequest, Listing, Step, StepFailure, StepOutput, StepRunner};

/// Finds the benchmarks of one executable.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let mut search = Search { request, run, listing: Listing::default() };
    match Flavour::of(request.executable) {
        Flavour::Criterion => search.criterion()?,
        Flavour::Divan => search.divan()?,
        Flavour::Bencher => search.bencher()?,
        Flavour::Libtest => search.libtest()?,
    }
    Ok(search.listing)
}

struct Search<'a> {
    request: &'a ListRequest<'a>,
    run: &'a mut dyn StepRunner,
    listing: Listing,
}

impl Search<'_> {
    fn criterion(&mut self) -> Result<(), HarnessError> {
        let (step, output) = self.run(&["--bench", "--list"])?;
        for name in criterion::listed(&output.stdout) {
            if criterion::repeats(name, &self.listing.benchmarks) {
                self.warn(format!("the name of `{name}` is used twice; only the first is measured"));
            } else {
                self.add(name);
            }
        }
        self.judge(&step, &output)
    }

    fn divan(&mut self) -> Result<(), HarnessError> {
        let version = &self.request.executable.flavour_version;
        let mut terse = None;
        if divan::has_whole_terse_list(version) {
            // divan lists benchmarks with their arguments only for nextest.
            let mut step = self.step(&["--list", "--format", "terse"]);
            step.env.push(("NEXTEST".into(), "1".into()));
            let output = steps::run(&step, self.run)?;
            terse = (output.status == 0).then(|| divan::terse(&output.stdout));
        }
        let (step, output) = self.run(&["--test", "--color", "never"])?;
        for name in divan::names(terse, &output.stdout) {
            self.add(&name);
        }
        self.judge(&step, &output)
    }

    /// The crate has no list, so every benchmark has to run once.
    fn bencher(&mut self) -> Result<(), HarnessError> {
        let (step, output) = self.run(&["--bench"])?;
        for name in libtest::measured(&output.stdout) {
            self.add(&name);
        }
        self.judge(&step, &output)
    }

    /// A program without a known library may do anything when asked for a list. This is not a failure.
    fn libtest(&mut self) -> Result<(), HarnessError> {
        let step = self.step(&["--bench", "--list"]);
        let output = match steps::run(&step, self.run) {
            Err(HarnessError::Step { source: StepFailure::TimedOut(limit), .. }) => {
                self.warn(format!("does not answer `--list` within {} s", limit.as_secs()));
                return Ok(());
            }
            output => output?,
        };
        let mut names: Vec<String> = libtest::listed(&output.stdout).map(str::to_owned).collect();
        if libtest::is_own_list(&output.stdout) {
            let (_, ignored) = self.run(&["--list", "--ignored"])?;
            names.retain(|name| !libtest::listed(&ignored.stdout).any(|ignored| ignored == name));
        } else {
            if names.is_empty() {
                names = libtest::measured(&output.stdout);
            }
            if names.is_empty() {
                let message =
                    "prints neither a list nor results as libtest does; its benchmarks are left out";
                self.warn(message.into());
            } else if output.status != 0 {
                self.warn(format!("exited with status {} when asked for its list", output.status));
            }
        }
        names.iter().for_each(|name| self.add(name));
        Ok(())
    }

    fn step(&self, args: &[&str]) -> Step {
        let request = self.request;
        let executable = request.executable;
        let args = args.iter().map(OsString::from).chain(request.args.iter().map(OsString::from));
        let purpose = format!("list the benchmarks of `{}`", executable.package);
        let program = request.out.join(&executable.path);
        let mut step = steps::step(purpose, program, args, request.root.join(&executable.dir), LIST_LIMIT);
        let root = request.root.to_string_lossy();
        step.env = executable
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.replacen("{root}", &root, 1)))
            .collect();
        step.env.push(("CRITERION_HOME".into(), request.scratch.to_string_lossy().into_owned()));
        step
    }

    fn run(&mut self, args: &[&str]) -> Result<(Step, StepOutput), HarnessError> {
        let step = self.step(args);
        let output = steps::run(&step, self.run)?;
        Ok((step, output))
    }

    /// If a program ended badly, the benchmarks it named still count. If it named none, it has failed.
    fn judge(&mut self, step: &Step, output: &StepOutput) -> Result<(), HarnessError> {
        if output.status == 0 {
            return Ok(());
        }
        if self.listing.benchmarks.is_empty() {
            return Err(steps::refusal(step, output, ""));
        }
        let said = steps::shorten(&output.stderr);
        let message =
            format!("exited with status {} while its benchmarks were listed: {said}", output.status);
        self.listing.diagnostics.push(Diagnostic::error(self.request.executable.package.clone(), message));
        Ok(())
    }

    fn add(&mut self, name: &str) {
        let id = BenchmarkId::new(NAME, self.request.executable.package.clone(), name);
        if self.listing.benchmarks.contains(&id) {
            self.warn(format!("the name `{name}` is used twice; only one of both is measured"));
        } else {
            self.listing.benchmarks.push(id);
        }
    }

    fn warn(&mut self, message: String) {
        let package = self.request.executable.package.clone();
        self.listing.diagnostics.push(Diagnostic::warning(package, message));
    }
}
