//! The smallest changes that count.

use std::ops::Range;

use benchwright_model::{BenchmarkId, Diagnostic, Metric, Thresholds};
use globset::{Glob, GlobMatcher};

use crate::Problem;
use crate::problem::{Remark, Remarks};
use crate::quoted::Quoted;
use crate::setting::Setting;
use crate::table::Table;
use crate::value::{Raw, Value};

/// The thresholds of a run: one general pair, and rules for some benchmarks and metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdTable {
    /// The thresholds if no rule applies.
    pub general: Thresholds,
    /// Exceptions. If several match, the last one applies.
    pub rules: Vec<ThresholdRule>,
}

/// Thresholds for some benchmarks and one metric.
#[derive(Debug, Clone)]
pub struct ThresholdRule {
    /// A glob that selects benchmarks by `package:name`, or, if it has no colon, by the name alone. `*` also
    /// matches slashes.
    pub benchmark: GlobMatcher,
    /// The metric by name, or `*` for all.
    pub metric: String,
    /// The soft threshold. `None` means the general one, or `hard` if that is smaller.
    pub soft: Option<f64>,
    /// The hard threshold. `None` means `soft`.
    pub hard: Option<f64>,
    /// The warning if the pattern matches no benchmark.
    unmatched: Unmatched,
}

/// The position of the pattern, in bytes of the text until the file is known.
#[derive(Debug, Clone)]
enum Unmatched {
    At(Range<usize>),
    Warning(Diagnostic),
}

/// Rules are equal if their texts are equal.
impl PartialEq for ThresholdRule {
    fn eq(&self, other: &Self) -> bool {
        self.benchmark.glob() == other.benchmark.glob()
            && (&self.metric, self.soft, self.hard) == (&other.metric, other.soft, other.hard)
    }
}

impl ThresholdRule {
    fn matches(&self, benchmark: &BenchmarkId, metric: &Metric) -> bool {
        // "time" means the main metric of the benchmark, which may be throughput.
        let is_metric = self.metric == metric.name || self.metric == "time" && metric.is_main();
        if self.metric != "*" && !is_metric {
            return false;
        }
        is_named(&self.benchmark, benchmark)
    }
}

/// Whether a pattern matches the benchmark: package and name if it has a colon, otherwise the name alone.
pub(crate) fn is_named(pattern: &GlobMatcher, benchmark: &BenchmarkId) -> bool {
    if pattern.glob().glob().contains(':') {
        return pattern.is_match(benchmark.to_string());
    }
    pattern.is_match(&benchmark.name) || pattern.is_match(benchmark.short_name())
}

/// A change of 3 % counts, and a worsening of 3 % fails.
impl Default for ThresholdTable {
    fn default() -> Self {
        ThresholdTable { general: Thresholds { soft: 0.03, hard: 0.03 }, rules: Vec::new() }
    }
}

impl ThresholdTable {
    /// A warning for each rule whose pattern matches none of the benchmarks.
    pub fn unmatched(&self, benchmarks: &[&BenchmarkId]) -> Vec<Diagnostic> {
        let matches_none =
            |rule: &&ThresholdRule| !benchmarks.iter().any(|benchmark| is_named(&rule.benchmark, benchmark));
        let warning = |rule: &ThresholdRule| match &rule.unmatched {
            Unmatched::Warning(warning) => Some(warning.clone()),
            Unmatched::At(_) => None,
        };
        self.rules.iter().filter(matches_none).filter_map(warning).collect()
    }

    /// The rules in the format of a configuration file. Empty if there are none.
    pub fn rules_text(&self) -> String {
        let mut text = String::new();
        for rule in &self.rules {
            let (pattern, metric) = (Quoted(rule.benchmark.glob().glob()), Quoted(&rule.metric));
            text += &format!("[[thresholds]]\nbenchmark = {pattern}\nmetric = {metric}\n");
            for (key, value) in [("soft", rule.soft), ("hard", rule.hard)] {
                text += &match value {
                    Some(f64::INFINITY) => format!("{key} = \"never\"\n"),
                    Some(value) if value >= 1.0 => format!("{key} = \"{}%\"\n", 100.0 * value),
                    Some(value) => format!("{key} = {value:?}\n"),
                    None => String::new(),
                };
            }
        }
        text
    }

    /// The thresholds for `metric` of `benchmark` according to the rules. `None` if only the general
    /// thresholds could apply. Counts make the command fail only if a rule names them.
    pub fn configured(&self, benchmark: &BenchmarkId, metric: &Metric) -> Option<Thresholds> {
        let rule = self.rules.iter().rev().find(|rule| rule.matches(benchmark, metric))?;
        let soft = rule.soft.unwrap_or(self.general.soft.min(rule.hard.unwrap_or(f64::INFINITY)));
        Some(Thresholds { soft, hard: rule.hard.unwrap_or(soft) })
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ThresholdLayer {
    pub(crate) soft: Option<f64>,
    pub(crate) hard: Option<f64>,
    rules: Vec<ThresholdRule>,
}

impl ThresholdLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        ThresholdLayer {
            soft: self.soft.or(weaker.soft),
            hard: self.hard.or(weaker.hard),
            rules: weaker.rules.into_iter().chain(self.rules).collect(),
        }
    }

    /// Sets the position of each rule's pattern in the file it was read from.
    pub(crate) fn locate(&mut self, file: &str, text: &str) {
        for rule in &mut self.rules {
            if let Unmatched::At(span) = &rule.unmatched {
                let message = format!("the pattern `{}` matches no benchmark", rule.benchmark.glob());
                let hint = "a pattern with a colon is compared with `package:name`, one without with the name; \
                            `benchwright list` shows both";
                let remark = Remark::new(span.clone(), message).hint(hint);
                rule.unmatched = Unmatched::Warning(Problem::new(file, text, &remark).warning());
            }
        }
    }

    /// Adds the defaults. A hard threshold that was not given equals the soft one.
    pub(crate) fn resolve(self) -> ThresholdTable {
        let default = ThresholdTable::default().general;
        let soft = self.soft.unwrap_or(default.soft.min(self.hard.unwrap_or(f64::INFINITY)));
        ThresholdTable { general: Thresholds { soft, hard: self.hard.unwrap_or(soft) }, rules: self.rules }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "threshold",
        apply: |layer, value, remarks| layer.thresholds.soft = remarks.keep(soft(value)),
    },
    Setting {
        key: "fail-threshold",
        apply: |layer, value, remarks| layer.thresholds.hard = remarks.keep(hard(value)),
    },
    Setting {
        key: "thresholds",
        apply: |layer, value, remarks| {
            let list = match &value.raw {
                Raw::List(list) => Ok(list),
                _ => Err(value.expected("a list of tables `[[thresholds]]`")),
            };
            let list = remarks.keep(list).cloned().unwrap_or_default();
            layer.thresholds.rules = list.iter().filter_map(|item| rule(item, remarks)).collect();
        },
    },
];

fn soft(value: &Value) -> Result<f64, Remark> {
    let share = value.ratio("a share above 0 and up to 1000% such as `3%`", f64::MIN_POSITIVE..=10.0)?;
    // A value of 3 is probably meant as three per cent, and a threshold of 300 % would accept every slowdown.
    if share >= 1.0 && !value.as_text().is_some_and(|text| text.contains('%')) {
        let remark = value.expected("a share with a per cent sign such as `3%`, or below 1 such as `0.03`");
        return Err(remark.hint(format!("write `{share}%`, or `{}%` if it is meant", 100.0 * share)));
    }
    Ok(share)
}

fn hard(value: &Value) -> Result<f64, Remark> {
    match value.as_text() {
        Some("never") => Ok(f64::INFINITY),
        _ => soft(value).map_err(|remark| remark.hint("`never` keeps the command from failing")),
    }
}

/// One table of `[[thresholds]]`. `None` if it has an error, which is added to `remarks`.
fn rule(value: &Value, remarks: &mut Remarks) -> Option<ThresholdRule> {
    let table = Table::of(value, "a table with `benchmark`, `metric`, `soft` and `hard`", remarks)?;
    let noted = remarks.errors.len();
    table.refuse_unknown(&["benchmark", "metric", "soft", "hard"], remarks);
    let Some(pattern) = table.get("benchmark") else {
        let remark = Remark::new(table.place("benchmark"), "missing `benchmark`");
        remarks.errors.push(remark.hint("`benchmark = \"*\"` stands for all"));
        return None;
    };
    let benchmark = remarks.keep(glob(pattern))?;
    let metric = table.get("metric").map_or(Ok("time".into()), |value| value.text("the name of a metric"));
    let metric = remarks.keep(metric)?;
    let soft = table.get("soft").and_then(|value| remarks.keep(soft(value)));
    let hard_value = table.get("hard");
    let hard = hard_value.and_then(|value| remarks.keep(hard(value)));
    match (soft, hard, hard_value) {
        (Some(soft), Some(hard), Some(value)) if hard < soft => {
            remarks.errors.push(value.expected("a hard threshold of at least the soft one"));
        }
        (None, None, None) if remarks.errors.len() == noted => {
            remarks.errors.push(Remark::new(table.place("soft"), "missing `soft` or `hard`"));
        }
        _ => {}
    }
    let unmatched = Unmatched::At(pattern.span.clone());
    (remarks.errors.len() == noted).then_some(ThresholdRule { benchmark, metric, soft, hard, unmatched })
}

pub(crate) fn glob(value: &Value) -> Result<GlobMatcher, Remark> {
    let text = value.text("a glob such as `\"*:BenchmarkSort/*\"`")?;
    let glob = Glob::new(&text).map_err(|error| {
        Remark::new(value.span.clone(), format!("expected a glob, got `{text}`: {}", error.kind()))
    })?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, read_text};

    /// Checks soft and hard threshold and whether a rule applied, for a benchmark
    /// `encoding/json:BenchmarkDecode/large`.
    fn check(text: &str, metric: Metric, expected: (f64, f64, bool)) {
        let layer = read_text("f", text).expect("the text is right");
        let table = Settings::resolve(layer).expect("fits together").thresholds;
        let benchmark = BenchmarkId::new("go", "encoding/json", "BenchmarkDecode/large");
        let configured = table.configured(&benchmark, &metric);
        let applied = configured.unwrap_or(table.general);
        let found = (applied.soft, applied.hard, configured.is_some());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn rules_written_and_read_again_are_the_same() {
        let text = "[[thresholds]]\nbenchmark = 'a\"\\*'\nmetric = \"B/op\"\nsoft = \"5%\"\n\
                    [[thresholds]]\nbenchmark = \"*\"\nsoft = 1e-7\nhard = \"250%\"\n";
        let table = |text: &str| {
            Settings::resolve(read_text("f", text).expect("the text is right"))
                .expect("fits together")
                .thresholds
        };
        let rules = table(text);
        assert_eq!(rules.rules.len(), 2);
        assert_eq!(table(&rules.rules_text()), rules);
        assert_eq!(table("").rules_text(), "");
    }

    #[test]
    fn hard_is_soft_unless_it_is_given() {
        check("", Metric::time(), (0.03, 0.03, false));
        check("threshold = 0.05", Metric::time(), (0.05, 0.05, false));
        check("fail-threshold = \"10%\"", Metric::time(), (0.03, 0.1, false));
        check("fail-threshold = \"1%\"", Metric::time(), (0.01, 0.01, false));
        check("fail-threshold = \"never\"", Metric::time(), (0.03, f64::INFINITY, false));
    }

    #[test]
    fn three_without_a_per_cent_sign_is_not_three_hundred_per_cent() {
        let told = |text: &str| match read_text("f", text) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        for text in ["threshold = 3", "threshold = \"3\"", "fail-threshold = 10", "threshold = 1.0"] {
            assert!(told(text).contains("per cent sign"), "{text}: {}", told(text));
        }
        assert!(told("[[thresholds]]\nbenchmark = \"*\"\nsoft = 5").contains("write `5%`"));
        assert_eq!(told("threshold = \"300%\"\nfail-threshold = \"never\""), "");
        assert_eq!(told("threshold = 0.99\nfail-threshold = \"100%\""), "");
    }

    #[test]
    fn the_last_rule_that_matches_benchmark_and_metric_applies() {
        let rule = |glob: &str, rest: &str| format!("[[thresholds]]\nbenchmark = \"{glob}\"\n{rest}\n");
        let time = Metric::time;
        check(&rule("*", "soft = 0.01"), time(), (0.01, 0.01, true));
        check(&rule("Decode/*", "soft = 0.01"), time(), (0.01, 0.01, true));
        check(&rule("BenchmarkDecode*", "soft = 0.01"), time(), (0.01, 0.01, true));
        check(&rule("encoding/*:*", "hard = 0.02"), time(), (0.02, 0.02, true));
        check(&rule("encoding/*:*", "hard = \"9%\""), time(), (0.03, 0.09, true));
        check(&rule("decode*", "soft = 0.01"), time(), (0.03, 0.03, false));
        check(&rule("sort:*", "soft = 0.01"), time(), (0.03, 0.03, false));
        check(&rule("*", "metric = \"allocs/op\"\nsoft = 0.01"), time(), (0.03, 0.03, false));
        let both = rule("*", "soft = 0.01") + &rule("*large", "soft = 0.2\nhard = 0.5");
        check(&both, time(), (0.2, 0.5, true));
        let counts = rule("*", "metric = \"*\"\nsoft = 0.1\nhard = \"never\"");
        check(&counts, Metric::allocations_per_op(), (0.1, f64::INFINITY, true));
    }

    #[test]
    fn a_pattern_that_matches_no_benchmark_is_named_with_its_line() {
        let text = "[[thresholds]]\nbenchmark = \"Sort*\"\nsoft = 0.1\n\n[[thresholds]]\nbenchmark = \"json:*\"\nsoft = 0.1\n";
        let layer = read_text("b.toml", text).expect("the text is right");
        let table = Settings::resolve(layer).expect("fits together").thresholds;
        let sort = BenchmarkId::new("go", "encoding/json", "BenchmarkSort/small");
        let said = |benchmarks: &[&BenchmarkId]| -> Vec<String> {
            table.unmatched(benchmarks).iter().map(ToString::to_string).collect()
        };
        let told = said(&[&sort]);
        assert_eq!(told.len(), 1, "{told:?}");
        let expected = "warning: b.toml:6:13: the pattern `json:*` matches no benchmark\n  hint: ";
        assert!(told[0].starts_with(expected), "{told:?}");
        assert_eq!(said(&[]).len(), 2);
    }
}
