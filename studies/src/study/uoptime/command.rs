//! The command `cargo xtask study uoptime`.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::repeat::{self, Study};
use super::{document, pictures};
use crate::study::recorded;
use xtask::flags::Flags;

/// Repeats the study, prints the document, and writes it with its pictures.
pub(in crate::study) fn study(root: &Path, arguments: &[String]) -> Result<()> {
    let flags = Flags::parse(arguments, &["data", "out", "jobs"])?;
    let data = recorded::directory(root, flags.text("data"))?;
    let out = flags.text("out").map_or_else(|| root.join("docs/studies/uoptime.md"), PathBuf::from);
    let jobs = flags.number("jobs", std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))?;
    let text = write_study(&repeat::repeat(&data.join("uoptime"), jobs)?, &out)?;
    println!("{text}");
    Ok(())
}

/// Writes the document, and the pictures next to it. Returns the document.
pub(super) fn write_study(study: &Study, out: &Path) -> Result<String> {
    let stem = out.file_stem().context("find the name of the document")?.to_string_lossy().into_owned();
    let directory = out.parent().context("find the directory of the document")?;
    fs::create_dir_all(directory).with_context(|| format!("make `{}`", directory.display()))?;
    for (name, picture) in [
        ("figure-3", pictures::figure_3(&study.projects)),
        ("figure-4", pictures::figure_4(&study.projects)),
        ("trade-off", pictures::trade_off(&study.projects)),
    ] {
        write(&directory.join(format!("{stem}-{name}.svg")), &picture)?;
    }
    let text = document::document(study, &stem);
    write(out, &text)?;
    Ok(text)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("write `{}`", path.display()))
}
