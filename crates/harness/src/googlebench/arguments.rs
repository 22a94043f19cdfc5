//! The user's arguments: for building, and for the benchmark programs.

/// Arguments for building: those of benchwright, and the rest for CMake's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct BuildArguments {
    /// `--program PATH`: benchmark programs that already exist or that `--make` makes, relative to the
    /// project.
    pub(super) programs: Vec<String>,
    /// `--make COMMAND`: a shell command that makes those programs.
    pub(super) make: Option<String>,
    /// `--target NAME`: the only executables to build.
    pub(super) targets: Vec<String>,
    /// All other arguments.
    pub(super) cmake: Vec<String>,
}

impl BuildArguments {
    /// Sorts the arguments. If one of benchwright's has no value, it is passed to CMake, which names it in
    /// its error.
    pub(super) fn parse(args: &[String]) -> BuildArguments {
        let mut parsed = BuildArguments::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, inline) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            if !matches!(name, "--program" | "--make" | "--target") {
                parsed.cmake.push(arg.clone());
                continue;
            }
            match (name, inline.or_else(|| args.next().cloned())) {
                ("--program", Some(path)) => parsed.programs.push(path),
                ("--make", Some(command)) => parsed.make = Some(command),
                (_, Some(target)) => parsed.targets.push(target),
                (_, None) => parsed.cmake.push(arg.clone()),
            }
        }
        parsed
    }

    /// Whether the user chooses the cache variable `name` himself.
    pub(super) fn defines(&self, name: &str) -> bool {
        let is_definition =
            |text: &str| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(['=', ':']));
        let mut is_next = false;
        self.cmake.iter().any(|arg| {
            let is_it = match arg.strip_prefix("-D") {
                Some(definition) => is_definition(definition),
                None => is_next && is_definition(arg),
            };
            is_next = arg == "-D";
            is_it
        })
    }

    /// Whether a preset of the project decides.
    pub(super) fn has_preset(&self) -> bool {
        self.cmake.iter().any(|arg| arg == "--preset" || arg.starts_with("--preset="))
    }
}

/// Flags that decide what a trial runs and where its results are written. The user cannot set them.
const OURS: [&str; 9] = [
    "benchmark_color",
    "benchmark_display_aggregates_only",
    "benchmark_dry_run",
    "benchmark_filter",
    "benchmark_format",
    "benchmark_list_tests",
    "benchmark_out",
    "benchmark_out_format",
    "benchmark_report_aggregates_only",
];

/// The value of the last flag `name` (without hyphens) in the arguments of a benchmark program. Empty for a
/// flag without a value.
pub(super) fn flag<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    args.iter().rev().find_map(|arg| {
        let (own, value) = split(arg)?;
        (own == name).then_some(value)
    })
}

/// The arguments without the flags that benchwright sets.
pub(super) fn passed_on(args: &[String]) -> impl Iterator<Item = &String> {
    args.iter().filter(|arg| !split(arg).is_some_and(|(name, _)| OURS.contains(&name)))
}

fn split(arg: &str) -> Option<(&str, &str)> {
    let flag = arg.strip_prefix("--")?;
    Some(flag.split_once('=').unwrap_or((flag, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| arg.to_string()).collect()
    }

    #[test]
    fn our_arguments_are_taken_out_and_the_rest_is_cmakes() {
        let args = owned(&[
            "-DX=ON",
            "--program",
            "bin/a",
            "--program=bin/b",
            "--make",
            "make -j2 a b",
            "-G",
            "Ninja",
            "--target=t",
        ]);
        let parsed = BuildArguments::parse(&args);
        assert_eq!(parsed.programs, ["bin/a", "bin/b"]);
        assert_eq!(parsed.make.as_deref(), Some("make -j2 a b"));
        assert_eq!(parsed.targets, ["t"]);
        assert_eq!(parsed.cmake, ["-DX=ON", "-G", "Ninja"]);
        assert_eq!(BuildArguments::parse(&owned(&["--target"])).cmake, ["--target"]);
    }

    #[test]
    fn definitions_are_seen_in_every_form() {
        let check = |args: &[&str], expected| {
            assert_eq!(BuildArguments::parse(&owned(args)).defines("CMAKE_BUILD_TYPE"), expected, "{args:?}");
        };
        check(&["-DCMAKE_BUILD_TYPE=Debug"], true);
        check(&["-DCMAKE_BUILD_TYPE:STRING=Debug"], true);
        check(&["-D", "CMAKE_BUILD_TYPE=Debug"], true);
        check(&["-DCMAKE_BUILD_TYPES=Debug"], false);
        check(&["CMAKE_BUILD_TYPE=Debug"], false);
        assert!(BuildArguments::parse(&owned(&["--preset", "x"])).has_preset());
    }

    #[test]
    fn what_decides_about_results_is_not_passed_on() {
        let args = owned(&[
            "--benchmark_filter=x",
            "--benchmark_min_time=2s",
            "--corpus",
            "a",
            "--benchmark_format=csv",
        ]);
        assert_eq!(passed_on(&args).collect::<Vec<_>>(), ["--benchmark_min_time=2s", "--corpus", "a"]);
        assert_eq!(flag(&args, "benchmark_filter"), Some("x"));
        assert_eq!(flag(&args, "benchmark_repetitions"), None);
    }
}
