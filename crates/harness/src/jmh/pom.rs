//! Reads a `pom.xml`, as far as finding and naming benchmark modules needs it.

/// The group of everything that belongs to JMH.
const JMH: &str = "org.openjdk.jmh";

/// A project description of Maven.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pom {
    /// Its group, be it its parent's.
    pub(super) group: String,
    /// Its name.
    pub(super) artifact: String,
    /// Group and name of what it depends on, in profiles too.
    pub(super) dependencies: Vec<(String, String)>,
    /// Modules built with it.
    pub(super) modules: Vec<Module>,
    /// Whether it depends on JMH, be it in a profile; managing a version is no dependency.
    pub(super) uses_jmh: bool,
    /// Where its parent is, if it has one: a directory or a file, relative.
    pub(super) parent: Option<String>,
}

/// A module of an aggregating project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// Its directory or file, relative.
    pub(super) path: String,
    /// The profile without which it is not built.
    pub(super) profile: Option<String>,
}

impl Pom {
    /// Reads the text. What is not understood is passed over: Maven itself will complain.
    pub(super) fn parse(text: &str) -> Pom {
        let mut reading = Reading::default();
        walk(text, &mut |event| reading.take(event));
        reading.pom
    }
}

#[derive(Default)]
struct Reading {
    path: Vec<String>,
    pom: Pom,
    /// Profile id and modules of the profile that is open.
    profile: (String, Vec<String>),
    /// Group and name of the dependency that is open.
    dependency: (String, String),
}

impl Reading {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Open(name) => self.open(name),
            Event::Text(text) => self.text(text),
            Event::Close => self.close(),
        }
    }

    fn open(&mut self, name: &str) {
        self.path.push(name.to_owned());
        match self.place().as_slice() {
            ["project", "parent"] => self.pom.parent = Some("..".into()),
            ["project", "parent", "relativePath"] => self.pom.parent = None,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let place = self.place();
        match place.as_slice() {
            ["project", "artifactId"] => self.pom.artifact = text.into(),
            ["project", "groupId"] => self.pom.group = text.into(),
            ["project", "parent", "groupId"] if self.pom.group.is_empty() => self.pom.group = text.into(),
            [.., "dependencies", "dependency", "artifactId"] if is_dependency(&place) => {
                self.dependency.1 = text.into();
            }
            ["project", "parent", "relativePath"] => self.pom.parent = Some(text.into()),
            ["project", "modules", "module"] => {
                self.pom.modules.push(Module { path: text.into(), profile: None });
            }
            ["project", "profiles", "profile", "id"] => self.profile.0 = text.into(),
            ["project", "profiles", "profile", "modules", "module"] => self.profile.1.push(text.into()),
            [.., "dependencies", "dependency", "groupId"] if is_dependency(&place) => {
                self.pom.uses_jmh |= text == JMH;
                self.dependency.0 = text.into();
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        if self.place().ends_with(&["dependencies", "dependency"]) {
            let dependency = std::mem::take(&mut self.dependency);
            self.pom.dependencies.extend((!dependency.1.is_empty()).then_some(dependency));
        }
        if self.place().as_slice() == ["project", "profiles", "profile"] {
            let (id, modules) = std::mem::take(&mut self.profile);
            let module = |path| Module { path, profile: Some(id.clone()) };
            self.pom.modules.extend(modules.into_iter().map(module));
        }
        self.path.pop();
    }

    fn place(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

/// Whether what is declared at this place is on the project's class path.
fn is_dependency(place: &[&str]) -> bool {
    !place.iter().any(|name| matches!(*name, "dependencyManagement" | "plugin"))
}

/// A piece of XML.
enum Event<'a> {
    Open(&'a str),
    /// Not blank, without surrounding blanks. Entities are left as they are.
    Text(&'a str),
    Close,
}

/// Tells the elements and texts of an XML document in order; attributes, comments and instructions are passed over.
fn walk(text: &str, tell: &mut dyn FnMut(Event<'_>)) {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let before = rest[..at].trim();
        if !before.is_empty() {
            tell(Event::Text(before));
        }
        rest = &rest[at..];
        let end_of = |rest: &str, mark: &str| rest.find(mark).map_or(rest.len(), |at| at + mark.len());
        if rest.starts_with("<!--") {
            rest = &rest[end_of(rest, "-->")..];
        } else if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let end = data.find("]]>").unwrap_or(data.len());
            tell(Event::Text(data[..end].trim()));
            rest = &rest[end_of(rest, "]]>")..];
        } else {
            let end = end_of(rest, ">");
            let tag = rest[1..end].trim_end_matches('>');
            match tag.strip_prefix('/') {
                Some(_) => tell(Event::Close),
                None if tag.starts_with(['?', '!']) => {}
                None => {
                    let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
                    tell(Event::Open(name));
                    if tag.ends_with('/') {
                        tell(Event::Close);
                    }
                }
            }
            rest = &rest[end..];
        }
    }
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
            let _ = Pom::parse(&text);
        }

        #[test]
        fn any_cut_is_harmless(cut in 0usize..400) {
            let text = format!("<project><!-- ä --><artifactId>ä</artifactId>{DEPENDENCY}<![CDATA[x]]></project>");
            let end = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let _ = Pom::parse(&text[..end]);
        }
    }
}
