//! Commands that can run on other machines: their program is one of the version's own files.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::combination::combinations;
use super::record::{self, cut};
use crate::{Payload, PayloadRequest};

/// The files that are sent with the command, or why it cannot be sent.
pub(super) fn payload(request: &PayloadRequest<'_>) -> Result<Payload, String> {
    let definition = record::read(&request.out.join(&request.executable.path))
        .map_err(|error| format!("cannot {error}"))?;
    if let Some(shell) = &definition.shell {
        return Err(format!("what `{shell}` runs may be installed on this machine alone"));
    }
    let [root, out] = [request.root, request.out].map(|path| path.to_string_lossy().into_owned());
    let dir = request.root.join(&definition.dir);
    let words = cut(&definition.run);
    let (mut programs, mut own) = (BTreeSet::new(), BTreeSet::new());
    for combination in combinations(&definition.parameters) {
        let combination = combination.with("root", &root).with("out", &out);
        let name = combination.fill(words.first().map_or("", String::as_str));
        let path = resolved(&dir.join(&name));
        if !name.contains('/') {
            return Err(format!("`{name}` is a program of this machine"));
        }
        match (path.strip_prefix(request.out), path.strip_prefix(request.root)) {
            (Ok(_), _) => {}
            (_, Ok(file)) => drop(own.insert(file.to_owned())),
            _ => return Err(format!("`{name}` is a program of this machine")),
        }
        if is_script(&path) {
            return Err(format!("`{name}` is a script: what it runs may be installed on this machine alone"));
        }
        programs.insert(path);
        let input = definition.input.as_ref().map(|input| resolved(&dir.join(combination.fill(input))));
        own.extend(input.iter().filter_map(|input| Some(input.strip_prefix(request.root).ok()?.to_owned())));
    }
    // Everything in the directory of a build belongs to its commands.
    let out = vec![PathBuf::new()];
    Ok(Payload { programs: programs.into_iter().collect(), out, root: own.into_iter().collect() })
}

/// The path without `.` and `..`, as far as they can be resolved without reading the file system.
fn resolved(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
        path
    })
}

fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::harness::NAME;
    use super::*;
    use crate::{CommandDefinition, Executable, Parameter};

    /// Checks the payload of a command. Paths are relative to a directory with the root in `r` and the build
    /// in `o`.
    fn check(definition: &CommandDefinition, expected: Result<(&[&str], &[&str]), &str>) {
        let dir = tempfile::tempdir().unwrap();
        let [root, out] = ["r", "o"].map(|name| dir.path().join(name));
        for (file, text) in [("r/target/x", "\x7fELF"), ("r/sub/run.sh", "#!/bin/sh\n"), ("o/y", "\x7fELF")] {
            let file = dir.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::write(out.join("000.json"), record::written(definition)).unwrap();
        let executable = Executable {
            harness: NAME.into(),
            package: NAME.into(),
            flavour: NAME.into(),
            flavour_version: String::new(),
            path: "000.json".into(),
            dir: definition.dir.clone(),
            env: Vec::new(),
        };
        let found = payload(&PayloadRequest { root: &root, out: &out, executable: &executable });
        let texts = |paths: &[PathBuf]| {
            let own = paths.iter().map(|path| path.strip_prefix(dir.path()).unwrap_or(path));
            own.map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        match (found, expected) {
            (Ok(found), Ok((programs, own))) => {
                assert_eq!((texts(&found.programs), texts(&found.root)), (strings(programs), strings(own)));
                assert_eq!(found.out, [PathBuf::new()]);
            }
            (Err(why), Err(expected)) => assert_eq!(why, expected),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn programs_among_the_versions_files_travel_with_their_input() {
        let built = CommandDefinition::new("x", "target/x --fast");
        check(&built, Ok((&["r/target/x"], &["target/x"])));
        let below = CommandDefinition {
            dir: "sub".into(),
            input: Some("../target/in.txt".into()),
            ..CommandDefinition::new("x", "../target/./x")
        };
        check(&below, Ok((&["r/target/x"], &["target/in.txt", "target/x"])));
        check(&CommandDefinition::new("y", "{out}/y"), Ok((&["o/y"], &[])));
        let both = CommandDefinition {
            parameters: vec![Parameter { name: "p".into(), values: vec!["target/x".into(), "y".into()] }],
            ..CommandDefinition::new("x", "{root}/{p} {out}")
        };
        check(&both, Ok((&["r/target/x", "r/y"], &["target/x", "y"])));
    }

    #[test]
    fn what_is_installed_here_stays() {
        let check_stays = |run: &str, why: &str| check(&CommandDefinition::new("x", run), Err(why));
        check_stays("sort words.txt", "`sort` is a program of this machine");
        check_stays("/usr/bin/sort x", "`/usr/bin/sort` is a program of this machine");
        check_stays("../o2/sort", "`../o2/sort` is a program of this machine");
        check_stays(
            "sub/run.sh",
            "`sub/run.sh` is a script: what it runs may be installed on this machine alone",
        );
        let shell =
            CommandDefinition { shell: Some("bash".into()), ..CommandDefinition::new("x", "target/x | y") };
        check(&shell, Err("what `bash` runs may be installed on this machine alone"));
    }
}
