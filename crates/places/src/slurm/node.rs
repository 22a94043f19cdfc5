//! Runs on a node: one task of an array.

use std::path::Path;

use benchwright_process::Interrupt;
use benchwright_worker::Worker;
use benchwright_worker::wire::{Host, SystemClock, deliver};

use super::SlurmError;
use super::directory::Directory;

/// Why a task has no result.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The shared directory, or a file in it.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
    /// The array has no such task.
    #[error("find task {task} of array `{array}`")]
    NoTask {
        /// The array's name.
        array: String,
        /// The task's number.
        task: usize,
    },
    /// The job was cancelled, or its time was over.
    #[error("finish before the job was ended")]
    Interrupted,
}

/// Carries out the request of task number `task` of the array called `array`, and puts its response into
/// `dir`. A task that runs again after its response was written does nothing.
pub fn serve_task(
    dir: &Path,
    array: &str,
    task: usize,
    node: &str,
    worker: &Worker,
    interrupt: &Interrupt,
) -> Result<(), NodeError> {
    let directory = Directory::at(dir);
    let missing = || NodeError::NoTask { array: array.to_owned(), task };
    let id = directory.parcel_of(array, task)?.ok_or_else(missing)?;
    if directory.delivery(&id).exists() {
        return Ok(());
    }
    let parcel = directory.read_parcel(&id)?;
    let mut host = Host::here(node, "slurm");
    host.served_before = directory.served_before(node, &id);
    let delivery = deliver(&parcel, worker, &host, interrupt, &SystemClock::new());
    // The request's own time limit sets the interrupt too. Trials that are done by then count.
    if interrupt.is_set() && delivery.service.took < parcel.wall {
        return Err(NodeError::Interrupted);
    }
    directory.put(&id, &delivery.to_bytes().map_err(SlurmError::from)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use benchwright_model::RunId;
    use benchwright_worker::CommonEnvironment;
    use benchwright_worker::wire::Parcel;

    use super::*;
    use crate::test_call::call;

    /// A run's directory with one array of two requests, and the requests.
    fn array() -> (tempfile::TempDir, Directory, [Parcel; 2]) {
        let shared = tempfile::tempdir().unwrap();
        let directory = Directory::make(shared.path(), "run").unwrap();
        let parcel = |name: &str| {
            Parcel::new(&RunId("run".into()), vec![call(name, 0), call(name, 1)], Duration::from_secs(60))
        };
        let parcels = [parcel("X"), parcel("Y")];
        directory.write_array("bw-1", Path::new("/bin/it's"), parcels.iter()).unwrap();
        (shared, directory, parcels)
    }

    fn served(directory: &Directory, task: usize, interrupt: &Interrupt) -> Result<(), NodeError> {
        let scratch = tempfile::tempdir().unwrap();
        let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
        serve_task(directory.path(), "bw-1", task, "node7", &worker, interrupt)
    }

    #[test]
    fn each_task_delivers_its_own_parcel_and_the_second_one_is_warm() {
        let (_shared, directory, parcels) = array();
        for (task, parcel) in parcels.iter().enumerate() {
            served(&directory, task, &Interrupt::new()).unwrap();
            let (delivery, _) = directory.take(&parcel.id).unwrap();
            assert_eq!((&delivery.parcel, delivery.answers.len()), (&parcel.id, 2));
            assert_eq!(
                (delivery.instance.id.0.as_str(), delivery.service.served_before),
                ("node7", task as u32)
            );
        }
        assert_eq!(directory.delivered().unwrap().len(), 2);
        parcels.iter().for_each(|parcel| directory.forget(&parcel.id));
        assert_eq!(directory.delivered().unwrap().len(), 0);
    }

    #[test]
    fn a_task_that_is_run_again_leaves_its_delivery_alone() {
        let (_shared, directory, parcels) = array();
        directory.put(&parcels[0].id, b"there already").unwrap();
        served(&directory, 0, &Interrupt::new()).unwrap();
        assert_eq!(std::fs::read(directory.delivery(&parcels[0].id)).unwrap(), b"there already");
        assert!(directory.take(&parcels[0].id).is_err(), "no panic either");
    }

    #[test]
    fn a_cancelled_or_unknown_task_delivers_nothing() {
        let (_shared, directory, _) = array();
        let interrupt = Interrupt::new();
        interrupt.set();
        assert!(matches!(served(&directory, 0, &interrupt), Err(NodeError::Interrupted)));
        assert!(matches!(served(&directory, 2, &Interrupt::new()), Err(NodeError::NoTask { task: 2, .. })));
        assert!(directory.delivered().unwrap().is_empty());
    }

    #[test]
    fn the_script_quotes_its_paths() {
        let (_shared, directory, _) = array();
        let script = std::fs::read_to_string(directory.list("bw-1.sh")).unwrap();
        let dir = directory.path().display();
        assert_eq!(script, format!("#!/bin/sh\nexec '/bin/it'\\''s' slurm-task '{dir}' bw-1\n"));
    }
}
