//! Where results go: standard output, and files by their ending.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use benchwright_model::{Comparison, Run, Trial};
use benchwright_report::{Format, levels};

use crate::args::Output;
use crate::problem::Problem;
use crate::terminal::{Terminal, print};

/// What to write where, checked before anything is measured.
#[derive(Debug)]
pub(crate) struct Formats {
    stdout: Format,
    files: Vec<(Format, PathBuf)>,
}

impl Formats {
    pub(crate) fn of(output: &Output) -> Result<Formats, Problem> {
        let stdout = output.format.as_deref().map_or(Ok(Format::Text), str::parse)?;
        let files = output.output.iter().map(|path| Ok((by_ending(path)?, path.clone())));
        Ok(Formats { stdout, files: files.collect::<Result<_, Problem>>()? })
    }

    /// Whether something needs the raw values.
    pub(crate) fn uses_trials(&self) -> bool {
        self.stdout.uses_trials() || self.files.iter().any(|(format, _)| format.uses_trials())
    }

    /// Writes a comparison everywhere it was asked for.
    pub(crate) fn write(
        &self,
        comparison: &Comparison,
        trials: &[Trial],
        terminal: Terminal,
        all: bool,
    ) -> Result<(), Problem> {
        for (format, path) in &self.files {
            let plain = benchwright_report::text::TextOptions { width: None, colour: false, all: true };
            to_file(path, |out| format.write(comparison, trials, &plain, out))?;
            terminal.say(&format!("wrote {}", path.display()));
        }
        print(|out| self.stdout.write(comparison, trials, &terminal.text_options(all), out))?;
        Ok(())
    }

    /// Writes a run of one version everywhere it was asked for.
    pub(crate) fn write_levels(
        &self,
        run: &Run,
        trials: &[Trial],
        terminal: Terminal,
    ) -> Result<(), Problem> {
        let one = |format: Format, out: &mut dyn Write| match format {
            Format::Json => levels::write_json(run, trials, out),
            Format::Csv => levels::write_csv(trials, out),
            Format::Benchfmt => benchwright_report::benchfmt::write_lines(
                run,
                trials,
                None,
                benchwright_report::benchfmt::LinePer::Iteration,
                out,
            ),
            _ => levels::write_text(run, trials, &terminal.text_options(true), out),
        };
        for (format, path) in &self.files {
            to_file(path, |out| one(*format, out))?;
            terminal.say(&format!("wrote {}", path.display()));
        }
        print(|out| one(self.stdout, out))?;
        Ok(())
    }
}

/// The format a file's ending stands for.
fn by_ending(path: &Path) -> Result<Format, Problem> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    match Format::ALL.into_iter().rev().find(|format| format.extension() == ending) {
        Some(format) => Ok(format),
        None => {
            let endings: Vec<String> =
                Format::ALL.iter().map(|format| format!(".{}", format.extension())).collect();
            let error = anyhow::anyhow!("find a format for the file `{}`", path.display());
            Err(Problem::misuse(error, format!("known endings: {}", endings.join(" "))))
        }
    }
}

/// Writes a file whole or not at all.
pub(crate) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Problem> {
    let part = path.with_extension("part");
    let written = File::create(&part).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        std::fs::rename(&part, path)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        Problem::failed(anyhow::Error::new(error).context(format!("write `{}`", path.display())), "")
    })
}
