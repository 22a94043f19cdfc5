//! The projects of the three data sets.

use std::path::Path;

use anyhow::Result;

use crate::study::recorded::{self, VersionFile};

/// One of the paper's data sets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DataSet {
    /// Its number in the paper.
    pub(super) number: u8,
    /// The directory of its files.
    directory: &'static str,
    /// Whether there are several versions.
    pub(super) has_versions: bool,
    /// The metric whose configurations are followed over versions, according to section 4.3 of the paper.
    pub(super) metric: &'static str,
    /// Number of values at the beginning of each process that are warm-up. 0 if the data has none.
    pub(super) warmup: u32,
    /// Whether the prototype divides the benchmarks into batches, each with a separate stream of random
    /// numbers.
    pub(super) is_batched: bool,
}

pub(super) const DATA_SETS: [DataSet; 3] = [
    DataSet { number: 1, directory: "go", has_versions: true, metric: "RMAD", warmup: 0, is_batched: false },
    DataSet {
        number: 2,
        directory: "java-fse20",
        has_versions: false,
        metric: "RCIW3",
        warmup: 50,
        is_batched: true,
    },
    DataSet {
        number: 3,
        directory: "java-ese21",
        has_versions: true,
        metric: "RCIW3",
        warmup: 0,
        is_batched: true,
    },
];

/// The paper's symbols for the projects whose data is available.
const SYMBOLS: [(u8, &str, &str); 7] = [
    (1, "prometheus", "G1"),
    (1, "toml", "G2"),
    (1, "zap", "G3"),
    (2, "byte-buddy", "J1"),
    (2, "protostuff", "J7"),
    (3, "bytebuddy", "J11"),
    (3, "jenetics", "J12"),
];

/// A project with its versions, oldest first.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) set: &'static DataSet,
    pub(super) name: String,
    /// The paper's symbol. `None` if the paper does not use the project.
    pub(super) symbol: Option<&'static str>,
    pub(super) files: Vec<VersionFile>,
}

/// All projects below the directory `uoptime` of the recorded measurements, sorted by data set and name.
pub(super) fn projects(data: &Path) -> Result<Vec<Project>> {
    let mut projects: Vec<Project> = Vec::new();
    for set in &DATA_SETS {
        for file in recorded::version_files(&data.join(set.directory), set.has_versions)? {
            let is_known =
                |project: &Project| project.set.number == set.number && project.name == file.project;
            match projects.iter_mut().find(|project| is_known(project)) {
                Some(project) => project.files.push(file),
                None => projects.push(Project {
                    set,
                    name: file.project.clone(),
                    symbol: symbol(set.number, &file.project),
                    files: vec![file],
                }),
            }
        }
    }
    Ok(projects)
}

fn symbol(set: u8, project: &str) -> Option<&'static str> {
    SYMBOLS.iter().find(|(number, name, _)| *number == set && *name == project).map(|(.., symbol)| *symbol)
}
