//! A linker call as printed by `rustc --print link-args`, and how to repeat it with functions in another
//! order.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A linker call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkCommand {
    /// The linker, or the C compiler that calls it.
    pub(super) program: String,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Environment variables for it.
    pub(super) env: Vec<(String, String)>,
}

/// A linker that can put functions in random order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Linker {
    /// LLVM's linker, which rustc uses by default on some systems.
    Lld,
    /// mold.
    Mold,
}

impl Linker {
    /// Recognises a linker by its version text. `None` if it cannot use a random order.
    pub(super) fn recognise(version: &str) -> Option<Linker> {
        let line = |word: &str| version.lines().any(|line| line.split(' ').any(|part| part == word));
        if line("LLD") {
            Some(Linker::Lld)
        } else if line("mold") {
            Some(Linker::Mold)
        } else {
            None
        }
    }

    /// The option for the order given by `seed`. Both take 32 bits. For LLD the lowest number means "any
    /// order" and the highest "backwards", so they are avoided. Only code sections move.
    fn option(self, seed: u64) -> String {
        let seed = (mixed(seed)).clamp(1, u32::MAX - 1);
        match self {
            Linker::Lld => format!("--shuffle-sections=.text*={seed}"),
            Linker::Mold => format!("--shuffle-sections={seed}"),
        }
    }
}

/// Combines both halves of a number into one.
fn mixed(seed: u64) -> u32 {
    (seed ^ (seed >> 32)) as u32
}

impl LinkCommand {
    /// Reads a printed line: variables, then the program and its arguments in quotes. `None` for anything
    /// else.
    pub(super) fn parse(line: &str) -> Option<LinkCommand> {
        let mut env = Vec::new();
        let mut words = Vec::new();
        let mut rest = line.trim();
        // Variables that the call removes. The steps run here set their own.
        while let Some(after) = rest.strip_prefix("env ").or_else(|| rest.strip_prefix("-u ")) {
            rest = match rest.starts_with("-u ") {
                true => after.split_once(' ')?.1,
                false => after,
            };
        }
        while !rest.is_empty() {
            let quote = rest.find('"')?;
            let (text, after) = unquote(&rest[quote + 1..])?;
            match &rest[..quote] {
                "" => words.push(text),
                name if words.is_empty() && is_name(name) => {
                    env.push((name.trim_end_matches('=').to_owned(), text));
                }
                _ => return None,
            }
            rest = after.trim_start_matches(' ');
        }
        let mut words = words.into_iter();
        let program = words.next()?;
        let command = LinkCommand { program, args: words.collect(), env };
        command.output().is_some().then_some(command)
    }

    /// The file it makes.
    pub(super) fn output(&self) -> Option<&str> {
        let at = self.args.iter().rposition(|arg| arg == "-o")?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// The arguments that ask the linker for its version.
    pub(super) fn version_args(&self) -> Vec<String> {
        self.with("--version")
    }

    /// The arguments that make `target` with functions in the order given by `seed`.
    pub(super) fn shuffled_args(&self, linker: Linker, seed: u64, target: &Path) -> Vec<String> {
        let mut args = self.with(&linker.option(seed));
        if let Some(at) = args.iter().rposition(|arg| arg == "-o")
            && let Some(output) = args.get_mut(at + 1)
        {
            *output = target.to_string_lossy().into_owned();
        }
        args
    }

    /// The arguments with one more for the linker, which a C compiler passes on.
    fn with(&self, option: &str) -> Vec<String> {
        let name = Path::new(&self.program).file_name().unwrap_or_default().to_string_lossy();
        let is_linker = name.ends_with("ld") || name.ends_with(".mold");
        let option = if is_linker { option.to_owned() } else { format!("-Wl,{option}") };
        self.args.iter().cloned().chain([option]).collect()
    }
}

/// Whether it looks like `NAME=`.
fn is_name(text: &str) -> bool {
    let name = text.strip_suffix('=').unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The text up to the closing quote, and the text after it. Escapes are those of Rust's string formatting.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut plain = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((plain, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => plain.push('\n'),
                't' => plain.push('\t'),
                'r' => plain.push('\r'),
                '0' => plain.push('\0'),
                'u' => {
                    let digits: String =
                        chars.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                    plain.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                same @ ('"' | '\\' | '\'') => plain.push(same),
                _ => return None,
            },
            c => plain.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // The format printed by rustc 1.95, shortened.
    const LINE: &str = r#"LC_ALL="C" PATH="/r/bin:/usr/bin" VSLANG="1033" "cc" "-m64" "/t/rustcQ/symbols.o" "/t/a b\"c.o" "-Wl,--as-needed" "-fuse-ld=lld" "-o" "/t/deps/words-1f" "-Wl,--gc-sections""#;

    #[test]
    fn a_printed_call_is_read() {
        let command = LinkCommand::parse(LINE).expect("a call");
        assert_eq!(command.program, "cc");
        assert_eq!(command.env[1], ("PATH".to_owned(), "/r/bin:/usr/bin".to_owned()));
        assert_eq!(command.args[..3], ["-m64", "/t/rustcQ/symbols.o", "/t/a b\"c.o"]);
        assert_eq!(command.output(), Some("/t/deps/words-1f"));
        let removing = format!("env -u SDKROOT -u X {LINE}");
        assert_eq!(LinkCommand::parse(&removing), Some(command));
    }

    #[test]
    fn what_is_no_call_is_passed_by() {
        let check = |line: &str| assert_eq!(LinkCommand::parse(line), None, "{line}");
        check("");
        check("words");
        check(r#"{"reason":"build-finished","success":true}"#);
        check(r#""cc" "-m64""#);
        check(r#""cc" "-o" "unfinished"#);
        check(r#""cc" x"-o" "y""#);
    }

    #[test]
    fn the_same_call_makes_another_file_in_another_order() {
        let command = LinkCommand::parse(LINE).expect("a call");
        let args = command.shuffled_args(Linker::Lld, 7, Path::new("/new"));
        assert_eq!(args[5..], ["-o", "/new", "-Wl,--gc-sections", "-Wl,--shuffle-sections=.text*=7"]);
        assert_eq!(command.version_args().last().map(String::as_str), Some("-Wl,--version"));
        let direct = LinkCommand { program: "/r/bin/rust-lld".into(), ..command };
        let args = direct.shuffled_args(Linker::Mold, 7, Path::new("/new"));
        assert_eq!(args.last().map(String::as_str), Some("--shuffle-sections=7"));
    }

    #[test]
    fn seeds_with_a_meaning_of_their_own_are_avoided() {
        let check = |seed, expected: &str| assert_eq!(Linker::Mold.option(seed), expected);
        check(0, "--shuffle-sections=1");
        check(u64::from(u32::MAX), "--shuffle-sections=4294967294");
        check(5 << 32, "--shuffle-sections=5");
    }

    #[test]
    fn linkers_are_known_by_their_version() {
        let check = |version: &str, expected| assert_eq!(Linker::recognise(version), expected, "{version}");
        check("LLD 22.1.2 (compatible with GNU linkers)\n", Some(Linker::Lld));
        check("mold 2.40.1 (compatible with GNU ld)\n", Some(Linker::Mold));
        check("GNU ld (GNU Binutils for Debian) 2.40\nCopyright (C) 2023", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,60}", cut in 0usize..250) {
            let _ = LinkCommand::parse(&line);
            let cut = LINE.floor_char_boundary(cut.min(LINE.len()));
            let _ = LinkCommand::parse(&format!("{}{line}", &LINE[..cut]));
        }
    }
}
