//! `--name value` pairs.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// The options of one command.
#[derive(Debug, Default)]
pub struct Flags {
    values: BTreeMap<String, String>,
}

impl Flags {
    /// Parses `--name value` and `--name=value`. Every name must be in `known`.
    pub fn parse(arguments: &[String], known: &[&str]) -> Result<Flags> {
        let mut values = BTreeMap::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let Some(flag) = argument.strip_prefix("--") else { bail!("understand `{argument}`") };
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, value.to_string()),
                None => (flag, rest.next().with_context(|| format!("find the value of --{flag}"))?.clone()),
            };
            if !known.contains(&name) {
                bail!("understand --{name}; there are: --{}", known.join(", --"));
            }
            values.insert(name.to_string(), value);
        }
        Ok(Flags { values })
    }

    /// The text given for `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A number, or `default`.
    pub fn number<N: FromStr>(&self, name: &str, default: N) -> Result<N> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().ok().with_context(|| format!("understand --{name} {text}: a number is expected"))
    }

    /// A share such as `5%` or `0.05`, or `default`.
    pub fn ratio(&self, name: &str, default: f64) -> Result<f64> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let parsed = match text.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse(),
        };
        let ratio = parsed.ok().filter(|ratio| *ratio > 0.0 && *ratio < 1.0);
        ratio.with_context(|| format!("understand --{name} {text}: a share such as 5% is expected"))
    }

    /// A time such as `40m`, `90s` or `50ms`, if given.
    pub fn duration(&self, name: &str) -> Result<Option<Duration>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let duration = duration(text);
        duration
            .map(Some)
            .with_context(|| format!("understand --{name} {text}: a time such as 40m is expected"))
    }
}

/// Parses `40m`, `1.5h`, `90s` or `50ms`.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(digits.parse::<f64>().ok()? * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(words: &[&str]) -> Result<Flags> {
        Flags::parse(
            &words.iter().map(|word| word.to_string()).collect::<Vec<_>>(),
            &["pairs", "effect", "time"],
        )
    }

    #[test]
    fn names_and_values_come_as_two_words_or_one() {
        let flags = flags(&["--pairs", "300", "--effect=5%"]).unwrap();
        assert_eq!(flags.number("pairs", 1).unwrap(), 300);
        assert_eq!(flags.ratio("effect", 0.1).unwrap(), 0.05);
        assert_eq!(flags.number("time", 7).unwrap(), 7);
    }

    #[test]
    fn times_have_units() {
        let check = |text: &str, expected| assert_eq!(duration(text), expected, "{text}");
        check("40m", Some(Duration::from_secs(2400)));
        check("50ms", Some(Duration::from_millis(50)));
        check("1.5h", Some(Duration::from_secs(5400)));
        check("40", None);
        check("m", None);
        check("-1s", None);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let check = |words: &[&str], part: &str| {
            let error = flags(words).expect_err("wrong").to_string();
            assert!(error.contains(part), "{error}");
        };
        check(&["--pears", "3"], "--pears");
        check(&["pairs"], "`pairs`");
        check(&["--pairs"], "value of --pairs");
        assert!(flags(&["--pairs", "many"]).unwrap().number("pairs", 1).is_err());
        assert!(flags(&["--effect", "500%"]).unwrap().ratio("effect", 0.1).is_err());
    }
}
