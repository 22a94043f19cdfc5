//! The formats by name.

use std::io::{self, Write};
use std::str::FromStr;

use benchwright_model::{Comparison, Trial};

use crate::text::TextOptions;
use crate::{benchfmt, csv, html, json, junit, markdown, text};

/// A way to show a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A table for the terminal.
    Text,
    /// Everything, versioned, for programs.
    Json,
    /// A comment on a pull request.
    Markdown,
    /// One row per benchmark and metric.
    Csv,
    /// Raw values for Go's tools.
    Benchfmt,
    /// Test results for CI servers.
    Junit,
    /// A page with plots.
    Html,
}

/// An unknown name of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`")]
pub struct UnknownFormat {
    /// The name as given.
    pub name: String,
}

/// A report about something else than one comparison.
pub trait Document {
    /// The formats it can be written in.
    const FORMATS: &'static [Format];
    /// What it is, as in "write a reduction as CSV".
    const NAME: &'static str;

    /// Writes it in one of these formats; others are written as text.
    fn write(&self, format: Format, options: &TextOptions, out: &mut dyn Write) -> io::Result<()>;
}

impl UnknownFormat {
    /// The list of valid names.
    pub fn hint(&self) -> String {
        format!("known formats: {}", Format::NAMES.join(", "))
    }
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 7] = [
        Format::Text,
        Format::Json,
        Format::Markdown,
        Format::Csv,
        Format::Benchfmt,
        Format::Junit,
        Format::Html,
    ];

    /// The names of all formats, in the same order.
    pub const NAMES: [&'static str; 7] = ["text", "json", "markdown", "csv", "benchfmt", "junit", "html"];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        let at = Format::ALL.iter().position(|format| *format == self);
        at.map_or("", |index| Format::NAMES[index])
    }

    /// The usual ending of a file in this format, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Text | Format::Benchfmt => "txt",
            Format::Json => "json",
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Junit => "xml",
            Format::Html => "html",
        }
    }

    /// Whether the format uses the run's trials. [`Format::Html`] and [`Format::Json`] work without them but
    /// show more with them.
    pub fn uses_trials(self) -> bool {
        matches!(self, Format::Benchfmt | Format::Html | Format::Json)
    }

    /// Writes `comparison` in this format. `trials` are those of its run. `options` are for [`Format::Text`]
    /// only.
    pub fn write(
        self,
        comparison: &Comparison,
        trials: &[Trial],
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Format::Text => text::write(comparison, options, out),
            Format::Json => json::write(comparison, trials, out),
            Format::Markdown => markdown::write(comparison, out),
            Format::Csv => csv::write(comparison, out),
            Format::Benchfmt => {
                benchfmt::write_trials(&comparison.run, &comparison.findings, trials, None, out)
            }
            Format::Junit => junit::write(comparison, out),
            Format::Html => html::write(comparison, trials, out),
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// The format called `name`. Also accepts `table`, `md` and `xml`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let lower = name.to_ascii_lowercase();
        let known = Format::NAMES.iter().position(|known| *known == lower);
        match (known, lower.as_str()) {
            (Some(index), _) => Ok(Format::ALL[index]),
            (None, "table") => Ok(Format::Text),
            (None, "md") => Ok(Format::Markdown),
            (None, "xml") => Ok(Format::Junit),
            _ => Err(UnknownFormat { name: name.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("MD".parse(), Ok(Format::Markdown));
        let unknown = "yaml".parse::<Format>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown format `yaml`");
        assert!(unknown.hint().contains("benchfmt"));
    }
}
