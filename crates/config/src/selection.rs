//! Which benchmarks take part.

use regex::Regex;

use crate::problem::{Remark, Remarks};
use crate::setting::Setting;
use crate::value::Value;

/// Which benchmarks take part: those that match `filter` and do not match `skip`. Both are regular expressions
/// that are looked for anywhere in `package:name`.
#[derive(Debug, Clone, Default)]
pub struct SelectionSettings {
    /// What must match; none: everything does.
    pub filter: Option<Regex>,
    /// What must not match; none: nothing does.
    pub skip: Option<Regex>,
}

impl SelectionSettings {
    /// Whether the benchmark with this text (`package:name`) takes part.
    pub fn accepts(&self, text: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(text))
            && !self.skip.as_ref().is_some_and(|skip| skip.is_match(text))
    }
}

/// Equal if the expressions are written alike.
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
        // The last line of the crate's message says what is wrong; those before draw a picture.
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

    #[test]
    fn a_broken_expression_says_what_is_wrong_with_it() {
        let error = Layer::default().set("filter", "a(b").expect_err("not closed").to_string();
        assert_eq!(error, "`filter`: expected a regular expression, got `a(b`: unclosed group");
    }
}
