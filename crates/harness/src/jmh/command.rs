//! The command line of one trial.

use std::ffi::OsString;

use super::class_path::ClassPath;
use super::fact::escaped;
use super::harness::TEXT;
use super::jdk::Jdk;
use super::name::Selection;
use super::{options, shim};
use crate::{TrialCommand, TrialRequest, TrialShape};

/// JMH's own main class.
pub(super) const MAIN: &str = "org.openjdk.jmh.Main";

/// Runs exactly one benchmark in one fork.
pub(super) fn trial(request: &TrialRequest<'_>) -> TrialCommand {
    let executable = request.executable;
    let selection = Selection::of(request.benchmark);
    let class_path = ClassPath::of(request.out, &executable.path);
    // JMH leaves files when it is killed, and refuses to run at the same time as another JMH with the same
    // directory.
    let mut args = vec![property("java.io.tmpdir", request.scratch.as_os_str().to_owned())];
    if executable.flavour == TEXT {
        args.extend(["-Djmh.scorePrecision=15", "-Duser.language=en"].map(OsString::from));
        args.extend(["-cp".into(), class_path.text(request.out).into(), MAIN.into()]);
        args.extend(text_args(&selection, request.shape).into_iter().map(OsString::from));
    } else {
        args.extend(shim::class_path_args(request.out, &executable.package, &class_path));
        args.extend(shim_args(&selection, request.shape).into_iter().map(OsString::from));
    }
    TrialCommand { program: Some(Jdk::of(executable).program("java")), args, ..TrialCommand::default() }
}

fn property(name: &str, value: OsString) -> OsString {
    let mut text = OsString::from(format!("-D{name}="));
    text.push(value);
    text
}

/// Whether the worker's rule decides when the trial ends.
pub(super) fn is_watched(shape: &TrialShape) -> bool {
    shape.live().is_some() && !options::fix_iterations(&shape.args)
}

/// The number of iterations passed to JMH. `None` for the suite's own number.
fn iterations(shape: &TrialShape) -> Option<u32> {
    shape.live().filter(|_| is_watched(shape)).map(|by| by.most_iterations(shape))
}

fn shim_args(selection: &Selection, shape: &TrialShape) -> Vec<String> {
    let mut args = vec![
        "run".to_owned(),
        escaped(&selection.name),
        selection.mode.clone().unwrap_or_default(),
        iterations(shape).unwrap_or(0).to_string(),
        shape.iteration_time.as_nanos().to_string(),
        selection.parameters.len().to_string(),
    ];
    for (name, value) in &selection.parameters {
        args.extend([escaped(name), escaped(value)]);
    }
    args.extend(options::passed_on(&shape.args, selection));
    args
}

fn text_args(selection: &Selection, shape: &TrialShape) -> Vec<String> {
    let mut args = vec![format!("^{}$", quoted(&selection.name))];
    let mut option = |name: &str, value: String| args.extend([name.to_owned(), value]);
    option("-f", "1".into());
    option("-wf", "0".into());
    option("-foe", "true".into());
    if let Some(mode) = &selection.mode {
        option("-bm", mode.clone());
    }
    for (name, value) in &selection.parameters {
        option("-p", format!("{name}={value}"));
    }
    if let Some(iterations) = iterations(shape) {
        option("-wi", "0".into());
        option("-i", iterations.to_string());
        let own = shape.args.iter().any(|arg| arg == "-r" || arg.starts_with("-r="));
        if !own {
            option("-r", format!("{}ns", shape.iteration_time.as_nanos()));
        }
    }
    args.extend(options::passed_on(&shape.args, selection));
    args
}

/// A Java pattern that matches exactly one name. Names contain dots and dollars, but no other special
/// characters.
fn quoted(name: &str) -> String {
    name.replace('.', "\\.").replace('$', "\\$")
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use super::*;
    use crate::stop::tests::live;
    use crate::{Executable, Stop};
    use benchwright_model::BenchmarkId;

    fn command(flavour: &str, name: &str, stop: Stop, args: &[&str]) -> String {
        let executable = Executable {
            harness: "jmh".into(),
            package: "sorting".into(),
            flavour: flavour.into(),
            flavour_version: "1.37".into(),
            path: PathBuf::from("sorting.jar"),
            dir: PathBuf::new(),
            env: vec![("JAVA_HOME".into(), "/j".into())],
        };
        let shape = TrialShape {
            stop,
            args: args.iter().map(|arg| arg.to_string()).collect(),
            ..TrialShape::fixed(3, Duration::from_millis(100))
        };
        let command = trial(&TrialRequest {
            root: Path::new("/version"),
            out: Path::new("/out"),
            executable: &executable,
            benchmark: &BenchmarkId::new("jmh", "org.acme", name),
            shape: &shape,
            scratch: Path::new("/scratch"),
        });
        assert_eq!(command.program, Some("/j/bin/java".into()));
        let words: Vec<_> = command.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    const STEADY: Stop = live(Duration::from_secs(30));

    #[test]
    fn the_shim_is_told_what_to_run() {
        assert_eq!(
            command("jmh", "Sort.run/size=10/kind=a%20b/avgt", STEADY, &["-prof", "gc", "-f", "0"]),
            "-Djava.io.tmpdir=/scratch -cp /out/sorting.shim:/out/sorting.jar BenchwrightJmh \
             run org.acme.Sort.run avgt 403 100000000 2 size 10 kind a b -prof gc"
        );
    }

    #[test]
    fn a_fixed_trial_has_the_suites_numbers() {
        let end = "run org.acme.Sort.run  0 100000000 0";
        assert!(command("jmh", "Sort.run", Stop::Fixed, &[]).ends_with(end));
        assert!(command("jmh", "Sort.run", STEADY, &["-i", "5"]).ends_with(&format!("{end} -i 5")));
    }

    #[test]
    fn without_the_shim_jmh_itself_is_told() {
        assert_eq!(
            command("jmh-text", "Sort.run/size=10/avgt", STEADY, &["-t", "2"]),
            "-Djava.io.tmpdir=/scratch -Djmh.scorePrecision=15 -Duser.language=en -cp /out/sorting.jar \
             org.openjdk.jmh.Main ^org\\.acme\\.Sort\\.run$ -f 1 -wf 0 -foe true -bm avgt -p size=10 -wi 0 -i 403 \
             -r 100000000ns -t 2"
        );
    }
}
