//! What edits insert, and where.

use benchwright_probe::*;

use crate::{edited, readable, target};

fn check(path: &str, text: &str, change: Change, expected: &str) {
    let result = edited(path, text, change);
    assert_eq!(readable(&result), expected);
    assert_eq!(edited(path, &result, change), result, "a second edit");
}

const SLOW: Change = Change::SlowDown { factor: 0.5 };

#[test]
fn a_go_file_imports_what_it_calls() {
    check(
        "x/a.go",
        "// Doc.\npackage x // import \"x\"\nimport \"fmt\"\nfunc A() int { return 1 }\n",
        Change::Count,
        "// Doc.\npackage x«; import benchwrightprobe \"example.org/m/internal/benchwrightprobe\"» // import \"x\"\nimport \"fmt\"\nfunc A() int {«benchwrightprobe.Count(0);» return 1 }\n",
    );
    check(
        "x/a.go",
        "package x; func A() {}\r\nfunc B() {\r\n}",
        SLOW,
        "package x«; import benchwrightprobe \"example.org/m/internal/benchwrightprobe\"»; func A() {«defer benchwrightprobe.Leave(0, 0.5, benchwrightprobe.Enter(0));»}\r\nfunc B() {«defer benchwrightprobe.Leave(1, 0.5, benchwrightprobe.Enter(1));»\r\n}",
    );
    let import = "«; import benchwrightprobe \"example.org/m/internal/benchwrightprobe\"»";
    check(
        "x/a.go",
        "package x\nfunc A() {\n}",
        Change::Busy { ns: 50 },
        &format!("package x{import}\nfunc A() {{«benchwrightprobe.Busy(0, 50);»\n}}"),
    );
}

#[test]
fn a_java_body_is_put_into_a_try_block() {
    check(
        "T.java",
        "class T { void a() { return; } // }\n}",
        SLOW,
        "class T { void a() {«final long __benchwright_start = benchwright.Probe.enter(0); try {» return; «} finally { benchwright.Probe.leave(0, 0.5, __benchwright_start); }»} // }\n}",
    );
}

#[test]
fn a_java_constructor_calls_the_other_one_first() {
    check(
        "T.java",
        "class T { T() { /* a */ super(1); b(); } }",
        Change::Count,
        "class T { T() { /* a */ super(1);«benchwright.Probe.count(0);» b(); } }",
    );
    check(
        "T.java",
        "class T { T() {<A>this(\";\");} }",
        Change::Count,
        "class T { T() {<A>this(\";\");«benchwright.Probe.count(0);»} }",
    );
    check(
        "T.java",
        "class T { class U { U(T t) { t.super(); } } }",
        Change::Busy { ns: 7 },
        "class T { class U { U(T t) { t.super();«benchwright.Probe.busy(0, 7L);» } } }",
    );
    check(
        "T.java",
        "record T(int a) { T { } }",
        Change::Count,
        "record T(int a) { T {«benchwright.Probe.count(0);» } }",
    );
}

#[test]
fn rust_attributes_of_a_body_stay_first() {
    let count = "«#[allow(unused_qualifications)] crate::__benchwright_probe::count(0);»";
    check("lib.rs", "fn a() { 1; }", Change::Count, &format!("fn a() {{{count} 1; }}"));
    check(
        "lib.rs",
        "fn a() { // b\n #![allow(x)] //! c\n /*! d */ }",
        Change::Count,
        &format!("fn a() {{ // b\n #![allow(x)] //! c\n /*! d */{count} }}"),
    );
    check("lib.rs", "fn a() {\n //! c\n}", Change::Count, &format!("fn a() {{\n //! c\n{count}}}"));
    let guard = "«#[allow(unused_qualifications)] let __benchwright_guard = crate::__benchwright_probe";
    check("lib.rs", "fn a() { b(); }", SLOW, &format!("fn a() {{{guard}::enter(0, 0.5);» b(); }}"));
    check(
        "lib.rs",
        "pub async unsafe fn a() { }",
        SLOW,
        &format!("pub async unsafe fn a() {{{guard}::enter_async(0, 0.5);» }}"),
    );
}

#[test]
fn support_code_at_the_end_of_a_rust_file_is_no_part_of_it() {
    let Support::EndOfCrateRoot(tail) = support(&Target::Rust, 5) else { panic!("text") };
    for text in ["fn a() {}", "fn a() {} // b", "fn a() {}\n", ""] {
        let whole = edited("lib.rs", text, Change::Count) + &tail;
        assert_eq!(edited("lib.rs", &whole, Change::Count), whole);
        assert_eq!(index(Language::Rust, "lib.rs", &whole).functions.len(), usize::from(!text.is_empty()));
    }
    // Whoever puts it there first and edits then gets the same.
    assert_eq!(
        edited("lib.rs", &format!("fn a() {{}}{tail}"), Change::Count),
        edited("lib.rs", "fn a() {}", Change::Count) + &tail
    );
}

#[test]
fn a_text_with_other_edits_is_an_error() {
    let text = "fn a() {}\nfn b() {}";
    let functions = index(Language::Rust, "lib.rs", text).functions;
    let both = [(&functions[0], 0), (&functions[1], 1)];
    let one = edit(&Target::Rust, text, &both[..1], Change::Count).expect("an edit").text;
    let attempt = |functions: &[(&Function, u32)], change| edit(&Target::Rust, &one, functions, change);
    assert_eq!(attempt(&both[..1], Change::Count).expect("the same edit").text, one);
    assert_eq!(attempt(&both, Change::Count), Err(EditError::AlreadyEdited));
    assert_eq!(attempt(&[], Change::Count), Err(EditError::AlreadyEdited));
    assert_eq!(attempt(&[(&functions[0], 1)], Change::Count), Err(EditError::AlreadyEdited));
    assert_eq!(attempt(&both[..1], SLOW), Err(EditError::AlreadyEdited));
    assert_eq!(attempt(&both[..1], Change::SlowDown { factor: 0.0 }), Err(EditError::BadFactor(0.0)));
    assert!(matches!(
        attempt(&both[..1], Change::SlowDown { factor: f64::NAN }),
        Err(EditError::BadFactor(_))
    ));
}

#[test]
fn functions_that_are_not_edited_are_named_with_the_reason() {
    let text = "const fn a() {}\nfn b() {}";
    let functions = index(Language::Rust, "src/m.rs", text).functions;
    let other = index(Language::Rust, "lib.rs", "fn x() {}\nfn y() {}\nfn z() {}").functions;
    let all = [(&functions[0], 0), (&functions[1], 1), (&functions[1], 2), (&other[2], 3), (&other[1], 4)];
    let result = edit(&Target::Rust, text, &all, Change::Count).expect("an edit");
    let skipped: Vec<(&str, &str)> =
        result.skipped.iter().map(|one| (&*one.function, &*one.reason)).collect();
    assert_eq!(
        skipped,
        [
            ("m::a", "a `const fn` may run in the compiler"),
            ("m::b", "asked for twice"),
            ("z", "not in this text"),
            ("y", "not in this text"),
        ]
    );
    let count = "«#[allow(unused_qualifications)] crate::__benchwright_probe::count(1);»";
    assert_eq!(readable(&result.text), format!("const fn a() {{}}\nfn b() {{{count}}}"));
}

#[test]
fn a_go_file_needs_its_package_clause_only_for_edits() {
    let functions = index(Language::Go, "a.go", "func A() {}").functions;
    assert_eq!(functions.len(), 1);
    let target = target(Language::Go);
    assert_eq!(edit(&target, "func A() {}", &[(&functions[0], 0)], SLOW), Err(EditError::NoPackageClause));
    assert_eq!(edit(&target, "func A() {}", &[], SLOW).expect("nothing to do").text, "func A() {}");
}
