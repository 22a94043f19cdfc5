//! A runtime image for the programs of two real builds, made by a harness whose tool is the shell.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

mod builds_harness;
mod versions_sandbox;

use std::collections::HashMap;
use std::fs;

use benchwright_harness::Harness;
use benchwright_process::Interrupt;
use benchwright_runner::{Build, EquipOrder, Equipment, PrepareRequest, equip, prepare};
use benchwright_worker::{BuildPlace, Program, TrialLimits};
use builds_harness::ShellHarness;
use versions_sandbox::Sandbox;

/// Two versions whose programs need these parts.
struct Scene {
    sandbox: Sandbox,
    harnesses: Vec<Box<dyn Harness>>,
    builds: [Build; 2],
}

impl Scene {
    fn new(parts: [&str; 2]) -> Scene {
        let sandbox = Sandbox::new();
        let tree = sandbox.init("suite");
        let harnesses: Vec<Box<dyn Harness>> = vec![Box::new(ShellHarness)];
        let builds = parts.map(|parts| {
            tree.write("suite.code", &format!("alpha\n{parts}\n"));
            tree.commit("next");
            let repository = tree.open();
            let request = PrepareRequest {
                cache: &sandbox.cache,
                repository: &repository,
                checkout: &sandbox.checkout(&repository, "HEAD"),
                harnesses: &harnesses,
                arguments: &HashMap::new(),
                architecture: None,
                filter: None,
                limits: TrialLimits::NONE,
                interrupt: &Interrupt::new(),
            };
            prepare(&request, &mut |_| {}).unwrap()
        });
        Scene { sandbox, harnesses, builds }
    }

    fn programs(&self) -> Vec<Program> {
        let program = |build: &Build| Program {
            executable: build.executables[0].executable.clone(),
            place: BuildPlace { root: build.root.clone(), out: build.executables[0].out.clone() },
        };
        self.builds.iter().map(program).collect()
    }

    /// A runtime image for these programs, and what was done for it.
    fn equip(&self, programs: &[&Program], parts: &[String]) -> (Equipment, Vec<String>) {
        let mut steps = Vec::new();
        let order = EquipOrder {
            cache: &self.sandbox.cache,
            harnesses: &self.harnesses,
            builds: &[&self.builds[0], &self.builds[1]],
            programs,
            parts,
            interrupt: &Interrupt::new(),
        };
        let equipment = equip(&order, &mut |purpose| steps.push(purpose.to_owned()));
        (equipment, steps)
    }
}

const FIND: &str = "find parts";
const MAKE: &str = "make equipment";

#[test]
fn both_versions_share_one_with_the_parts_of_either() {
    let scene = Scene::new(["part a", "part b"]);
    let programs = scene.programs();
    let both: Vec<&Program> = programs.iter().collect();
    let (equipment, steps) = scene.equip(&both, &["extra".to_owned()]);
    assert_eq!(steps, [FIND, FIND, MAKE]);
    let dirs = both.iter().map(|program| equipment.of(program).unwrap().clone().unwrap());
    let dirs: Vec<_> = dirs.collect();
    assert_eq!(dirs[0], dirs[1]);
    assert_eq!(fs::read_to_string(dirs[0].join("parts")).unwrap(), "a b extra\n");

    let (again, steps) = scene.equip(&both, &["extra".to_owned()]);
    assert_eq!((again, steps), (equipment, vec![FIND.to_owned(), FIND.to_owned()]), "it is made once");
    assert_eq!(scene.equip(&both, &[]).1, [FIND, FIND, MAKE], "other parts make another one");
}

#[test]
fn programs_that_do_not_travel_count_for_nothing() {
    let scene = Scene::new(["part a", "part b"]);
    let programs = scene.programs();
    let (equipment, steps) = scene.equip(&[&programs[0]], &[]);
    assert_eq!(steps, [FIND, MAKE]);
    let dir = equipment.of(&programs[0]).unwrap().clone().unwrap();
    assert_eq!(fs::read_to_string(dir.join("parts")).unwrap(), "a\n");
    assert_eq!(equipment.of(&programs[1]), None);
}

#[test]
fn what_cannot_be_made_is_told_and_tried_again() {
    let scene = Scene::new(["part a", "part broken"]);
    let programs = scene.programs();
    let both: Vec<&Program> = programs.iter().collect();
    for _ in 0..2 {
        let (equipment, steps) = scene.equip(&both, &[]);
        assert_eq!(steps, [FIND, FIND, MAKE]);
        let unequipped = equipment.of(both[0]).unwrap().clone().unwrap_err();
        assert_eq!(unequipped.why, "cannot make equipment\na part is broken");
        assert!(unequipped.hint.contains("the whole output is in"), "{}", unequipped.hint);
    }
}
