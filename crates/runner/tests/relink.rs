//! Executables of real builds in other layouts, made by a harness whose linker is the shell.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

mod builds_harness;
mod versions_sandbox;

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use benchwright_harness::Harness;
use benchwright_model::Side;
use benchwright_process::Interrupt;
use benchwright_runner::{
    Build, BuildRelinker, Layout, NoLayout, PrepareRequest, Relinker, Repository, prepare,
};
use benchwright_worker::{BuildPlace, Program, TrialLimits};
use builds_harness::ShellHarness;
use versions_sandbox::Sandbox;

const LINK: &str = "link suite.code";

/// Two versions with their builds.
struct Scene {
    sandbox: Sandbox,
    repository: Repository,
    harnesses: Vec<Box<dyn Harness>>,
    interrupt: Interrupt,
    base: Build,
    head: Build,
}

impl Scene {
    /// A suite that differs between the versions in its last line; with it in head the linker may fail.
    fn new(head: &str) -> Scene {
        let sandbox = Sandbox::new();
        let tree = sandbox.init("suite");
        tree.write("suite.code", "alpha\nbase\n");
        tree.commit("first");
        tree.write("suite.code", &format!("alpha\n{head}\n"));
        tree.commit("second");
        let (repository, interrupt) = (tree.open(), Interrupt::new());
        let harnesses: Vec<Box<dyn Harness>> = vec![Box::new(ShellHarness)];
        let build = |revision: &str| {
            let request = PrepareRequest {
                cache: &sandbox.cache,
                repository: &repository,
                checkout: &sandbox.checkout(&repository, revision),
                harnesses: &harnesses,
                arguments: &HashMap::new(),
                architecture: None,
                filter: None,
                limits: TrialLimits::NONE,
                interrupt: &interrupt,
            };
            prepare(&request, &mut |_| {}).unwrap()
        };
        let (base, head) = (build("HEAD~1"), build("HEAD"));
        Scene { sandbox, repository, harnesses, interrupt, base, head }
    }

    fn relinker<'a>(
        &'a self,
        arguments: &'a HashMap<String, benchwright_runner::Arguments>,
    ) -> BuildRelinker<'a> {
        BuildRelinker {
            cache: &self.sandbox.cache,
            repository: &self.repository,
            harnesses: &self.harnesses,
            arguments,
            interrupt: &self.interrupt,
            base: &self.base,
            head: &self.head,
        }
    }

    fn program(&self, side: Side) -> Program {
        let build = if side == Side::Base { &self.base } else { &self.head };
        let built = &build.executables[0];
        let place = BuildPlace { root: build.root.clone(), out: built.out.clone() };
        Program { executable: built.executable.clone(), place }
    }

    /// Asks for a layout of both sides; returns the program of this side and what was done for it.
    fn relink(&self, side: Side, run_seed: u64, number: u32) -> (Result<Program, NoLayout>, Vec<String>) {
        let arguments = HashMap::new();
        let mut steps = Vec::new();
        let programs = Side::BOTH.map(|side| self.program(side));
        let seed = run_seed * 1000 + u64::from(number);
        let layout = |side, program| Layout { program, side, run_seed, number, seed };
        let layouts = [layout(Side::Base, &programs[0]), layout(Side::Head, &programs[1])];
        let made = self.relinker(&arguments).relink(layouts, &mut |of, purpose| {
            if of == side {
                steps.push(purpose.to_owned());
            }
        });
        let of_side = |[base, head]: [Program; 2]| if side == Side::Base { base } else { head };
        (made.map(of_side), steps)
    }

    fn made(&self, side: Side, run_seed: u64, number: u32) -> PathBuf {
        self.relink(side, run_seed, number).0.unwrap().path()
    }
}

#[test]
fn a_layout_is_made_once_and_belongs_to_its_run_side_and_number() {
    let scene = Scene::new("head");
    let (made, steps) = scene.relink(Side::Base, 1, 0);
    let made = made.unwrap();
    assert_eq!(steps, [LINK]);
    let text = fs::read_to_string(made.path()).unwrap();
    assert!(text.contains("alpha\nbase\norder 1000\n"), "{text}");
    assert!(made.path().starts_with(&scene.base.executables[0].out));
    assert_eq!(made.executable.env, scene.base.executables[0].executable.env);
    let (again, steps) = scene.relink(Side::Base, 1, 0);
    assert_eq!((again.unwrap(), steps), (made, Vec::new()));
    let all = [
        scene.made(Side::Base, 1, 0),
        scene.made(Side::Base, 1, 1),
        scene.made(Side::Head, 1, 0),
        scene.made(Side::Base, 2, 0),
    ];
    for (place, one) in all.iter().enumerate() {
        assert!(all[..place].iter().all(|other| other != one));
        assert_eq!(one.as_os_str().len(), all[0].as_os_str().len(), "a longer path would move the stack");
    }
}

#[test]
fn a_damaged_layout_is_made_again() {
    let scene = Scene::new("head");
    let program = scene.made(Side::Head, 1, 0);
    let memory = program.parent().unwrap().join("layout.json");
    let check = |damage: &dyn Fn()| {
        damage();
        let (made, steps) = scene.relink(Side::Head, 1, 0);
        assert_eq!((made.unwrap().path(), steps), (program.clone(), vec![LINK.to_owned()]));
        assert!(fs::read_to_string(&program).unwrap().contains("order 1000"));
    };
    check(&|| fs::write(&program, "other").unwrap());
    check(&|| fs::remove_file(&program).unwrap());
    check(&|| fs::write(&memory, "{").unwrap());
    check(&|| fs::remove_file(&memory).unwrap());
}

#[test]
fn what_was_made_for_a_run_goes_with_it_and_the_build_stays() {
    let scene = Scene::new("head");
    let (gone, kept) = (scene.made(Side::Base, 1, 0), scene.made(Side::Base, 2, 0));
    scene.relinker(&HashMap::new()).discard(1);
    assert!(!gone.exists() && kept.exists());
    assert!(scene.base.executables[0].program().exists());
}

#[test]
fn why_there_is_none_is_told() {
    let refused = Scene::new("unlinkable");
    assert_eq!(refused.relink(Side::Head, 1, 0).0, Err(NoLayout::Cannot("told so".into())));
    let broken = Scene::new("broken");
    let Err(NoLayout::Failed(why)) = broken.relink(Side::Head, 1, 0).0 else { panic!("it fails") };
    assert!(why.starts_with("cannot link suite.code"), "{why}");
    // Nothing half made is taken for a layout.
    assert_eq!(broken.relink(Side::Head, 1, 0).1, [LINK]);
}

#[test]
fn an_interrupt_is_no_failure() {
    let scene = Scene::new("head");
    scene.interrupt.set();
    assert_eq!(scene.relink(Side::Base, 1, 0).0, Err(NoLayout::Interrupted));
}
