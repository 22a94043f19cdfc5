//! Chooses the benchmarks of a suite that take part.

/// At most `most` of `all`, evenly spaced. Each `turn` begins at another position, so that all are chosen
/// after some turns.
pub(crate) fn evenly_spaced<T: Clone>(all: &[T], most: usize, turn: usize) -> Vec<T> {
    if all.len() <= most {
        return all.to_vec();
    }
    // The step need not be coprime to the number of choices, because turns move by one within a space.
    let space = all.len() as f64 / most as f64;
    let shift = turn % space.ceil() as usize;
    let mut chosen: Vec<usize> =
        (0..most).map(|i| ((i as f64 * space) as usize + shift) % all.len()).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| all[i].clone()).collect()
}

/// A regular expression that matches exactly these texts.
pub(crate) fn pattern_of(texts: &[String]) -> String {
    let escaped: Vec<String> = texts.iter().map(|text| escape(text)).collect();
    format!("^(?:{})$", escaped.join("|"))
}

/// Escapes all characters with a meaning in regular expressions.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_spread_over_the_whole_list() {
        let all: Vec<u32> = (0..10).collect();
        let check = |most, turn, expected: &[u32]| assert_eq!(evenly_spaced(&all, most, turn), expected);
        check(5, 0, &[0, 2, 4, 6, 8]);
        check(5, 1, &[1, 3, 5, 7, 9]);
        check(5, 2, &[0, 2, 4, 6, 8]);
        check(3, 0, &[0, 3, 6]);
        check(3, 3, &[3, 6, 9]);
        check(20, 7, &all);
        assert!(evenly_spaced::<u32>(&[], 3, 0).is_empty());
    }

    #[test]
    fn in_time_everything_is_chosen() {
        for (length, most) in [(10, 3), (17, 4), (100, 12), (13, 12)] {
            let all: Vec<usize> = (0..length).collect();
            let mut seen: Vec<usize> = (0..length).flat_map(|turn| evenly_spaced(&all, most, turn)).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn a_pattern_means_its_texts_and_nothing_else() {
        assert_eq!(pattern_of(&["a.b:X/n=1+2".into(), "c".into()]), r"^(?:a\.b:X/n=1\+2|c)$");
    }
}
