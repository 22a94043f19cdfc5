//! Installs SciPy, with which `bench` compares our statistics.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::command::{find_program, run};

/// The version that produced the reference values of the statistics.
const PACKAGE: &str = "scipy==1.17.1";

/// Installs SciPy into `.tools/python`, which git ignores.
pub fn install(root: &Path) -> Result<()> {
    let python = own_python(root);
    if has_scipy(&python) {
        println!("SciPy is there");
        return Ok(());
    }
    println!("installing {PACKAGE} into .tools/python");
    run(Command::new("python3").args(["-m", "venv"]).arg(root.join(".tools/python")))?;
    run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        PACKAGE,
    ]))
}

/// A Python that has SciPy, and with it NumPy.
pub fn python(root: &Path) -> Result<PathBuf> {
    let mut candidates = std::iter::once(own_python(root)).chain(find_program("python3"));
    match candidates.find(|python| has_scipy(python)) {
        Some(python) => Ok(python),
        None => bail!("SciPy is not there; `cargo xtask setup --python` installs it"),
    }
}

fn own_python(root: &Path) -> PathBuf {
    root.join(".tools/python/bin/python")
}

fn has_scipy(python: &Path) -> bool {
    Command::new(python).args(["-c", "import scipy"]).output().is_ok_and(|output| output.status.success())
}
