use super::*;
use crate::jmh::jar::tests::zip;
use crate::jmh::recognise::tests::{pom, tree};
use crate::{Project, Step, StepFailure, StepOutput};

const RUNNER: &str = "org/openjdk/jmh/runner/Runner.class";

/// Simulates the tools: Maven and Gradle make files, the compiler succeeds if there is one, Java prints a
/// version.
struct Scripted {
    root: PathBuf,
    /// The files made by building, relative to the root. A jar has the names in the text.
    leaves: Vec<(&'static str, &'static str)>,
    /// The output of Maven if it fails.
    refusal: &'static str,
    has_compiler: bool,
    steps: Vec<Step>,
}

impl StepRunner for Scripted {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        let mut output = StepOutput { log: "the.log".into(), ..StepOutput::default() };
        let program = Path::new(&step.program).file_name().unwrap_or_default().to_string_lossy().into_owned();
        match program.as_str() {
            "mvn" | "gradlew" if !self.refusal.is_empty() => {
                output.status = 1;
                output.stdout = format!("[INFO] x\n[ERROR] {}\n", self.refusal);
            }
            "mvn" | "gradlew" => {
                for (path, text) in &self.leaves {
                    let path = self.root.join(path);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    match path.extension().is_some_and(|ending| ending == "jar") {
                        true => fs::write(path, zip(&text.split(' ').collect::<Vec<_>>(), b"")).unwrap(),
                        false => {
                            fs::write(path, text.replace("ROOT", &self.root.display().to_string())).unwrap()
                        }
                    }
                }
            }
            "javac" if !self.has_compiler => return Err(StepFailure::NoProgram(program)),
            "java" => output.stdout = "\n#benchwright\tversion\t1.37\t.\n".into(),
            _ => {}
        }
        Ok(output)
    }
}

struct Played {
    result: Result<Built, HarnessError>,
    steps: Vec<String>,
    out: tempfile::TempDir,
}

fn play(files: &[(&str, &str)], mut script: Scripted, dir: &str) -> Played {
    let root = tree(files);
    script.root = root.path().to_owned();
    let out = tempfile::tempdir().unwrap();
    let project = Project { harness: "jmh".into(), dir: dir.into() };
    let args = vec!["-Dx=y".to_owned()];
    let request = BuildRequest {
        root: root.path(),
        project: &project,
        out: out.path(),
        intermediate: root.path(),
        shared: root.path(),
        args: &args,
    };
    let result = build(&request, &mut script);
    let shown = |step: &Step| {
        let words = std::iter::once(&step.program).chain(&step.args).map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    };
    Played { result, steps: script.steps.iter().map(shown).collect(), out }
}

fn script(leaves: &[(&'static str, &'static str)]) -> Scripted {
    Scripted {
        root: PathBuf::new(),
        leaves: leaves.to_vec(),
        refusal: "",
        has_compiler: true,
        steps: Vec::new(),
    }
}

const RUNNABLE: &str = "META-INF/BenchmarkList org/openjdk/jmh/runner/Runner.class";

#[test]
fn a_module_of_a_reactor_is_built_with_what_it_needs_and_its_jar_copied() {
    let (all, module) = (pom("all", &["bench"], false), pom("sorting", &[], true));
    let leaves =
        [("bench/target/a-1.jar", "META-INF/BenchmarkList"), ("bench/target/benchmarks.jar", RUNNABLE)];
    let played = play(&[("pom.xml", &all), ("bench/pom.xml", &module)], script(&leaves), "");
    let built = played.result.unwrap();
    assert_eq!(built.diagnostics, []);
    let executable = &built.executables[0];
    assert_eq!((executable.package.as_str(), executable.flavour_version.as_str()), ("sorting", "1.37"));
    assert_eq!(
        (executable.path.as_path(), executable.dir.as_path()),
        (Path::new("sorting.jar"), Path::new("bench"))
    );
    assert_eq!(jar::look(&played.out.path().join("sorting.jar")), Jar::Runnable);
    assert!(played.out.path().join("sorting.shim/BenchwrightJmh.java").is_file());
    let maven = &played.steps[0];
    assert!(maven.starts_with("mvn -q -B -DskipTests -Dproject.build.outputTimestamp="), "{maven}");
    assert!(maven.ends_with(" -pl bench -am -Dx=y package"), "{maven}");
}

#[test]
fn without_a_jar_that_runs_the_class_path_is_collected() {
    let module = pom("sorting", &[], true);
    let leaves = [
        ("target/test-classes/META-INF/BenchmarkList", "x"),
        ("target/classes/A.class", "x"),
        ("lib/jmh-core.jar", RUNNER),
        ("target/benchwright.classpath", "ROOT/lib/jmh-core.jar:ROOT/lib/gone.jar\n"),
    ];
    let played = play(&[("pom.xml", &module)], script(&leaves), "");
    let built = played.result.unwrap();
    assert_eq!(built.executables[0].path, Path::new("sorting.classpath"));
    let class_path = ClassPath::of(played.out.path(), &built.executables[0].path);
    assert_eq!(
        class_path.text(Path::new("")),
        "sorting.lib/000-test-classes:sorting.lib/001-classes:sorting.lib/002-jmh-core.jar"
    );
    assert!(played.steps[1].contains("build-classpath -Dmdep.outputFile="), "{:?}", played.steps);
}

#[test]
fn a_refusal_is_told_in_mavens_words() {
    let module = pom("sorting", &[], true);
    let refused = Scripted { refusal: "A.java:[3,5] ';' expected", ..script(&[]) };
    match play(&[("pom.xml", &module)], refused, "").result {
        Err(HarnessError::Tool { message, purpose, .. }) => {
            assert_eq!(
                (message.as_str(), purpose.as_str()),
                ("A.java:[3,5] ';' expected", "build with Maven")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_module_that_maven_would_complete_from_elsewhere_is_not_built() {
    let library = "<project><groupId>acme</groupId><artifactId>lib</artifactId></project>";
    let benches = "<project><groupId>acme</groupId><artifactId>benches</artifactId><dependencies>\
                   <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId></dependency>\
                   <dependency><groupId>acme</groupId><artifactId>lib</artifactId></dependency></dependencies></project>";
    let files = [("lib/pom.xml", library), ("benches/pom.xml", benches)];
    let played = play(&files, script(&[("benches/target/benchmarks.jar", RUNNABLE)]), "benches");
    let error = played.result.expect_err("no build");
    assert!(matches!(&error, HarnessError::Unbuildable { .. }), "{error:?}");
    assert!(
        error.to_string().starts_with("build with Maven: `benches` depends on `lib` of this repository"),
        "{error}"
    );
    assert_eq!(error.hint(), "name `benches` and `lib` as modules of one parent");
    assert_eq!(played.steps, Vec::<String>::new(), "nothing was started");
    // The same two modules are built if they have a common parent.
    let parent = "<project><artifactId>all</artifactId><modules><module>lib</module><module>benches</module></modules></project>";
    let files = [("pom.xml", parent), files[0], files[1]];
    let played = play(&files, script(&[("benches/target/benchmarks.jar", RUNNABLE)]), "");
    assert_eq!(played.result.expect("a build").executables.len(), 1);
    assert!(played.steps[0].contains(" -pl benches -am "), "{:?}", played.steps);
}

#[test]
fn without_a_compiler_the_text_is_read() {
    let files = [("bin/benchmarks.jar", RUNNABLE)];
    let played = play(&files, Scripted { has_compiler: false, ..script(&[]) }, "bin");
    let built = played.result.unwrap();
    assert_eq!(
        (built.executables[0].flavour.as_str(), built.executables[0].dir.as_path()),
        ("jmh-text", Path::new("bin"))
    );
    assert!(built.diagnostics[0].message.contains("no program `javac`"), "{:?}", built.diagnostics);
    assert_eq!(played.steps.len(), 1, "a jar needs no build: {:?}", played.steps);
}

#[test]
fn a_gradle_build_goes_through_its_wrapper() {
    let files = [("gradlew", ""), ("a/build.gradle", "id 'me.champeau.jmh'")];
    let played = play(&files, script(&[("a/build/libs/a-1-jmh.jar", RUNNABLE)]), "");
    let built = played.result.unwrap();
    assert_eq!(
        (built.executables[0].package.as_str(), built.executables[0].dir.as_path()),
        ("a", Path::new("a"))
    );
    assert!(
        played.steps[0].ends_with("gradlew --quiet --console=plain --no-daemon -Pkotlin.compiler.execution.strategy=in-process -Dx=y :a:jmhJar"),
        "{:?}",
        played.steps
    );
}

#[test]
fn a_module_without_benchmarks_is_told() {
    let played = play(&[("pom.xml", &pom("sorting", &[], true))], script(&[]), "");
    let built = played.result.unwrap();
    assert_eq!((built.executables.len(), built.diagnostics.len()), (0, 1));
    assert!(built.diagnostics[0].hint.contains("jmh-generator-annprocess"));
}

#[test]
fn several_of_one_name_are_numbered() {
    let files = [("a.jar", RUNNABLE), ("x/pom.xml", "<project/>")];
    let built = play(&files, script(&[]), "").result.unwrap();
    assert_eq!(built.executables[0].package, "a");
    let program =
        |name: &str| Program { name: name.into(), dir: PathBuf::new(), parts: Parts::ClassPath(Vec::new()) };
    let mut programs = ["a", "b", "a", "a"].map(program);
    make_names_different(&mut programs);
    assert_eq!(programs.map(|program| program.name), ["a", "b", "a-2", "a-3"]);
}
