//! Command lines that run a benchmark file with the shim loaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::description::Description;
use super::shim::{self, Settings};
use crate::{TrialCommand, TrialRequest, TrialShape};

/// The maximum number of warm-up iterations.
const MOST_WARMUPS: f64 = 10_000.0;

/// The task of the shim.
#[derive(Debug, Clone, Copy)]
pub(super) enum Job<'a> {
    /// Name all benchmarks of the file.
    List,
    /// Run this one.
    Run(&'a str, &'a TrialShape),
}

/// How node is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) dir: PathBuf,
}

/// One trial.
pub(super) fn trial(request: &TrialRequest<'_>) -> TrialCommand {
    let Ok(description) = Description::read(&request.out.join(&request.executable.path)) else {
        // Nothing can be started, so the trial fails with a message.
        return TrialCommand::default();
    };
    let job = Job::Run(&request.benchmark.name, request.shape);
    let call = Call::of(request.out, &description, job, &request.shape.args);
    TrialCommand {
        program: Some("node".into()),
        args: call.args.into_iter().map(OsString::from).collect(),
        env: call.env.into_iter().map(|(name, value)| (name, value.into())).collect(),
        dir: Some(call.dir),
    }
}

impl Call {
    /// The call for a job on one benchmark file. `args` are the user's, for the file or for vitest.
    pub(super) fn of(out: &Path, description: &Description, job: Job<'_>, args: &[String]) -> Call {
        let script = Description::locate(out, &description.script);
        let dir = Description::locate(out, &description.dir);
        let import = shim::url(&shim::entry(out));
        let mut words = description.node_args.clone();
        let mut env = vec![(shim::VARIABLE.to_owned(), settings(job, &script))];
        match &description.vitest {
            None => words.extend(["--import".to_owned(), import, text(&script)]),
            Some(program) => {
                let file = script.strip_prefix(&dir).unwrap_or(&script);
                words.extend([text(&Description::locate(out, program)), "bench".into(), text(file)]);
                // Coverage would affect the measurement.
                words.extend(["--run".to_owned(), "--coverage.enabled=false".to_owned()]);
                // The file gets a process of its own. With the project's test configuration it might share
                // one with vitest.
                if !args.iter().any(|arg| arg.starts_with("--pool")) {
                    words.push("--pool=forks".into());
                }
                env.push(("NODE_OPTIONS".into(), node_options(std::env::var("NODE_OPTIONS").ok(), &import)));
            }
        }
        words.extend_from_slice(args);
        Call { args: words, env, dir }
    }
}

/// vitest starts its own processes and threads, which can only be configured by this variable.
fn node_options(own: Option<String>, import: &str) -> String {
    let ours = format!("--import={import}");
    match own.filter(|own| !own.trim().is_empty()) {
        Some(own) => format!("{own} {ours}"),
        None => ours,
    }
}

fn settings(job: Job<'_>, script: &Path) -> String {
    let script = text(script);
    match job {
        Job::List => Settings {
            mode: "list",
            benchmark: "",
            script: &script,
            iterations: 0,
            iteration_seconds: 0.0,
            warmups: 0,
        },
        Job::Run(benchmark, shape) => Settings {
            mode: "run",
            benchmark,
            script: &script,
            iterations: shape.live().map_or(shape.iterations.max(1), |by| by.most_iterations(shape)),
            iteration_seconds: shape.iteration_time.as_secs_f64(),
            warmups: warmups(shape),
        },
    }
    .text()
}

/// Warm-up is measured in iterations of the same length as the others, and marked. A rule that sees all of
/// them finds the warm-up itself.
fn warmups(shape: &TrialShape) -> u32 {
    if shape.live().is_some() {
        return 0;
    }
    let share = shape.warmup_time.as_secs_f64() / shape.iteration_time.as_secs_f64();
    if share.is_finite() { share.ceil().min(MOST_WARMUPS) as u32 } else { 0 }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn description(vitest: Option<&str>) -> Description {
        Description {
            script: "pkg/bench/a.js".into(),
            dir: "pkg".into(),
            node_args: vec!["--expose-gc".into()],
            vitest: vitest.map(str::to_owned),
            documents: Vec::new(),
        }
    }

    fn shape(iteration_ms: u64, warmup_ms: u64) -> TrialShape {
        TrialShape {
            warmup_time: Duration::from_millis(warmup_ms),
            ..TrialShape::fixed(5, Duration::from_millis(iteration_ms))
        }
    }

    #[test]
    fn node_runs_the_file_with_the_shim() {
        let shape = shape(100, 250);
        let call = Call::of(Path::new("/o"), &description(None), Job::Run("x/y", &shape), &["--n".into()]);
        let expected =
            ["--expose-gc", "--import", "file:///o/shim/shim.mjs", "/o/tree/pkg/bench/a.js", "--n"];
        assert_eq!(call.args, expected);
        assert_eq!(call.dir, Path::new("/o/tree/pkg"));
        let expected = r#"{"mode":"run","benchmark":"x/y","script":"/o/tree/pkg/bench/a.js","iterations":5,"iterationSeconds":0.1,"warmups":3}"#;
        assert_eq!(call.env, [("BENCHWRIGHT_SHIM".to_owned(), expected.to_owned())]);
    }

    #[test]
    fn vitest_runs_the_file_and_hands_the_shim_to_its_workers() {
        let description = description(Some("node_modules/vitest/vitest.mjs"));
        let own = Call::of(Path::new("/o"), &description, Job::List, &[]);
        assert_eq!(own.args.last().map(String::as_str), Some("--pool=forks"));
        let call = Call::of(Path::new("/o"), &description, Job::List, &["--pool=threads".into()]);
        let expected = [
            "--expose-gc",
            "/o/tree/node_modules/vitest/vitest.mjs",
            "bench",
            "bench/a.js",
            "--run",
            "--coverage.enabled=false",
            "--pool=threads",
        ];
        assert_eq!(call.args, expected);
        assert!(call.env[0].1.contains(r#""mode":"list""#));
        assert!(call.env[1].1.ends_with("--import=file:///o/shim/shim.mjs"), "{:?}", call.env[1]);
        assert_eq!(
            node_options(Some("--max-old-space-size=99".into()), "u"),
            "--max-old-space-size=99 --import=u"
        );
        assert_eq!(node_options(Some(" ".into()), "u"), "--import=u");
    }

    #[test]
    fn warm_up_is_counted_in_iterations() {
        let check = |iteration: u64, warmup: u64, expected: u32| {
            assert_eq!(warmups(&shape(iteration, warmup)), expected, "{warmup}/{iteration}");
        };
        check(100, 0, 0);
        check(100, 1, 1);
        check(100, 300, 3);
        check(0, 300, 0);
        check(0, 0, 0);
        check(1, 3_600_000, 10_000);
        let watched =
            TrialShape { stop: crate::stop::tests::live(Duration::from_secs(3)), ..shape(100, 300) };
        let settings = settings(Job::Run("x", &watched), Path::new("/a.js"));
        assert!(settings.contains(r#""iterations":135,"iterationSeconds":0.1,"warmups":0"#), "{settings}");
    }
}
