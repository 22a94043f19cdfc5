//! The functions of a Rust file.

use tree_sitter::Node;

use crate::Language;
use crate::function::{Container, Function};
use crate::index::Index;
use crate::insertion::Site;
use crate::syntax::{children, field, lines, squeezed, syntax_problem, text};

/// Modules nested more deeply are not looked into. No source has as many; hostile ones would exhaust the stack.
const MAX_DEPTH: usize = 100;

pub(crate) fn functions(root: Node<'_>, path: &str, source: &str) -> Index {
    let mut listing = Listing { source, functions: Vec::new() };
    let surroundings = Surroundings {
        module: module_of(path),
        is_public: true,
        place: Place::Module,
        container: None,
        depth: 0,
    };
    listing.items(root, &surroundings);
    Index { functions: listing.functions, left_alone: None }
}

/// `a::b` for `src/a/b.rs` and `src/a/b/mod.rs`. Before it stands the directory of the crate, if it is not the top one.
fn module_of(path: &str) -> String {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let source = parts.iter().rposition(|part| *part == "src");
    let (krate, below) = match source {
        Some(at) => (at.checked_sub(1).map(|before| parts[before]), &parts[at + 1..]),
        None => (None, &parts[..]),
    };
    let below = match below.split_last() {
        Some((&"mod", rest)) => rest,
        Some((&("lib" | "main"), [])) => &[],
        _ => below,
    };
    let modules = krate.iter().chain(below).map(|part| part.replace('-', "_"));
    modules.collect::<Vec<String>>().join("::")
}

struct Listing<'a> {
    source: &'a str,
    functions: Vec<Function>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Module,
    Impl,
    TraitImpl,
    Trait,
    Extern,
}

/// What an item stands in.
struct Surroundings {
    module: String,
    /// Whether everything around it that this file shows is public.
    is_public: bool,
    place: Place,
    container: Option<Container>,
    depth: usize,
}

impl Listing<'_> {
    fn items(&mut self, list: Node<'_>, around: &Surroundings) {
        let mut attributes: Vec<String> = Vec::new();
        for node in children(list) {
            match node.kind() {
                "attribute_item" => {
                    attributes.push(text(node, self.source).split_whitespace().collect());
                    continue;
                }
                "line_comment" | "block_comment" => continue,
                "function_item" | "function_signature_item" => {
                    let function = self.function(node, &attributes, around);
                    self.functions.push(function);
                }
                "mod_item" | "impl_item" | "trait_item" | "foreign_mod_item" if around.depth < MAX_DEPTH => {
                    self.nested(node, &attributes, around);
                }
                _ => {}
            }
            attributes.clear();
        }
    }

    fn nested(&mut self, node: Node<'_>, attributes: &[String], around: &Surroundings) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut inside = Surroundings {
            module: around.module.clone(),
            is_public: around.is_public && !is_test(attributes),
            place: around.place,
            container: None,
            depth: around.depth + 1,
        };
        let container = |type_name: String, trait_name: Option<String>| {
            Some(Container { type_name, trait_name, is_pointer: false })
        };
        match node.kind() {
            "mod_item" => {
                let name = field(node, "name", self.source);
                inside.module = if around.module.is_empty() {
                    name.to_owned()
                } else {
                    format!("{}::{name}", around.module)
                };
                inside.is_public &= is_pub(node, self.source);
            }
            "trait_item" => {
                inside.place = Place::Trait;
                inside.is_public &= is_pub(node, self.source);
                inside.container = container(field(node, "name", self.source).to_owned(), None);
            }
            "impl_item" => {
                let implemented =
                    node.child_by_field_name("trait").map(|node| squeezed(text(node, self.source)));
                inside.place = if implemented.is_some() { Place::TraitImpl } else { Place::Impl };
                inside.container = container(self.type_name(node), implemented);
            }
            _ => inside.place = Place::Extern,
        }
        self.items(body, &inside);
    }

    /// The type of an `impl`, without generic arguments and path if it has a name.
    fn type_name(&self, node: Node<'_>) -> String {
        let mut at = node.child_by_field_name("type");
        while let Some(node) = at {
            match node.kind() {
                "generic_type" => at = node.child_by_field_name("type"),
                "scoped_type_identifier" => at = node.child_by_field_name("name"),
                _ => return squeezed(text(node, self.source)),
            }
        }
        String::new()
    }

    fn function(&self, node: Node<'_>, attributes: &[String], around: &Surroundings) -> Function {
        let body = node.child_by_field_name("body");
        let modifiers = children(node).into_iter().find(|node| node.kind() == "function_modifiers");
        let modifiers = modifiers.map_or("", |node| text(node, self.source));
        let has = |word: &str| modifiers.split_whitespace().any(|modifier| modifier == word);
        let is_visible = match around.place {
            Place::Trait | Place::TraitImpl => true,
            Place::Module | Place::Impl | Place::Extern => is_pub(node, self.source),
        };
        let problem = problem(node, has("const"), attributes, around);
        let site = body.filter(|_| problem.is_none()).map(|body| self.site(body, has("async")));
        Function {
            language: Language::Rust,
            package: around.module.clone(),
            container: around.container.clone(),
            name: field(node, "name", self.source).to_owned(),
            signature: self.signature(node),
            ordinal: 1,
            is_public: is_visible && around.is_public && !is_test(attributes),
            lines: lines(node),
            body: body.map(|body| body.byte_range()),
            problem,
            position: 0,
            site,
        }
    }

    /// Attributes and documentation of the body itself have to stay first.
    fn site(&self, body: Node<'_>, is_async: bool) -> Site {
        let mut start = body.start_byte() + 1;
        for node in children(body) {
            match node.kind() {
                "inner_attribute_item" => start = node.end_byte(),
                "block_comment" if text(node, self.source).starts_with("/*!") => start = node.end_byte(),
                "line_comment" if text(node, self.source).starts_with("//!") => {
                    // The line end may or may not belong to the comment.
                    let end = node.end_byte();
                    let is_ended = self.source[..end].ends_with('\n');
                    let rest = self.source[end..].find('\n').map_or(0, |at| at + 1);
                    start = if is_ended { end } else { end + rest };
                }
                "line_comment" | "block_comment" => {}
                _ => break,
            }
        }
        Site { start, end: body.end_byte() - 1, is_async }
    }

    fn signature(&self, node: Node<'_>) -> String {
        let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
        let types = parameters.into_iter().filter_map(|parameter| match parameter.kind() {
            "parameter" => Some(squeezed(field(parameter, "type", self.source))),
            "attribute_item" | "line_comment" | "block_comment" => None,
            _ => Some(squeezed(text(parameter, self.source))),
        });
        format!("({})", types.collect::<Vec<String>>().join(","))
    }
}

fn problem(node: Node<'_>, is_const: bool, attributes: &[String], around: &Surroundings) -> Option<String> {
    let is_allocator = || {
        let implemented = around.container.as_ref().and_then(|container| container.trait_name.as_deref());
        implemented.and_then(|name| name.rsplit("::").next()) == Some("GlobalAlloc")
    };
    let why = if let Some(problem) = syntax_problem(node) {
        return Some(problem);
    } else if around.place == Place::Extern {
        "no body: it is declared for another language"
    } else if node.child_by_field_name("body").is_none() {
        "no body: types that implement the trait have one"
    } else if is_const {
        "a `const fn` may run in the compiler"
    } else if attributes.iter().any(|attribute| attribute.contains("naked")) {
        "a naked function consists of assembly"
    } else if is_allocator() {
        "part of an allocator, which the inserted code itself uses"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// `pub`, but not `pub(crate)`.
fn is_pub(node: Node<'_>, source: &str) -> bool {
    children(node).into_iter().any(|node| node.kind() == "visibility_modifier" && text(node, source) == "pub")
}

/// `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`.
fn is_test(attributes: &[String]) -> bool {
    attributes.iter().any(|attribute| {
        let inner = attribute.trim_start_matches("#[").trim_end_matches(']');
        let is_word = |part: &str| part == "test" || part == "bench";
        let is_test_only = || {
            let condition = inner.strip_prefix("cfg(").unwrap_or_default();
            !condition.contains("not(")
                && !condition.contains("any(")
                && condition.split([',', '(', ')']).any(is_word)
        };
        is_word(inner) || inner.ends_with("::test") || is_test_only()
    })
}
