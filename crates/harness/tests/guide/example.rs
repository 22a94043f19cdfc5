use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reader, Reading,
    Step, StepRunner, TrialCommand, TrialRequest, TrialShape,
};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, SampleKind, Series};

/// Benchmarks that a shell script `benches.sh` starts, programs of C say: called with `list` it prints
/// their names, called with a name and a number it prints `NAME SECONDS` so many times.
pub(crate) struct Scripts;

const NAME: &str = "script";

impl Harness for Scripts {
    fn name(&self) -> &'static str {
        NAME
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Slices
    }

    fn recognise(&self, root: &Path) -> Vec<Project> {
        let has_script = root.join("benches.sh").is_file();
        let project = Project { harness: NAME.into(), dir: PathBuf::new() };
        if has_script { vec![project] } else { Vec::new() }
    }

    fn toolchain(
        &self,
        _project: &Project,
        _args: &[String],
        _run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        Ok("POSIX shell".into())
    }

    fn build(&self, request: &BuildRequest<'_>, _run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        let source = request.root.join("benches.sh");
        fs::copy(&source, request.out.join("benches.sh"))
            .map_err(|error| HarnessError::File { path: source, source: error })?;
        let executable = Executable {
            harness: NAME.into(),
            package: "benches".into(),
            flavour: NAME.into(),
            flavour_version: String::new(),
            path: "benches.sh".into(),
            dir: PathBuf::new(),
            env: Vec::new(),
        };
        Ok(Built { executables: vec![executable], diagnostics: Vec::new() })
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        let step = Step {
            purpose: "list the benchmarks of benches.sh".into(),
            program: "sh".into(),
            args: vec![request.out.join("benches.sh").into(), "list".into()],
            dir: request.root.into(),
            env: Vec::new(),
            timeout: Duration::from_secs(60),
        };
        let purpose = step.purpose.clone();
        let output = run.run(&step).map_err(|source| HarnessError::Step { purpose, source })?;
        let names = output.stdout.lines().filter(|line| !line.is_empty());
        let benchmarks = names.map(|name| BenchmarkId::new(NAME, "benches", name)).collect();
        Ok(Listing { benchmarks, ..Listing::default() })
    }

    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand {
        TrialCommand {
            program: Some("sh".into()),
            args: vec![
                request.out.join("benches.sh").into(),
                (&request.benchmark.name).into(),
                request.shape.iterations.to_string().into(),
            ],
            ..TrialCommand::default()
        }
    }

    fn reader(&self, _: &Executable, benchmark: &BenchmarkId, _: &TrialShape) -> Box<dyn Reader> {
        Box::new(Lines { benchmark: benchmark.clone(), seconds: Vec::new(), diagnostics: Vec::new() })
    }

    fn is_source(&self, path: &str) -> bool {
        path == "benches.sh"
    }
}

/// Takes `NAME SECONDS` line by line.
struct Lines {
    benchmark: BenchmarkId,
    seconds: Vec<f64>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader for Lines {
    fn line(&mut self, line: &str) -> u32 {
        let words = line.strip_prefix(&self.benchmark.name).map(str::trim);
        match words.map(str::parse) {
            Some(Ok(seconds)) => self.seconds.push(seconds),
            Some(Err(_)) if self.diagnostics.len() < 20 => {
                let message = format!("expected seconds, found `{line}`");
                self.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
            }
            _ => {}
        }
        self.seconds.len() as u32
    }

    fn finish(self: Box<Self>, _scratch: &Path) -> Reading {
        let mut measurement = Measurement::default();
        if !self.seconds.is_empty() {
            measurement.series.push(Series { metric: Metric::time(), values: self.seconds, resolution: 0.0 });
        }
        Reading { measurement, diagnostics: self.diagnostics }
    }
}
