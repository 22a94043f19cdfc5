//! The user's own flags, with the meaning they have for `go test`.
//!
//! The same list may be given to building and to running. Each uses its own flags, so that `-tags x -cpu 1,4
//! ./parser` has the same meaning as in `go test`.

use std::sync::OnceLock;

/// Flags, sorted by what uses them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// For the go command: `-tags=x`. Without `-ldflags`.
    pub(super) build: Vec<String>,
    /// The values of `-ldflags`, which are combined with benchwright's own.
    pub(super) linker: Vec<String>,
    /// Package patterns; empty for all packages.
    pub(super) packages: Vec<String>,
    /// For package `testing`, by name without `test.`. If a name occurs several times, package `testing` uses
    /// the last.
    pub(super) test: Vec<(String, String)>,
    /// For the benchmark program itself: flags it defines, and arguments after `-args`.
    pub(super) program: Vec<String>,
}

/// Flags of the go command without a value.
const BUILD_SWITCHES: [&str; 12] = [
    "a",
    "asan",
    "buildvcs",
    "cover",
    "linkshared",
    "modcacherw",
    "msan",
    "n",
    "race",
    "trimpath",
    "work",
    "x",
];

/// Flags of the go command with a value.
const BUILD_VALUES: [&str; 18] = [
    "asmflags",
    "buildmode",
    "compiler",
    "covermode",
    "coverpkg",
    "gccgoflags",
    "gcflags",
    "installsuffix",
    "ldflags",
    "mod",
    "modfile",
    "overlay",
    "p",
    "pgo",
    "pkgdir",
    "tags",
    "toolexec",
    "vet",
];

/// Flags of package `testing` without a value.
const TEST_SWITCHES: [&str; 7] =
    ["artifacts", "benchmem", "failfast", "fullpath", "paniconexit0", "short", "v"];

/// Flags of package `testing` with a value.
const TEST_VALUES: [&str; 18] = [
    "benchtime",
    "blockprofile",
    "blockprofilerate",
    "count",
    "coverprofile",
    "cpu",
    "cpuprofile",
    "memprofile",
    "memprofilerate",
    "mutexprofile",
    "mutexprofilefraction",
    "outputdir",
    "parallel",
    "shuffle",
    "skip",
    "timeout",
    "trace",
    "gocoverdir",
];

/// Switches that choose what runs or what is printed. They are ignored, because benchwright sets this.
const OWN_SWITCHES: [&str; 2] = ["c", "json"];

/// The same with values. `--filter` selects benchmarks.
const OWN_VALUES: [&str; 9] =
    ["bench", "exec", "fuzz", "fuzztime", "fuzzminimizetime", "list", "o", "run", "testlogfile"];

impl Flags {
    /// Sorts `args`. An unknown flag belongs to the benchmark program, and its value must follow after `=`.
    pub(super) fn parse(args: &[String]) -> Flags {
        let mut flags = Flags::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(flag) = arg.strip_prefix("--").or(arg.strip_prefix('-')).filter(|flag| !flag.is_empty())
            else {
                flags.packages.push(arg.clone());
                continue;
            };
            if flag == "args" {
                flags.program.extend(args.by_ref().cloned());
                break;
            }
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (flag, None),
            };
            let name = name.strip_prefix("test.").unwrap_or(name);
            let has = |names: &[&str]| names.contains(&name);
            let value = match value {
                None if has(&BUILD_VALUES) || has(&TEST_VALUES) || has(&OWN_VALUES) => {
                    args.next().cloned().unwrap_or_default()
                }
                None => "true".into(),
                Some(value) => value,
            };
            match name {
                _ if has(&OWN_SWITCHES) || has(&OWN_VALUES) => {}
                "ldflags" => flags.linker.push(value),
                _ if has(&BUILD_SWITCHES) || has(&BUILD_VALUES) => {
                    flags.build.push(format!("-{name}={value}"))
                }
                _ if has(&TEST_SWITCHES) || has(&TEST_VALUES) => flags.test.push((name.into(), value)),
                _ => flags.program.push(arg.clone()),
            }
        }
        flags
    }

    /// The value of a flag of package `testing`, if the user set it.
    pub(super) fn test_value(&self, name: &str) -> Option<&str> {
        self.test.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The processor counts to run with, without duplicates and never empty. Without a flag it is that of
    /// this machine. It is always passed explicitly, so that the suffix Go appends to names is known. A value
    /// that is not a number is kept, and Go reports the error.
    pub(super) fn processors(&self) -> Vec<String> {
        let mut counts: Vec<String> = Vec::new();
        for value in self.test_value("cpu").unwrap_or_default().split(',') {
            let value = value.trim();
            let count = value.parse::<u32>().map_or_else(|_| value.to_owned(), |number| number.to_string());
            if !count.is_empty() && !counts.contains(&count) {
                counts.push(count);
            }
        }
        if counts.is_empty() {
            counts.push(available_processors().to_string());
        }
        counts
    }
}

/// Read once: the number must be the same for a trial's command and its reader, even if this process is
/// pinned in between.
fn available_processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, |count| count.get()))
}

/// The benchmark of the program that a name refers to, and its processor count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection {
    /// The name without processor suffix.
    pub(super) base: String,
    /// The processor count.
    pub(super) processors: String,
}

impl Selection {
    /// With several processor counts, each is a benchmark of its own whose name ends in `-COUNT`. With one,
    /// names have no suffix.
    pub(super) fn of(name: &str, flags: &Flags) -> Selection {
        let counts = flags.processors();
        let split = |count: &String| {
            let base = name.strip_suffix(count.as_str())?.strip_suffix('-')?;
            Some(Selection { base: base.into(), processors: count.clone() })
        };
        let suffixed = if counts.len() > 1 { counts.iter().find_map(split) } else { None };
        suffixed.unwrap_or_else(|| Selection {
            base: name.into(),
            processors: counts.into_iter().next().unwrap_or_default(),
        })
    }

    /// The name of the benchmark in benchwright.
    pub(super) fn public_name(&self, flags: &Flags) -> String {
        match flags.processors().len() {
            1 => self.base.clone(),
            _ => format!("{}-{}", self.base, self.processors),
        }
    }

    /// The name that Go prints before results: with a suffix, unless the processor count is one.
    pub(super) fn printed_name(&self) -> String {
        format!("{}{}", self.base, printed_suffix(&self.processors))
    }
}

/// The suffix that Go appends to every name with this processor count.
pub(super) fn printed_suffix(processors: &str) -> String {
    if processors == "1" { String::new() } else { format!("-{processors}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Flags {
        Flags::parse(&args.iter().map(|arg| arg.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn flags_go_where_go_test_would_send_them() {
        let flags = parse(&[
            "-tags",
            "x y",
            "--race",
            "-ldflags=-X a.b=c",
            "-cpu",
            "1,4",
            "-test.benchtime=5x",
            "-short",
            "./a/...",
            "-bench",
            ".",
            "-json",
            "-run=X",
            "-custom=3",
            "-args",
            "-tags",
            "z",
        ]);
        assert_eq!(flags.build, ["-tags=x y", "-race=true"]);
        assert_eq!(flags.linker, ["-X a.b=c"]);
        assert_eq!(flags.packages, ["./a/..."]);
        let test: Vec<_> = flags.test.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(test, ["cpu=1,4", "benchtime=5x", "short=true"]);
        assert_eq!(flags.program, ["-custom=3", "-tags", "z"]);
    }

    #[test]
    fn a_missing_value_is_no_panic() {
        assert_eq!(parse(&["-tags"]).build, ["-tags="]);
        assert_eq!(parse(&["-", "--"]).packages, ["-", "--"]);
    }

    #[test]
    fn processor_lists_are_cleaned() {
        let check = |list: &str, expected: &[&str]| assert_eq!(parse(&["-cpu", list]).processors(), expected);
        check("1,4", &["1", "4"]);
        check(" 2 , 2,,04", &["2", "4"]);
        check("many", &["many"]);
        assert_eq!(parse(&["-cpu="]).processors(), parse(&[]).processors());
    }

    #[test]
    fn exactly_one_known_suffix_is_split_off() {
        let check = |args: &[&str], name: &str, base: &str, processors: &str, printed: &str| {
            let flags = parse(args);
            let selection = Selection::of(name, &flags);
            assert_eq!(
                (selection.base.as_str(), selection.processors.as_str()),
                (base, processors),
                "{name}"
            );
            assert_eq!(selection.printed_name(), printed, "{name}");
            assert_eq!(selection.public_name(&flags), name);
        };
        check(&["-cpu=2"], "BenchmarkA/n-2", "BenchmarkA/n-2", "2", "BenchmarkA/n-2-2");
        check(&["-cpu=1"], "BenchmarkA/n-2", "BenchmarkA/n-2", "1", "BenchmarkA/n-2");
        check(&["-cpu=1,4"], "BenchmarkA-4", "BenchmarkA", "4", "BenchmarkA-4");
        check(&["-cpu=1,4"], "BenchmarkA-4-1", "BenchmarkA-4", "1", "BenchmarkA-4");
        check(&["-cpu=4,14"], "BenchmarkA-14", "BenchmarkA", "14", "BenchmarkA-14");
    }
}
