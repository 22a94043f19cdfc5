//! Questions to syntax trees that all languages have.

use std::ops::RangeInclusive;

use tree_sitter::Node;

/// The text of a node.
pub(crate) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The text of a field of a node; empty if there is none.
pub(crate) fn field<'a>(node: Node<'_>, name: &str, source: &'a str) -> &'a str {
    node.child_by_field_name(name).map_or("", |node| text(node, source))
}

/// The named children of a node.
pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.named_children(&mut node.walk()).collect()
}

/// The text in one line, with blanks only where two words would become one, and after a comma none.
pub(crate) fn squeezed(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if result.ends_with(is_word) && word.starts_with(|c| is_word(c) || c == '\'') {
            result.push(' ');
        }
        result.push_str(word);
    }
    result
}

/// The lines of a node, counted from 1.
pub(crate) fn lines(node: Node<'_>) -> RangeInclusive<usize> {
    node.start_position().row + 1..=node.end_position().row + 1
}

/// Why the parts of a function must not be relied on: the first place that was not understood.
pub(crate) fn syntax_problem(node: Node<'_>) -> Option<String> {
    let mut at = node;
    while at.has_error() {
        if at.is_error() || at.is_missing() {
            break;
        }
        let mut cursor = at.walk();
        let broken = at.children(&mut cursor).find(Node::has_error);
        match broken {
            Some(child) => at = child,
            None => break,
        }
    }
    node.has_error().then(|| format!("syntax error in line {}", at.start_position().row + 1))
}
