//! The Java runtime for other machines, linked from the modules that the benchmarks use.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::class_path::ClassPath;
use super::harness::Jmh;
use super::jdk::{self, Jdk};
use crate::{EquipRequest, Equipper, Executable, HarnessError, PartsRequest, StepRunner, steps};

/// Time limit for examining classes and for linking.
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// How to install the linker.
const HINT: &str = "`jlink` comes with a JDK, not with a JRE: install one (`apt install default-jdk-headless`, or from \
     https://adoptium.net) and set JAVA_HOME to it";

/// How to install its input.
const NO_MODULES: &str = "before Java 24 `jlink` needs the directory `jmods` of the JDK, which some systems have as a package of its own";

/// Modules that JMH uses by reflection and through services, which `jdeps` does not detect, and modules that
/// many libraries use in the same way.
const ALWAYS: [&str; 5] = ["java.base", "java.management", "jdk.management", "jdk.unsupported", "jdk.zipfs"];

/// All modules of the platform, for classes that cannot be examined.
const WHOLE: &str = "java.se";

/// The module of graphical interfaces and images, by far the largest.
const DESKTOP: &str = "java.desktop";
/// Its classes.
const DESKTOP_CLASSES: &str =
    r"(java\.(applet|awt|beans)|javax\.(accessibility|imageio|print|sound|swing))\..*";
/// A package in a library of JMH that uses it.
const GEOMETRY: &str = "org.apache.commons.math3.geometry.";

/// Libraries that exist wherever glibc and GCC's libraries do. Copies of these would do harm.
const SYSTEM: [&str; 10] = [
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
    "linux-vdso.so.1",
];

/// Libraries that every virtual machine loads when it starts and when JMH communicates with its fork.
const LOADED: [&str; 10] = [
    "bin/java",
    "lib/libjava.so",
    "lib/libjimage.so",
    "lib/libjli.so",
    "lib/libmanagement.so",
    "lib/libmanagement_ext.so",
    "lib/libnet.so",
    "lib/libnio.so",
    "lib/libzip.so",
    "lib/server/libjvm.so",
];

impl Equipper for Jmh {
    fn parts(
        &self,
        request: &PartsRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<BTreeSet<String>, HarnessError> {
        let found = jdeps(request, &["--print-module-deps"], run)?.and_then(|printed| modules(&printed));
        let mut found = found.unwrap_or_else(|| BTreeSet::from([WHOLE.to_owned()]));
        if found.contains(DESKTOP) && !needs_desktop(request, run)? {
            found.remove(DESKTOP);
        }
        Ok(found.into_iter().chain(ALWAYS.map(str::to_owned)).collect())
    }

    fn make(&self, request: &EquipRequest<'_>, run: &mut dyn StepRunner) -> Result<(), HarnessError> {
        let modules = request.parts.iter().map(String::as_str).collect::<Vec<_>>().join(",");
        let target = request.target.display().to_string();
        let args = ["--no-header-files", "--no-man-pages", "--add-modules", &modules, "--output", &target];
        let purpose = "link a Java runtime for other machines";
        let program = Jdk::of(request.executable).program("jlink");
        let above = request.target.parent().unwrap_or(request.target);
        let step = steps::step(purpose, program, args, above, LIMIT);
        let output = run.run(&step).map_err(|failure| steps::failed(&step, failure, |_| HINT.into()))?;
        if output.status != 0 {
            let message = steps::own_words(&output);
            if message.contains("jmods") || message.contains("java.base not found") {
                let hint = NO_MODULES.into();
                return Err(HarnessError::Unbuildable { purpose: purpose.into(), message, hint });
            }
            return Err(steps::tool_error(purpose, &output, message));
        }
        bring_libraries(request.target, run)
    }

    fn loaded(&self) -> &'static [&'static str] {
        &LOADED
    }

    fn equipped(&self, executable: &Executable, dir: &str) -> Executable {
        let mut equipped = executable.clone();
        equipped.env.retain(|(name, _)| name != jdk::HOME);
        equipped.env.push((jdk::HOME.to_owned(), dir.to_owned()));
        equipped
    }
}

/// The output of `jdeps` for the program's classes. `None` if it cannot examine them.
fn jdeps(
    request: &PartsRequest<'_>,
    options: &[&str],
    run: &mut dyn StepRunner,
) -> Result<Option<String>, HarnessError> {
    let class_path = ClassPath::of(request.out, &request.executable.path);
    // Optional dependencies of libraries need no modules.
    let always = ["--ignore-missing-deps", "--multi-release", "base"];
    let mut args: Vec<String> = always.iter().chain(options).map(ToString::to_string).collect();
    args.extend(class_path.entries(request.out).map(|entry| entry.display().to_string()));
    let purpose = format!("find the Java modules that {} uses", request.executable.package);
    let program = Jdk::of(request.executable).program("jdeps");
    let step = steps::step(purpose, program, args, request.out, LIMIT);
    let output = run.run(&step).map_err(|failure| steps::failed(&step, failure, |_| HINT.into()))?;
    Ok((output.status == 0).then_some(output.stdout))
}

/// Whether classes that may be called use graphical interfaces or images. JMH includes a mathematical library
/// whose geometry part uses them, but JMH does not use that part. It alone would make Java two thirds larger.
fn needs_desktop(request: &PartsRequest<'_>, run: &mut dyn StepRunner) -> Result<bool, HarnessError> {
    let Some(printed) = jdeps(request, &["-verbose:class", "-e", DESKTOP_CLASSES], run)? else {
        return Ok(true);
    };
    let mut users = printed.lines().filter_map(|line| Some(line.split_once(" -> ")?.0.trim())).peekable();
    // The first column also contains the file itself, and below it the classes.
    Ok(users.peek().is_none() || users.any(|user| !user.starts_with(GEOMETRY) && !user.ends_with(".jar")))
}

/// The modules in the output of `jdeps`: the last line, after warnings.
fn modules(printed: &str) -> Option<BTreeSet<String>> {
    let is_name = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.')
    };
    let line = printed.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    line.split(',').all(is_name).then(|| line.split(',').map(str::to_owned).collect())
}

/// Copies libraries into Java's own directory that some systems link dynamically instead of building them in,
/// such as zlib. Java searches there first.
fn bring_libraries(target: &Path, run: &mut dyn StepRunner) -> Result<(), HarnessError> {
    let there = LOADED.iter().filter(|file| target.join(file).exists());
    let step = steps::step("see which libraries Java is linked with", "ldd", there, target, LIMIT);
    // If `ldd` is missing or Java is linked statically, nothing is copied. Missing libraries are reported
    // when the image is checked.
    let Ok(output) = run.run(&step) else { return Ok(()) };
    for path in foreign(&output.stdout, target) {
        let copy = target.join("lib").join(path.file_name().unwrap_or_default());
        if !copy.exists() {
            fs::copy(&path, copy).map_err(|source| HarnessError::File { path, source })?;
        }
    }
    Ok(())
}

/// The libraries in the output of `ldd` (`libz.so.1 => /lib/libz.so.1 (0x7f…)`) that are neither below
/// `target` nor libraries of every system.
fn foreign(printed: &str, target: &Path) -> BTreeSet<PathBuf> {
    let found = printed.lines().filter_map(|line| {
        let (name, path) = line.trim().split_once(" => ")?;
        let path = Path::new(path.split(" (").next()?);
        (path.is_absolute() && !SYSTEM.contains(&name)).then_some(path)
    });
    found.filter(|path| !path.starts_with(target)).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_steps::{Scripted, printed};
    use crate::{StepFailure, StepOutput};

    fn executable(path: &str, env: &[(&str, &str)]) -> Executable {
        Executable {
            harness: "jmh".into(),
            package: "sorting".into(),
            flavour: "jmh".into(),
            flavour_version: "1.37".into(),
            path: path.into(),
            dir: PathBuf::new(),
            env: env.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        }
    }

    fn parts(answer: Result<StepOutput, StepFailure>) -> (Result<BTreeSet<String>, HarnessError>, Scripted) {
        parts_of(vec![answer])
    }

    fn parts_of(
        answers: Vec<Result<StepOutput, StepFailure>>,
    ) -> (Result<BTreeSet<String>, HarnessError>, Scripted) {
        let mut run = Scripted(answers, Vec::new());
        let executable = executable("sorting.jar", &[("JAVA_HOME", "/j")]);
        let request = PartsRequest { out: Path::new("/out"), executable: &executable };
        (Jmh.parts(&request, &mut run), run)
    }

    #[test]
    fn modules_are_those_of_the_classes_and_those_jmh_always_needs() {
        let (found, run) = parts(printed("Warning: split package: a b\njava.base,java.sql\n"));
        let expected =
            ["java.base", "java.management", "java.sql", "jdk.management", "jdk.unsupported", "jdk.zipfs"];
        assert_eq!(found.unwrap().into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(run.1[0].program, "/j/bin/jdeps");
        assert_eq!(run.1[0].args.last().unwrap(), "/out/sorting.jar");
    }

    /// The output of jdeps 17 for a jar of benchmarks.
    #[test]
    fn windows_that_only_a_library_of_jmh_could_open_are_left_out() {
        let check = |users: &str, expected: bool| {
            let text = format!("sorting.jar -> java.desktop\n{users}");
            let (found, _) = parts_of(vec![printed("java.base,java.desktop\n"), printed(&text)]);
            assert_eq!(found.unwrap().contains("java.desktop"), expected, "{users}");
        };
        let geometry = "   org.apache.commons.math3.geometry.euclidean.twod.Line -> java.awt.geom.AffineTransform  java.desktop\n";
        check(geometry, false);
        check(&format!("{geometry}   org.acme.Draw -> java.awt.Color  java.desktop\n"), true);
        let (found, _) = parts_of(vec![printed("java.desktop\n"), printed("")]);
        assert!(found.unwrap().contains("java.desktop"), "what is not understood changes nothing");
    }

    #[test]
    fn classes_that_cannot_be_looked_at_get_everything() {
        let check = |answer| assert!(parts(answer).0.unwrap().contains("java.se"));
        check(Ok(StepOutput { status: 1, ..StepOutput::default() }));
        check(printed("Error: no such file\n"));
        check(printed(""));
    }

    fn made(answers: Vec<Result<StepOutput, StepFailure>>) -> (Result<(), HarnessError>, Scripted) {
        let mut run = Scripted(answers, Vec::new());
        let parts = BTreeSet::from(["java.base".to_owned(), "java.sql".to_owned()]);
        let executable = executable("sorting.jar", &[("JAVA_HOME", "/j")]);
        let request = EquipRequest { executable: &executable, parts: &parts, target: Path::new("/c/java") };
        (Jmh.make(&request, &mut run), run)
    }

    #[test]
    fn java_is_linked_from_its_modules() {
        let (result, run) = made(vec![printed(""), printed("")]);
        result.unwrap();
        let words: Vec<_> = run.1[0].args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        assert_eq!(
            words.join(" "),
            "--no-header-files --no-man-pages --add-modules java.base,java.sql --output /c/java"
        );
    }

    #[test]
    fn what_is_missing_is_told_with_its_remedy() {
        let (error, _) = made(vec![Err(StepFailure::NoProgram("jlink".into()))]);
        let error = error.unwrap_err();
        assert_eq!(error.to_string(), "find the tool chain: no program `jlink`");
        assert!(error.hint().contains("not with a JRE"), "{}", error.hint());
        let stderr =
            "Error: --module-path is not specified and this runtime image does not contain jmods directory.";
        let output = StepOutput { status: 1, stderr: stderr.into(), ..StepOutput::default() };
        let error = made(vec![Ok(output)]).0.unwrap_err();
        assert!(error.hint().contains("`jmods`"), "{error:?}");
    }

    #[test]
    fn libraries_from_elsewhere_are_brought_along() {
        let text = "bin/java:\n\tlinux-vdso.so.1 (0x7ffd)\n\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x7f)\n\
             \tlibjli.so => /c/java/bin/../lib/libjli.so (0x7f)\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\
             \tlibx.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n";
        let found = foreign(text, Path::new("/c/java"));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [Path::new("/lib/x86_64-linux-gnu/libz.so.1")]);
    }

    #[test]
    fn an_equipped_executable_has_the_java_that_travels() {
        let equipped = Jmh.equipped(&executable("sorting.jar", &[("JAVA_HOME", "/j"), ("A", "b")]), "/tmp/e");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(equipped.env, [pair("A", "b"), pair("JAVA_HOME", "/tmp/e")]);
        assert_eq!(Jdk::of(&equipped).program("java"), "/tmp/e/bin/java");
    }
}
