//! The results directory and the paths in it.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use benchwright_model::RunId;

/// The name of the file that hides the directory from git.
pub(crate) const HIDING_FILE: &str = ".gitignore";
const JOURNALS: &str = "journals";
const JOURNAL_EXTENSION: &str = "journal";

/// Makes the results directory if it is missing, with a `.gitignore` of its own that hides all of it.
/// Existing files are not changed.
pub fn prepare_directory(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    match fs::File::create_new(dir.join(HIDING_FILE)) {
        Ok(mut file) => file.write_all(b"*\n"),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        // A directory that others provide for reading only need not be hidden.
        Err(_) if dir.join(crate::store::FILE_NAME).exists() => Ok(()),
        Err(error) => Err(error),
    }
}

/// The path of a run's journal in the results directory.
pub fn journal_path(dir: &Path, run: &RunId) -> PathBuf {
    dir.join(JOURNALS).join(format!("{run}.{JOURNAL_EXTENSION}"))
}

/// The journals in the results directory, sorted by name and therefore by time. They belong to runs that were
/// killed, or to running ones, which [`Journal::reopen`](crate::Journal::reopen) refuses.
pub fn left_over_journals(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir.join(JOURNALS)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == JOURNAL_EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_hides_itself_and_keeps_a_changed_gitignore() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a/.benchwright");
        prepare_directory(&dir).unwrap();
        assert_eq!(fs::read_to_string(dir.join(".gitignore")).unwrap(), "*\n");
        fs::write(dir.join(".gitignore"), "journals\n").unwrap();
        prepare_directory(&dir).unwrap();
        assert_eq!(fs::read_to_string(dir.join(".gitignore")).unwrap(), "journals\n");
    }

    #[test]
    fn journals_are_found_in_order_and_other_files_are_not() {
        let root = tempfile::tempdir().unwrap();
        assert!(left_over_journals(root.path()).unwrap().is_empty());
        let (later, earlier) = (RunId("20260102-b".into()), RunId("20260101-a".into()));
        let paths = [journal_path(root.path(), &earlier), journal_path(root.path(), &later)];
        fs::create_dir(paths[0].parent().unwrap()).unwrap();
        for path in paths.iter().rev() {
            fs::write(path, "").unwrap();
        }
        fs::write(paths[0].with_extension("txt"), "").unwrap();
        assert_eq!(left_over_journals(root.path()).unwrap(), paths);
    }
}
