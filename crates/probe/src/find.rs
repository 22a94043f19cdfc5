//! A function by what a person typed.

use crate::Language;
use crate::function::Function;

/// Why no function was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// None has this address or ends like it.
    #[error("no function `{text}`{}", nearest_words(.nearest))]
    NotFound {
        /// What was looked for.
        text: String,
        /// Addresses of functions with similar names, nearest first; at most three.
        nearest: Vec<String>,
    },
    /// Several end like it.
    #[error("`{text}` is ambiguous: {}", listed(.candidates))]
    Ambiguous {
        /// What was looked for.
        text: String,
        /// Their addresses, sorted.
        candidates: Vec<String>,
    },
}

/// How many similar names an error has.
const NEAREST: usize = 3;

/// How many candidates a message lists.
const LISTED: usize = 10;

fn nearest_words(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; similar: {}", listed(nearest)) }
}

fn listed(addresses: &[String]) -> String {
    let quoted: Vec<String> = addresses.iter().take(LISTED).map(|address| format!("`{address}`")).collect();
    let more = addresses.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", quoted.join(", "))
}

/// The function with this address, or the only one whose address ends like it: `Parser.parse` for
/// `text/template/parse.(*Parser).parse`. Parameters may be left out, and in Rust the trait.
pub fn find<'a>(functions: &'a [Function], text: &str) -> Result<&'a Function, FindError> {
    let text = text.trim();
    let wanted = dotted(text);
    let exact: Vec<&Function> = functions.iter().filter(|function| function.address() == text).collect();
    let ends_like = |function: &&Function| forms(function).iter().any(|form| has_end(form, &wanted));
    let candidates =
        if exact.is_empty() { functions.iter().filter(ends_like).collect::<Vec<&Function>>() } else { exact };
    match candidates[..] {
        [] => Err(FindError::NotFound { text: text.to_owned(), nearest: nearest(functions, &wanted) }),
        [one] => Ok(one),
        _ => {
            let mut candidates: Vec<String> = candidates.iter().map(|function| function.address()).collect();
            candidates.sort();
            Err(FindError::Ambiguous { text: text.to_owned(), candidates })
        }
    }
}

/// The ways to write an address, all with dots.
fn forms(function: &Function) -> Vec<String> {
    let plain = dotted(&function.plain_address());
    let mut forms = vec![dotted(&function.address())];
    if function.language == Language::Java {
        forms.push(format!("{plain}{}", dotted(&function.signature)));
    }
    forms.push(plain);
    forms
}

fn dotted(text: &str) -> String {
    let blankless: String = text.chars().filter(|c| *c != ' ').collect();
    blankless.replace("::", ".")
}

/// Whether the last parts of an address are these.
fn has_end(address: &str, wanted: &str) -> bool {
    let before = address.strip_suffix(wanted);
    !wanted.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with(['.', '/']))
}

fn nearest(functions: &[Function], wanted: &str) -> Vec<String> {
    let name = |text: &str| {
        text.split('(').next().unwrap_or_default().rsplit('.').next().unwrap_or_default().to_owned()
    };
    let wanted_name = name(wanted).to_lowercase();
    let mut scored: Vec<(usize, usize, String)> = Vec::new();
    for function in functions {
        let distance = distance(&function.name.to_lowercase(), &wanted_name);
        if distance * 3 <= wanted_name.chars().count().max(3) {
            // Among equal names the one whose whole address is nearer comes first.
            let plain = dotted(&function.plain_address());
            let end: String = last_characters(&plain, wanted.chars().count());
            scored.push((distance, self::distance(&end, &last_characters(wanted, 80)), function.address()));
        }
    }
    scored.sort();
    scored.truncate(NEAREST);
    scored.into_iter().map(|(_, _, address)| address).collect()
}

fn last_characters(text: &str, n: usize) -> String {
    let n = n.min(80);
    let skipped = text.chars().count().saturating_sub(n);
    text.chars().skip(skipped).collect()
}

/// Levenshtein's distance: the fewest characters to insert, remove or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, in_a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, in_b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(in_a != *in_b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
