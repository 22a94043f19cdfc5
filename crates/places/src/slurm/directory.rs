//! The directory that this machine and all nodes share.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use benchwright_worker::wire::{Delivery, Parcel, ParcelId};

use super::SlurmError;

const PARCELS: &str = "parcels";
const DELIVERIES: &str = "deliveries";
const LOGS: &str = "logs";
const ARRAYS: &str = "arrays";
const NODES: &str = "nodes";

/// The directory of a run that was not resumed is removed after this time.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// How many bytes of a task's log are shown.
const SHOWN: usize = 300;

/// The files of one run.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    root: PathBuf,
}

impl Directory {
    /// The directory called `name` below `shared`, which is made if it does not exist. Old directories of
    /// other runs are removed.
    pub(super) fn make(shared: &Path, name: &str) -> Result<Self, SlurmError> {
        let root = shared.join(name);
        for part in [PARCELS, DELIVERIES, LOGS, ARRAYS, NODES] {
            let path = root.join(part);
            fs::create_dir_all(&path).map_err(|source| SlurmError::Directory { path, source })?;
        }
        remove_old(shared, &root);
        Ok(Directory { root })
    }

    /// The directory at this path, as passed to a node.
    pub(super) fn at(root: &Path) -> Self {
        Directory { root: root.to_owned() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.root
    }

    pub(super) fn logs(&self) -> PathBuf {
        self.root.join(LOGS)
    }

    fn parcel(&self, id: &ParcelId) -> PathBuf {
        self.root.join(PARCELS).join(&id.0)
    }

    pub(super) fn delivery(&self, id: &ParcelId) -> PathBuf {
        self.root.join(DELIVERIES).join(&id.0)
    }

    /// The list of the requests of an array.
    pub(super) fn list(&self, array: &str) -> PathBuf {
        self.root.join(ARRAYS).join(array)
    }

    /// Copies the program that nodes start, which is this one, to a place that they can read.
    pub(super) fn install(&self, program: &Path) -> Result<PathBuf, SlurmError> {
        let path = self.root.join("benchwright");
        if path.is_file() {
            return Ok(path);
        }
        let temporary = self.root.join(format!(".benchwright.{}", std::process::id()));
        let _ = fs::remove_file(&temporary);
        fs::hard_link(program, &temporary)
            .or_else(|_| fs::copy(program, &temporary).map(drop))
            .and_then(|()| fs::rename(&temporary, &path))
            .map_err(|source| SlurmError::Directory { path: path.clone(), source })?;
        Ok(path)
    }

    /// Writes the files of an array: its requests, the list of them, and the script.
    pub(super) fn write_array<'a>(
        &self,
        name: &str,
        program: &Path,
        parcels: impl Iterator<Item = &'a Parcel>,
    ) -> Result<PathBuf, SlurmError> {
        let mut list = String::new();
        for parcel in parcels {
            let path = self.parcel(&parcel.id);
            // An existing file is kept, because its age shows how long its response may have taken.
            if !path.exists() {
                write(&path, &parcel.to_bytes()?)?;
            }
            list.push_str(&parcel.id.0);
            list.push('\n');
        }
        write(&self.list(name), list.as_bytes())?;
        let script = self.root.join(ARRAYS).join(format!("{name}.sh"));
        let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
        let text = format!("#!/bin/sh\nexec {} slurm-task {} {name}\n", quoted(program), quoted(&self.root));
        write(&script, text.as_bytes())?;
        Ok(script)
    }

    /// The request that a task of an array has to carry out.
    pub(super) fn parcel_of(&self, array: &str, task: usize) -> Result<Option<ParcelId>, SlurmError> {
        let text = read(&self.list(array))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(text.lines().nth(task).map(|line| ParcelId(line.to_owned())))
    }

    pub(super) fn read_parcel(&self, id: &ParcelId) -> Result<Parcel, SlurmError> {
        Ok(Parcel::from_bytes(&read(&self.parcel(id))?)?)
    }

    /// Writes a response completely or not at all.
    pub(super) fn put(&self, id: &ParcelId, bytes: &[u8]) -> Result<(), SlurmError> {
        write(&self.delivery(id), bytes)
    }

    /// The requests that have a response.
    pub(super) fn delivered(&self) -> Result<HashSet<ParcelId>, SlurmError> {
        let path = self.root.join(DELIVERIES);
        let failed = |source| SlurmError::Directory { path: path.clone(), source };
        let mut found = HashSet::new();
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                found.insert(ParcelId(name));
            }
        }
        Ok(found)
    }

    /// A response, and how long after its request it was written, by the clock of the file system.
    pub(super) fn take(&self, id: &ParcelId) -> Result<(Delivery, Duration), SlurmError> {
        let path = self.delivery(id);
        let delivery = Delivery::from_bytes(&read(&path)?)?;
        let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let between = match (time(&self.parcel(id)), time(&path)) {
            (Some(sent), Some(came)) => came.duration_since(sent).unwrap_or_default(),
            _ => Duration::ZERO,
        };
        Ok((delivery, between))
    }

    /// Removes a request and its response when the trials are stored elsewhere.
    pub(super) fn forget(&self, id: &ParcelId) {
        let _ = fs::remove_file(self.delivery(id));
        let _ = fs::remove_file(self.parcel(id));
    }

    /// How many requests a node served before this one.
    pub(super) fn served_before(&self, node: &str, id: &ParcelId) -> u32 {
        let dir = self.root.join(NODES).join(node);
        let _ = fs::create_dir_all(&dir);
        let before = fs::read_dir(&dir).map_or(0, Iterator::count);
        let _ = fs::write(dir.join(&id.0), "");
        before as u32
    }

    /// The last lines of the log of a task of the array with this number.
    pub(super) fn last_words(&self, number: &str, task: usize) -> String {
        let text = fs::read(self.logs().join(format!("{number}_{task}"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.chars().take(SHOWN).collect()
    }

    /// Whether no request was ever sent, or all have been removed.
    pub(super) fn is_empty(&self) -> bool {
        [PARCELS, DELIVERIES]
            .iter()
            .all(|part| fs::read_dir(self.root.join(part)).is_ok_and(|mut entries| entries.next().is_none()))
    }

    /// Removes everything, at the end of the run.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn read(path: &Path) -> Result<Vec<u8>, SlurmError> {
    fs::read(path).map_err(|source| SlurmError::Directory { path: path.to_owned(), source })
}

/// Writes a file under a temporary name and then renames it, so that readers never see a part of it.
fn write(path: &Path, bytes: &[u8]) -> Result<(), SlurmError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Process numbers of two nodes may be equal, but not the job ids.
    let host = std::env::var("SLURM_JOB_ID").unwrap_or_default();
    let temporary = path.with_file_name(format!(".{name}.{host}.{}", std::process::id()));
    let written = fs::write(&temporary, bytes)
        .and_then(|()| sync(&temporary))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        SlurmError::Directory { path: path.to_owned(), source }
    })
}

fn sync(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}

fn remove_old(shared: &Path, own: &Path) {
    let is_old = |path: &Path| {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|age| age > KEPT)
    };
    for entry in fs::read_dir(shared).into_iter().flatten().flatten() {
        let path = entry.path();
        if path != own && path.is_dir() && is_old(&path) {
            let _ = fs::remove_dir_all(path);
        }
    }
}
