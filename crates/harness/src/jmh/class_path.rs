//! The files of an executable: one complete jar, or a list of jars and directories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::HarnessError;

/// The ending of a file that lists a class path.
const LIST: &str = "classpath";

/// Where classes are loaded from, relative to the build's directory, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClassPath(Vec<PathBuf>);

impl ClassPath {
    /// One jar that holds everything.
    pub(super) fn jar(path: &Path) -> ClassPath {
        ClassPath(vec![path.to_owned()])
    }

    /// The class path of an executable, which is a jar or a list.
    pub(super) fn of(out: &Path, executable: &Path) -> ClassPath {
        if executable.extension().is_none_or(|ending| ending != LIST) {
            return ClassPath::jar(executable);
        }
        let text = fs::read_to_string(out.join(executable)).unwrap_or_default();
        ClassPath(text.lines().filter_map(|line| line.split('\t').next()).map(PathBuf::from).collect())
    }

    /// Jars and directories, in order.
    pub(super) fn entries(&self, out: &Path) -> impl Iterator<Item = PathBuf> {
        self.0.iter().map(|entry| out.join(entry))
    }

    /// As `java -cp` takes it.
    pub(super) fn text(&self, out: &Path) -> String {
        self.entries(out).map(|entry| entry.display().to_string()).collect::<Vec<_>>().join(":")
    }

    /// The directory of the entries of an executable called `name`, if it has a list of them.
    pub(super) fn directory(name: &str) -> PathBuf {
        PathBuf::from(format!("{name}.lib"))
    }

    /// Copies `entries` below `out` and lists them with digests of their contents, so that the list changes
    /// whenever an entry does. Returns the path of the list, relative to `out`.
    pub(super) fn collect(out: &Path, name: &str, entries: &[PathBuf]) -> Result<PathBuf, HarnessError> {
        let list = PathBuf::from(format!("{name}.{LIST}"));
        let mut text = String::new();
        for (index, entry) in entries.iter().enumerate() {
            let file = entry.file_name().unwrap_or_default().to_string_lossy();
            let inside = ClassPath::directory(name).join(format!("{index:03}-{file}"));
            let mut digest = Digest::default();
            copy(entry, &out.join(&inside), &mut digest)
                .map_err(|source| HarnessError::File { path: entry.clone(), source })?;
            text.push_str(&format!("{}\t{:016x}\n", inside.display(), digest.0));
        }
        let path = out.join(&list);
        fs::write(&path, text).map_err(|source| HarnessError::File { path, source })?;
        Ok(list)
    }
}

fn copy(from: &Path, to: &Path, digest: &mut Digest) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        let mut entries = fs::read_dir(from)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            digest.add(name.as_encoded_bytes());
            copy(&entry.path(), &to.join(name), digest)?;
        }
        return Ok(());
    }
    if let Some(above) = to.parent() {
        fs::create_dir_all(above)?;
    }
    let bytes = fs::read(from)?;
    digest.add(&bytes);
    fs::write(to, bytes)
}

/// FNV-1a over parts, each with its length.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, part: &[u8]) {
        for byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_is_its_own_class_path() {
        let class_path = ClassPath::of(Path::new("/out"), Path::new("a.jar"));
        assert_eq!(class_path.text(Path::new("/out")), "/out/a.jar");
    }

    #[test]
    fn a_list_is_copied_in_order_and_differs_with_its_contents() {
        let dir = tempfile::tempdir().unwrap();
        let (classes, jar, out) =
            (dir.path().join("classes"), dir.path().join("x.jar"), dir.path().join("out"));
        fs::create_dir_all(classes.join("a")).unwrap();
        fs::create_dir(&out).unwrap();
        fs::write(classes.join("a/B.class"), "one").unwrap();
        fs::write(&jar, "jar").unwrap();
        let collect = || {
            let list = ClassPath::collect(&out, "m", &[classes.clone(), jar.clone()]).unwrap();
            (fs::read_to_string(out.join(&list)).unwrap(), ClassPath::of(&out, &list))
        };
        let (before, class_path) = collect();
        assert_eq!(class_path.text(Path::new("")), "m.lib/000-classes:m.lib/001-x.jar");
        assert_eq!(fs::read_to_string(out.join("m.lib/000-classes/a/B.class")).unwrap(), "one");
        assert_eq!(collect().0, before);
        fs::write(classes.join("a/B.class"), "two").unwrap();
        assert_ne!(collect().0, before);
    }

    #[test]
    fn a_list_that_is_gone_is_empty() {
        assert_eq!(ClassPath::of(Path::new("/none"), Path::new("m.classpath")), ClassPath::default());
    }
}
