//! The functions of a file.

use std::collections::HashMap;

use crate::function::Function;
use crate::left_alone::left_alone;
use crate::{Language, go, insertion, java, rust};

/// The functions of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    /// In the order of the file. Functions within functions and in macros are not listed.
    pub functions: Vec<Function>,
    /// Why the whole file is left alone; no functions are listed then.
    pub left_alone: Option<String>,
}

/// Lists the functions of a file. The path is relative to the project, with `/`; it says which package or module the
/// file belongs to, and whether it is a test.
///
/// What cannot be parsed is no error: functions around a syntax error have a problem, and the others are listed.
pub fn index(language: Language, path: &str, text: &str) -> Index {
    if let Some(reason) = left_alone(language, path, text) {
        return Index { functions: Vec::new(), left_alone: Some(reason) };
    }
    let (code, _) = insertion::split_tail(text);
    let listing = functions(language, path, code);
    match listing.left_alone {
        Some(reason) => Index { functions: Vec::new(), left_alone: Some(reason) },
        None => listing,
    }
}

/// The functions of a file, whatever kind of file it is.
pub(crate) fn functions(language: Language, path: &str, code: &str) -> Index {
    let tree = language.parse(code);
    let mut index = match language {
        Language::Go => go::functions(tree.root_node(), path, code),
        Language::Java => java::functions(tree.root_node(), code),
        Language::Rust => rust::functions(tree.root_node(), path, code),
    };
    let mut counts: HashMap<String, usize> = HashMap::with_capacity(index.functions.len());
    for (position, function) in index.functions.iter_mut().enumerate() {
        let count = counts.entry(function.address_without_ordinal()).or_default();
        *count += 1;
        function.ordinal = *count;
        function.position = position;
    }
    index
}
