//! Finds the files that belong to a program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use benchwright_harness::{Harness, Payload};
use benchwright_worker::Program;
use globset::GlobSet;

use super::{EQUIPMENT, OUT, ROOT};

/// Directories that are never packed: results, histories, output of tools.
const NEVER: [&str; 6] = [".benchwright", ".git", ".hg", ".svn", "node_modules", "target"];

/// A directory whose files are data, whatever their names. This is a convention of Go and many others.
const DATA: &str = "testdata";

/// Which files are packed with the program.
pub struct Wanted<'a> {
    /// Distinguishes sources, which are already compiled into the program, from data it may read.
    pub harness: &'a dyn Harness,
    /// The files that are always packed with the program.
    pub payload: &'a Payload,
    /// Paths below the version's root that are sent with every program, in addition to those in its working
    /// directory.
    pub include: &'a GlobSet,
}

/// The files of a program's package: the path of each in the archive, and its path on this machine. Files of
/// the program's working directory are packed unless they are sources. In Go packages are directories, so
/// files of packages below are left out.
pub fn contents(program: &Program, wanted: &Wanted<'_>) -> io::Result<BTreeMap<PathBuf, PathBuf>> {
    let executable = &program.executable;
    let mut files = BTreeMap::from([(Path::new(OUT).join(&executable.path), program.path())]);
    // The directory must exist even if no file in it is sent.
    if !executable.dir.as_os_str().is_empty() {
        files.insert(Path::new(ROOT).join(&executable.dir), program.dir());
    }
    let Payload { out, root, .. } = wanted.payload;
    let of_build = out.iter().map(|file| (program.place.out.join(file), Path::new(OUT).join(file)));
    let of_version = root.iter().map(|file| (program.place.root.join(file), Path::new(ROOT).join(file)));
    for (path, name) in of_build.chain(of_version) {
        if path.is_dir() {
            everything(&path, &name, &mut files)?;
        } else if path.exists() {
            files.insert(name, path);
        }
    }
    let mut search = Search { root: &program.place.root, wanted, files: &mut files };
    search.directory(&executable.dir, &executable.dir, false)?;
    if !wanted.include.is_empty() {
        search.included(Path::new(""))?;
    }
    Ok(files)
}

/// The files of the package of a runtime image.
pub fn equipment_contents(dir: &Path) -> io::Result<BTreeMap<PathBuf, PathBuf>> {
    let mut files = BTreeMap::new();
    everything(dir, Path::new(EQUIPMENT), &mut files)?;
    Ok(files)
}

/// Adds all files in `dir` and below. In the archive they are in `name`.
fn everything(dir: &Path, name: &Path, files: &mut BTreeMap<PathBuf, PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, name) = (entry.path(), name.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => everything(&path, &name, files)?,
            false => drop(files.insert(name, path)),
        }
    }
    Ok(())
}

struct Search<'a> {
    root: &'a Path,
    wanted: &'a Wanted<'a>,
    files: &'a mut BTreeMap<PathBuf, PathBuf>,
}

impl Search<'_> {
    /// Adds the data in `dir` and below. Both paths are relative to the root.
    fn directory(&mut self, top: &Path, dir: &Path, is_data: bool) -> io::Result<()> {
        let entries = self.entries(dir)?;
        let is_source = |path: &Path| !is_data && self.wanted.harness.is_source(&slashed(path));
        let has_sources = entries.iter().any(|entry| !entry.is_directory && is_source(&entry.path));
        if dir != top && has_sources && self.wanted.harness.name() == "go" {
            return Ok(());
        }
        let mut directories = Vec::new();
        for entry in entries {
            if entry.is_directory {
                directories.push(entry.path);
            } else if !is_source(&entry.path) {
                self.take(&entry.path);
            }
        }
        for path in directories {
            let is_data = is_data || path.ends_with(DATA);
            self.directory(top, &path, is_data)?;
        }
        Ok(())
    }

    /// Adds the files that the user named, in `dir` and below.
    fn included(&mut self, dir: &Path) -> io::Result<()> {
        for entry in self.entries(dir)? {
            if entry.is_directory {
                self.included(&entry.path)?;
            } else if self.wanted.include.is_match(&entry.path) {
                self.take(&entry.path);
            }
        }
        Ok(())
    }

    fn take(&mut self, path: &Path) {
        self.files.insert(Path::new(ROOT).join(path), self.root.join(path));
    }

    fn entries(&self, dir: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.root.join(dir))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let is_kept = !(kind.is_dir() && NEVER.iter().any(|name| entry.file_name() == *name));
            // Sockets, pipes and devices cannot be packed.
            if is_kept && (kind.is_dir() || kind.is_file() || kind.is_symlink()) {
                entries.push(Entry { path: dir.join(entry.file_name()), is_directory: kind.is_dir() });
            }
        }
        entries.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(entries)
    }
}

struct Entry {
    path: PathBuf,
    is_directory: bool,
}

fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use benchwright_harness::Executable;
    use benchwright_worker::BuildPlace;
    use globset::{Glob, GlobSetBuilder};

    use super::*;

    fn check(harness: &str, dir: &str, payload: &[&str], include: &[&str], expected: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        let files = [
            "go.mod",
            "main.go",
            "words.txt",
            "testdata/corpus.go",
            "testdata/deep/a.json",
            "sub/sub.go",
            "sub/testdata/b.json",
            "assets/logo.png",
            "benches/bench.rs",
            "benches/input.csv",
            "target/release/x",
            ".git/HEAD",
        ];
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let program = Program {
            executable: Executable {
                harness: harness.into(),
                package: "p".into(),
                flavour: String::new(),
                flavour_version: String::new(),
                path: "bin/p.test".into(),
                dir: dir.into(),
                env: Vec::new(),
            },
            place: BuildPlace { root: root.path().into(), out: "/build".into() },
        };
        let mut globs = GlobSetBuilder::new();
        include.iter().for_each(|glob| {
            globs.add(Glob::new(glob).unwrap());
        });
        let harnesses = benchwright_harness::all();
        let harness = harnesses.iter().find(|known| known.name() == harness).unwrap();
        let payload = Payload { root: payload.iter().map(PathBuf::from).collect(), ..Payload::default() };
        let wanted =
            Wanted { harness: harness.as_ref(), payload: &payload, include: &globs.build().unwrap() };
        let found: Vec<String> =
            contents(&program, &wanted).unwrap().keys().map(|path| path.display().to_string()).collect();
        let mut expected: Vec<String> = expected.iter().map(|path| format!("root/{path}")).collect();
        expected.push("out/bin/p.test".into());
        if !dir.is_empty() {
            expected.push(format!("root/{dir}"));
        }
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn data_of_a_package_travels_and_sources_stay() {
        let of_root = [
            "assets/logo.png",
            "benches/bench.rs",
            "benches/input.csv",
            "testdata/corpus.go",
            "testdata/deep/a.json",
            "words.txt",
        ];
        check("go", "", &[], &[], &of_root);
        check("go", "sub", &[], &[], &["sub/testdata/b.json"]);
        check(
            "go",
            "sub",
            &[],
            &["words.*", "assets/**"],
            &["assets/logo.png", "sub/testdata/b.json", "words.txt"],
        );
    }

    #[test]
    fn data_beside_sources_travels_where_directories_are_no_packages() {
        check("cargo", "benches", &[], &[], &["benches/input.csv"]);
    }

    #[test]
    fn a_payload_is_packed_wherever_it_lies() {
        let found = ["benches/bench.rs", "benches/input.csv", "target/release/x"];
        check("command", "benches", &["target/release/x", "not-there"], &[], &found);
    }
}
