//! Builds commands, once per version.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::BenchmarkId;

use super::combination::combinations;
use super::harness::NAME;
use super::record;
use crate::definitions::{build_each, directory};
use crate::{
    BuildRequest, Built, CommandDefinition, Executable, HarnessError, ListRequest, Listing, StepRunner, shell,
};

/// Builds and sets up every command. A failure becomes a diagnostic as long as another command works.
pub(super) fn build(
    definitions: &[CommandDefinition],
    request: &BuildRequest<'_>,
    run: &mut dyn StepRunner,
) -> Result<Built, HarnessError> {
    build_each(
        definitions,
        |definition| &definition.name,
        |definition, i| build_one(definition, i, request, run),
    )
}

fn build_one(
    definition: &CommandDefinition,
    index: usize,
    request: &BuildRequest<'_>,
    run: &mut dyn StepRunner,
) -> Result<Executable, HarnessError> {
    let dir = directory(request, &definition.dir)?;
    for (verb, text) in [("build", &definition.build), ("set up", &definition.setup)] {
        let Some(text) = text else { continue };
        for (text, env) in filled(definition, text, request) {
            let purpose = format!("{verb} the command `{}`", definition.name);
            shell::carry_out(&purpose, &text, &dir, &env, run)?;
        }
    }
    let path = PathBuf::from(format!("{index:03}.json"));
    let file = request.out.join(&path);
    fs::write(&file, record::written(definition))
        .map_err(|source| HarnessError::File { path: file, source })?;
    Ok(Executable {
        harness: NAME.into(),
        package: NAME.into(),
        flavour: NAME.into(),
        flavour_version: String::new(),
        path,
        dir: definition.dir.clone(),
        env: Vec::new(),
    })
}

/// The text with a command's variables for every combination of parameters, without duplicates.
fn filled(
    definition: &CommandDefinition,
    text: &str,
    request: &BuildRequest<'_>,
) -> Vec<(String, Vec<(String, String)>)> {
    let places = [("root", request.root), ("out", request.out), ("intermediate", request.intermediate)];
    let places = places.map(|(name, path)| (name, path.to_string_lossy().into_owned()));
    let mut all = Vec::new();
    for combination in combinations(&definition.parameters) {
        let whole = places.iter().fold(combination, |combination, (name, path)| combination.with(name, path));
        let env = definition.env.iter().map(|(name, value)| (name.clone(), whole.fill(value))).collect();
        let one = (whole.fill(text), env);
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// The benchmarks of a command.
pub(super) fn list(request: &ListRequest<'_>) -> Result<Listing, HarnessError> {
    let path = request.out.join(&request.executable.path);
    let definition = read(&path)?;
    let names = combinations(&definition.parameters);
    let names = names.iter().map(|combination| combination.name_of(&definition));
    let benchmarks = names.map(|name| BenchmarkId::new(NAME, &request.executable.package, name));
    Ok(Listing { benchmarks: benchmarks.collect(), ..Listing::default() })
}

fn read(path: &Path) -> Result<CommandDefinition, HarnessError> {
    record::read(path).map_err(|error| {
        let source = std::io::Error::other(error);
        HarnessError::File { path: path.into(), source }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepFailure;
    use crate::{Parameter, Project, Step, StepOutput};

    /// Answers every step with the status at the end of its text, `exit 3`, or with 0.
    #[derive(Default)]
    struct Shell(Vec<Step>);

    impl StepRunner for Shell {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            self.0.push(step.clone());
            let text = step.args[1].to_string_lossy();
            let status = text.rsplit_once("exit ").and_then(|(_, status)| status.parse().ok()).unwrap_or(0);
            Ok(StepOutput { status, stderr: "no rule to make target\n".into(), ..StepOutput::default() })
        }
    }

    fn built(
        definitions: &[CommandDefinition],
    ) -> (Result<Built, HarnessError>, Vec<String>, Vec<Vec<String>>) {
        let root = tempfile::tempdir().unwrap();
        let out = tempfile::tempdir().unwrap();
        let project = Project { harness: NAME.into(), dir: PathBuf::new() };
        let request = BuildRequest {
            root: root.path(),
            project: &project,
            out: out.path(),
            intermediate: Path::new("/i"),
            shared: Path::new("/s"),
            args: &[],
        };
        let mut shell = Shell::default();
        let built = build(definitions, &request, &mut shell);
        let texts =
            shell.0.iter().map(|step| step.args[1].to_string_lossy().lines().last().unwrap_or("").to_owned());
        let texts = texts.collect();
        let lists = built.iter().flat_map(|built| &built.executables).map(|executable| {
            let request = ListRequest {
                root: root.path(),
                out: out.path(),
                executable,
                scratch: Path::new("."),
                args: &[],
                filter: None,
            };
            list(&request).unwrap().benchmarks.iter().map(|id| id.name.clone()).collect()
        });
        let lists = lists.collect();
        (built, texts, lists)
    }

    #[test]
    fn build_and_set_up_happen_once_per_text_and_every_combination_is_listed() {
        let scanned = CommandDefinition {
            build: Some("make -C {intermediate}".into()),
            setup: Some("generate {n}".into()),
            parameters: vec![Parameter { name: "n".into(), values: vec!["1".into(), "2".into()] }],
            ..CommandDefinition::new("x", "./x {n}")
        };
        let (result, texts, lists) = built(&[scanned, CommandDefinition::new("y", "true")]);
        assert_eq!(texts, ["make -C /i", "generate 1", "generate 2"]);
        assert_eq!(lists, [vec!["x(n=1)".to_owned(), "x(n=2)".to_owned()], vec!["y".to_owned()]]);
        assert_eq!(result.unwrap().diagnostics, []);
    }

    #[test]
    fn a_command_that_cannot_be_built_is_told_while_others_are_there() {
        let broken = CommandDefinition { build: Some("exit 2".into()), ..CommandDefinition::new("x", "./x") };
        let lost = CommandDefinition { dir: "gone".into(), ..CommandDefinition::new("z", "true") };
        let (result, _, lists) = built(&[broken.clone(), CommandDefinition::new("y", "true"), lost]);
        assert_eq!(lists, [vec!["y".to_owned()]]);
        let told: Vec<String> = result.unwrap().diagnostics.iter().map(ToString::to_string).collect();
        assert!(
            told[0].starts_with("error: x: cannot build the command `x`\n  no rule to make target"),
            "{told:?}"
        );
        assert!(told[1].starts_with("error: z: cannot read `"), "{told:?}");
        assert!(matches!(built(&[broken]).0, Err(HarnessError::Tool { status: 2, .. })));
    }
}
