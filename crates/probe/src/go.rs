//! The functions of a Go file.

use tree_sitter::Node;

use crate::Language;
use crate::function::{Container, Function};
use crate::index::Index;
use crate::insertion::Site;
use crate::syntax::{children, field, lines, squeezed, syntax_problem, text};

/// Directives after which a function must not call others, or is not what it looks like.
const FORBIDDING: [&str; 8] = [
    "//go:nosplit",
    "//go:linkname",
    "//go:systemstack",
    "//go:nowritebarrier",
    "//go:nowritebarrierrec",
    "//go:yeswritebarrierrec",
    "//go:cgo_unsafe_args",
    "//go:norace",
];

pub(crate) fn functions(root: Node<'_>, path: &str, source: &str) -> Index {
    let name = package_name(root, source);
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory).trim_start_matches("./");
    let package = if directory.is_empty() || directory == "." { name } else { directory };
    let is_hidden = name == "main" || directory.split('/').any(|part| part == "internal" || part == "vendor");
    let mut functions = Vec::new();
    // The comments directly above, without a blank line between them or below.
    let mut above: Vec<Node<'_>> = Vec::new();
    for node in children(root) {
        let is_adjacent =
            above.last().is_none_or(|last| last.end_position().row + 1 == node.start_position().row);
        if !is_adjacent {
            above.clear();
        }
        match node.kind() {
            "comment" => {
                above.push(node);
                continue;
            }
            "function_declaration" | "method_declaration" => {
                let directive = forbidding(&above, source);
                let mut function = function(node, package, directive, source);
                function.is_public = !is_hidden && is_exported(&function);
                functions.push(function);
            }
            _ => {}
        }
        above.clear();
    }
    Index { functions, left_alone: None }
}

/// The byte after the name in `package name`, where an import may stand.
pub(crate) fn import_place(source: &str) -> Option<usize> {
    let tree = Language::Go.parse(source);
    package_identifier(tree.root_node()).map(|node| node.end_byte())
}

fn package_identifier(root: Node<'_>) -> Option<Node<'_>> {
    let clause = children(root).into_iter().find(|node| node.kind() == "package_clause")?;
    if clause.has_error() {
        return None;
    }
    children(clause).into_iter().find(|node| node.kind() == "package_identifier")
}

fn package_name<'a>(root: Node<'_>, source: &'a str) -> &'a str {
    package_identifier(root).map_or("", |node| text(node, source))
}

fn forbidding<'a>(above: &[Node<'_>], source: &'a str) -> Option<&'a str> {
    let directives = above.iter().filter_map(|node| text(*node, source).split_whitespace().next());
    directives.into_iter().find(|directive| FORBIDDING.contains(directive))
}

fn function(node: Node<'_>, package: &str, directive: Option<&str>, source: &str) -> Function {
    let body = node.child_by_field_name("body");
    let problem = if body.is_none() && !node.has_error() {
        Some("no body: it is written in assembly or linked from elsewhere".to_owned())
    } else {
        let directive = directive.map(|directive| format!("`{directive}` stands above it"));
        let broken = || body.is_none().then(|| "no body".to_owned());
        syntax_problem(node).or(directive).or_else(broken)
    };
    Function {
        language: Language::Go,
        package: package.to_owned(),
        container: node.child_by_field_name("receiver").map(|receiver| container(receiver, source)),
        name: field(node, "name", source).to_owned(),
        signature: signature(node, source),
        ordinal: 1,
        is_public: false,
        lines: lines(node),
        body: body.map(|body| body.byte_range()),
        site: body.filter(|_| problem.is_none()).map(site),
        problem,
        position: 0,
    }
}

fn site(body: Node<'_>) -> Site {
    Site { start: body.start_byte() + 1, end: body.end_byte() - 1, is_async: false }
}

/// `(*T)` for `(x *T[K])`.
fn container(receiver: Node<'_>, source: &str) -> Container {
    let parameter = children(receiver).into_iter().find(|node| node.kind() == "parameter_declaration");
    let mut at = parameter.and_then(|node| node.child_by_field_name("type"));
    let mut is_pointer = false;
    let mut type_name = String::new();
    while let Some(node) = at {
        at = match node.kind() {
            "pointer_type" => {
                is_pointer = true;
                node.named_child(0)
            }
            "parenthesized_type" => node.named_child(0),
            "generic_type" => node.child_by_field_name("type"),
            _ => {
                type_name = squeezed(text(node, source));
                None
            }
        };
    }
    Container { type_name, trait_name: None, is_pointer }
}

fn signature(node: Node<'_>, source: &str) -> String {
    let list = node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let mut types = Vec::new();
    for parameter in list {
        let one = squeezed(field(parameter, "type", source));
        match parameter.kind() {
            "parameter_declaration" => {
                let names = parameter.children_by_field_name("name", &mut parameter.walk()).count();
                types.extend(std::iter::repeat_n(one, names.max(1)));
            }
            "variadic_parameter_declaration" => types.push(format!("...{one}")),
            _ => {}
        }
    }
    format!("({})", types.join(","))
}

fn is_exported(function: &Function) -> bool {
    let starts_upper = |name: &str| name.starts_with(char::is_uppercase);
    starts_upper(&function.name)
        && function.container.as_ref().is_none_or(|container| starts_upper(&container.type_name))
}
