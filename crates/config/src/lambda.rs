//! The settings of AWS Lambda: the table `[lambda]`.

use std::collections::BTreeSet;
use std::time::Duration;

use benchwright_model::BenchmarkId;
use globset::GlobMatcher;

use crate::problem::{Remark, Remarks};
use crate::setting::Setting;
use crate::value::{Raw, Value};
use crate::{Layer, thresholds};

/// The architecture of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionArchitecture {
    /// 64-bit Intel and AMD.
    X86,
    /// 64-bit ARM.
    Arm,
}

impl FunctionArchitecture {
    const CHOICES: [(&'static str, Option<FunctionArchitecture>); 3] = [
        ("builds", None),
        ("x86_64", Some(FunctionArchitecture::X86)),
        ("arm64", Some(FunctionArchitecture::Arm)),
    ];
}

/// The memory of some benchmarks' function.
#[derive(Debug, Clone)]
pub struct MemoryRule {
    /// A glob that selects benchmarks by `package:name`, or, if it has no colon, by the name alone. `*` also
    /// matches slashes.
    pub benchmark: GlobMatcher,
    /// Its memory, in megabytes.
    pub megabytes: u32,
}

/// Rules are equal if their texts are equal.
impl PartialEq for MemoryRule {
    fn eq(&self, other: &Self) -> bool {
        self.benchmark.glob() == other.benchmark.glob() && self.megabytes == other.megabytes
    }
}

/// All settings of AWS Lambda. The numbers of the default are those of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaSettings {
    /// Duets of one benchmark per call.
    pub repeats: u32,
    /// Maximum number of calls per benchmark. `calls` x `repeats` is the maximum number of screening duets,
    /// and the number of fixed-sample rules.
    pub calls: u32,
    /// The fewest duets before the first look at a benchmark.
    pub fewest_results: u32,
    /// Calls at a time.
    pub parallel: u32,
    /// Time limit of one trial.
    pub execution_limit: Duration,
    /// Time limit of one call.
    pub time_limit: Duration,
    /// Memory of the function, in megabytes.
    pub memory: u32,
    /// Benchmarks with another memory. If several match, the last one applies.
    pub memory_for: Vec<MemoryRule>,
    /// Space below /tmp, in megabytes.
    pub tmp_size: u32,
    /// The function's architecture. `None` means that of the builds.
    pub architecture: Option<FunctionArchitecture>,
    /// The region. `None` leaves it to the SDK's chain.
    pub region: Option<String>,
    /// The profile in the SDK's files. `None` leaves it to the chain.
    pub profile: Option<String>,
    /// Another address for all services, for emulators.
    pub endpoint: Option<String>,
    /// The function to call. `None` means the one that `deploy` created.
    pub function: Option<String>,
    /// The bucket for packages. `None` means the one that `deploy` created, and the text `none` means that
    /// there is no bucket and packages are sent with calls.
    pub bucket: Option<String>,
    /// Paths below the version's root that are sent with every program.
    pub include: Vec<String>,
    /// Java modules to send in addition to those that benchmarks use.
    pub java_modules: Vec<String>,
    /// The maximum cost of a run, in dollars. `None` means no ceiling.
    pub max_cost: Option<f64>,
    /// Dollars per gigabyte of memory and second on x86_64.
    pub price_x86: f64,
    /// The same on arm64.
    pub price_arm: f64,
    /// Dollars per second and gigabyte of /tmp beyond the free half gigabyte.
    pub price_tmp: f64,
    /// Dollars for a request.
    pub price_request: f64,
}

impl Default for LambdaSettings {
    fn default() -> Self {
        LambdaSettings {
            repeats: 3,
            calls: 15,
            fewest_results: 10,
            parallel: 150,
            execution_limit: Duration::from_secs(20),
            time_limit: Duration::from_secs(150),
            memory: 2048,
            memory_for: Vec::new(),
            tmp_size: 512,
            architecture: None,
            region: None,
            profile: None,
            endpoint: None,
            function: None,
            bucket: None,
            include: Vec::new(),
            java_modules: Vec::new(),
            max_cost: None,
            price_x86: 0.000_016_666_7,
            price_arm: 0.000_013_333_4,
            price_tmp: 0.000_000_030_9,
            price_request: 0.000_000_2,
        }
    }
}

/// The settings of one source: changes of the default, each under its key. Only the last one of a key is
/// stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LambdaLayer {
    changes: Vec<(&'static str, Change)>,
}

/// A value of some setting of the table.
#[derive(Debug, Clone, PartialEq)]
enum Change {
    Count(u32),
    Time(Duration),
    Text(String),
    Texts(Vec<String>),
    Dollars(f64),
    Memory(Vec<MemoryRule>),
    Architecture(Option<FunctionArchitecture>),
}

impl LambdaLayer {
    pub(crate) fn over(self, mut weaker: Self) -> Self {
        weaker.changes.retain(|(key, _)| self.changes.iter().all(|(stronger, _)| stronger != key));
        weaker.changes.extend(self.changes);
        weaker
    }

    pub(crate) fn resolve(self) -> LambdaSettings {
        let mut settings = LambdaSettings::default();
        for (key, change) in self.changes {
            settings.change(key, change);
        }
        settings
    }

    fn put(&mut self, key: &'static str, change: Change) {
        self.changes.retain(|(known, _)| *known != key);
        self.changes.push((key, change));
    }
}

impl LambdaSettings {
    /// The memory of a benchmark's function, in megabytes.
    pub fn memory_of(&self, benchmark: &BenchmarkId) -> u32 {
        let rule = self.memory_for.iter().rev().find(|rule| thresholds::is_named(&rule.benchmark, benchmark));
        rule.map_or(self.memory, |rule| rule.megabytes)
    }

    /// All sizes that a benchmark may get, in megabytes.
    pub fn sizes(&self) -> BTreeSet<u32> {
        self.memory_for.iter().map(|rule| rule.megabytes).chain([self.memory]).collect()
    }

    fn change(&mut self, key: &str, change: Change) {
        match (key, change) {
            ("lambda.repeats", Change::Count(count)) => self.repeats = count,
            ("lambda.calls", Change::Count(count)) => self.calls = count,
            ("lambda.fewest-results", Change::Count(count)) => self.fewest_results = count,
            ("lambda.parallel", Change::Count(count)) => self.parallel = count,
            ("lambda.execution-limit", Change::Time(time)) => self.execution_limit = time,
            ("lambda.time-limit", Change::Time(time)) => self.time_limit = time,
            ("lambda.memory", Change::Count(count)) => self.memory = count,
            ("lambda.memory-for", Change::Memory(rules)) => self.memory_for = rules,
            ("lambda.tmp-size", Change::Count(count)) => self.tmp_size = count,
            ("lambda.architecture", Change::Architecture(architecture)) => self.architecture = architecture,
            ("lambda.region", Change::Text(text)) => self.region = Some(text),
            ("lambda.profile", Change::Text(text)) => self.profile = Some(text),
            ("lambda.endpoint", Change::Text(text)) => self.endpoint = Some(text),
            ("lambda.function", Change::Text(text)) => self.function = Some(text),
            ("lambda.bucket", Change::Text(text)) => self.bucket = Some(text),
            ("lambda.include", Change::Texts(texts)) => self.include = texts,
            ("lambda.java-modules", Change::Texts(texts)) => self.java_modules = texts,
            ("lambda.max-cost", Change::Dollars(dollars)) => self.max_cost = Some(dollars),
            ("lambda.price-intel", Change::Dollars(dollars)) => self.price_x86 = dollars,
            ("lambda.price-arm", Change::Dollars(dollars)) => self.price_arm = dollars,
            ("lambda.price-tmp", Change::Dollars(dollars)) => self.price_tmp = dollars,
            ("lambda.price-request", Change::Dollars(dollars)) => self.price_request = dollars,
            _ => debug_assert!(false, "`{key}` has another kind of value"),
        }
    }
}

type Kept = Result<Change, Remark>;

fn keep(layer: &mut Layer, key: &'static str, change: Kept, remarks: &mut Remarks) {
    if let Some(change) = remarks.keep(change) {
        layer.lambda.put(key, change);
    }
}

fn count(value: &Value, what: &str, range: std::ops::RangeInclusive<i64>) -> Kept {
    value.count(what, range).map(Change::Count)
}

fn megabytes(value: &Value) -> Result<u32, Remark> {
    value.count("megabytes from 128 to 10240", 128..=10_240)
}

/// A table of patterns, in the order of the file. In an environment variable the format is
/// `PATTERN=MEGABYTES`, separated by commas.
fn memory_for(value: &Value) -> Kept {
    const WHAT: &str = "a table of patterns and megabytes such as `{ \"*Large*\" = 4096 }`";
    let mut rules: Vec<(usize, MemoryRule)> = Vec::new();
    let mut add = |place: usize, pattern: &Value, size: &Value| -> Result<(), Remark> {
        let rule = MemoryRule { benchmark: thresholds::glob(pattern)?, megabytes: megabytes(size)? };
        rules.push((place, rule));
        Ok(())
    };
    if let Raw::Word(text) = &value.raw {
        for (place, pair) in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()).enumerate() {
            let (pattern, size) = pair.rsplit_once('=').ok_or_else(|| value.expected(WHAT))?;
            add(place, &Value::word(pattern.trim()), &Value::word(size.trim()))?;
        }
    } else {
        for entry in value.table(WHAT)? {
            let pattern = Value { span: entry.key_span.clone(), raw: Raw::Text(entry.key.clone()) };
            add(entry.key_span.start, &pattern, &entry.value)?;
        }
    }
    rules.sort_by_key(|(place, _)| *place);
    Ok(Change::Memory(rules.into_iter().map(|(_, rule)| rule).collect()))
}

fn time(value: &Value, what: &str, longest: u64) -> Kept {
    value.duration(what, Duration::from_secs(1)..=Duration::from_secs(longest)).map(Change::Time)
}

fn text(value: &Value) -> Kept {
    value.text("a text in quotes").map(Change::Text)
}

fn texts(value: &Value) -> Kept {
    let list = value.list("a list of texts such as `[\"data/**\"]`", &[','])?;
    let texts: Result<Vec<String>, Remark> = list.iter().map(|item| item.text("a text in quotes")).collect();
    texts.map(Change::Texts)
}

fn dollars(value: &Value) -> Kept {
    let number = match &value.raw {
        Raw::Float(number) => Some(*number),
        Raw::Integer(number) => Some(*number as f64),
        Raw::Word(text) => text.trim().trim_start_matches('$').parse().ok(),
        _ => None,
    };
    let number = number.filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
    number.map(Change::Dollars).ok_or_else(|| value.expected("dollars such as 0.5"))
}

macro_rules! settings {
    ($($key:literal => $read:expr),+ $(,)?) => {
        pub(crate) const SETTINGS: &[Setting] = &[$(Setting {
            key: $key,
            apply: |layer, value, remarks| {
                let read: fn(&Value) -> Kept = $read;
                keep(layer, $key, read(value), remarks);
            },
        }),+];
    };
}

settings! {
    "lambda.repeats" => |value| count(value, "a whole number from 1 to 100", 1..=100),
    "lambda.calls" => |value| count(value, "a whole number from 1 to 10000", 1..=10_000),
    "lambda.fewest-results" => |value| count(value, "a whole number from 2 to 100000", 2..=100_000),
    "lambda.parallel" => |value| count(value, "a whole number from 1 to 10000", 1..=10_000),
    "lambda.execution-limit" => |value| time(value, "a duration from a second to 15 minutes", 900),
    "lambda.time-limit" => |value| time(value, "a duration from a second to 15 minutes", 900),
    "lambda.memory" => |value| megabytes(value).map(Change::Count),
    "lambda.memory-for" => memory_for,
    "lambda.tmp-size" => |value| count(value, "megabytes from 512 to 10240", 512..=10_240),
    "lambda.architecture" => |value| value.choice(&FunctionArchitecture::CHOICES).map(Change::Architecture),
    "lambda.region" => text,
    "lambda.profile" => text,
    "lambda.endpoint" => text,
    "lambda.function" => text,
    "lambda.bucket" => text,
    "lambda.include" => texts,
    "lambda.java-modules" => texts,
    "lambda.max-cost" => dollars,
    "lambda.price-intel" => dollars,
    "lambda.price-arm" => dollars,
    "lambda.price-tmp" => dollars,
    "lambda.price-request" => dollars,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layer, read_text};

    fn read(text: &str) -> LambdaSettings {
        read_text("f", text).expect("the text is right").lambda.resolve()
    }

    fn rule(pattern: &str, megabytes: u32) -> MemoryRule {
        let benchmark = globset::Glob::new(pattern).expect("a glob").compile_matcher();
        MemoryRule { benchmark, megabytes }
    }

    #[test]
    fn of_the_sizes_for_a_benchmark_the_last_in_the_file_counts() {
        let text = "[lambda]\nmemory = 1769\n[lambda.memory-for]\n\"Sort*\" = 512\n\"p/q:*\" = 3008\n\"*Large\" = 10240\n";
        let check = |settings: &LambdaSettings, package: &str, name: &str, expected: u32| {
            assert_eq!(settings.memory_of(&BenchmarkId::new("go", package, name)), expected, "{name}");
        };
        let from_file = read(text);
        let mut word = Layer::default();
        word.set("lambda.memory", "1769").expect("a size");
        word.set("lambda.memory-for", "Sort*=512, p/q:*=3008,*Large=10240").expect("sizes");
        for settings in [from_file, word.lambda.resolve()] {
            check(&settings, "p", "Find", 1769);
            check(&settings, "p", "Sort/n=1", 512);
            check(&settings, "p/q", "Sort/n=1", 3008);
            check(&settings, "p/q", "SortLarge", 10240);
            assert_eq!(settings.sizes().into_iter().collect::<Vec<_>>(), [512, 1769, 3008, 10240]);
        }
    }

    #[test]
    fn every_key_changes_its_own_setting() {
        let text = "[lambda]\nrepeats = 1\ncalls = 2\nfewest-results = 3\nparallel = 4\nexecution-limit = \"5s\"\n\
             time-limit = \"6s\"\nmemory = 512\ntmp-size = 1024\narchitecture = \"arm64\"\nregion = \"r\"\n\
             profile = \"p\"\nendpoint = \"e\"\nfunction = \"f\"\nbucket = \"none\"\ninclude = [\"a\", \"b/**\"]\n\
             memory-for = { \"z*\" = 128, \"a*\" = 4096 }\njava-modules = [\"java.sql\"]\n\
             max-cost = 0.5\nprice-intel = 1\nprice-arm = 2.0\nprice-tmp = 3\nprice-request = 4\n";
        let expected = LambdaSettings {
            repeats: 1,
            calls: 2,
            fewest_results: 3,
            parallel: 4,
            execution_limit: Duration::from_secs(5),
            time_limit: Duration::from_secs(6),
            memory: 512,
            memory_for: [("z*", 128), ("a*", 4096)].map(|(pattern, size)| rule(pattern, size)).into(),
            tmp_size: 1024,
            architecture: Some(FunctionArchitecture::Arm),
            region: Some("r".into()),
            profile: Some("p".into()),
            endpoint: Some("e".into()),
            function: Some("f".into()),
            bucket: Some("none".into()),
            include: vec!["a".into(), "b/**".into()],
            java_modules: vec!["java.sql".into()],
            max_cost: Some(0.5),
            price_x86: 1.0,
            price_arm: 2.0,
            price_tmp: 3.0,
            price_request: 4.0,
        };
        assert_eq!(read(text), expected);
        assert_eq!(SETTINGS.len(), text.lines().count() - 1);
    }

    #[test]
    fn the_stronger_layer_wins_key_by_key() {
        let weaker = read_text("f", "[lambda]\nmemory = 512\nrepeats = 5\n").expect("right");
        let mut stronger = Layer::default();
        stronger.set("lambda.memory", "1024").expect("a size");
        stronger.set("lambda.max-cost", "$0.25").expect("a sum");
        stronger.set("lambda.memory", "2048").expect("a size");
        let settings = stronger.over(weaker).lambda.resolve();
        assert_eq!((settings.memory, settings.repeats, settings.max_cost), (2048, 5, Some(0.25)));
    }

    #[test]
    fn what_the_platform_does_not_take_is_refused() {
        let check =
            |key: &str, value: &str| assert!(Layer::default().set(key, value).is_err(), "{key} {value}");
        check("lambda.memory", "64");
        check("lambda.memory-for", "Sort*");
        check("lambda.memory-for", "Sort*=64");
        check("lambda.memory-for", "[=512");
        check("lambda.time-limit", "16m");
        check("lambda.architecture", "riscv");
        check("lambda.max-cost", "-1");
        check("lambda.max-cost", "NaN");
        check("lambda.parallel", "0");
    }
}
