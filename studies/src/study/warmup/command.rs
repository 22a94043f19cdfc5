//! The command `cargo xtask study warmup`.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::interval::Draws;
use super::recording::Recording;
use super::repeat::{self, Study};
use super::{document, pictures, stops};
use crate::study::recorded;
use xtask::flags::Flags;

/// Repeats the study, prints the document, and writes it with its pictures and the decisions of all rules.
pub(in crate::study) fn study(root: &Path, arguments: &[String]) -> Result<()> {
    let flags = Flags::parse(arguments, &["data", "out", "stops", "jobs", "draws"])?;
    let data = recorded::directory(root, flags.text("data"))?.join("jmh-steady");
    let out = flags.text("out").map_or_else(|| root.join("docs/studies/warmup.md"), PathBuf::from);
    let decisions = flags.text("stops").map_or_else(|| root.join("target/warmup-stops"), PathBuf::from);
    let jobs = flags.number("jobs", std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))?;
    let means = flags.number("draws", Draws::USUAL.means)?;
    let begin = Instant::now();
    let study =
        repeat::repeat(&data, &root.join("studies/warmup/folds"), Draws { means, ..Draws::USUAL }, jobs)?;
    println!("{}", write_study(&study, &out)?);
    write_stops(&study, &data, &decisions)?;
    println!("decisions of {} rules in `{}`", study.stops.len(), decisions.display());
    println!("{:.0} s on {jobs} threads", begin.elapsed().as_secs_f64());
    Ok(())
}

/// Writes the document, and the pictures next to it. Returns the document.
pub(super) fn write_study(study: &Study, out: &Path) -> Result<String> {
    let stem = out.file_stem().context("find the name of the document")?.to_string_lossy().into_owned();
    let directory = out.parent().context("find the directory of the document")?;
    fs::create_dir_all(directory).with_context(|| format!("make `{}`", directory.display()))?;
    for (name, picture) in [("figure-4", pictures::figure_4(study)), ("front", pictures::front(study))] {
        let path = directory.join(format!("{stem}-{name}.svg"));
        fs::write(&path, picture).with_context(|| format!("write `{}`", path.display()))?;
    }
    let text = document::document(study, &stem);
    fs::write(out, &text).with_context(|| format!("write `{}`", out.display()))?;
    Ok(text)
}

fn write_stops(study: &Study, data: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("make `{}`", folder.display()))?;
    let recording = Recording::read(data)?;
    for (name, decided) in &study.stops {
        stops::write(&folder.join(format!("{name}.csv")), &recording, decided)?;
    }
    Ok(())
}
