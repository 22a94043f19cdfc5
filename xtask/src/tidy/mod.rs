//! Checks the house rules that no compiler checks. They are stated in STYLE.md and ARCHITECTURE.md.
//!
//! Every rule is a function that returns [`Fault`]s, so that each can be tested with input that violates it.
//! [`faults`] applies all of them to the repository.

mod code;
mod documents;
mod fault;
mod files;
mod lengths;
mod licences;
mod purity;
mod rooms;
mod words;

pub(crate) use fault::Fault;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::metadata::{licences, packages};

/// Checks the repository and prints what is wrong.
pub(crate) fn check(root: &Path) -> Result<()> {
    let faults = faults(root)?;
    for fault in &faults {
        println!("{fault}");
    }
    match faults.len() {
        0 => {
            println!("tidy");
            Ok(())
        }
        count => bail!("find the repository tidy: {count} faults"),
    }
}

/// Everything that is wrong in the repository, sorted by file and line.
pub(crate) fn faults(root: &Path) -> Result<Vec<Fault>> {
    let files = files::read(root)?;
    let architecture = files.iter().find(|file| file.path == "ARCHITECTURE.md");
    let architecture = architecture.context("find ARCHITECTURE.md")?;
    let mut faults = Vec::new();
    faults.extend(lengths::faults(&files));
    faults.extend(words::faults(&files));
    faults.extend(purity::faults(&files));
    faults.extend(documents::faults(&files));
    faults.extend(rooms::faults(&architecture.text, &packages(root)?));
    faults.extend(licences::faults(&files, &licences(root)?));
    faults.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() {
        let root = crate::root().expect("the repository");
        let faults: Vec<String> = faults(&root).expect("readable").iter().map(Fault::to_string).collect();
        assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    }
}
