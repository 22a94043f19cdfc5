//! The version of node and the package manager.

use serde::Deserialize;

use super::manager::{LOCK_FILES, Manager, Tool};
use super::release::Release;
use super::steps::{self, QUESTION_LIMIT};
use crate::{HarnessError, Project, StepRunner};

/// The script run by node: it prints facts about node and which lock files are in the project. Only the step
/// knows where the project is.
const QUESTION: &str = "\
    const fs = require('fs'); \
    let asked = ''; \
    try { asked = String(JSON.parse(fs.readFileSync('package.json', 'utf8')).packageManager ?? '') } catch {} \
    let yarn = ''; \
    try { yarn = fs.readFileSync('yarn.lock', 'utf8') } catch {} \
    JSON.stringify({ node: process.version, v8: process.versions.v8, system: process.platform + ' ' + process.arch, \
        files: fs.readdirSync('.'), asked, modern: yarn.includes('\\n__metadata:') || fs.existsSync('.yarnrc.yml') })";

#[derive(Deserialize)]
struct Answer {
    node: String,
    v8: String,
    system: String,
    files: Vec<String>,
    asked: String,
    modern: bool,
}

/// Node, its engine, the system and the package manager, as one line.
pub(super) fn describe(project: &Project, run: &mut dyn StepRunner) -> Result<String, HarnessError> {
    let purpose = "ask node for its version";
    let step = steps::step(purpose, "node", ["--print", QUESTION], &project.dir, QUESTION_LIMIT);
    let output = steps::run_well(&step, run)?;
    let answer: Answer = serde_json::from_str(output.stdout.trim()).map_err(|error| {
        HarnessError::Output { purpose: purpose.into(), message: format!("expected a JSON object: {error}") }
    })?;
    if !Release::parse(&answer.node).is_enough() {
        let message = format!("node {} is too old: 18.19, 20.6 or newer is needed", answer.node);
        return Err(HarnessError::Output { purpose: purpose.into(), message });
    }
    let names: Vec<&str> = LOCK_FILES.iter().map(|(name, _)| *name).filter(|name| answer.has(name)).collect();
    let manager = Manager::choose(&names, &answer.asked, answer.modern);
    let tool = Tool::find(manager, &project.dir, run)?;
    let Answer { node, v8, system, .. } = answer;
    Ok(format!("node {node} (V8 {v8}), {system}, {} {}", manager.program(), tool.version))
}

impl Answer {
    fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_steps::{Scripted, printed};
    use crate::{Step, StepFailure, StepOutput};

    fn describe_with(
        answers: Vec<Result<StepOutput, StepFailure>>,
    ) -> (Result<String, HarnessError>, Vec<Step>) {
        let project = Project { harness: "javascript".into(), dir: "packages/a".into() };
        let mut run = Scripted(answers, Vec::new());
        (describe(&project, &mut run), run.1)
    }

    const NODE: &str = r#"{"node": "v20.20.2", "v8": "11.3.244.8-node.38", "system": "linux x64",
        "files": ["package.json", "pnpm-lock.yaml"], "asked": "", "modern": false}"#;

    #[test]
    fn the_text_names_node_and_the_manager_of_the_lock_file() {
        let (text, steps) = describe_with(vec![printed(NODE), printed("9.1.0\n")]);
        assert_eq!(text.unwrap(), "node v20.20.2 (V8 11.3.244.8-node.38), linux x64, pnpm 9.1.0");
        assert_eq!(steps[1].program, "pnpm");
        assert!(steps.iter().all(|step| step.dir == std::path::Path::new("packages/a")));
    }

    #[test]
    fn a_missing_an_old_and_a_strange_node_are_errors() {
        let (error, _) = describe_with(vec![Err(StepFailure::NoProgram("node".into()))]);
        assert!(error.unwrap_err().hint().contains("nodejs.org"));
        let (error, _) = describe_with(vec![printed(&NODE.replace("v20.20.2", "v16.3.0"))]);
        assert!(error.unwrap_err().to_string().contains("node v16.3.0 is too old"));
        let (error, _) = describe_with(vec![printed("hello")]);
        assert!(matches!(error, Err(HarnessError::Output { .. })));
    }
}
