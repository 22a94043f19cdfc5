//! Finds the name that was probably meant.

/// The candidate with the fewest edits to `name`, if there are few enough for a typing error: at most a third
/// of its letters. Among equals the first.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// The number of edits (insert, delete, replace, swap neighbours) that turn `a` into `b`. `_` and `-` count
/// as equal, and so do upper and lower case.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|text| text.to_lowercase().replace('_', "-"));
    strsim::osa_distance(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_key_and_a_foreign_word_finds_none() {
        let keys = ["min-duets", "max-duets", "max-fresh-duets", "seed", "budget"];
        let check = |name: &str, expected: Option<&str>| assert_eq!(nearest(name, keys), expected, "{name}");
        check("min_duets", Some("min-duets"));
        check("mni-duets", Some("min-duets"));
        check("maxduets", Some("max-duets"));
        check("max-frsh-duet", Some("max-fresh-duets"));
        check("sed", Some("seed"));
        check("Budget", Some("budget"));
        check("colour", None);
        check("", None);
    }
}
