//! Suggestions for commands that have another name in other tools.

use clap::error::{ContextKind, ContextValue};

/// A command, and names that other tools have for it.
const MEANT: [(&str, &[&str]); 9] = [
    ("show", &["history", "log", "results", "runs", "report", "view"]),
    ("compare", &["diff", "cmp", "check", "test", "versus"]),
    ("run", &["bench", "benchmark", "measure", "exec", "start"]),
    ("list", &["ls", "benchmarks", "find"]),
    ("init", &["config", "new", "setup", "configure"]),
    ("doctor", &["system", "env", "machine", "noise"]),
    ("reduce", &["plan", "minimize", "optimize", "optimise"]),
    ("accept", &["ignore", "approve", "baseline"]),
    ("compare --resume", &["resume", "continue"]),
];

/// Adds a suggestion to the error of an unknown command if the name is in the table, and one to that of a command that is compared
/// with nothing.
pub(crate) fn suggesting(mut error: clap::Error) -> clap::Error {
    let lacks_base = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::Strings(missing)) if missing.iter().any(|it| it.contains("BASE")));
    let is_command = std::env::args().any(|it| it == "--command" || it.starts_with("--command="));
    if lacks_base && is_command {
        let tip = "`--against COMMAND` compares it with another command, BASE with the one of that version";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) {
        let typed = typed.to_lowercase();
        let meant = MEANT.iter().find(|(_, words)| words.contains(&typed.as_str()));
        if let Some((command, _)) = meant {
            let suggested = ContextValue::Strings(vec![(*command).to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, suggested);
        }
    }
    error
}
