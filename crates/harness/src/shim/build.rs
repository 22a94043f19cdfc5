//! Builds shims once per version, and lists their benchmarks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::harness::NAME;
use crate::definitions::{build_each, directory};
use crate::{
    BuildRequest, Built, Executable, HarnessError, ListRequest, Listing, ShimDefinition, Step, StepRunner,
    protocol, shell, words,
};

/// Time limit of a shim for listing its benchmarks.
const LISTING_LIMIT: Duration = Duration::from_secs(300);

/// Builds every shim. A failure becomes a diagnostic as long as another shim works.
pub(super) fn build(
    definitions: &[ShimDefinition],
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
    definition: &ShimDefinition,
    index: usize,
    request: &BuildRequest<'_>,
    run: &mut dyn StepRunner,
) -> Result<Executable, HarnessError> {
    let dir = directory(request, &definition.dir)?;
    let fill = |text: &str| {
        let places =
            [("{root}", request.root), ("{out}", request.out), ("{intermediate}", request.intermediate)];
        places.iter().fold(text.to_owned(), |text, (name, path)| text.replace(name, &path.to_string_lossy()))
    };
    if let Some(text) = &definition.build {
        let purpose = format!("build the shim `{}`", definition.name);
        let env: Vec<_> = definition.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
        shell::carry_out(&purpose, &fill(text), &dir, &env, run)?;
    }
    let path = PathBuf::from(format!("{index:03}.sh"));
    let file = request.out.join(&path);
    let words = words::split(&definition.run).unwrap_or_else(|_| vec![definition.run.clone()]);
    let words: Vec<String> = words.iter().map(|word| fill(word)).collect();
    let written = fs::write(&file, script(&words, &dir))
        .and_then(|()| fs::set_permissions(&file, fs::Permissions::from_mode(0o755)));
    written.map_err(|source| HarnessError::File { path: file, source })?;
    // `{root}` is replaced when the program is started, so that both versions have the same variables.
    let out = request.out.to_string_lossy();
    let env = definition.env.iter().map(|(name, value)| (name.clone(), value.replace("{out}", &out)));
    Ok(Executable {
        harness: NAME.into(),
        package: definition.name.clone(),
        flavour: NAME.into(),
        flavour_version: String::new(),
        path,
        dir: definition.dir.clone(),
        env: env.collect(),
    })
}

/// A script that starts the program and passes its own arguments on. A program with a relative path is below
/// `dir`.
fn script(words: &[String], dir: &Path) -> String {
    let mut quoted: Vec<String> = words.iter().map(|word| shell::quoted(word)).collect();
    if let Some(first) = words.first().filter(|first| first.contains('/')) {
        quoted[0] = shell::quoted(&dir.join(first).to_string_lossy());
    }
    format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" "))
}

/// The benchmarks a shim names.
pub(super) fn list(request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
    let executable = request.executable;
    let program = request.out.join(&executable.path);
    let root = request.root.to_string_lossy();
    let env = executable.env.iter().map(|(name, value)| (name.clone(), value.replace("{root}", &root)));
    let mut args = vec!["list".into()];
    args.extend(request.args.iter().map(Into::into));
    let step = Step {
        purpose: format!("list the benchmarks of the shim `{}`", executable.package),
        program: std::path::absolute(&program).unwrap_or(program).into(),
        args,
        dir: request.root.join(&executable.dir),
        env: env.collect(),
        timeout: LISTING_LIMIT,
    };
    let output = shell::finished(&step, run)?;
    let listing = protocol::listing(NAME, &executable.package, &output.stdout);
    if listing.benchmarks.is_empty() && listing.diagnostics.is_empty() {
        let message = format!(
            "no line that begins with `{}` names a benchmark; docs/guide/shim-protocol.md shows what is expected",
            protocol::PREFIX.trim_end()
        );
        return Err(HarnessError::Output { purpose: step.purpose, message });
    }
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepFailure;
    use crate::{Project, StepOutput};

    /// Starts no process and prints this text.
    struct Prints(&'static str, Vec<Step>);

    impl StepRunner for Prints {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            self.1.push(step.clone());
            Ok(StepOutput { stdout: self.0.into(), ..StepOutput::default() })
        }
    }

    fn definition() -> ShimDefinition {
        ShimDefinition {
            name: "words".into(),
            run: "./bench.pl --quiet '{out}/it'\\''s'".into(),
            build: Some("make {out}".into()),
            dir: "sub".into(),
            env: vec![("DATA".into(), "{root}/data".into())],
        }
    }

    fn listed(prints: &'static str) -> (String, Result<Listing, HarnessError>, Vec<Step>) {
        let root = tempfile::tempdir().unwrap();
        let out = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("sub")).unwrap();
        let project = Project { harness: NAME.into(), dir: PathBuf::new() };
        let request = BuildRequest {
            root: root.path(),
            project: &project,
            out: out.path(),
            intermediate: Path::new("/i"),
            shared: Path::new("/s"),
            args: &[],
        };
        let mut run = Prints(prints, Vec::new());
        let built = build(&[definition()], &request, &mut run).unwrap();
        let script = fs::read_to_string(out.path().join("000.sh")).unwrap();
        let request = ListRequest {
            root: root.path(),
            out: out.path(),
            executable: &built.executables[0],
            scratch: Path::new("."),
            args: &["-x".into()],
            filter: None,
        };
        let listing = list(&request, &mut run);
        let plain = |text: &str| {
            text.replace(&*root.path().to_string_lossy(), "ROOT")
                .replace(&*out.path().to_string_lossy(), "OUT")
        };
        (plain(&script), listing, run.1)
    }

    #[test]
    fn the_script_starts_the_program_with_further_arguments() {
        let (script, listing, steps) = listed("##benchwright {\"benchmark\": \"count\"}\n");
        assert_eq!(script, "#!/bin/sh\nexec 'ROOT/sub/./bench.pl' '--quiet' 'OUT/it'\\''s' \"$@\"\n");
        assert_eq!(listing.unwrap().benchmarks[0].to_string(), "words:count");
        assert_eq!(steps[1].args, ["list", "-x"]);
        assert!(steps[1].dir.ends_with("sub") && steps[1].env[0].1.ends_with("/data"));
    }

    #[test]
    fn silence_is_an_error_that_says_what_was_looked_for() {
        let (_, listing, _) = listed("benchmarks: none\n");
        let error = listing.unwrap_err().to_string();
        assert!(error.contains("`##benchwright`") && error.contains("shim-protocol.md"), "{error}");
    }
}
