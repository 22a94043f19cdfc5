//! Builds the product's program.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::{cargo, shown};

/// Builds the program as most users do, without the AWS libraries, and returns its path.
pub fn build(root: &Path) -> Result<PathBuf> {
    let mut command = cargo(root);
    let program = ["--package", "benchwright-cli", "--bin", "benchwright", "--message-format", "json"];
    command.args(["build", "--release"]).args(program);
    let output = command.stderr(Stdio::inherit()).output().context("start `cargo build`")?;
    if !output.status.success() {
        bail!("`{}` failed ({})", shown(&command), output.status);
    }
    executable(&output.stdout).context("find the program that `cargo build` made")
}

/// Finds the program `benchwright` in Cargo's messages.
fn executable(messages: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(messages);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let programs = messages.filter(|message| message["target"]["name"] == "benchwright");
    programs.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_messages() {
        let messages = b"{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"other\"},\"executable\":\"x\"}\n\
            no json\n{\"target\":{\"name\":\"benchwright\"},\"executable\":\"y/benchwright\"}\n{\"success\":true}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("y/benchwright")));
        assert_eq!(executable(b""), None);
    }
}
