//! Finds the recorded measurements of the studies and reads their values by level.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use benchwright_analysis::reduce::{LevelSeries, nanoseconds};
use benchwright_formats::{ImportedBenchmark, read_path};
use benchwright_model::Position;

/// Results of one version of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VersionFile {
    /// The name of the project in the file name: `prometheus`, `bytebuddy`.
    pub(crate) project: String,
    /// The version in the file name: `v0.39.0`, `01_10_07`. Empty if there is only one.
    pub(crate) version: String,
    /// The path of the file.
    pub(crate) path: PathBuf,
}

impl VersionFile {
    /// The name for documents: `prometheus-v0.39.0`, `byte-buddy`.
    pub(crate) fn name(&self) -> String {
        match self.version.as_str() {
            "" => self.project.clone(),
            version => format!("{}-{version}", self.project),
        }
    }
}

/// One benchmark with its values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedBenchmark {
    /// Its name in the file, preceded by the package if there is one.
    pub(crate) name: String,
    /// Its values in nanoseconds.
    pub(crate) series: LevelSeries,
}

/// The directory of recorded measurements: `given`, or else `BENCHWRIGHT_DATA`, or else `../shared/data`.
pub(crate) fn directory(root: &Path, given: Option<&str>) -> Result<PathBuf> {
    let from_environment = || std::env::var_os("BENCHWRIGHT_DATA").map(PathBuf::from);
    let directory =
        given.map(PathBuf::from).or_else(from_environment).unwrap_or_else(|| root.join("../shared/data"));
    if !directory.is_dir() {
        bail!("find recorded measurements: `{}` is no directory; --data names another", directory.display());
    }
    Ok(directory)
}

/// The files of a directory of the µOpTime data sets, oldest version first within each project. Empty if the
/// directory does not exist.
pub(crate) fn version_files(directory: &Path, has_versions: bool) -> Result<Vec<VersionFile>> {
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("list `{}`", directory.display()))? {
        let path = entry.context("list the recorded measurements")?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".csv.gz").or_else(|| name.strip_suffix(".csv")) else { continue };
        let stem = stem.strip_prefix("laaber_").unwrap_or(stem);
        let stem = stem.strip_suffix("-jmh121").unwrap_or(stem);
        let (project, version) = match stem.rsplit_once('-') {
            Some((project, version)) if has_versions => (project, version),
            _ => (stem, ""),
        };
        files.push(VersionFile { project: project.into(), version: version.into(), path });
    }
    files.sort_by(|left, right| {
        (&left.project, numbers(&left.version)).cmp(&(&right.project, numbers(&right.version)))
    });
    Ok(files)
}

/// The numbers of a version: `2_10` comes after `2_9`.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// The benchmarks of a file in their order, and a remark for each that is left out.
pub(crate) fn read(path: &Path) -> Result<(Vec<RecordedBenchmark>, Vec<String>)> {
    let (mut benchmarks, mut remarks) = (Vec::new(), Vec::new());
    for imported in read_path(path)? {
        remarks.extend(imported.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()));
        for benchmark in &imported.benchmarks {
            let id = &benchmark.id;
            let name = match id.package.as_str() {
                "" => id.name.clone(),
                package => format!("{package}.{}", id.name),
            };
            match series(benchmark) {
                Ok(series) => benchmarks.push(RecordedBenchmark { name, series }),
                Err(error) => remarks.push(format!("{name} is left out: failed to {error:#}")),
            }
        }
    }
    Ok((benchmarks, remarks))
}

/// The values in nanoseconds by level: instance, suite run, iteration and second for Go; fork and iteration
/// for JMH.
fn series(benchmark: &ImportedBenchmark) -> Result<LevelSeries> {
    let is_go = benchmark.id.harness == "go";
    let names: &[(&str, bool)] = match is_go {
        true => &[("instance", true), ("suite run", false), ("iteration", false), ("second", false)],
        false => &[("fork", false), ("iteration", false)],
    };
    let mut points = Vec::new();
    for (process, position) in benchmark.processes.iter().zip(&benchmark.positions) {
        let Position::Levels { instance, suite_run, iteration } = *position else {
            bail!("use a process that is half of a duet");
        };
        let outer = match is_go {
            true => vec![instance + 1, suite_run + 1, iteration + 1],
            false => vec![iteration + 1],
        };
        let time = process.series("time").context("find its times")?;
        for (index, seconds) in time.values.iter().enumerate() {
            let mut at = outer.clone();
            at.push(index as u32 + 1);
            points.push((at, nanoseconds(*seconds)));
        }
    }
    Ok(LevelSeries::new(names, points)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_tell_projects_and_versions_oldest_first() {
        let directory = tempfile::tempdir().unwrap();
        let names = [
            "laaber_log4j2-2_10-jmh121.csv.gz",
            "laaber_log4j2-2_9_1-jmh121.csv.gz",
            "laaber_log4j2-2_9-jmh121.csv.gz",
            "prometheus-v0.39.0.csv",
            "readme.txt",
        ];
        for name in names {
            fs::write(directory.path().join(name), "").unwrap();
        }
        let found = version_files(directory.path(), true).unwrap();
        let names: Vec<String> = found.iter().map(VersionFile::name).collect();
        assert_eq!(names, ["log4j2-2_9", "log4j2-2_9_1", "log4j2-2_10", "prometheus-v0.39.0"]);
        let single = version_files(directory.path(), false).unwrap();
        assert_eq!(single.last().unwrap().project, "prometheus-v0.39.0");
    }

    #[test]
    fn a_captured_file_gives_levels_in_nanoseconds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (benchmarks, _) = read(&root.join("fixtures/exchange/uoptime/go.csv")).unwrap();
        let first = &benchmarks[0];
        assert_eq!(first.name, "BenchmarkBuffers/ByteSlice");
        let names: Vec<&str> = first.series.levels().iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names, ["instance", "suite run", "iteration", "second"]);
        let values = first.series.prefix(&first.series.full());
        assert_eq!(values[0], 12.11);
        let (java, _) = read(&root.join("fixtures/exchange/uoptime/java-forks.csv")).unwrap();
        assert_eq!(java[0].series.levels().len(), 2);
    }
}
