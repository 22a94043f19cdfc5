//! Parameters and their values.

use crate::{CommandDefinition, Parameter};

/// One value for each parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Combination<'a>(Vec<(&'a str, &'a str)>);

/// Every combination, with the last parameter changing fastest. Without parameters there is one empty
/// combination.
pub(super) fn combinations(parameters: &[Parameter]) -> Vec<Combination<'_>> {
    let mut all = vec![Combination::default()];
    for Parameter { name, values } in parameters {
        let values = || values.iter().map(String::as_str);
        all = all.iter().flat_map(|before| values().map(|value| before.with(name, value))).collect();
    }
    all
}

impl<'a> Combination<'a> {
    /// The same with one more placeholder.
    pub(super) fn with(&self, name: &'a str, value: &'a str) -> Combination<'a> {
        Combination(self.0.iter().copied().chain([(name, value)]).collect())
    }

    /// The text with every known `{name}` replaced. Inserted values are not searched again.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(brace) = rest.find('{') {
            let (before, from) = rest.split_at(brace);
            filled.push_str(before);
            let known = self.0.iter().find_map(|(name, value)| {
                let after = from[1..].strip_prefix(name)?.strip_prefix('}')?;
                Some((*value, after))
            });
            match known {
                Some((value, after)) => {
                    filled.push_str(value);
                    rest = after;
                }
                None => {
                    filled.push('{');
                    rest = &from[1..];
                }
            }
        }
        filled + rest
    }

    /// The benchmark's name. Parameters that the command's name does not mention are appended.
    pub(super) fn name_of(&self, definition: &CommandDefinition) -> String {
        let is_mentioned = |name: &str| definition.name.contains(&format!("{{{name}}}"));
        let others = self.0.iter().filter(|(name, _)| !is_mentioned(name));
        let pairs: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        let name = self.fill(&definition.name);
        if pairs.is_empty() { name } else { format!("{name}({})", pairs.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, values: &[&str]) -> Parameter {
        Parameter { name: name.into(), values: values.iter().map(|value| value.to_string()).collect() }
    }

    fn names(name: &str, parameters: &[Parameter]) -> Vec<String> {
        let definition =
            CommandDefinition { parameters: parameters.to_vec(), ..CommandDefinition::new(name, "true") };
        combinations(parameters).iter().map(|combination| combination.name_of(&definition)).collect()
    }

    #[test]
    fn every_combination_has_a_name() {
        assert_eq!(names("sort", &[]), ["sort"]);
        assert_eq!(names("sort", &[parameter("size", &["10", "20"])]), ["sort(size=10)", "sort(size=20)"]);
        assert_eq!(
            names("sort", &[parameter("size", &["10", "20"]), parameter("mode", &["x", "y"])]),
            ["sort(size=10,mode=x)", "sort(size=10,mode=y)", "sort(size=20,mode=x)", "sort(size=20,mode=y)"]
        );
    }

    #[test]
    fn parameters_in_the_name_are_not_added_to_it() {
        let parameters = [parameter("size", &["10"]), parameter("mode", &["x"])];
        assert_eq!(names("sort {size}", &parameters), ["sort 10(mode=x)"]);
        assert_eq!(names("./sort {size} --{mode}", &parameters), ["./sort 10 --x"]);
    }

    #[test]
    fn only_known_placeholders_are_filled_in_and_values_are_left_alone() {
        let parameters = [parameter("a", &["{b}"]), parameter("b", &["2"])];
        let combination = &combinations(&parameters)[0];
        let check = |text: &str, expected: &str| assert_eq!(combination.fill(text), expected, "{text}");
        check("{a}{b}", "{b}2");
        check("awk '{print $1}' {b", "awk '{print $1}' {b");
        check("{{b}}", "{2}");
        check("{c} ä{b}ö", "{c} ä2ö");
        check("", "");
        assert_eq!(combination.with("out", "/o").fill("{out}/{b}"), "/o/2");
    }
}
