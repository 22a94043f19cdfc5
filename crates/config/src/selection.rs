//! Which benchmarks are measured.

use std::collections::HashSet;

use benchwright_harness::PackageFilter;
use regex::Regex;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::{Anchored, util::start};

use crate::problem::{Remark, Remarks};
use crate::setting::Setting;
use crate::value::Value;

/// Which benchmarks are measured: those that match `filter` and do not match `skip`. Both are regular
/// expressions that may match anywhere in `package:name`.
#[derive(Debug, Clone, Default)]
pub struct SelectionSettings {
    /// Benchmarks must match this. `None` accepts all.
    pub filter: Option<Regex>,
    /// Benchmarks must not match this. `None` skips none.
    pub skip: Option<Regex>,
}

impl SelectionSettings {
    /// Whether the benchmark with this text (`package:name`) is measured.
    pub fn accepts(&self, text: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(text))
            && !self.skip.as_ref().is_some_and(|skip| skip.is_match(text))
    }
}

impl SelectionSettings {
    /// Whether every benchmark takes part.
    pub fn is_everything(&self) -> bool {
        self.filter.is_none() && self.skip.is_none()
    }

    /// Whether diagnostics about `subject` are shown. It may be a benchmark, one of `packages`, or anything
    /// else. Diagnostics about benchmarks that are not measured are not shown.
    pub fn concerns(&self, subject: &str, packages: &[String]) -> bool {
        let is_of = |package: &&String| {
            subject.strip_prefix(package.as_str()).is_some_and(|rest| rest.starts_with(':'))
        };
        if packages.iter().any(|package| is_of(&package)) {
            return self.accepts(subject);
        }
        !packages.iter().any(|package| package == subject) || self.may_accept(subject)
    }
}

impl PackageFilter for SelectionSettings {
    fn text(&self) -> String {
        let text = |regex: &Option<Regex>| regex.as_ref().map(|regex| regex.as_str().to_owned());
        format!("{:?} but not {:?}", text(&self.filter), text(&self.skip))
    }

    fn may_accept(&self, package: &str) -> bool {
        let beginning = format!("{package}:");
        self.filter.as_ref().is_none_or(|filter| can_match(filter, &beginning))
            && !self.skip.as_ref().is_some_and(|skip| matches_within(skip, &beginning))
    }

    fn may_accept_function(&self, package: &str, function: &str) -> bool {
        let text = format!("{package}:{function}");
        self.filter.as_ref().is_none_or(|filter| filter.is_match(&text) || can_match_below(filter, &text))
            && !self.skip.as_ref().is_some_and(|skip| skip.is_match(&text))
    }

    fn names(&self, package: &str, functions: &[String]) -> bool {
        let Some(filter) = &self.filter else { return false };
        let has_colon = filter.as_str().replace("(?:", "").contains(':');
        let is_function = |name: &String| filter.is_match(&format!("{package}:{name}"));
        matches_within(filter, &format!("{package}:")) || has_colon && functions.iter().any(is_function)
    }

    fn mentions(&self, text: &str) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.is_match(text))
    }
}

/// Whether the expression can match a text with this beginning. If in doubt, it can.
fn can_match(expression: &Regex, beginning: &str) -> bool {
    let Ok(automaton) = DFA::new(expression.as_str()) else { return true };
    let mut cache = automaton.create_cache();
    let start = start::Config::new().anchored(Anchored::No);
    let Ok(mut state) = automaton.start_state(&mut cache, &start) else { return true };
    for byte in beginning.bytes() {
        state = match automaton.next_state(&mut cache, state, byte) {
            Ok(state) if state.is_dead() => return false,
            Ok(state) if state.is_match() || state.is_quit() => return true,
            Ok(state) => state,
            Err(_) => return true,
        };
    }
    true
}

/// The text between the name of a package and that of a function. It does not occur in names of
/// sub-benchmarks.
const FUNCTION: &[u8] = b":Benchmark";
/// Expressions with more states are not examined.
const MOST_STATES: usize = 300;

/// Whether the expression can match the name of something below this function. If in doubt, it can.
fn can_match_below(expression: &Regex, function: &str) -> bool {
    look_below(expression, function).unwrap_or(true)
}

/// The same, or `None` if that takes too long or cannot be determined.
fn look_below(expression: &Regex, function: &str) -> Option<bool> {
    let automaton = DFA::new(expression.as_str()).ok()?;
    let mut cache = automaton.create_cache();
    let start = start::Config::new().anchored(Anchored::No);
    let mut first = automaton.start_state(&mut cache, &start).ok()?;
    for byte in function.bytes().chain(*b"/") {
        first = automaton.next_state(&mut cache, first, byte).ok()?;
        if first.is_match() || first.is_quit() {
            return Some(true);
        }
    }
    // Each state, with the number of characters read of another function's name.
    let mut known = HashSet::from([(first, 0)]);
    let mut open = vec![(first, 0)];
    while let Some((state, read)) = open.pop() {
        if automaton.next_eoi_state(&mut cache, state).ok()?.is_match() {
            return Some(true);
        }
        for byte in 0..=u8::MAX {
            let read = match FUNCTION[read] == byte {
                true => read + 1,
                false => usize::from(FUNCTION[0] == byte),
            };
            let next = automaton.next_state(&mut cache, state, byte).ok()?;
            if next.is_match() || next.is_quit() {
                return Some(true);
            }
            if read < FUNCTION.len() && !next.is_dead() && known.insert((next, read)) {
                open.push((next, read));
            }
        }
        if known.len() > MOST_STATES || cache.clear_count() > 0 {
            return None;
        }
    }
    Some(false)
}

/// Whether the expression matches within the beginning of a text, whatever text follows.
fn matches_within(expression: &Regex, beginning: &str) -> bool {
    ["B", " "].iter().all(|rest| {
        let end = expression.shortest_match(&format!("{beginning}{rest}"));
        end.is_some_and(|end| end <= beginning.len())
    })
}

/// Settings are equal if the texts of their expressions are equal.
impl PartialEq for SelectionSettings {
    fn eq(&self, other: &Self) -> bool {
        let text = |regex: &Option<Regex>| regex.as_ref().map(|regex| regex.as_str().to_string());
        text(&self.filter) == text(&other.filter) && text(&self.skip) == text(&other.skip)
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SelectionLayer(SelectionSettings);

impl SelectionLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        SelectionLayer(SelectionSettings {
            filter: self.0.filter.or(weaker.0.filter),
            skip: self.0.skip.or(weaker.0.skip),
        })
    }

    pub(crate) fn resolve(self) -> SelectionSettings {
        self.0
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "filter",
        apply: |layer, value, remarks| layer.selection.0.filter = expression(value, remarks),
    },
    Setting {
        key: "skip",
        apply: |layer, value, remarks| layer.selection.0.skip = expression(value, remarks),
    },
];

fn expression(value: &Value, remarks: &mut Remarks) -> Option<Regex> {
    let text = remarks.keep(value.text("a regular expression"))?;
    let regex = Regex::new(&text).map_err(|error| {
        // The last line of the crate's message states the error. The lines before draw a picture.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_string();
        Remark::new(value.span.clone(), format!("expected a regular expression, got `{text}`: {reason}"))
    });
    remarks.keep(regex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    #[test]
    fn filter_must_match_and_skip_must_not() {
        let mut layer = Layer::default();
        layer.set("filter", "Sort|Parse").expect("an expression");
        layer.set("skip", "/large$").expect("an expression");
        let settings = layer.selection.resolve();
        assert!(settings.accepts("sort:BenchmarkSort/small"));
        assert!(!settings.accepts("sort:BenchmarkSort/large"));
        assert!(!settings.accepts("sort:BenchmarkHash"));
        assert!(SelectionSettings::default().accepts("anything"));
    }

    fn selection(filter: &str, skip: &str) -> SelectionSettings {
        let expression = |text: &str| (!text.is_empty()).then(|| Regex::new(text).expect("an expression"));
        SelectionSettings { filter: expression(filter), skip: expression(skip) }
    }

    #[test]
    fn a_package_is_left_out_only_where_no_name_could_be_asked_for() {
        let check = |filter: &str, skip: &str, expected: bool| {
            assert_eq!(selection(filter, skip).may_accept("a.org/json"), expected, "{filter} {skip}");
        };
        check("", "", true);
        check("^a.org/json:", "", true);
        check("^a.org/(json|xml):BenchmarkX/deep$", "", true);
        check("^a.org/xml:", "", false);
        check("^(a.org/xml|b)", "", false);
        // A sub-benchmark may have such a name.
        check("xml", "", true);
        check("^b|xml", "", true);
        check("xml$", "", true);
        // Too difficult to determine, so it is kept.
        check(r"^a\.org/xml\b", "", true);
        check("", "json", false);
        check("", "^a.org/", false);
        check("", "json:BenchmarkX", true);
        check("", "json:$", true);
        check("json", "json", false);
    }

    #[test]
    fn a_function_is_left_out_where_it_is_skipped_or_nothing_below_it_could_be_asked_for() {
        let check = |filter: &str, skip: &str, expected: bool| {
            let selection = selection(filter, skip);
            assert_eq!(selection.may_accept_function("p", "BenchmarkHuge"), expected, "{filter} {skip}");
        };
        check("", "", true);
        check("", "Huge", false);
        check("", "Huge$", false);
        check("", "^p:", false);
        // Only some of its sub-benchmarks.
        check("", "Huge/large", true);
        check("Huge", "Huge/large$", true);
        check("p:BenchmarkHuge$", "", true);
        check("^p:BenchmarkHuge/x$", "", true);
        check("^p:BenchmarkOther", "", false);
        check("^p:BenchmarkHug$", "", false);
        // A sub-benchmark may have such a name.
        check("Other", "", true);
        check("BenchmarkOther$", "", true);
        check(":80$", "", true);
        check(r"\bOther", "", true);
        // No sub-benchmark has the name of a function of a package.
        check(":BenchmarkOther$", "", false);
        check(":Benchmark(Other|Huge)$", "", true);
        check("p:BenchmarkOther/x|p:BenchmarkHuger", "", false);
        check("p:BenchmarkOther|y=1", "", true);
        check(":BenchmarkHuge/x=.*y$", "", true);
        check(":BenchmarkHug$", "", false);
    }

    #[test]
    fn a_filter_names_packages_by_their_path_or_their_functions() {
        let functions = ["BenchmarkEncode".to_owned(), "BenchmarkDecode".to_owned()];
        let check = |filter: &str, expected: bool| {
            assert_eq!(selection(filter, "").names("a.org/json", &functions), expected, "{filter}");
        };
        check("json", true);
        check("^a.org/json:", true);
        check("json:BenchmarkEncode$", true);
        check("json:Benchmark(?:X|Y)", false);
        // Names alone do not select packages, because several packages may have them.
        check("BenchmarkEncode", false);
        check("xml", false);
        check("", false);
    }

    #[test]
    fn nothing_is_said_about_what_does_not_take_part() {
        let packages = ["a.org/json".to_owned(), "a.org/xml".to_owned()];
        let selected = selection("^a.org/json:BenchmarkX", "");
        let check = |subject: &str, expected: bool| {
            assert_eq!(selected.concerns(subject, &packages), expected, "{subject}");
        };
        check("a.org/json:BenchmarkX/deep", true);
        check("a.org/json:BenchmarkY", false);
        check("a.org/json", true);
        check("a.org/xml", false);
        check("go project `tools`", true);
        assert!(SelectionSettings::default().concerns("a.org/xml:BenchmarkY", &packages));
    }

    #[test]
    fn a_broken_expression_says_what_is_wrong_with_it() {
        let error = Layer::default().set("filter", "a(b").expect_err("not closed").to_string();
        assert_eq!(error, "`filter`: expected a regular expression, got `a(b`: unclosed group");
    }
}
