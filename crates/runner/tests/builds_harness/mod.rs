//! A harness whose build tool is the shell.
//!
//! A project is a directory with a file `suite.code`, one benchmark per line. The executable holds that text and the
//! path of the check-out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, EquipRequest, Equipper, Executable, Harness, HarnessError, ListRequest, Listing,
    PartsRequest, Payload, PayloadRequest, Portability, Project, Reader, RelinkRequest, Relinked, Relinking,
    Step, StepFailure, StepOutput, StepRunner, TrialCommand, TrialRequest, TrialShape,
};
use benchwright_model::{BenchmarkId, Diagnostic, SampleKind};

const SCRIPT: &str = r#"
case $(cat suite.code) in
fail) echo "suite.code:1: error: told to fail" >&2; exit 2;;
environment) echo "PWD=$PWD"; echo "repository=$(git rev-parse --show-toplevel 2>/dev/null || echo none)";;
*) echo "built in $ROOT with $*"; cat suite.code;;
esac >"$OUT/program"
"#;

pub(crate) struct ShellHarness;

fn shell(purpose: &str, script: &str, dir: &Path) -> Step {
    Step {
        purpose: purpose.to_owned(),
        program: "sh".into(),
        args: vec!["-c".into(), script.into(), "sh".into()],
        dir: dir.to_owned(),
        env: Vec::new(),
        timeout: Duration::from_secs(60),
    }
}

fn carry_out(run: &mut dyn StepRunner, step: &Step) -> Result<StepOutput, HarnessError> {
    let purpose = step.purpose.clone();
    let output = run.run(step).map_err(|source| match source {
        StepFailure::NoProgram(program) => {
            let hint = format!("install {program}");
            HarnessError::ToolChainMissing { program, hint }
        }
        source => HarnessError::Step { purpose: purpose.clone(), source },
    })?;
    match output.status {
        0 => Ok(output),
        status => Err(HarnessError::Tool {
            purpose,
            status,
            message: output.stderr.trim().to_owned(),
            log: output.log,
        }),
    }
}

impl Harness for ShellHarness {
    fn name(&self) -> &'static str {
        "shell"
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Other
    }

    fn recognise(&self, root: &Path) -> Vec<Project> {
        let mut dirs: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
        dirs.push(root.to_owned());
        dirs.retain(|dir| dir.join("suite.code").is_file());
        dirs.sort();
        let relative = dirs.iter().map(|dir| dir.strip_prefix(root).unwrap().to_owned());
        relative.map(|dir| Project { harness: "shell".into(), dir }).collect()
    }

    fn toolchain(
        &self,
        project: &Project,
        _args: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError> {
        let script = "if test -f toolchain; then cat toolchain; else echo shell 1; fi";
        let output = carry_out(run, &shell("ask for the tool chain", script, &project.dir))?;
        match output.stdout.trim() {
            "shell 1" => Ok("shell 1".into()),
            program => {
                let step = Step { program: program.into(), ..shell("start the tool", "", &project.dir) };
                carry_out(run, &step).map(|output| output.stdout)
            }
        }
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        assert_eq!(fs::read_dir(request.out).unwrap().count(), 0, "the directory is empty at the start");
        let mut step = shell("build suite.code", SCRIPT, &request.root.join(&request.project.dir));
        step.args.extend(request.args.iter().map(Into::into));
        step.env = vec![
            ("ROOT".into(), request.root.display().to_string()),
            ("OUT".into(), request.out.display().to_string()),
        ];
        carry_out(run, &step)?;
        let executable = Executable {
            harness: "shell".into(),
            package: "suite.code".into(),
            flavour: "shell".into(),
            flavour_version: String::new(),
            path: "program".into(),
            dir: request.project.dir.clone(),
            env: vec![("DATA".into(), "{root}/data.txt".into())],
        };
        let diagnostics =
            vec![Diagnostic::warning("suite.code", "built by a shell").at(1, 2).hint("use a compiler")];
        Ok(Built { executables: vec![executable], diagnostics })
    }

    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        let program = request.out.join(&request.executable.path);
        let mut step =
            shell("list suite.code", "grep -v built \"$1\"; ! grep -q unlistable \"$1\"", request.scratch);
        step.args.push(program.into());
        let output = carry_out(run, &step)?;
        let name = |line: &str| format!("{line}{}", request.args.concat());
        let (limping, sound): (Vec<&str>, Vec<&str>) =
            output.stdout.lines().partition(|line| line.starts_with("limping"));
        let benchmarks = sound.iter().map(|line| BenchmarkId::new("shell", "suite.code", name(line)));
        let failed =
            |line: &&str| Diagnostic::error(format!("suite.code:{line}"), "fails in the listing run");
        Ok(Listing {
            benchmarks: benchmarks.collect(),
            diagnostics: limping.iter().map(failed).collect(),
            ..Listing::default()
        })
    }

    fn command(&self, _: &TrialRequest<'_>) -> TrialCommand {
        unreachable!("these tests run no trials")
    }

    fn reader(&self, _: &Executable, _: &BenchmarkId, _: &TrialShape) -> Box<dyn Reader> {
        unreachable!("these tests run no trials")
    }

    fn is_source(&self, path: &str) -> bool {
        path.ends_with(".code") || path.ends_with(".md")
    }

    fn relinking(&self) -> Option<&dyn Relinking> {
        Some(self)
    }

    fn portability(&self) -> Option<&dyn Portability> {
        Some(self)
    }
}

impl Relinking for ShellHarness {
    fn relink(
        &self,
        request: &RelinkRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<Relinked, HarnessError> {
        let original = request.build.out.join(&request.executable.path);
        if fs::read_to_string(&original).unwrap().contains("unlinkable") {
            return Ok(Relinked::Cannot("told so".into()));
        }
        let script = "! grep -q broken \"$1\" && { cat \"$1\"; echo \"order $3\"; } >\"$2\"";
        let mut step = shell("link suite.code", script, &request.build.root.join(&request.build.project.dir));
        step.args.extend([original.into(), request.target.into(), request.seed.to_string().into()]);
        carry_out(run, &step)?;
        Ok(Relinked::Done)
    }
}

impl Portability for ShellHarness {
    fn payload(&self, _: &PayloadRequest<'_>) -> Result<Payload, String> {
        unreachable!("these tests send nothing")
    }

    fn equipper(&self) -> Option<&dyn Equipper> {
        Some(self)
    }
}

/// A runtime image is a file that names its parts; a program needs those that its lines `part NAME` say.
impl Equipper for ShellHarness {
    fn parts(
        &self,
        request: &PartsRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<BTreeSet<String>, HarnessError> {
        let mut step = shell("find parts", "sed -n 's/^part //p' \"$1\"", request.out);
        step.args.push(request.out.join(&request.executable.path).into());
        Ok(carry_out(run, &step)?.stdout.lines().map(str::to_owned).collect())
    }

    fn make(&self, request: &EquipRequest<'_>, run: &mut dyn StepRunner) -> Result<(), HarnessError> {
        let script = "target=$1; shift; case $* in *broken*) echo 'a part is broken' >&2; exit 1;; esac; \
                      mkdir \"$target\" && echo \"$@\" >\"$target/parts\"";
        let mut step = shell("make equipment", script, request.target.parent().unwrap());
        step.args.push(request.target.into());
        step.args.extend(request.parts.iter().map(Into::into));
        carry_out(run, &step).map(drop)
    }

    fn loaded(&self) -> &'static [&'static str] {
        &[]
    }

    fn equipped(&self, executable: &Executable, _: &str) -> Executable {
        executable.clone()
    }
}
