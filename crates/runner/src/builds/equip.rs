//! Runtime images: what programs need on a machine where nothing is installed. One is made per tool chain and
//! set of parts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;

use benchwright_harness::{EquipRequest, Equipper, Harness, PartsRequest};
use benchwright_process::Interrupt;
use benchwright_worker::{CommonEnvironment, Program};

use super::{Build, BuiltExecutable, ProjectError};
use crate::steps::{ProcessSteps, common_environment};
use crate::versions::{Cache, mark_used, short_hash};

/// The programs that need a runtime image.
pub struct EquipOrder<'a> {
    /// The cache that holds the images.
    pub cache: &'a Cache,
    /// The tools.
    pub harnesses: &'a [Box<dyn Harness>],
    /// Both sides of a comparison, or one version alone.
    pub builds: &'a [&'a Build],
    /// The programs that are sent to other machines.
    pub programs: &'a [&'a Program],
    /// Parts to include besides those found by inspecting the programs.
    pub parts: &'a [String],
    /// Stops the work early.
    pub interrupt: &'a Interrupt,
}

/// Runtime images by program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Equipment {
    by_program: HashMap<(PathBuf, PathBuf), Result<PathBuf, Unequipped>>,
}

/// Why there is no runtime image for a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unequipped {
    /// The reason.
    pub why: String,
    /// Advice for the user; empty if there is none.
    pub hint: String,
}

impl Equipment {
    /// The directory that the program needs, or the reason why there is none. `None` for programs that need
    /// none.
    pub fn of(&self, program: &Program) -> Option<&Result<PathBuf, Unequipped>> {
        self.by_program.get(&(program.place.out.clone(), program.executable.path.clone()))
    }
}

/// Makes runtime images for all programs that need one, or takes them from the cache. Programs of one tool
/// chain share an image that has the parts any of them needs.
pub fn equip(order: &EquipOrder<'_>, on_step: &mut dyn FnMut(&str)) -> Equipment {
    let mut groups: BTreeMap<(&str, &str), Vec<&BuiltExecutable>> = BTreeMap::new();
    for built in order.builds.iter().flat_map(|build| &build.executables) {
        let is_it = |program: &&Program| {
            program.place.out == built.out && program.executable.path == built.executable.path
        };
        if order.programs.iter().any(is_it) {
            groups.entry((&built.executable.harness, &built.toolchain)).or_default().push(built);
        }
    }
    let environment = common_environment(order.cache);
    let mut equipment = Equipment::default();
    for ((name, toolchain), members) in groups {
        let harness = order.harnesses.iter().find(|harness| harness.name() == name);
        let Some(equipper) = harness.and_then(|harness| harness.equipper()) else { continue };
        let group = Group { order, environment: &environment, name, toolchain, members: &members };
        let made = group.equip(equipper, on_step).map_err(|error| {
            let told = error.diagnostic(name);
            Unequipped { why: told.message, hint: told.hint }
        });
        for built in members {
            let key = (built.out.clone(), built.executable.path.clone());
            equipment.by_program.insert(key, made.clone());
        }
    }
    equipment
}

/// Programs of one tool chain.
struct Group<'a> {
    order: &'a EquipOrder<'a>,
    environment: &'a CommonEnvironment,
    name: &'a str,
    toolchain: &'a str,
    members: &'a [&'a BuiltExecutable],
}

impl Group<'_> {
    fn equip(&self, equipper: &dyn Equipper, on_step: &mut dyn FnMut(&str)) -> Result<PathBuf, ProjectError> {
        let cache = self.order.cache;
        let logs = cache.entry("logs", &short_hash(&[b"equipment", self.toolchain.as_bytes()]));
        let mut steps =
            ProcessSteps::new(cache, cache.dir(), self.environment, &logs, self.order.interrupt, on_step);
        mark_used(&logs);
        let mut parts: BTreeSet<String> = self.order.parts.iter().cloned().collect();
        for built in self.members {
            let request = PartsRequest { out: &built.out, executable: &built.executable };
            parts.extend(equipper.parts(&request, &mut steps)?);
        }
        let Some(first) = self.members.first() else { return Ok(PathBuf::new()) };
        let dir = cache.entry("equipment", &self.key(&parts));
        let _lock = cache.lock(&dir, Some(self.order.interrupt))?;
        // The directory appears in one step, so it is always complete.
        if !dir.is_dir() {
            let temporary = cache.temporary()?;
            let target = temporary.path().join("equipment");
            let request = EquipRequest { executable: &first.executable, parts: &parts, target: &target };
            equipper.make(&request, &mut steps)?;
            fs::rename(&target, &dir).map_err(ProjectError::file("write", &dir))?;
        }
        mark_used(&dir);
        Ok(dir)
    }

    fn key(&self, parts: &BTreeSet<String>) -> String {
        let mut texts: Vec<&[u8]> = vec![self.name.as_bytes(), self.toolchain.as_bytes()];
        texts.extend(parts.iter().map(|part| part.as_bytes()));
        short_hash(&texts)
    }
}
