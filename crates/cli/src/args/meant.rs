//! Commands that are called otherwise elsewhere.

use clap::error::{ContextKind, ContextValue};

/// What people type who know other tools, and what it is called here.
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

/// The error of an unknown command with what to use instead, where that is known; others as they are.
pub(crate) fn suggesting(mut error: clap::Error) -> clap::Error {
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
