//! The functions of a Java file.

use tree_sitter::Node;

use crate::Language;
use crate::function::{Container, Function};
use crate::index::Index;
use crate::insertion::Site;
use crate::syntax::{children, field, lines, squeezed, syntax_problem, text};

/// Classes nested more deeply are not looked into. No source has as many; hostile ones would exhaust the stack.
const MAX_DEPTH: usize = 100;

pub(crate) fn functions(root: Node<'_>, source: &str) -> Index {
    let top = children(root);
    let package = top.iter().find(|node| node.kind() == "package_declaration");
    let package = package.map_or(String::new(), |node| package_name(*node, source));
    let is_generated = |node: &Node<'_>| is_type(node.kind()) && has_annotation(*node, "Generated", source);
    let left_alone = top.iter().any(is_generated).then(|| "a type annotated with `@Generated`".to_owned());
    let mut listing = Listing { package, source, functions: Vec::new() };
    let outside = Surroundings { classes: String::new(), is_public: true, is_interface: false, depth: 0 };
    for node in top {
        // Methods outside classes belong to programs of a single file.
        listing.member(node, &outside, "");
    }
    Index { functions: listing.functions, left_alone }
}

fn package_name(node: Node<'_>, source: &str) -> String {
    let name =
        children(node).into_iter().find(|node| matches!(node.kind(), "identifier" | "scoped_identifier"));
    name.map_or(String::new(), |node| squeezed(text(node, source)))
}

struct Listing<'a> {
    package: String,
    source: &'a str,
    functions: Vec<Function>,
}

/// The classes around a member.
struct Surroundings {
    /// Joined by `.`.
    classes: String,
    is_public: bool,
    is_interface: bool,
    depth: usize,
}

impl Listing<'_> {
    /// A member of a class. The types of a record's components are needed for its compact constructor.
    fn member(&mut self, node: Node<'_>, around: &Surroundings, components: &str) {
        match node.kind() {
            "method_declaration" | "annotation_type_element_declaration" => {
                self.functions.push(self.function(node, around, None, ""));
            }
            "constructor_declaration" => self.functions.push(self.function(node, around, Some("<init>"), "")),
            "compact_constructor_declaration" => {
                self.functions.push(self.function(node, around, Some("<init>"), components));
            }
            kind if is_type(kind) && around.depth < MAX_DEPTH => self.class(node, around),
            _ => {}
        }
    }

    fn class(&mut self, node: Node<'_>, around: &Surroundings) {
        let name = field(node, "name", self.source);
        let is_public = has_modifier(node, "public") || around.is_interface;
        let inside = Surroundings {
            classes: if around.classes.is_empty() {
                name.to_owned()
            } else {
                format!("{}.{name}", around.classes)
            },
            is_public: is_public && around.is_public,
            is_interface: matches!(node.kind(), "interface_declaration" | "annotation_type_declaration"),
            depth: around.depth + 1,
        };
        let components = signature(node, self.source);
        let body = node.child_by_field_name("body").map(children).unwrap_or_default();
        for member in body {
            if member.kind() == "enum_body_declarations" {
                children(member).into_iter().for_each(|member| self.member(member, &inside, &components));
            } else {
                self.member(member, &inside, &components);
            }
        }
    }

    fn function(
        &self,
        node: Node<'_>,
        around: &Surroundings,
        name: Option<&str>,
        components: &str,
    ) -> Function {
        let body = node.child_by_field_name("body");
        let is_visible =
            has_modifier(node, "public") || (around.is_interface && !has_modifier(node, "private"));
        let container = (!around.classes.is_empty()).then(|| Container {
            type_name: around.classes.clone(),
            trait_name: None,
            is_pointer: false,
        });
        let problem = problem(node, body, around);
        let site = body.filter(|_| problem.is_none()).map(site);
        Function {
            language: Language::Java,
            package: self.package.clone(),
            is_public: is_visible && around.is_public && container.is_some(),
            container,
            name: name.unwrap_or_else(|| field(node, "name", self.source)).to_owned(),
            signature: if components.is_empty() {
                signature(node, self.source)
            } else {
                components.to_owned()
            },
            ordinal: 1,
            lines: lines(node),
            body: body.map(|body| body.byte_range()),
            problem,
            position: 0,
            site,
        }
    }
}

fn problem(node: Node<'_>, body: Option<Node<'_>>, around: &Surroundings) -> Option<String> {
    let missing = || {
        let why = if has_modifier(node, "native") {
            "no body: it is native"
        } else if has_modifier(node, "abstract") || around.is_interface {
            "no body: it is abstract"
        } else {
            "no body"
        };
        body.is_none().then(|| why.to_owned())
    };
    syntax_problem(node).or_else(missing)
}

/// The call of another constructor has to stay the first statement.
fn site(body: Node<'_>) -> Site {
    let call = children(body).into_iter().find(|node| node.kind() == "explicit_constructor_invocation");
    let start = call.map_or(body.start_byte() + 1, |call| call.end_byte());
    Site { start, end: body.end_byte() - 1, is_async: false }
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|node| node.kind() == "modifiers")
}

fn has_modifier(node: Node<'_>, modifier: &str) -> bool {
    modifiers(node).is_some_and(|node| node.children(&mut node.walk()).any(|node| node.kind() == modifier))
}

fn has_annotation(node: Node<'_>, name: &str, source: &str) -> bool {
    let annotations = modifiers(node).map(children).unwrap_or_default();
    annotations.into_iter().any(|node| field(node, "name", source).rsplit('.').next() == Some(name))
}

/// The types of the parameters without type arguments: two methods never differ in these alone.
fn signature(node: Node<'_>, source: &str) -> String {
    let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let types: Vec<String> = parameters.into_iter().filter_map(|node| parameter_type(node, source)).collect();
    format!("({})", types.join(","))
}

fn parameter_type(node: Node<'_>, source: &str) -> Option<String> {
    match node.kind() {
        "formal_parameter" => {
            let dimensions = squeezed(field(node, "dimensions", source));
            Some(format!("{}{dimensions}", erased(field(node, "type", source))))
        }
        "spread_parameter" => {
            let is_type = |node: &Node<'_>| {
                !matches!(
                    node.kind(),
                    "modifiers" | "variable_declarator" | "annotation" | "marker_annotation"
                )
            };
            let found = children(node).into_iter().find(is_type)?;
            Some(format!("{}[]", erased(text(found, source))))
        }
        _ => None,
    }
}

/// A type without type arguments, annotations and blanks.
fn erased(written: &str) -> String {
    let mut depth = 0_usize;
    let mut result = String::new();
    let mut is_annotation = false;
    for c in squeezed(written).chars() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '@' => is_annotation = true,
            ' ' | '[' if is_annotation => {
                is_annotation = false;
                result.extend((c == '[').then_some(c));
            }
            _ if is_annotation => {}
            _ => result.push(c),
        }
    }
    result
}
