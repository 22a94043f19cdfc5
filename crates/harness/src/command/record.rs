//! The record of a command in a build, and the steps of a trial of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::combination::combinations;
use crate::{CommandDefinition, Parameter, words};

/// The steps of one trial of a command, with all values filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandTrial {
    /// Program and arguments; never empty.
    pub words: Vec<String>,
    /// Shell text before each run.
    pub prepare: Option<String>,
    /// Shell text after each run.
    pub conclude: Option<String>,
    /// Shell text after the last run.
    pub cleanup: Option<String>,
    /// Environment variables for all of them.
    pub env: Vec<(String, String)>,
    /// The file that the command reads. `None` means that it has no input.
    pub input: Option<PathBuf>,
    /// Number of runs before the first that counts.
    pub warmup: u32,
    /// Number of runs that count. `None` means as many as fill the trial's time.
    pub runs: Option<u32>,
    /// Exit statuses that count as success. `None` accepts all, and signals too.
    pub exit_codes: Option<Vec<i32>>,
}

/// Why a trial's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrialFileError {
    /// It cannot be read.
    #[error("read `{}`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is not a file written by a build.
    #[error("understand `{}`", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It does not have this benchmark.
    #[error("find the benchmark `{name}` in `{}`", .path.display())]
    NoBenchmark {
        /// The benchmark.
        name: String,
        /// The file.
        path: PathBuf,
    },
}

/// A definition as stored in the build's directory.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    name: String,
    run: String,
    shell: Option<String>,
    build: Option<String>,
    setup: Option<String>,
    prepare: Option<String>,
    conclude: Option<String>,
    cleanup: Option<String>,
    parameters: Vec<(String, Vec<String>)>,
    dir: String,
    env: Vec<(String, String)>,
    input: Option<String>,
    warmup: u32,
    runs: Option<u32>,
    exit_codes: Option<Vec<i32>>,
}

/// The definition as text.
pub(super) fn written(definition: &CommandDefinition) -> String {
    let CommandDefinition { parameters, dir, .. } = definition.clone();
    let record = Record {
        name: definition.name.clone(),
        run: definition.run.clone(),
        shell: definition.shell.clone(),
        build: definition.build.clone(),
        setup: definition.setup.clone(),
        prepare: definition.prepare.clone(),
        conclude: definition.conclude.clone(),
        cleanup: definition.cleanup.clone(),
        parameters: parameters.into_iter().map(|Parameter { name, values }| (name, values)).collect(),
        dir: dir.to_string_lossy().into_owned(),
        env: definition.env.clone(),
        input: definition.input.clone(),
        warmup: definition.warmup,
        runs: definition.runs,
        exit_codes: definition.exit_codes.clone(),
    };
    serde_json::to_string_pretty(&record).expect("texts and numbers can be written as JSON")
}

/// The definition that a build wrote.
pub(super) fn read(path: &Path) -> Result<CommandDefinition, TrialFileError> {
    let text = fs::read_to_string(path)
        .map_err(|source| TrialFileError::Unreadable { path: path.into(), source })?;
    let record: Record = serde_json::from_str(&text)
        .map_err(|source| TrialFileError::Invalid { path: path.into(), source })?;
    let parameters = record.parameters.into_iter().map(|(name, values)| Parameter { name, values });
    Ok(CommandDefinition {
        name: record.name,
        run: record.run,
        shell: record.shell,
        build: record.build,
        setup: record.setup,
        prepare: record.prepare,
        conclude: record.conclude,
        cleanup: record.cleanup,
        parameters: parameters.collect(),
        dir: record.dir.into(),
        env: record.env,
        input: record.input,
        warmup: record.warmup,
        runs: record.runs,
        exit_codes: record.exit_codes,
    })
}

impl CommandTrial {
    /// The steps of a trial of the benchmark `name`, according to the build that wrote `path`. `root` is the
    /// directory of the version's files. `more` are further arguments for the command, or for a shell's
    /// `"$@"`.
    pub fn read(
        path: &Path,
        root: &Path,
        name: &str,
        more: &[String],
    ) -> Result<CommandTrial, TrialFileError> {
        let definition = read(path)?;
        let out = path.parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
        let root_text = root.to_string_lossy().into_owned();
        let all = combinations(&definition.parameters);
        let found = all.iter().find(|combination| combination.name_of(&definition) == name);
        let Some(combination) = found else {
            return Err(TrialFileError::NoBenchmark { name: name.into(), path: path.into() });
        };
        let combination = combination.with("root", &root_text).with("out", &out);
        let fill = |text: &String| combination.fill(text);
        let mut words = match &definition.shell {
            // After the text follow the shell's own name and then its arguments.
            Some(shell) => {
                let last = ["-c".into(), fill(&definition.run), "sh".into()];
                cut(shell).into_iter().chain(last).collect::<Vec<_>>()
            }
            // Split before filling in values, so that a value with blanks stays one word.
            None => cut(&definition.run).iter().map(fill).collect(),
        };
        words.extend_from_slice(more);
        Ok(CommandTrial {
            words,
            prepare: definition.prepare.as_ref().map(fill),
            conclude: definition.conclude.as_ref().map(fill),
            cleanup: definition.cleanup.as_ref().map(fill),
            env: definition.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
            input: definition.input.as_ref().map(|input| root.join(&definition.dir).join(fill(input))),
            warmup: definition.warmup,
            runs: definition.runs,
            exit_codes: definition.exit_codes,
        })
    }
}

/// The words of a text that was checked when it was defined. If it is wrong nevertheless, it is one word.
pub(super) fn cut(text: &str) -> Vec<String> {
    words::split(text).unwrap_or_else(|_| vec![text.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> CommandDefinition {
        CommandDefinition {
            prepare: Some("rm -f {out}/x".into()),
            conclude: Some("true {n}".into()),
            cleanup: Some("echo {root}".into()),
            parameters: vec![Parameter { name: "n".into(), values: vec!["1".into(), "2 3".into()] }],
            dir: "sub".into(),
            env: vec![("N".into(), "{n}".into())],
            input: Some("data/{n}.txt".into()),
            warmup: 2,
            runs: Some(7),
            exit_codes: None,
            ..CommandDefinition::new("x", "./a 'b c' --n={n}")
        }
    }

    fn trial(definition: &CommandDefinition, name: &str) -> Result<CommandTrial, TrialFileError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("000.json");
        fs::write(&path, written(definition)).unwrap();
        let read = CommandTrial::read(&path, Path::new("/r"), name, &["more".into()]);
        let out = dir.path().to_string_lossy().into_owned();
        read.map(|trial| CommandTrial {
            prepare: trial.prepare.map(|text| text.replace(&out, "OUT")),
            ..trial
        })
    }

    #[test]
    fn a_definition_reads_back_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        for definition in [definition(), CommandDefinition::new("ä", "true")] {
            fs::write(&path, written(&definition)).unwrap();
            assert_eq!(read(&path).unwrap(), definition);
        }
    }

    #[test]
    fn a_trial_has_everything_filled_in() {
        let trial = trial(&definition(), "x(n=2 3)").unwrap();
        let words = ["./a", "b c", "--n=2 3", "more"].map(str::to_owned);
        assert_eq!(trial.words, words);
        assert_eq!(trial.prepare.as_deref(), Some("rm -f OUT/x"));
        assert_eq!(trial.conclude.as_deref(), Some("true 2 3"));
        assert_eq!(trial.cleanup.as_deref(), Some("echo /r"));
        assert_eq!(trial.env, [("N".to_owned(), "2 3".to_owned())]);
        assert_eq!(trial.input.as_deref(), Some(Path::new("/r/sub/data/2 3.txt")));
        assert_eq!((trial.warmup, trial.runs, trial.exit_codes), (2, Some(7), None));
    }

    #[test]
    fn a_shell_gets_the_text_whole_and_further_arguments_behind_it() {
        let shell =
            CommandDefinition { shell: Some("bash -e".into()), ..CommandDefinition::new("x", "a | b") };
        let words = ["bash", "-e", "-c", "a | b", "sh", "more"].map(str::to_owned);
        assert_eq!(trial(&shell, "x").unwrap().words, words);
    }

    #[test]
    fn a_wrong_file_or_name_is_told() {
        assert!(matches!(trial(&definition(), "x"), Err(TrialFileError::NoBenchmark { .. })));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        let read = |path: &Path| CommandTrial::read(path, Path::new("/r"), "x", &[]);
        assert!(matches!(read(&path), Err(TrialFileError::Unreadable { .. })));
        fs::write(&path, "{").unwrap();
        assert!(matches!(read(&path), Err(TrialFileError::Invalid { .. })));
    }
}
