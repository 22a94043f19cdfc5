//! The destinations of results: standard output, and files with a format given by their ending.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use benchwright_model::{Comparison, Run, Trial};
use benchwright_report::benchfmt::{self, LinePer};
use benchwright_report::text::TextOptions;
use benchwright_report::{Document, Format, levels};

use crate::args::Output;
use crate::terminal::{Terminal, print};
use benchwright_session::{Problem, because};

/// Options for text in files: complete and without colour.
pub(crate) const PLAIN: TextOptions = TextOptions { width: None, colour: false, all: true };
/// The formats of runs of one version.
pub(crate) const LEVELS_FORMATS: [Format; 4] = [Format::Text, Format::Json, Format::Csv, Format::Benchfmt];

/// The formats and their destinations, checked before anything is measured.
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

    /// Whether standard output is for people, who then see errors there.
    pub(crate) fn is_for_people(&self) -> bool {
        self.stdout == Format::Text
    }

    /// Whether diagnostics about the input are written to standard output.
    pub(crate) fn shows_diagnostics(&self) -> bool {
        matches!(self.stdout, Format::Text | Format::Json | Format::Markdown | Format::Html)
    }

    /// Writes a comparison to all destinations.
    pub(crate) fn write(
        &self,
        comparison: &Comparison,
        trials: &[Trial],
        terminal: Terminal,
        all: bool,
    ) -> Result<(), Problem> {
        // Before the files, so that an error in writing one of them does not prevent the table.
        print(|out| self.stdout.write(comparison, trials, &terminal.text_options(all), out))?;
        for (format, path) in &self.files {
            to_file(path, |out| format.write(comparison, trials, &PLAIN, out))?;
            terminal.say(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// Writes a run of one version to all destinations.
    pub(crate) fn write_levels(
        &self,
        run: &Run,
        trials: &[Trial],
        terminal: Terminal,
    ) -> Result<(), Problem> {
        self.check_levels()?;
        print(|out| write_one_levels(self.stdout, run, trials, &terminal.text_options(true), out))?;
        for (format, path) in &self.files {
            to_file(path, |out| write_one_levels(*format, run, trials, &PLAIN, out))?;
            terminal.say(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// Checks that these formats support a run of one version.
    pub(crate) fn check_levels(&self) -> Result<(), Problem> {
        self.all().try_for_each(check_levels)
    }

    /// Writes a report everywhere it was asked for.
    pub(crate) fn write_document<D: Document>(&self, report: &D, terminal: Terminal) -> Result<(), Problem> {
        self.write_document_with(report, terminal, true)
    }

    /// The same, where standard output may leave out rows that are of less interest.
    pub(crate) fn write_document_with<D: Document>(
        &self,
        report: &D,
        terminal: Terminal,
        all: bool,
    ) -> Result<(), Problem> {
        print(|out| report.write(self.stdout, &terminal.text_options(all), out))?;
        for (format, path) in &self.files {
            to_file(path, |out| report.write(*format, &PLAIN, out))?;
            terminal.say(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// Checks that such a report can be written so.
    pub(crate) fn check_document<D: Document>(&self) -> Result<(), Problem> {
        self.all().try_for_each(|format| check(format, D::FORMATS, D::NAME))
    }

    /// Whether something shows the stability of single configurations.
    pub(crate) fn shows_curves(&self) -> bool {
        self.all().any(|format| matches!(format, Format::Html | Format::Json))
    }

    /// Whether forecasts are shown. Output for programs always has them.
    pub(crate) fn shows_forecasts(&self) -> bool {
        self.all().any(|format| format != Format::Csv)
    }

    fn all(&self) -> impl Iterator<Item = Format> {
        self.files.iter().map(|(format, _)| *format).chain([self.stdout])
    }
}

/// Checks that this format supports a run of one version.
pub(crate) fn check_levels(format: Format) -> Result<(), Problem> {
    check(format, &LEVELS_FORMATS, "a run of one version")
}

fn check(format: Format, known: &[Format], what: &str) -> Result<(), Problem> {
    if known.contains(&format) {
        return Ok(());
    }
    let error = format!("write {what} as {}", format.name());
    let names: Vec<&str> = known.iter().map(|format| format.name()).collect();
    Err(Problem::misuse(error, format!("known formats here: {}", names.join(", "))))
}

/// Writes a run of one version in one format.
pub(crate) fn write_one_levels(
    format: Format,
    run: &Run,
    trials: &[Trial],
    options: &TextOptions,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match format {
        Format::Json => levels::write_json(run, trials, out),
        Format::Csv => levels::write_csv(trials, out),
        Format::Benchfmt => benchfmt::write_lines(run, &[], trials, None, LinePer::Iteration, out),
        _ => levels::write_text(run, trials, options, out),
    }
}

/// The format for a file's ending.
fn by_ending(path: &Path) -> Result<Format, Problem> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
        let error = format!("write `{}`: there is no directory `{}`", path.display(), dir.display());
        return Err(Problem::misuse(error, "make it first"));
    }
    match Format::ALL.into_iter().find(|format| format.extension() == ending) {
        Some(format) => Ok(format),
        None => {
            let mut endings: Vec<String> = Vec::new();
            for ending in Format::ALL.iter().map(|format| format!(".{}", format.extension())) {
                if !endings.contains(&ending) {
                    endings.push(ending);
                }
            }
            let error = format!("unknown format of the file `{}`", path.display());
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
        Problem::failed(because(format!("write `{}`", path.display()), error), "")
    })
}
