//! Benchmarks that are defined in the configuration, because no file of the project describes them.
//!
//! Most harnesses find everything in the project's files. Commands and shims are named in `benchwright.toml`
//! or on the command line. Both versions of a comparison use the same definitions, those of the working
//! directory, as for all settings. [`Harness::configure`](crate::Harness::configure) passes them to the
//! harness that needs them.

use std::path::{Component, Path, PathBuf};

use benchwright_model::Diagnostic;

use crate::{BuildRequest, Built, Executable, HarnessError, StepFailure, words};

/// Maximum number of benchmarks of one command.
const MOST_COMBINATIONS: usize = 1000;

/// Placeholders with a built-in value: the version's files, its build's directory, and a directory for
/// intermediate files that all versions share (for `build` and `setup` only).
pub(crate) const OWN_PLACEHOLDERS: [&str; 3] = ["root", "out", "intermediate"];

/// All definitions in the configuration.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Definitions {
    /// Commands as benchmarks.
    pub commands: Vec<CommandDefinition>,
    /// Programs that use the shim protocol.
    pub shims: Vec<ShimDefinition>,
}

/// A command as a benchmark, or as several if it has parameters.
///
/// Texts may contain `{parameter}` for every parameter, `{root}` for the directory of the version's files and
/// `{out}` for that of its build. Other text in braces stays as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandDefinition {
    /// The benchmark's name. Parameters it does not mention are appended, `name(size=10)`.
    pub name: String,
    /// The command line that is measured.
    pub run: String,
    /// The shell that runs it. `None` means that the command is split into words and started without one.
    pub shell: Option<String>,
    /// Shell text that builds it, once per version.
    pub build: Option<String>,
    /// Shell text for other work to do once per version, after building.
    pub setup: Option<String>,
    /// Shell text before each run, not measured.
    pub prepare: Option<String>,
    /// Shell text after each run, not measured.
    pub conclude: Option<String>,
    /// Shell text after the last run of each trial, not measured.
    pub cleanup: Option<String>,
    /// Every combination of their values is a benchmark.
    pub parameters: Vec<Parameter>,
    /// Working directory of all of these, relative to the version's root.
    pub dir: PathBuf,
    /// Environment variables in addition to the common ones.
    pub env: Vec<(String, String)>,
    /// The file used as standard input, relative to `dir`. `None` means no input.
    pub input: Option<String>,
    /// Number of runs of each trial before the first that counts.
    pub warmup: u32,
    /// Number of runs of each trial that count. `None` means as many as fill the trial's time, but at least
    /// its iterations.
    pub runs: Option<u32>,
    /// Exit statuses that count as success, like 0. `None` accepts all, and signals too.
    pub exit_codes: Option<Vec<i32>>,
}

/// A parameter of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name in braces.
    pub name: String,
    /// The values, in order.
    pub values: Vec<String>,
}

/// A program that uses the shim protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct ShimDefinition {
    /// The name of its suite, which is the package of its benchmarks.
    pub name: String,
    /// The command line that starts it, without a shell. `list` or `run …` is appended.
    pub run: String,
    /// Shell text that builds it, once per version.
    pub build: Option<String>,
    /// Working directory of both, relative to the version's root.
    pub dir: PathBuf,
    /// Environment variables in addition to the common ones.
    pub env: Vec<(String, String)>,
}

/// An error in one field of a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use `{field}`: {message}")]
pub struct DefinitionError {
    /// The name of the field in the file.
    pub field: &'static str,
    /// The error, as a lowercase fragment.
    pub message: String,
    /// Advice for the user. Empty if the message is enough.
    pub hint: String,
}

impl CommandDefinition {
    /// Defines `run` under this name, with defaults for everything else.
    pub fn new(name: impl Into<String>, run: impl Into<String>) -> Self {
        CommandDefinition {
            name: name.into(),
            run: run.into(),
            shell: None,
            build: None,
            setup: None,
            prepare: None,
            conclude: None,
            cleanup: None,
            parameters: Vec::new(),
            dir: PathBuf::new(),
            env: Vec::new(),
            input: None,
            warmup: 0,
            runs: None,
            exit_codes: Some(vec![0]),
        }
    }

    /// Whether it can be used, as far as this is known before it runs.
    pub fn check(&self) -> Result<(), DefinitionError> {
        check_name(&self.name)?;
        for (field, text) in self.texts() {
            if text.contains('\0') {
                return Err(error(field, "it has a zero byte"));
            }
        }
        match &self.shell {
            Some(shell) => {
                split("shell", shell)?;
                if self.run.trim().is_empty() {
                    return Err(error("run", "there is no command"));
                }
            }
            None => drop(split("run", &self.run)?),
        }
        check_dir(&self.dir)?;
        check_env(&self.env)?;
        self.check_parameters()
    }

    fn check_parameters(&self) -> Result<(), DefinitionError> {
        let field = "parameters";
        let mut combinations = 1_usize;
        for (i, Parameter { name, values }) in self.parameters.iter().enumerate() {
            let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
            if name.is_empty() || !name.chars().all(is_plain) {
                return Err(error(field, format!("`{name}` is not a valid parameter name"))
                    .hint("use letters, digits, `_`, `-` and `.`"));
            }
            if OWN_PLACEHOLDERS.contains(&name.as_str()) {
                return Err(error(field, format!("`{name}` is reserved")));
            }
            if self.parameters[..i].iter().any(|other| other.name == *name) {
                return Err(error(field, format!("`{name}` is there twice")));
            }
            if values.is_empty() {
                return Err(error(field, format!("`{name}` has no values")));
            }
            if let Some(twin) = values.iter().enumerate().find(|(j, value)| values[..*j].contains(value)) {
                return Err(error(field, format!("`{name}` has the value `{}` twice", twin.1)));
            }
            let placeholder = format!("{{{name}}}");
            if !self.texts().any(|(_, text)| text.contains(&placeholder)) {
                return Err(error(field, format!("`{name}` is used nowhere"))
                    .hint(format!("write `{placeholder}` where its values belong")));
            }
            combinations = combinations.saturating_mul(values.len());
        }
        match combinations > MOST_COMBINATIONS {
            true => {
                Err(error(field, format!("{combinations} combinations, at most {MOST_COMBINATIONS} allowed")))
            }
            false => Ok(()),
        }
    }

    /// Every text in which placeholders are filled in, with the name of its field.
    fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let optional = [
            ("build", &self.build),
            ("setup", &self.setup),
            ("prepare", &self.prepare),
            ("conclude", &self.conclude),
            ("cleanup", &self.cleanup),
            ("input", &self.input),
        ];
        let plain = [("name", self.name.as_str()), ("run", self.run.as_str())];
        let env = self.env.iter().map(|(_, value)| ("env", value.as_str()));
        let optional = optional.into_iter().filter_map(|(field, text)| Some((field, text.as_deref()?)));
        plain.into_iter().chain(optional).chain(env)
    }
}

impl Parameter {
    /// The numbers from `from` to `to` inclusive, in steps. They are written as decimals and counted exactly.
    pub fn scan(name: &str, from: &str, to: &str, step: &str) -> Result<Parameter, String> {
        let numbers = [from, to, step].map(Decimal::parse);
        let [Some(from), Some(to), Some(step)] = numbers else {
            return Err(format!("expected numbers, found `{from}`, `{to}` and `{step}`"));
        };
        let places = from.places.max(to.places).max(step.places);
        let [from, to, step] = [from, to, step].map(|number| number.scaled(places));
        let (Some(from), Some(to), Some(step)) = (from, to, step) else {
            return Err("the numbers are too large or have too many decimals".into());
        };
        if step <= 0 {
            return Err("the step has to be above 0".into());
        }
        if from > to {
            return Err("the first number is above the last".into());
        }
        let count = (to - from) / step + 1;
        if count > MOST_COMBINATIONS as i128 {
            return Err(format!("{count} values, at most {MOST_COMBINATIONS} allowed"));
        }
        let values = (0..count).map(|i| Decimal { digits: from + i * step, places }.text());
        Ok(Parameter { name: name.into(), values: values.collect() })
    }
}

impl ShimDefinition {
    /// Whether it can be used.
    pub fn check(&self) -> Result<(), DefinitionError> {
        check_name(&self.name)?;
        if self.run.contains('\0') || self.build.as_ref().is_some_and(|text| text.contains('\0')) {
            return Err(error("run", "it has a zero byte"));
        }
        split("run", &self.run)?;
        check_dir(&self.dir)?;
        check_env(&self.env)
    }
}

impl DefinitionError {
    fn hint(self, hint: impl Into<String>) -> Self {
        DefinitionError { hint: hint.into(), ..self }
    }
}

/// A number in decimal notation, so that steps of 0.1 stay exact.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Decimal> {
        let text = text.trim();
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
        let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        let is_number =
            is_digits(unsigned) && is_digits(fraction) && !(unsigned.is_empty() && fraction.is_empty());
        if !is_number || unsigned.len() + fraction.len() > 30 {
            return None;
        }
        let digits = format!("{}0{unsigned}{fraction}", if whole.starts_with('-') { "-" } else { "" });
        Some(Decimal { digits: digits.parse().ok()?, places: fraction.len() as u32 })
    }

    /// Its digits with this many decimal places.
    fn scaled(self, places: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(places - self.places)?).filter(|n| n.abs() < 1 << 100)
    }

    fn text(self) -> String {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = self.places as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - self.places as usize);
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}

fn check_name(name: &str) -> Result<(), DefinitionError> {
    if name.trim().is_empty() {
        return Err(error("name", "it is empty"));
    }
    match name.chars().any(char::is_control) {
        true => Err(error("name", "it has a line end or another control character")),
        false => Ok(()),
    }
}

/// The directory is at the same place below the roots of both versions, so it must not lead out of them.
fn check_dir(dir: &Path) -> Result<(), DefinitionError> {
    let is_inside = dir.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    match is_inside {
        true => Ok(()),
        false => Err(error("dir", format!("`{}` leads out of the repository", dir.display()))
            .hint("give a directory of the repository, without `..`")),
    }
}

fn check_env(env: &[(String, String)]) -> Result<(), DefinitionError> {
    let is_wrong = |name: &str| name.is_empty() || name.contains(['=', '\0']);
    match env.iter().find(|(name, value)| is_wrong(name) || value.contains('\0')) {
        Some((name, _)) => Err(error("env", format!("`{name}` is not a valid variable name"))),
        None => Ok(()),
    }
}

fn split(field: &'static str, text: &str) -> Result<Vec<String>, DefinitionError> {
    words::split(text).map_err(|wrong| error(field, wrong.message).hint(wrong.hint))
}

fn error(field: &'static str, message: impl Into<String>) -> DefinitionError {
    DefinitionError { field, message: message.into(), hint: String::new() }
}

/// Builds each definition; `name` is used in messages. A failure becomes a diagnostic as long as another
/// definition works.
pub(crate) fn build_each<D>(
    definitions: &[D],
    name: impl Fn(&D) -> &str,
    mut build: impl FnMut(&D, usize) -> Result<Executable, HarnessError>,
) -> Result<Built, HarnessError> {
    let mut built = Built::default();
    let mut first_failure = None;
    for (i, definition) in definitions.iter().enumerate() {
        match build(definition, i) {
            Ok(executable) => built.executables.push(executable),
            Err(error @ HarnessError::Step { source: StepFailure::Interrupted, .. }) => return Err(error),
            Err(error) => {
                let detail = match (&error, std::error::Error::source(&error)) {
                    (HarnessError::Tool { message, .. }, _) => format!("\n{message}"),
                    (_, Some(cause)) => format!(": {cause}"),
                    (_, None) => String::new(),
                };
                let message = format!("cannot {error}{detail}");
                built.diagnostics.push(Diagnostic::error(name(definition), message).hint(error.hint()));
                first_failure.get_or_insert(error);
            }
        }
    }
    match first_failure {
        Some(error) if built.executables.is_empty() => Err(error),
        _ => Ok(built),
    }
}

/// The directory `dir` of the version, which must exist.
pub(crate) fn directory(request: &BuildRequest<'_>, dir: &Path) -> Result<PathBuf, HarnessError> {
    let path = request.root.join(dir);
    if path.is_dir() {
        return Ok(path);
    }
    Err(HarnessError::File { path, source: std::io::ErrorKind::NotADirectory.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_parameters(run: &str, parameters: &[(&str, &[&str])]) -> CommandDefinition {
        let parameter = |(name, values): &(&str, &[&str])| Parameter {
            name: name.to_string(),
            values: values.iter().map(|value| value.to_string()).collect(),
        };
        CommandDefinition {
            parameters: parameters.iter().map(parameter).collect(),
            ..CommandDefinition::new("x", run)
        }
    }

    fn check(definition: CommandDefinition, expected: &str) {
        let found = definition.check().map_or_else(|error| error.to_string(), |()| "fine".into());
        assert_eq!(found, expected);
    }

    #[test]
    fn a_definition_that_makes_no_sense_is_refused_with_its_field() {
        let plain = || CommandDefinition::new("x", "true");
        check(plain(), "fine");
        check(CommandDefinition { name: " ".into(), ..plain() }, "use `name`: it is empty");
        check(CommandDefinition::new("x", "a | b"), "use `run`: `|` has a meaning only in a shell");
        check(CommandDefinition { shell: Some("sh".into()), ..CommandDefinition::new("x", "a | b") }, "fine");
        check(
            CommandDefinition { dir: "../x".into(), ..plain() },
            "use `dir`: `../x` leads out of the repository",
        );
        check(
            CommandDefinition { dir: "/x".into(), ..plain() },
            "use `dir`: `/x` leads out of the repository",
        );
        check(CommandDefinition { dir: "./a/b".into(), ..plain() }, "fine");
        let env = vec![("A=B".to_owned(), String::new())];
        check(CommandDefinition { env, ..plain() }, "use `env`: `A=B` is not a valid variable name");
        check(
            CommandDefinition { prepare: Some("\0".into()), ..plain() },
            "use `prepare`: it has a zero byte",
        );
    }

    #[test]
    fn parameters_have_to_be_used_and_their_values_to_differ() {
        check(with_parameters("a {n}", &[("n", &["1", "2"])]), "fine");
        check(with_parameters("a {m}", &[("n", &["1"])]), "use `parameters`: `n` is used nowhere");
        check(with_parameters("a {n}", &[("n", &[])]), "use `parameters`: `n` has no values");
        check(
            with_parameters("a {n}", &[("n", &["1", "1"])]),
            "use `parameters`: `n` has the value `1` twice",
        );
        check(
            with_parameters("a {n}", &[("n", &["1"]), ("n", &["2"])]),
            "use `parameters`: `n` is there twice",
        );
        check(with_parameters("a {out}", &[("out", &["1"])]), "use `parameters`: `out` is reserved");
        check(
            with_parameters("a {n m}", &[("n m", &["1"])]),
            "use `parameters`: `n m` is not a valid parameter name",
        );
        let many: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        check(
            with_parameters("a {n} {m}", &[("n", &many), ("m", &many)]),
            "use `parameters`: 1600 combinations, at most 1000 allowed",
        );
    }

    #[test]
    fn scans_are_exact() {
        let check = |from: &str, to: &str, step: &str, expected: Result<&[&str], &str>| {
            let found = Parameter::scan("n", from, to, step).map(|parameter| parameter.values);
            let expected = expected.map(|values| values.iter().map(|v| v.to_string()).collect());
            assert_eq!(found, expected.map_err(str::to_owned), "{from} {to} {step}");
        };
        check("1", "3", "1", Ok(&["1", "2", "3"]));
        check("0", "1", "0.25", Ok(&["0", "0.25", "0.5", "0.75", "1"]));
        check("0.1", "0.35", ".1", Ok(&["0.1", "0.2", "0.3"]));
        check("-1", "1", "1", Ok(&["-1", "0", "1"]));
        check("-0.5", "0", "0.5", Ok(&["-0.5", "0"]));
        check("100", "400", "150", Ok(&["100", "250", "400"]));
        check("5", "5", "1", Ok(&["5"]));
        check("5", "4", "1", Err("the first number is above the last"));
        check("1", "2", "0", Err("the step has to be above 0"));
        check("1", "x", "1", Err("expected numbers, found `1`, `x` and `1`"));
        check("1", "1e9", "1", Err("expected numbers, found `1`, `1e9` and `1`"));
        check("1", "1000000", "1", Err("1000000 values, at most 1000 allowed"));
        check(
            "1",
            "999999999999999999999999999999",
            "0.000000000000000001",
            Err("the numbers are too large or have too many decimals"),
        );
    }
}
