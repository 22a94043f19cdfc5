//! The versions of dependencies.
//!
//! Two versions of a project built on different days would use different dependencies, and a new release of
//! one would look like a change of the project. So the packages installed for the first version built are
//! recorded and requested for all later ones, unless a version's own lock file or requirements demand others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::requirement::{normal, pin};

/// Packages that every virtual environment contains initially. Benchmarks do not use them.
const TOOLS: [&str; 3] = ["pip", "setuptools", "wheel"];

/// Versions by the normal names of packages.
pub(super) type Versions = BTreeMap<String, String>;

/// The packages that versions of a project share: the file below `shared` for one series of Python.
pub(super) struct SharedVersions {
    path: PathBuf,
    /// The recorded versions.
    pub(super) versions: Versions,
}

impl SharedVersions {
    /// Reads the file. It does not exist before the first build.
    pub(super) fn read(shared: &Path, series: &str) -> SharedVersions {
        let path = shared.join(format!("python-{series}-constraints.txt"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        SharedVersions { path, versions: text.lines().filter_map(pin).collect() }
    }

    /// Adds newly installed packages that are not recorded yet.
    pub(super) fn keep(&self, installed: &Versions) {
        let mut all = installed.clone();
        all.extend(self.versions.clone());
        all.retain(|name, _| !TOOLS.contains(&name.as_str()));
        // A failure only means that the versions may have different dependencies.
        let _ = fs::write(&self.path, text(&all));
    }

    /// Packages whose version now differs from the recorded one, as `name 2.0 (1.0)`.
    pub(super) fn differences(&self, installed: &Versions) -> Vec<String> {
        let both = installed.iter().filter_map(|(name, now)| Some((name, now, self.versions.get(name)?)));
        both.filter(|(_, now, then)| now != then)
            .map(|(name, now, then)| format!("{name} {now} ({then})"))
            .collect()
    }
}

/// The lines of a constraints file.
pub(super) fn text(versions: &Versions) -> String {
    versions.iter().map(|(name, version)| format!("{name}=={version}\n")).collect()
}

/// The versions to request: first those of the version's own lock file, then the shared ones.
pub(super) fn combined(own: &Versions, shared: &Versions) -> Versions {
    let mut all = shared.clone();
    all.extend(own.clone());
    all
}

/// Removes the constraints that pip names as the reason why there is no solution, and returns their names.
pub(super) fn relax(versions: &mut Versions, output: &str) -> Vec<String> {
    let mut blamed: Vec<String> = Vec::new();
    for line in output.lines() {
        let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest.trim());
        let requirement = after("The user requested (constraint) ")
            .or_else(|| after("No matching distribution found for "))
            .or_else(|| after("Could not find a version that satisfies the requirement "));
        let name: String = requirement
            .unwrap_or_default()
            .chars()
            .take_while(|c| c.is_alphanumeric() || "._-".contains(*c))
            .collect();
        blamed.push(normal(&name));
    }
    blamed.retain(|name| versions.remove(name).is_some());
    blamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(pairs: &[(&str, &str)]) -> Versions {
        pairs.iter().map(|(name, version)| (name.to_string(), version.to_string())).collect()
    }

    #[test]
    fn the_first_versions_dependencies_serve_all_others() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let read = || SharedVersions::read(dir.path(), "3.11");
        let first = read();
        assert_eq!(first.versions, Versions::new());
        first.keep(&versions(&[("a", "1"), ("b", "2"), ("pip", "23")]));
        let second = read();
        let installed = versions(&[("a", "1"), ("b", "3"), ("c", "4")]);
        assert_eq!(second.differences(&installed), ["b 3 (2)"]);
        second.keep(&installed);
        assert_eq!(read().versions, versions(&[("a", "1"), ("b", "2"), ("c", "4")]));
        assert_eq!(SharedVersions::read(dir.path(), "3.12").versions, Versions::new());
    }

    #[test]
    fn a_versions_own_lock_file_wins() {
        let all = combined(&versions(&[("a", "2")]), &versions(&[("a", "1"), ("b", "1")]));
        assert_eq!(text(&all), "a==2\nb==1\n");
    }

    #[test]
    fn constraints_that_pip_blames_are_dropped() {
        let mut all = versions(&[("numpy", "1.26.0"), ("py-cpuinfo", "9"), ("a", "1")]);
        let output = "ERROR: Cannot install numpy>=2 because these package versions have conflicting dependencies.\n\
                      The conflict is caused by:\n    The user requested numpy>=2\n    The user requested (constraint) numpy==1.26.0\n\
                      ERROR: No matching distribution found for py_cpuinfo==9\n";
        assert_eq!(relax(&mut all, output), ["numpy", "py-cpuinfo"]);
        assert_eq!(all, versions(&[("a", "1")]));
        assert_eq!(relax(&mut all, "error: no space left on device"), Vec::<String>::new());
    }
}
