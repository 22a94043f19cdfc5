//! Runs the bench programs of the workspace.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};

use crate::command::{EVERYTHING, cargo, run_watched};
use crate::metadata::packages;

/// Figures by name, in the unit in which they were printed.
#[derive(Debug, Default)]
pub(crate) struct Figures(BTreeMap<String, (f64, String)>);

impl Figures {
    /// Parses a line `name value unit`. Other lines are ignored.
    pub(crate) fn take(&mut self, line: &str) {
        let mut words = line.trim().rsplitn(3, ' ');
        let (Some(unit), Some(value), Some(name)) = (words.next(), words.next(), words.next()) else {
            return;
        };
        if let Ok(value) = value.parse() {
            self.0.insert(name.to_string(), (value, unit.to_string()));
        }
    }

    /// The figure with this name. Times are in seconds.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        let (value, unit) = self.0.get(name)?;
        let factor = match unit.as_str() {
            "ns" => 1e-9,
            "us" => 1e-6,
            "ms" => 1e-3,
            _ => 1.0,
        };
        Some(value * factor)
    }
}

/// Runs all bench programs, one after another. They only print figures, so a slow machine causes no failure.
pub(crate) fn run_all(root: &Path, figures: &mut Figures) -> Result<()> {
    let mut failed = Vec::new();
    for package in packages(root)? {
        for bench in &package.benches {
            if run_one(root, &package.name, bench, figures).is_err() {
                failed.push(bench.clone());
            }
        }
    }
    if !failed.is_empty() {
        bail!("run the bench programs {}", failed.join(", "));
    }
    Ok(())
}

/// Runs one bench program. With `--profile release` and `--workspace` it uses everything that was built for
/// the product and its tests. A single package would be built again with other features.
pub(crate) fn run_one(root: &Path, package: &str, bench: &str, figures: &mut Figures) -> Result<()> {
    println!("== {package} {bench}");
    let mut command = cargo(root);
    command.args(["bench", "--quiet", "--profile", "release", "--bench", bench]).args(EVERYTHING);
    run_watched(&mut command, |line| figures.take(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_lines_and_others_are_not() {
        let mut figures = Figures::default();
        for line in
            ["mean_n75 1500 ns", "open+runs(20) (longest) 12.500 ms", "size 900.1 MB", "== a bench", ""]
        {
            figures.take(line);
        }
        assert_eq!(figures.get("mean_n75"), Some(1500.0 * 1e-9));
        assert_eq!(figures.get("open+runs(20) (longest)"), Some(12.5 * 1e-3));
        assert_eq!(figures.get("size"), Some(900.1));
        assert_eq!((figures.0.len(), figures.get("other")), (3, None));
    }
}
