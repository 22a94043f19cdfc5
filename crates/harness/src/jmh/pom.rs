//! Reads the parts of a `pom.xml` that are needed to find and name benchmark modules.

use roxmltree::{Document, Node, ParsingOptions};

/// The Maven group of JMH.
const JMH: &str = "org.openjdk.jmh";

/// A project description of Maven.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pom {
    /// Its group, be it its parent's.
    pub(super) group: String,
    /// Its name.
    pub(super) artifact: String,
    /// Group and name of its dependencies, including those in profiles.
    pub(super) dependencies: Vec<(String, String)>,
    /// Modules built with it.
    pub(super) modules: Vec<Module>,
    /// Whether it depends on JMH, possibly in a profile. Managing a version is not a dependency.
    pub(super) uses_jmh: bool,
    /// The relative path of its parent, if it has one: a directory or a file.
    pub(super) parent: Option<String>,
}

/// A module of an aggregating project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// Its directory or file, relative.
    pub(super) path: String,
    /// The profile that is needed to build it.
    pub(super) profile: Option<String>,
}

impl Pom {
    /// Parses the text. If it is not XML, it counts as using JMH if it contains that name, so that Maven is
    /// started and reports the error.
    pub(super) fn parse(text: &str) -> Pom {
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let Ok(document) = Document::parse_with_options(text, options) else {
            return Pom { uses_jmh: text.contains(JMH), ..Pom::default() };
        };
        let project = document.root_element();
        let parent = child(project, "parent");
        let group = text_of(project, "groupId").or_else(|| text_of(parent?, "groupId"));
        let dependencies: Vec<_> = project.descendants().filter(is_dependency).collect();
        let named = |dependency: &Node<'_, '_>| {
            let group = text_of(*dependency, "groupId").unwrap_or_default();
            Some((group.to_owned(), text_of(*dependency, "artifactId")?.to_owned()))
        };
        let mut modules = modules(project, None);
        for profile in all(project, "profiles", "profile") {
            modules.extend(self::modules(profile, text_of(profile, "id")));
        }
        Pom {
            group: group.unwrap_or_default().into(),
            artifact: text_of(project, "artifactId").unwrap_or_default().into(),
            uses_jmh: dependencies.iter().any(|dependency| text_of(*dependency, "groupId") == Some(JMH)),
            dependencies: dependencies.iter().filter_map(named).collect(),
            modules,
            parent: parent.and_then(|parent| match child(parent, "relativePath") {
                Some(path) => words(path).map(Into::into),
                None => Some("..".into()),
            }),
        }
    }
}

/// Whether this is on the project's class path.
fn is_dependency(node: &Node<'_, '_>) -> bool {
    let is = |node: Node<'_, '_>, name: &str| node.tag_name().name() == name;
    let is_managed = |above: Node<'_, '_>| is(above, "dependencyManagement") || is(above, "plugin");
    is(*node, "dependency")
        && node.parent().is_some_and(|above| is(above, "dependencies"))
        && !node.ancestors().any(is_managed)
}

/// The modules listed by a project or by one of its profiles.
fn modules(node: Node<'_, '_>, profile: Option<&str>) -> Vec<Module> {
    let module = |path: &str| Module { path: path.into(), profile: profile.map(Into::into) };
    all(node, "modules", "module").filter_map(words).map(module).collect()
}

/// The elements called `name` in the element called `list`.
fn all<'a>(node: Node<'a, 'a>, list: &str, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    let children = child(node, list).into_iter().flat_map(|list| list.children());
    children.filter(move |child| child.tag_name().name() == name)
}

/// The first element of this name in another.
fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.tag_name().name() == name)
}

/// The text of a child element with this name.
fn text_of<'a>(node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
    child(node, name).and_then(words)
}

/// The text of an element, without surrounding blanks. `None` if it is blank.
fn words<'a>(node: Node<'a, 'a>) -> Option<&'a str> {
    node.text().map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEPENDENCY: &str = "<dependencies><dependency><groupId>org.openjdk.jmh</groupId>\
                              <artifactId>jmh-core</artifactId></dependency></dependencies>";

    fn pom(inside: &str) -> Pom {
        Pom::parse(&format!(
            "<?xml version=\"1.0\"?>\n<!-- <modules> --><project xmlns=\"x\">{inside}</project>"
        ))
    }

    #[test]
    fn a_dependency_is_one_only_where_it_is_used() {
        let check = |inside: &str, expected| assert_eq!(pom(inside).uses_jmh, expected, "{inside}");
        check(DEPENDENCY, true);
        check(&format!("<profiles><profile><id>b</id>{DEPENDENCY}</profile></profiles>"), true);
        check(&format!("<dependencyManagement>{DEPENDENCY}</dependencyManagement>"), false);
        check(&format!("<build><plugins><plugin>{DEPENDENCY}</plugin></plugins></build>"), false);
        check(&format!("<!-- {DEPENDENCY} -->"), false);
        check("<groupId>org.openjdk.jmh</groupId>", false);
    }

    #[test]
    fn what_it_depends_on_is_known_by_group_and_name() {
        let one = |name: &str, more: &str| {
            format!("<dependency><artifactId>{name}</artifactId>{more}<groupId>acme</groupId></dependency>")
        };
        let excluded =
            "<exclusions><exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion></exclusions>";
        let list = |name: &str| format!("<dependencies>{}</dependencies>", one(name, excluded));
        let inside = format!(
            "{}<profiles><profile><id>b</id>{}</profile></profiles><dependencyManagement>{}</dependencyManagement>\
             <build><plugins><plugin>{}</plugin></plugins></build>",
            list("own"),
            list("profiled"),
            list("managed"),
            list("plugged")
        );
        let expected = ["own", "profiled"].map(|name| ("acme".to_owned(), name.to_owned()));
        assert_eq!(pom(&inside).dependencies, expected);
        let check = |inside: &str, group: &str| assert_eq!(pom(inside).group, group, "{inside}");
        check("<parent><groupId>p</groupId></parent>", "p");
        check("<parent><groupId>p</groupId></parent><groupId>own</groupId>", "own");
        check("<groupId>own</groupId><parent><groupId>p</groupId></parent>", "own");
    }

    #[test]
    fn the_name_is_the_projects_and_not_the_parents() {
        let inside = "<parent><artifactId>all</artifactId></parent><artifactId> own </artifactId>";
        assert_eq!((pom(inside).artifact.as_str(), pom(inside).parent), ("own", Some("..".into())));
        let check = |parent: &str, expected: Option<&str>| {
            assert_eq!(pom(&format!("<parent>{parent}</parent>")).parent.as_deref(), expected);
        };
        check("<relativePath>../x/pom.xml</relativePath>", Some("../x/pom.xml"));
        check("<relativePath/>", None);
        assert_eq!(pom("").parent, None);
    }

    #[test]
    fn modules_know_their_profile() {
        let inside = "<modules><module>a</module></modules><profiles><profile><modules><module>b</module></modules>\
                      <id>bench</id></profile></profiles>";
        let module = |path: &str, profile: Option<&str>| Module {
            path: path.into(),
            profile: profile.map(Into::into),
        };
        assert_eq!(pom(inside).modules, [module("a", None), module("b", Some("bench"))]);
    }

    proptest! {
        #[test]
        fn any_text_is_harmless(text in "[<>/!?a-z \\-\\[\\]CDAT]{0,200}") {
            prop_assert!(!Pom::parse(&text).uses_jmh);
        }

        #[test]
        fn a_cut_text_is_left_to_maven(cut in 0usize..400) {
            let text = format!("<project><!-- ä --><artifactId>ä</artifactId>{DEPENDENCY}<![CDATA[x]]></project>");
            let end = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            prop_assert_eq!(Pom::parse(&text[..end]).uses_jmh, text[..end].contains(JMH));
        }
    }
}
