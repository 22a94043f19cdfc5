//! Prepares requirement files for an installation that is not editable.
//!
//! A project's own `-e .` would put the check-out instead of an installed copy into the environment. It is
//! replaced by a plain installation. Everything else stays as it is, with absolute paths because the file is
//! copied.

use std::fs;
use std::path::{Path, PathBuf};

use super::requirement::pin;

/// Maximum number of files that are included.
const MOST_FILES: usize = 32;

/// The lines of a file and of the files it includes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RequirementFile {
    /// The lines for pip.
    pub(super) lines: Vec<String>,
    /// Extras of the project itself that it requests.
    pub(super) extras: Vec<String>,
    /// Whether it requests the project itself.
    pub(super) names_project: bool,
    /// Whether it has hashes. pip then requires them for everything it installs in the same call.
    pub(super) has_hashes: bool,
}

impl RequirementFile {
    /// Reads a file of the project in `project`. If it cannot be read, it has no lines.
    pub(super) fn read(path: &Path, project: &Path) -> RequirementFile {
        let mut file = RequirementFile::default();
        file.include(path, project, &mut Vec::new());
        file.has_hashes = file.lines.iter().any(|line| line.contains("--hash="));
        file
    }

    /// Packages whose version the file fixes.
    pub(super) fn pins(&self) -> impl Iterator<Item = (String, String)> {
        self.lines.iter().filter_map(|line| pin(line))
    }

    fn include(&mut self, path: &Path, project: &Path, included: &mut Vec<PathBuf>) {
        let Ok(bytes) = fs::read(path) else { return };
        if included.len() >= MOST_FILES || included.iter().any(|known| known == path) {
            return;
        }
        included.push(path.to_owned());
        let dir = path.parent().unwrap_or(project);
        // A line may be continued in the next one.
        let text = String::from_utf8_lossy(&bytes).replace("\\\r\n", " ").replace("\\\n", " ");
        for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(other) = option(line, "-r", "--requirement") {
                self.include(&dir.join(other), project, included);
            } else if let Some(other) = option(line, "-c", "--constraint") {
                self.lines.push(format!("-c \"{}\"", dir.join(other).display()));
            } else {
                self.add(line, dir, project);
            }
        }
    }

    fn add(&mut self, line: &str, dir: &Path, project: &Path) {
        let plain = option(line, "-e", "--editable").unwrap_or(line);
        let (path, extras) = match plain.split_once('[') {
            Some((path, rest)) => (path, rest.split(']').next().unwrap_or_default()),
            None => (plain.split([';', ' ']).next().unwrap_or(plain), ""),
        };
        let is_path = path == "." || path.starts_with("./") || path.starts_with("../") || path == "..";
        if !is_path {
            self.lines.push(plain.to_owned());
            return;
        }
        let target = dir.join(path);
        let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if resolved(&target) == resolved(project) {
            self.names_project = true;
            self.extras
                .extend(extras.split(',').map(|extra| extra.trim().to_owned()).filter(|it| !it.is_empty()));
        } else {
            let extras = if extras.is_empty() { String::new() } else { format!("[{extras}]") };
            self.lines.push(format!("{}{extras}", target.display()));
        }
    }
}

/// The value of an option in a line: `-r x`, `-rx`, `--requirement x`, `--requirement=x`.
fn option<'a>(line: &'a str, short: &str, long: &str) -> Option<&'a str> {
    let rest = match line.strip_prefix(long) {
        Some(rest) if rest.starts_with(['=', ' ', '\t']) => rest,
        _ => line.strip_prefix(short).filter(|_| !line.starts_with("--"))?,
    };
    let value = rest.trim_start_matches(['=', ' ', '\t']).split(" #").next().unwrap_or_default().trim();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files;

    #[test]
    fn included_files_are_inlined_and_nothing_is_editable() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path();
        let write = |path: &str, text: &str| test_files::write(root, &[(path, text)]);
        write(
            "requirements/dev.txt",
            "\u{feff}# all\r\n-r base.txt\n-c limits.txt\n-e ..[test, bench]\n-e ../plugin\npytest==8.0 \\\n  ; os_name == 'posix'\n--pre\n",
        );
        write("requirements/base.txt", "--requirement=base.txt\nnumpy>=1 # any\n");
        let file = RequirementFile::read(&root.join("requirements/dev.txt"), root);
        let here = root.join("requirements");
        let expected = [
            "numpy>=1 # any".to_owned(),
            format!("-c \"{}\"", here.join("limits.txt").display()),
            here.join("../plugin").display().to_string(),
            "pytest==8.0    ; os_name == 'posix'".to_owned(),
            "--pre".to_owned(),
        ];
        assert_eq!(file.lines, expected);
        assert_eq!(
            (file.extras.clone(), file.names_project, file.has_hashes),
            (vec!["test".into(), "bench".into()], true, false)
        );
        assert_eq!(file.pins().collect::<Vec<_>>(), [("pytest".to_owned(), "8.0".to_owned())]);
        assert_eq!(RequirementFile::read(&root.join("absent.txt"), root), RequirementFile::default());
    }

    #[test]
    fn hashes_are_noticed() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("requirements.txt");
        fs::write(&path, "a==1 \\\n    --hash=sha256:00\n").expect("a file");
        assert!(RequirementFile::read(&path, dir.path()).has_hashes);
    }
}
