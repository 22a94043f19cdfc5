//! The functions of files.

use std::fs;
use std::path::Path;

use benchwright_probe::*;

/// One line per function: lines, address, parameters, `public`, and why it cannot be edited.
fn listing(path: &str, text: &str) -> Vec<String> {
    let language = Language::of_path(path).expect("a known ending");
    let line = |function: &Function| {
        let lines = format!("{}-{}", function.lines.start(), function.lines.end());
        let signature = if language == Language::Java { "" } else { &function.signature };
        let public = if function.is_public { " public" } else { "" };
        let problem = function.problem.as_ref().map_or(String::new(), |problem| format!(" ! {problem}"));
        format!("{lines} {function} {signature}{public}{problem}").replace("  ", " ")
    };
    index(language, path, text).functions.iter().map(line).collect()
}

fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(listing(path, text), expected, "{text}");
}

fn source(path: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources");
    fs::read_to_string(directory.join(path)).expect("a source file")
}

#[test]
fn a_go_file_is_listed() {
    let expected = [
        "15-15 lib.initial ()",
        "17-17 lib.init ()",
        "19-19 lib.init#2 ()",
        "22-25 lib.Work () public",
        "28-28 lib.OneLine () public",
        "31-31 lib.Empty () public",
        "34-45 lib.EarlyReturn (int) public",
        "48-51 lib.Panics () public",
        "54-62 lib.Recovers () public",
        "65-69 lib.Handler (*int) public",
        "72-78 lib.Recursive (int) public",
        "81-87 lib.Even (int) public",
        "90-96 lib.Odd (int) public",
        "99-109 lib.Spreads (int) public",
        "112-124 lib.Closure (...int) public",
        "130-130 lib.(*Type).Pointer () public",
        "133-136 lib.Type.Value () public",
        "138-138 lib.Type.unnamed (int,int,...string)",
        "141-144 lib.Shadows (int,int) public",
        "147-147 lib.leaf (int) ! `//go:nosplit` stands above it",
        "150-150 lib.Leaf () public",
    ];
    check("lib/lib.go", &source("go/lib/lib.go"), &expected);
}

#[test]
fn a_java_file_is_listed() {
    let expected = [
        "16-16 tricky.Tricky.<init>(int) public",
        "18-25 tricky.Tricky.<init>(int,java.lang.String[]) public",
        "28-31 tricky.Tricky.work() ",
        "33-33 tricky.Tricky.empty() public",
        "35-35 tricky.Tricky.oneLine() public",
        "37-45 tricky.Tricky.earlyReturn(int,int[][],List) public",
        "47-51 tricky.Tricky.fails() public",
        "53-56 tricky.Tricky.recursive(int) public",
        "58-61 tricky.Tricky.even(int) public",
        "63-66 tricky.Tricky.odd(int) ",
        "68-68 tricky.Tricky.overflow(int) public",
        "70-77 tricky.Tricky.lambdas(int) public",
        "79-84 tricky.Tricky.switches(int) public",
        "86-86 tricky.Tricky.generic(T) public",
        "88-88 tricky.Tricky.get() public",
        "90-90 tricky.Tricky.forever(int) public",
        "92-92 tricky.Tricky.nativeOne() public ! no body: it is native",
        "97-97 tricky.Tricky.Colour.<init>(int) ",
        "98-98 tricky.Tricky.Colour.twice() ",
        "99-99 tricky.Tricky.Colour.any() public",
        "103-103 tricky.Tricky.Pair.<init>(int,List) public",
        "104-104 tricky.Tricky.Pair.sum() public",
        "108-108 tricky.Tricky.Shape.area() public ! no body: it is abstract",
        "109-109 tricky.Tricky.Shape.twice() public",
        "110-110 tricky.Tricky.Shape.helper() ",
        "111-111 tricky.Tricky.Shape.unit() public",
        "115-115 tricky.Tricky.Note.value() ! no body: it is abstract",
        "118-118 tricky.Tricky.Inner.<init>() ",
        "119-119 tricky.Tricky.Inner.hidden() ! no body: it is abstract",
        "120-120 tricky.Tricky.Inner.array(int[]) public",
        "123-123 tricky.Tricky.Hidden.notPublic() ",
        "125-145 tricky.Tricky.main(String[]) public",
    ];
    check("T.java", &source("java/tricky/Tricky.java"), &expected);
}

#[test]
fn a_rust_file_is_listed() {
    let expected = [
        "21-24 a::tricky::work () public",
        "26-26 a::tricky::empty () public",
        "28-28 a::tricky::one_line () public",
        "30-34 a::tricky::question (&str) public",
        "36-44 a::tricky::early (u32) public",
        "46-49 a::tricky::panics () public",
        "51-53 a::tricky::recursive (u32) public",
        "55-57 a::tricky::even (u32) public",
        "59-61 a::tricky::odd (u32)",
        "63-66 a::tricky::generic (&[T;N]) public",
        "68-71 a::tricky::closure (u32) public",
        "73-78 a::tricky::waits (u32) public",
        "80-80 a::tricky::borrows (&'a str) public",
        "82-82 a::tricky::constant () public ! a `const fn` may run in the compiler",
        "84-84 a::tricky::foreign (u32) public",
        "86-86 a::tricky::never () public",
        "92-94 a::tricky::<Yield as Future>::poll (Pin<&mut Self>,&mut Context<'_>) public",
        "100-100 a::tricky::Type::new (T) public",
        "101-101 a::tricky::Type::get (&self)",
        "105-105 a::tricky::<Type as Drop>::drop (&mut self) public",
        "109-109 a::tricky::Shape::area (&self) public ! no body: types that implement the trait have one",
        "110-110 a::tricky::Shape::twice (&self) public",
        "114-114 a::tricky::<Type as Shape>::area (&self) public",
        "118-118 a::tricky::<u32 as From<Type<u32>>>::from (Type<u32>) public",
        "122-122 a::tricky::<u64 as From<Type<u32>>>::from (Type<u32>) public",
        "128-128 a::tricky::inner::visible () public",
        "130-130 a::tricky::inner::system () public",
        "132-132 a::tricky::inner::system#2 () public",
        "133-133 a::tricky::inner::private::hidden ()",
        "142-142 a::tricky::tests::a_test ()",
        "145-155 a::tricky::finish (F)",
        "157-174 a::tricky::main ()",
    ];
    check("src/a/tricky.rs", &source("rust/tricky.rs"), &expected);
}

#[test]
fn go_functions_are_public_if_exported_and_reachable() {
    check("a.go", "package b\nfunc A() {}\nfunc b() {}", &["2-2 b.A () public", "3-3 b.b ()"]);
    check("./a.go", "package b\nfunc Ä() {}", &["2-2 b.Ä () public"]);
    check("x/a.go", "package main\nfunc A() {}", &["2-2 x.A ()"]);
    check("x/internal/y/a.go", "package y\nfunc A() {}", &["2-2 x/internal/y.A ()"]);
    check("x/a.go", "package x\nfunc (t *t) A() {}", &["2-2 x.(*t).A ()"]);
    check("x/a.go", "package x\nfunc (_ *T[K, _]) A() {}", &["2-2 x.(*T).A () public"]);
    check("x/a.go", "package x\nfunc (((*T))) A() {}", &["2-2 x.(*T).A () public"]);
    check(
        "x/a.go",
        "package x\nfunc (T[K]) A(f func(a int) error,\n b, c map[string] int) {}",
        &["2-3 x.T.A (func(a int)error,map[string]int,map[string]int) public"],
    );
}

#[test]
fn go_functions_that_must_stay_as_they_are_say_why() {
    let assembly = "no body: it is written in assembly or linked from elsewhere";
    check("x/a.go", "package x\nfunc A(x int) int\n", &[&format!("2-2 x.A (int) public ! {assembly}")]);
    let linked = "package x\n// A is.\n//go:linkname A b.C\n// More.\nfunc A() {}\n";
    check("x/a.go", linked, &["5-5 x.A () public ! `//go:linkname` stands above it"]);
    check("x/a.go", "package x\n//go:nosplit\n\nfunc A() {}\n", &["4-4 x.A () public"]);
    check("x/a.go", "package x\n//go:noinline\nfunc A() {}\n", &["3-3 x.A () public"]);
    check("x/a.go", "package x\n//go:nosplit\nvar x int\nfunc A() {}\n", &["4-4 x.A () public"]);
}

#[test]
fn functions_around_a_syntax_error_name_its_line() {
    check(
        "x/a.go",
        "package x\nfunc A() {\n  x = = 3\n}\n\nfunc B() {}\n",
        &["2-4 x.A () public ! syntax error in line 3", "6-6 x.B () public"],
    );
    check(
        "T.java",
        "public class T { public void a() { int = ; }\n public void b() {} }",
        &["1-1 T.a() public ! syntax error in line 1", "2-2 T.b() public"],
    );
    check(
        "src/lib.rs",
        "pub fn a() { let = ; }\npub fn b() {}",
        &["1-1 a () public ! syntax error in line 1", "2-2 b () public"],
    );
}

#[test]
fn java_methods_are_public_with_all_their_classes() {
    check(
        "T.java",
        "package a . b; class T { public void a() {} public class U { public void b() {} } }",
        &["1-1 a.b.T.a() ", "1-1 a.b.T.U.b() "],
    );
    check(
        "T.java",
        "public interface T { class U { public U() {} } void a(T... x); }",
        &["1-1 T.U.<init>() public", "1-1 T.a(T[]) public ! no body: it is abstract"],
    );
    check(
        "T.java",
        "public class T { public abstract void a(T this, java . util.List<int[]> x); int b(int c[])[] {} }",
        &["1-1 T.a(java.util.List) public ! no body: it is abstract", "1-1 T.b(int[]) "],
    );
    check("T.java", "void main() { }", &["1-1 main() "]);
}

#[test]
fn rust_modules_come_from_the_path_and_the_text() {
    check("src/lib.rs", "pub fn a() {}", &["1-1 a () public"]);
    check("src/main.rs", "pub mod b { pub mod c { pub fn a() {} } }", &["1-1 b::c::a () public"]);
    check("src/x/mod.rs", "mod b { pub fn a() {} }", &["1-1 x::b::a ()"]);
    check("crates/my-crate/src/x/y.rs", "pub(crate) fn a() {}", &["1-1 my_crate::x::y::a ()"]);
    check(
        "lib.rs",
        "impl<T> super::A<T> { pub fn a() {} }\nimpl B for [u8] { fn a() {} }",
        &["1-1 A::a () public", "2-2 <[u8] as B>::a () public"],
    );
    check(
        "lib.rs",
        "#[cfg(test)]\nmod t { pub fn a() {} }\n#[cfg(not(test))]\npub fn b() {}\n#[cfg(all(unix, test))] pub fn c() {}",
        &["2-2 t::a ()", "4-4 b () public", "5-5 c ()"],
    );
}

#[test]
fn rust_functions_that_must_stay_as_they_are_say_why() {
    check(
        "lib.rs",
        "unsafe impl std::alloc::GlobalAlloc for A { unsafe fn alloc(&self) {} }",
        &[
            "1-1 <A as std::alloc::GlobalAlloc>::alloc (&self) public ! part of an allocator, which the inserted code itself uses",
        ],
    );
    check(
        "lib.rs",
        "#[unsafe(naked)] pub extern \"C\" fn a() {}\nextern \"C\" { pub fn b(); }",
        &[
            "1-1 a () public ! a naked function consists of assembly",
            "2-2 b () public ! no body: it is declared for another language",
        ],
    );
    check("lib.rs", "macro_rules! m { () => { fn a() {} } }\nm! { fn b() {} }", &[]);
}

#[test]
fn files_that_are_left_alone_list_nothing() {
    let reason = |path: &str, text: &str| {
        let index = index(Language::of_path(path).expect("a known ending"), path, text);
        assert_eq!(index.functions, []);
        index.left_alone
    };
    assert_eq!(reason("a_test.go", "package a\nfunc A() {}").as_deref(), Some("a test file"));
    let generated = "package a;\n@javax.annotation.Generated(\"x\") class B { void c() {} }";
    assert_eq!(reason("B.java", generated).as_deref(), Some("a type annotated with `@Generated`"));
}

#[test]
fn addresses_are_found_by_their_ends() {
    let go = index(
        Language::Go,
        "x/y.go",
        "package x\nfunc (p *Parser) Parse() {}\nfunc Parse() {}\nfunc Print() {}",
    )
    .functions;
    let java = "package a; class T { void f(int x) {} void f(String x, T[] y) {} class U { U() {} } }";
    let java = index(Language::Java, "T.java", java).functions;
    let rust = "impl T { fn new() {} }\nimpl A for T { fn f() {} }\nimpl B<u8> for T { fn f() {} }\n#[cfg(x)] fn g() {}\n#[cfg(y)] fn g() {}";
    let rust = index(Language::Rust, "src/m.rs", rust).functions;
    let found = |functions: &[Function], text: &str| match find(functions, text) {
        Ok(function) => function.address(),
        Err(error) => error.to_string(),
    };
    assert_eq!(found(&go, "Parser.Parse"), "x.(*Parser).Parse");
    assert_eq!(found(&go, "(*Parser).Parse"), "x.(*Parser).Parse");
    assert_eq!(found(&go, "x.Parse"), "x.Parse");
    assert_eq!(found(&go, "Parse"), "`Parse` is ambiguous: `x.(*Parser).Parse`, `x.Parse`");
    assert_eq!(found(&go, "arse"), "no function `arse`; similar: `x.(*Parser).Parse`, `x.Parse`");
    assert_eq!(found(&go, "y.Prnt"), "no function `y.Prnt`; similar: `x.Print`");
    assert_eq!(found(&go, "Zzzzzzzz"), "no function `Zzzzzzzz`");
    assert_eq!(found(&go, ""), "no function ``");
    assert_eq!(found(&java, "T.f(int)"), "a.T.f(int)");
    assert_eq!(found(&java, "f(String, T[])"), "a.T.f(String,T[])");
    assert_eq!(found(&java, "f"), "`f` is ambiguous: `a.T.f(String,T[])`, `a.T.f(int)`");
    assert_eq!(found(&java, "U.<init>"), "a.T.U.<init>()");
    assert_eq!(found(&rust, "T::new"), "m::T::new");
    assert_eq!(found(&rust, "T.new"), "m::T::new");
    assert_eq!(found(&rust, "<T as A>::f"), "m::<T as A>::f");
    assert_eq!(found(&rust, "T::f"), "`T::f` is ambiguous: `m::<T as A>::f`, `m::<T as B<u8>>::f`");
    assert_eq!(found(&rust, "m::g"), "m::g");
    assert_eq!(found(&rust, "g#2"), "m::g#2");
}
