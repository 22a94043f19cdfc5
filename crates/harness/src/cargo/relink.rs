//! Links a bench program again with its functions in a random order.
//!
//! The first time, the bench target is compiled again in such a way that rustc prints its call of the linker
//! and keeps the input files. These are copied, because the target directory is shared with other versions.
//! Every further relinking only calls the linker, which takes a fraction of a second. Compiling with another
//! linker argument each time would optimise the bench target each time, which takes 10 to 50 times as long.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::build::{Compiled, Compiler};
use super::link_command::{LinkCommand, Linker};
use super::lock_file::SharedLock;
use super::metadata::{Metadata, Target};
use super::programs::{file_error, knows_directory};
use super::sources;
use super::steps::{self, BUILD_LIMIT, QUESTION_LIMIT};
use crate::{HarnessError, RelinkRequest, Relinked, StepRunner, function_order};

/// The file that stores the linker call.
const RECORD: &str = "link.json";

/// The wrapper that makes the compiler print its linker call. Its name never changes, because Cargo's
/// decision what to compile depends on it.
pub(super) const WRAPPER: &str = "tell-link.sh";

/// The environment variable that passes it to Cargo.
const WRAPPER_VARIABLE: &str = "RUSTC_WORKSPACE_WRAPPER";

/// The linker call.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    command: LinkCommand,
    linker: Linker,
    dir: PathBuf,
    /// The copied inputs and their sizes.
    inputs: Vec<(PathBuf, u64)>,
}

/// Links the executable into `request.target`.
pub(super) fn relink(
    request: &RelinkRequest<'_>,
    run: &mut dyn StepRunner,
) -> Result<Relinked, HarnessError> {
    let record = match remembered(request.keep) {
        Some(record) => record,
        None => match make_record(request, run)? {
            Ok(record) => record,
            Err(reason) => return Ok(Relinked::Cannot(reason)),
        },
    };
    let purpose = format!("link {} in another order", request.executable.package);
    let args = record.command.shuffled_args(record.linker, request.seed, request.target);
    let mut step = steps::step(purpose, &record.command.program, args, &record.dir, BUILD_LIMIT);
    step.env = record.command.env;
    steps::run_well(&step, run)?;
    function_order::check(&request.build.out.join(&request.executable.path), request.target)
}

/// Whether the linker call is stored.
pub(super) fn is_prepared(keep: &Path) -> bool {
    remembered(keep).is_some()
}

/// The record of an earlier relinking, if its files are unchanged.
fn remembered(keep: &Path) -> Option<Record> {
    let record: Record = serde_json::from_slice(&fs::read(keep.join(RECORD)).ok()?).ok()?;
    let is_there = |(path, size): &(PathBuf, u64)| fs::metadata(path).is_ok_and(|it| it.len() == *size);
    record.inputs.iter().all(is_there).then_some(record)
}

/// Compiles the bench target and finds out how it is linked, or returns why the call cannot be repeated.
fn make_record(
    request: &RelinkRequest<'_>,
    run: &mut dyn StepRunner,
) -> Result<Result<Record, String>, HarnessError> {
    if std::env::var_os(WRAPPER_VARIABLE).is_some() {
        return Ok(Err(format!("{WRAPPER_VARIABLE} is in use")));
    }
    let project = request.build.root.join(&request.build.project.dir);
    let lock = SharedLock::lend(&project, request.build.shared);
    let metadata = Metadata::ask(&project, run)?;
    let Some(target) = target_of(&metadata, &request.executable.package) else {
        return Ok(Err("its bench target is not in the manifest".into()));
    };
    sources::touch(request.build.root);
    let wrapper = write_wrapper(request.build.intermediate, target)?;
    let compiler = Compiler {
        request: &request.build,
        project: &project,
        targets: only(target),
        env: vec![(WRAPPER_VARIABLE.into(), wrapper.to_string_lossy().into_owned())],
    };
    let compiled = compiler.compile_surely(run);
    lock.keep();
    let compiled = compiled?;
    if compiled.output.status != 0 {
        return Err(steps::refusal(&compiled.step, &compiled.output, ""));
    }
    if knows_directory(&compiled.messages, request.build.intermediate)? {
        return Ok(Err("it contains the path of its target directory".into()));
    }
    let Some(told) = told(&compiled, target) else {
        return Ok(Err("the compiler did not say how it links".into()));
    };
    if let Some(dir) = shared_library_dir(&told, &metadata.workspace_root, request.build.intermediate) {
        return Ok(Err(format!("it is linked with shared libraries from `{dir}`, which versions share")));
    }
    let (command, inputs) = keep_inputs(told, &metadata.workspace_root, request)?;
    let version = steps::step(
        "ask the linker for its version",
        &command.program,
        command.version_args(),
        &metadata.workspace_root,
        QUESTION_LIMIT,
    );
    let answer = steps::run(&version, run)?;
    let Some(linker) = Linker::recognise(&answer.stdout) else {
        let name = answer.stdout.lines().next().unwrap_or("of unknown kind").trim().to_owned();
        return Ok(Err(format!(
            "its linker ({name}) cannot put functions in random order, lld and mold can"
        )));
    };
    let record = Record { command, linker, dir: metadata.workspace_root, inputs };
    remember(&record, request.keep)?;
    Ok(Ok(record))
}

/// The target whose benchmarks have `package` as their package.
fn target_of<'a>(metadata: &'a Metadata, package: &str) -> Option<&'a Target> {
    let all = metadata.packages.iter().flat_map(|it| it.targets.iter().map(move |target| (it, target)));
    let mut named = all.filter(|(it, target)| {
        target.label(&it.name) == package && (target.is_bench() || target.may_have_unit_benches())
    });
    named.next().map(|(_, target)| target)
}

/// The arguments that select only this target.
fn only(target: &Target) -> Vec<String> {
    let kind = match (target.is_bench(), target.kind.iter().any(|kind| kind == "bin")) {
        (true, _) => "--bench",
        (_, true) => "--bin",
        _ => return vec!["--lib".into()],
    };
    vec![kind.into(), target.name.clone()]
}

/// Writes the wrapper. It changes the compiler call of the program with this name and leaves all others
/// unchanged.
fn write_wrapper(intermediate: &Path, target: &Target) -> Result<PathBuf, HarnessError> {
    let path = intermediate.join(WRAPPER);
    let name = target.name.replace('-', "_");
    // Without a crate type it is a program: a bench, or tests.
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in\n*\" --crate-name {name} \"*\"--crate-type bin \"*) ;;\n\
         *\" --crate-name {name} \"*\"--crate-type \"*) exec \"$@\" ;;\n\
         *\" --crate-name {name} \"*) ;;\n*) exec \"$@\" ;;\nesac\n\
         exec \"$@\" -C save-temps --print link-args\n"
    );
    fs::write(&path, script).map_err(file_error(&path))?;
    make_executable(&path).map_err(file_error(&path))?;
    Ok(path)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The printed linker call of the target's program.
fn told(compiled: &Compiled, target: &Target) -> Option<LinkCommand> {
    let program = compiled.messages.programs().find(|(artefact, _)| artefact.target == *target)?.1;
    let calls = compiled.output.stdout.lines().filter_map(LinkCommand::parse);
    let is_it = |call: &LinkCommand| {
        call.output().is_some_and(|output| Path::new(output).file_name() == program.file_name())
    };
    calls.rev().find(is_it)
}

/// Copies the linker's input files in the target directory, and returns the call with the copies.
fn keep_inputs(
    mut command: LinkCommand,
    dir: &Path,
    request: &RelinkRequest<'_>,
) -> Result<(LinkCommand, Vec<(PathBuf, u64)>), HarnessError> {
    let keep = request.keep;
    if keep.exists() {
        fs::remove_dir_all(keep).map_err(file_error(keep))?;
    }
    fs::create_dir_all(keep).map_err(file_error(keep))?;
    let intermediate =
        fs::canonicalize(request.build.intermediate).map_err(file_error(request.build.intermediate))?;
    let mut inputs = Vec::new();
    let mut is_dir = false;
    for arg in &mut command.args {
        let (option, named) = searched(arg, &mut is_dir).unwrap_or(("", arg));
        let Ok(path) = fs::canonicalize(dir.join(named)) else { continue };
        let is_built = path.starts_with(&intermediate);
        // Older compilers put this file among temporary files.
        if !is_built && path.file_name().is_none_or(|name| name != "symbols.o") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let copy = keep.join(format!("{:04}-{name}", inputs.len()));
        if path.is_file() {
            let size = fs::copy(&path, &copy).map_err(file_error(&path))?;
            inputs.push((copy.clone(), size));
            if is_built {
                drop_left_over(&path);
            }
        } else {
            // The next build may put other libraries there.
            let copied = copy_libraries(&path, &copy)?;
            if copied.is_empty() {
                continue;
            }
            inputs.extend(copied);
        }
        *arg = format!("{option}{}", copy.display());
    }
    Ok((command, inputs))
}

/// The directory in which an argument makes the linker search for libraries, after the prefix of the
/// argument. `is_next` is set after an `-L` whose directory is the next argument.
fn searched<'a>(arg: &'a str, is_next: &mut bool) -> Option<(&'static str, &'a str)> {
    if std::mem::take(is_next) {
        return Some(("", arg));
    }
    let path = arg.strip_prefix("-L")?;
    *is_next = path.is_empty();
    (!path.is_empty()).then_some(("-L", path))
}

/// Copies the static libraries of a directory. Returns the copies with their sizes.
fn copy_libraries(from: &Path, to: &Path) -> Result<Vec<(PathBuf, u64)>, HarnessError> {
    let mut copied = Vec::new();
    for library in libraries(from, &[".a"]) {
        fs::create_dir_all(to).map_err(file_error(to))?;
        let copy = to.join(library.file_name().unwrap_or_default());
        let size = fs::copy(&library, &copy).map_err(file_error(&library))?;
        copied.push((copy, size));
    }
    Ok(copied)
}

/// A directory in the shared target directory where the linker finds shared libraries. They would be loaded
/// from there when the program starts.
fn shared_library_dir(command: &LinkCommand, dir: &Path, intermediate: &Path) -> Option<String> {
    let intermediate = fs::canonicalize(intermediate).ok()?;
    let mut is_next = false;
    let dirs = command.args.iter().filter_map(|arg| Some(searched(arg, &mut is_next)?.1));
    let is_it = |path: &&str| {
        let found = fs::canonicalize(dir.join(path));
        found.is_ok_and(|it| {
            it.starts_with(&intermediate) && libraries(&it, &[".so", ".dylib"]).next().is_some()
        })
    };
    dirs.into_iter().find(is_it).map(str::to_owned)
}

/// The libraries of other languages in a directory. Rust's own are named in full.
fn libraries<'a>(dir: &Path, ends: &'a [&str]) -> impl Iterator<Item = PathBuf> + use<'a> {
    let files = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(move |file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        ends.iter().any(|end| name.ends_with(end))
    })
}

/// Removes files that the compiler left only because it was asked to keep everything.
fn drop_left_over(input: &Path) {
    let Some(dir) = input.parent() else { return };
    let is_temporary = dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rustc"));
    // Files that cannot be removed only take space.
    if is_temporary {
        let _ = fs::remove_dir_all(dir);
    } else if input.extension().is_some_and(|extension| extension == "o") {
        let stem = input.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&stem) && name.ends_with(".bc") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Writes the record in one step, so that an incomplete one is never read.
fn remember(record: &Record, keep: &Path) -> Result<(), HarnessError> {
    let (part, whole) = (keep.join("link.part"), keep.join(RECORD));
    let text = serde_json::to_vec(record).map_err(std::io::Error::from);
    text.and_then(|text| fs::write(&part, text))
        .and_then(|()| fs::rename(&part, &whole))
        .map_err(file_error(&whole))
}

#[cfg(test)]
mod tests;
