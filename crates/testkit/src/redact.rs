//! Replaces text that differs from run to run by fixed words.

use std::path::Path;

use regex::Regex;

/// Replaces each of `paths` by its name (`[CACHE]` for `("CACHE", path)`, the longest path first), points in time by
/// `[TIME]`, and durations such as `1.3 s`, `250ms` or `2m05s` by `[DURATION]`.
pub fn redact(text: &str, paths: &[(&str, &Path)]) -> String {
    let mut paths: Vec<(&str, String)> =
        paths.iter().map(|(name, path)| (*name, path.display().to_string())).collect();
    paths.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
    let mut result = text.to_string();
    for (name, path) in paths.iter().filter(|(_, path)| !path.is_empty()) {
        result = result.replace(path.as_str(), &format!("[{name}]"));
    }
    let patterns = [
        (r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?", "[TIME]"),
        (r"\b(\d+(\.\d+)?\s?(h|min|m|s|ms|µs|us|ns)){1,3}\b", "[DURATION]"),
    ];
    for (pattern, word) in patterns {
        let regex = Regex::new(pattern).expect("the pattern is an expression");
        result = regex.replace_all(&result, word).into_owned();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_times_and_durations_become_words() {
        let paths = [("CACHE", Path::new("/c")), ("RUN", Path::new("/c/runs/1"))];
        let check = |text: &str, expected: &str| assert_eq!(redact(text, &paths), expected);
        check("wrote /c/runs/1/x and /c/y", "wrote [RUN]/x and [CACHE]/y");
        check("at 2025-01-31T10:20:30Z, took 1.3 s", "at [TIME], took [DURATION]");
        check("2m05s left, 250ms each", "[DURATION] left, [DURATION] each");
        check("12 benchmarks, 3 % slower, v1.2", "12 benchmarks, 3 % slower, v1.2");
    }
}
