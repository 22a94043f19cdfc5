//! The compiler, and the environment variables that affect its output.

use super::steps::{self, QUESTION_LIMIT};
use super::target;
use crate::{Architecture, HarnessError, Project, StepRunner, compilers};

/// Environment variables that affect Cargo's builds.
const VARIABLES: [&str; 14] = [
    "AR",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CC",
    "CFLAGS",
    "CXX",
    "CXXFLAGS",
    "LDFLAGS",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
];

/// Compiler, Cargo and the relevant variables, as one line.
pub(super) fn describe(
    project: &Project,
    architecture: Option<Architecture>,
    run: &mut dyn StepRunner,
) -> Result<String, HarnessError> {
    let installed = architecture.map(|architecture| target::installed(architecture, &project.dir, run));
    let installed = installed.transpose()?;
    let mut ask = |program: &str, flag: &str| {
        let purpose = format!("ask `{program}` for its version");
        let step = steps::step(purpose, program, [flag], &project.dir, QUESTION_LIMIT);
        steps::run_well(&step, run).map(|output| output.stdout)
    };
    let cargo = ask("cargo", "-V")?;
    let rustc = ask("rustc", "-vV")?;
    // Build scripts compile C code with it.
    let program = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiler = compilers::describe(&program, &project.dir, run);
    let here = text(
        &rustc,
        &cargo,
        &compiler,
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    );
    Ok(match installed {
        None => here,
        Some(triples) => format!("{here}, for {}", triples.join(" or ")),
    })
}

fn text(
    rustc: &str,
    cargo: &str,
    compiler: &str,
    variables: impl Iterator<Item = (String, String)>,
) -> String {
    let field = |name: &str| rustc.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let mut parts = vec![rustc.lines().next().unwrap_or_default().trim().to_owned()];
    parts.push(cargo.trim().to_owned());
    parts.extend(field("host:").map(str::to_owned));
    parts.extend(field("LLVM version:").map(|version| format!("LLVM {version}")));
    parts.extend((!compiler.is_empty()).then(|| compiler.to_owned()));
    let mut set: Vec<String> = variables
        .filter(|(name, _)| VARIABLES.contains(&name.as_str()) || name.starts_with("CARGO_PROFILE_"))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", value.replace('\u{1f}', " ")))
        .collect();
    set.sort();
    parts.extend(set);
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_compiler_cargo_and_flags() {
        let rustc = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n\
                     LLVM version: 22.1.2\n";
        let variables = [("RUSTFLAGS", "-C opt-level=1"), ("HOME", "/"), ("CARGO_PROFILE_BENCH_LTO", "true")];
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            text(rustc, "cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n", "cc 12", variables),
            "rustc 1.95.0 (59807616e 2026-04-14), cargo 1.95.0 (f2d3ce0bd 2026-03-21), x86_64-unknown-linux-gnu, \
             LLVM 22.1.2, cc 12, CARGO_PROFILE_BENCH_LTO=true, RUSTFLAGS=-C opt-level=1"
        );
    }
}
