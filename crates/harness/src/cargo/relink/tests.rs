use std::collections::VecDeque;

use super::*;
use crate::{BuildRequest, Executable, Project, Step, StepFailure, StepOutput};

/// Answers steps from a script. A link step makes its file.
struct Script {
    answers: VecDeque<String>,
    purposes: Vec<String>,
}

impl StepRunner for Script {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.purposes.push(step.purpose.clone());
        let words: Vec<String> = step.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        if step.purpose.ends_with("in another order") {
            let at = words.iter().position(|word| word == "-o").expect("an output");
            fs::write(&words[at + 1], words.join(" ")).expect("the program");
            return Ok(StepOutput::default());
        }
        let stdout = self.answers.pop_front().expect("no more steps than answers");
        Ok(StepOutput { stdout, ..StepOutput::default() })
    }
}

/// A build of one bench target, and the output of Cargo and the linker.
struct Scene {
    directory: tempfile::TempDir,
}

const LLD: &str = "LLD 22.1.2 (compatible with GNU linkers)\n";

impl Scene {
    fn new() -> Scene {
        let scene = Scene { directory: tempfile::tempdir().expect("a temporary directory") };
        for name in ["root/p/benches", "out/bin", "intermediate/release/deps/rustcAb1", "new"] {
            fs::create_dir_all(scene.path(name)).expect("a directory");
        }
        for name in ["out/bin/p+speed", "intermediate/release/deps/speed-1"] {
            fs::write(scene.path(name), "a program").expect("a file");
        }
        scene.write_inputs("");
        scene
    }

    fn write_inputs(&self, added: &str) {
        let deps = "intermediate/release/deps";
        fs::create_dir_all(self.path(&format!("{deps}/rustcAb1"))).expect("a directory");
        for name in
            ["rustcAb1/symbols.o", "speed-1.cgu.0.rcgu.o", "speed-1.cgu.0.rcgu.no-opt.bc", "libp-2.rlib"]
        {
            fs::write(self.path(&format!("{deps}/{name}")), format!("{name}{added}")).expect("a file");
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn metadata(&self) -> String {
        let root = self.path("root").display().to_string();
        format!(
            r#"{{"packages":[{{"name":"p","version":"1.0.0","manifest_path":"{root}/p/Cargo.toml","targets":[{{"kind":["lib"],"name":"p","src_path":"{root}/p/src/lib.rs"}},{{"kind":["bench"],"name":"speed","src_path":"{root}/p/benches/speed.rs"}}]}}],"workspace_root":"{root}"}}"#
        )
    }

    /// The output of Cargo when the compiler prints its linker call.
    fn compiled(&self) -> String {
        let (root, deps) = (self.path("root"), self.path("intermediate/release/deps"));
        let (root, deps) = (root.display(), deps.display());
        format!(
            r#""cc" "{deps}/rustcAb1/symbols.o" "{deps}/speed-1.cgu.0.rcgu.o" "{deps}/libp-2.rlib" "/absent/libstd.rlib" "-o" "{deps}/speed-1"
{{"reason":"compiler-artifact","package_id":"path+file://{root}/p#1.0.0","manifest_path":"{root}/p/Cargo.toml","target":{{"kind":["bench"],"name":"speed","src_path":"{root}/p/benches/speed.rs"}},"profile":{{"test":true}},"filenames":["{deps}/speed-1"],"executable":"{deps}/speed-1","fresh":false}}"#
        )
    }

    fn relink(&self, answers: &[String]) -> (Result<Relinked, HarnessError>, Vec<String>) {
        let executable = Executable {
            harness: "cargo".into(),
            package: "p/speed".into(),
            flavour: "criterion".into(),
            flavour_version: String::new(),
            path: "bin/p+speed".into(),
            dir: "p".into(),
            env: Vec::new(),
        };
        let (root, out) = (self.path("root"), self.path("out"));
        let (intermediate, target, keep) =
            (self.path("intermediate"), self.path("new/p+speed"), self.path("keep"));
        let project = Project { harness: "cargo".into(), dir: PathBuf::new() };
        let request = RelinkRequest {
            build: BuildRequest {
                root: &root,
                project: &project,
                out: &out,
                intermediate: &intermediate,
                shared: &intermediate,
                args: &[],
            },
            executable: &executable,
            target: &target,
            keep: &keep,
            seed: 9,
        };
        let mut script = Script { answers: answers.iter().cloned().collect(), purposes: Vec::new() };
        let relinked = relink(&request, &mut script);
        assert!(script.answers.is_empty(), "{:?}", script.purposes);
        (relinked, script.purposes)
    }

    fn answers(&self, linker: &str) -> Vec<String> {
        vec![self.metadata(), self.compiled(), linker.to_owned()]
    }
}

#[test]
fn the_linker_is_called_again_with_copies_of_what_it_was_given() {
    let scene = Scene::new();
    let (relinked, _) = scene.relink(&scene.answers(LLD));
    assert_eq!(relinked.expect("a program"), Relinked::Done);
    let called = fs::read_to_string(scene.path("new/p+speed")).expect("the program");
    let keep = scene.path("keep").display().to_string();
    assert_eq!(
        called,
        format!(
            "{keep}/0000-symbols.o {keep}/0001-speed-1.cgu.0.rcgu.o {keep}/0002-libp-2.rlib /absent/libstd.rlib \
             -o {} -Wl,--shuffle-sections=.text*=9",
            scene.path("new/p+speed").display()
        )
    );
    // Another version may use the target directory now.
    let deps = scene.path("intermediate/release/deps");
    assert!(!deps.join("rustcAb1").exists() && !deps.join("speed-1.cgu.0.rcgu.no-opt.bc").exists());
    assert!(deps.join("libp-2.rlib").exists());
}

#[test]
fn only_the_first_relinking_compiles() {
    let scene = Scene::new();
    scene.relink(&scene.answers(LLD)).0.expect("a program");
    let (relinked, purposes) = scene.relink(&[]);
    assert_eq!(relinked.expect("a program"), Relinked::Done);
    assert_eq!(purposes, ["link p/speed in another order"]);
    // A file that differs from the copy is not used.
    fs::write(scene.path("keep/0002-libp-2.rlib"), "cut").expect("a file");
    scene.write_inputs("");
    let (relinked, purposes) = scene.relink(&scene.answers(LLD));
    assert_eq!((relinked.expect("a program"), purposes.len()), (Relinked::Done, 4));
}

#[test]
fn a_linker_that_cannot_is_named() {
    let scene = Scene::new();
    let (relinked, _) = scene.relink(&scene.answers("GNU ld (GNU Binutils) 2.40\nCopyright"));
    let Relinked::Cannot(reason) = relinked.expect("an answer") else { panic!("GNU ld cannot") };
    assert!(reason.contains("GNU ld (GNU Binutils) 2.40"), "{reason}");
    assert!(!scene.path("new/p+speed").exists());
}

#[test]
fn a_program_that_knows_its_target_directory_is_left_as_it_is() {
    let scene = Scene::new();
    let knows = format!("xx{}/release/build/p-1/out/data\0", scene.path("intermediate").display());
    fs::write(scene.path("intermediate/release/deps/speed-1"), knows).expect("a file");
    let (relinked, _) = scene.relink(&scene.answers(LLD)[..2]);
    assert!(matches!(relinked, Ok(Relinked::Cannot(reason)) if reason.contains("target directory")));
}

#[test]
fn a_compiler_that_says_nothing_and_a_target_that_is_gone_are_reasons() {
    let scene = Scene::new();
    let silent = scene.compiled().lines().nth(1).unwrap_or_default().to_owned();
    let (relinked, _) = scene.relink(&[scene.metadata(), silent]);
    assert!(matches!(relinked, Ok(Relinked::Cannot(reason)) if reason.contains("did not say")));
    let other = scene.metadata().replace("speed", "other");
    let (relinked, _) = scene.relink(&[other]);
    assert!(matches!(relinked, Ok(Relinked::Cannot(reason)) if reason.contains("manifest")));
}

#[test]
fn the_wrapper_speaks_only_to_the_programs_compiler() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let target = Target {
        kind: vec!["bench".into()],
        name: "all-words".into(),
        src_path: PathBuf::new(),
        required_features: Vec::new(),
    };
    let wrapper = write_wrapper(dir.path(), &target).expect("a wrapper");
    let check = |words: &[&str], expected: &str| {
        let output = std::process::Command::new(&wrapper).arg("echo").args(words).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected);
    };
    check(
        &["--crate-name", "all_words", "--crate-type", "bin", "--cfg", "test"],
        "--crate-name all_words --crate-type bin --cfg test -C save-temps --print link-args",
    );
    check(
        &["--crate-name", "all_words", "--edition=2024", "--test"],
        "--crate-name all_words --edition=2024 --test -C save-temps --print link-args",
    );
    check(&["--crate-name", "all_words", "--crate-type", "lib"], "--crate-name all_words --crate-type lib");
    check(
        &["--crate-name", "all_words", "--cfg", "test"],
        "--crate-name all_words --cfg test -C save-temps --print link-args",
    );
    check(&["--crate-name", "words", "--test"], "--crate-name words --test");
    check(&["-vV"], "-vV");
}

/// A build script's directory with a library in it.
fn native(scene: &Scene, library: &str) -> PathBuf {
    let native = scene.path("intermediate/release/build/c-1/out");
    fs::create_dir_all(&native).expect("a directory");
    fs::write(native.join(library), "of whichever version was built last").expect("a library");
    native
}

#[test]
fn static_libraries_of_build_scripts_are_copied_too() {
    for separator in ["\" \"", ""] {
        let scene = Scene::new();
        let native = native(&scene, "libc1.a");
        let linked = format!("\"-L{separator}{}\" \"-lc1\" \"-L/absent\" \"-o\"", native.display());
        let answers = [scene.metadata(), scene.compiled().replacen("\"-o\"", &linked, 1), LLD.into()];
        let (relinked, _) = scene.relink(&answers);
        assert_eq!(relinked.expect("a program"), Relinked::Done);
        // Now another version has its own library there.
        fs::write(native.join("libc1.a"), "another one, and longer").expect("a library");
        let (relinked, purposes) = scene.relink(&[]);
        assert_eq!((relinked.expect("a program"), purposes.len()), (Relinked::Done, 1));
        let called = fs::read_to_string(scene.path("new/p+speed")).expect("the program");
        let copies = scene.path("keep/0003-out");
        let between = separator.replace('"', "");
        let expected = format!(" -L{between}{} -lc1 -L/absent -o ", copies.display());
        assert!(called.contains(&expected), "{called}");
        let copy = fs::read_to_string(copies.join("libc1.a")).expect("the copy");
        assert_eq!(copy, "of whichever version was built last");
    }
}

#[test]
fn a_program_that_loads_a_library_that_versions_share_is_not_linked_again() {
    let scene = Scene::new();
    let linked = format!("\"-L\" \"{}\" \"-lc1\" \"-o\"", native(&scene, "libc1.so").display());
    let answers = [scene.metadata(), scene.compiled().replacen("\"-o\"", &linked, 1)];
    let (relinked, purposes) = scene.relink(&answers);
    let Relinked::Cannot(why) = relinked.expect("an answer") else { panic!("linked: {purposes:?}") };
    assert!(why.contains("c-1/out`, which versions share"), "{why}");
    assert!(!scene.path("new/p+speed").exists());
}
