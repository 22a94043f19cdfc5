use super::*;
use crate::StepFailure;
use crate::test_files::{tree, write};

/// Answers every step with a status that depends on words in it, and records the commands.
struct Scripted {
    commands: Vec<String>,
    failing: &'static [(&'static str, &'static str)],
}

impl StepRunner for Scripted {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let args: Vec<_> = step.args.iter().map(|arg| arg.to_string_lossy()).collect();
        let command = format!("{} {}", step.program.to_string_lossy(), args.join(" "));
        let failure = self.failing.iter().find(|(words, _)| command == *words);
        self.commands.push(command);
        Ok(match failure {
            Some((_, stderr)) => StepOutput { status: 1, stderr: (*stderr).into(), ..StepOutput::default() },
            None => StepOutput { stdout: "1.0.0".into(), ..StepOutput::default() },
        })
    }
}

/// The commands of the installer, without those for versions, and its diagnostics.
fn run(
    files: &[(&str, &str)],
    args: &[&str],
    failing: &'static [(&'static str, &'static str)],
) -> (Vec<String>, Vec<String>, Result<(), HarnessError>) {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("tree"), files);
    let tree = dir.path().join("tree");
    let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
    let mut steps = Scripted { commands: Vec::new(), failing };
    let mut installer = Installer {
        tree: &tree,
        shared: dir.path(),
        arguments: BuildArguments::parse(&args),
        run: &mut steps,
        diagnostics: Vec::new(),
    };
    let here = Place { dir: PathBuf::new(), is_for_development: true };
    let found = scripts::find(&tree);
    let result = installer.install(&here).and_then(|()| installer.build(Path::new(""), &found));
    let told = installer.diagnostics.iter().map(ToString::to_string).collect();
    steps.commands.retain(|command| !command.ends_with("--version"));
    (steps.commands, told, result)
}

const LOCKED: [(&str, &str); 2] =
    [("package.json", r#"{"devDependencies": {"benchmark": "2"}}"#), ("package-lock.json", "{}")];

#[test]
fn the_lock_file_decides_what_is_installed_by_whom() {
    let check = |lock: &str, expected: &str| {
        let files = [("package.json", "{}"), (lock, "")];
        assert_eq!(run(&files, &[], &[]).0, [expected], "{lock}");
    };
    check("package-lock.json", "npm ci --no-audit --no-fund --include=dev");
    check("npm-shrinkwrap.json", "npm ci --no-audit --no-fund --include=dev");
    check("pnpm-lock.yaml", "pnpm install --frozen-lockfile --prod=false");
    check("yarn.lock", "yarn install --frozen-lockfile --non-interactive --production=false");
    check("other", "npm install --no-audit --no-fund --include=dev");
    let (commands, _, _) = run(&LOCKED, &["--legacy-peer-deps"], &[]);
    assert_eq!(commands, ["npm ci --no-audit --no-fund --include=dev --legacy-peer-deps"]);
}

#[test]
fn a_lock_file_that_is_behind_is_brought_up_to_date_and_told() {
    let failing =
        &[("npm ci --no-audit --no-fund --include=dev", "`npm ci` can only install packages when …")];
    let (commands, told, result) = run(&LOCKED, &[], failing);
    result.unwrap();
    assert_eq!(commands[1], "npm install --no-audit --no-fund --include=dev");
    assert!(told[0].contains("is older than the manifest"), "{told:?}");
}

#[test]
fn scripts_of_packages_that_fail_are_left_out_and_told() {
    let failing = &[("npm ci --no-audit --no-fund --include=dev", "npm error command failed: node-gyp")];
    let (commands, told, result) = run(&LOCKED, &[], failing);
    result.unwrap();
    assert_eq!(commands[1], "npm ci --no-audit --no-fund --ignore-scripts --include=dev");
    assert!(told[0].contains("without running them"), "{told:?}");
    assert!(told[0].contains("what npm printed is in ") && !told[0].contains("node-gyp"), "{told:?}");
}

#[test]
fn an_installation_that_fails_either_way_is_an_error_in_the_first_words() {
    let failing = &[
        ("npm ci --no-audit --no-fund --include=dev", "npm error 404 no such package"),
        ("npm ci --no-audit --no-fund --ignore-scripts --include=dev", "again"),
    ];
    let (_, _, result) = run(&LOCKED, &[], failing);
    match result.unwrap_err() {
        HarnessError::Tool { message, .. } => assert_eq!(message, "npm error 404 no such package"),
        other => panic!("{other:?}"),
    }
}

const BENCH: (&str, &str) = ("bench/a.js", "require('benchmark'); require('../dist/a.js')");

#[test]
fn a_build_script_runs_where_something_is_missing() {
    let check = |manifest: &str, files: &[(&str, &str)], args: &[&str], expected: &[&str]| {
        let all: Vec<(&str, &str)> =
            [("package.json", manifest), ("package-lock.json", "{}")].iter().chain(files).copied().collect();
        let (commands, _, result) = run(&all, args, &[]);
        result.unwrap();
        assert_eq!(commands[1..], *expected, "{manifest}");
    };
    let plain = r#"{"devDependencies": {"benchmark": "2"}, "scripts": {"build": "tsc", "other": "x"}}"#;
    check(plain, &[BENCH], &[], &["npm run build"]);
    check(plain, &[BENCH, ("dist/a.js", "")], &[], &[]);
    check(plain, &[BENCH], &["--no-script"], &[]);
    check(plain, &[BENCH], &["--script", "other", "--script=build"], &["npm run other", "npm run build"]);
    check(r#"{"main": "dist/main.js", "scripts": {"build": "x"}}"#, &[], &[], &["npm run build"]);
    check(r#"{"main": "lib/main", "scripts": {"build": "x"}}"#, &[("lib/main.js", "")], &[], &[]);
    check(
        r#"{"exports": {"./*": "./dist/*.js", ".": "./i.js"}, "scripts": {"build": "x"}}"#,
        &[("i.js", "")],
        &[],
        &[],
    );
    check(r#"{"main": "dist/main.js"}"#, &[], &[], &[]);
}

#[test]
fn members_of_a_workspace_are_built_by_the_root_or_by_themselves() {
    let member = r#"{"main": "dist/a.js", "scripts": {"build": "x"}}"#;
    let files = |root: &'static str| {
        [("package.json", root), ("package-lock.json", "{}"), ("packages/a/package.json", member)]
    };
    let (commands, _, _) = run(&files(r#"{"workspaces": ["packages/*"]}"#), &[], &[]);
    assert_eq!(commands[1..], ["npm run build"], "in the member");
    let (commands, told, _) = run(
        &files(r#"{"workspaces": ["packages/*"], "scripts": {"build": "y"}}"#),
        &[],
        &[("npm run build", "error TS1005")],
    );
    // The simulated script makes nothing, so that of the member is tried too.
    assert_eq!(commands[1..], ["npm run build", "npm run build"]);
    let stays_in_the_log = |told: &String| told.contains("printed is in ") && !told.contains("error TS1005");
    assert!(told.iter().all(stays_in_the_log), "{told:?}");
}

#[test]
fn packages_around_a_nested_project_are_installed_first() {
    let check = |manifest: &str, expected: &[(&str, bool)]| {
        let dir = tree(&[
            ("package.json", manifest),
            ("tools/package.json", r#"{"type": "module"}"#),
            ("tools/bench/package.json", "{}"),
        ]);
        let found = places(dir.path(), Path::new("tools/bench"));
        let found: Vec<(String, bool)> =
            found.iter().map(|place| (place.dir.display().to_string(), place.is_for_development)).collect();
        let found: Vec<(&str, bool)> = found.iter().map(|(dir, is)| (dir.as_str(), *is)).collect();
        assert_eq!(found, expected, "{manifest}");
    };
    check(r#"{"dependencies": {"x": "1"}}"#, &[("", false), ("tools/bench", true)]);
    check(r#"{"devDependencies": {"x": "1"}}"#, &[("tools/bench", true)]);
    let built =
        r#"{"main": "dist/a.js", "scripts": {"build": "tsc"}, "devDependencies": {"typescript": "1"}}"#;
    check(built, &[("", true), ("tools/bench", true)]);
}
