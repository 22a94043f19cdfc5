//! The user's own arguments for JMH.

use super::name::Selection;

/// Options with a value.
const VALUES: [&str; 26] = [
    "bm",
    "bs",
    "e",
    "i",
    "jvm",
    "jvmArgs",
    "jvmArgsAppend",
    "jvmArgsPrepend",
    "o",
    "opi",
    "p",
    "prof",
    "r",
    "rf",
    "rff",
    "t",
    "tg",
    "to",
    "tu",
    "v",
    "w",
    "wbs",
    "wf",
    "wi",
    "wm",
    "wmb",
];

/// Options that may have one.
const OPTIONAL: [&str; 4] = ["f", "foe", "gc", "si"];

/// Options that choose what runs, in how many processes, or what is printed where. The user cannot set them.
const OURS: [&str; 13] = ["f", "foe", "h", "l", "lp", "lprof", "lrf", "o", "rf", "rff", "v", "wf", "wmb"];

/// Whether the user set the number of iterations, so that no stop rule decides.
pub(super) fn fix_iterations(args: &[String]) -> bool {
    parse(args).iter().any(|option| matches!(option.name.as_str(), "i" | "wi"))
}

/// The user's value of an option. If it occurs several times, the last one counts.
pub(super) fn given(args: &[String], name: &str) -> Option<String> {
    let last = parse(args).into_iter().rfind(|option| option.name == name)?;
    Some(last.value().to_owned()).filter(|value| !value.is_empty())
}

/// The user's arguments that are passed to JMH for a trial of this benchmark.
pub(super) fn passed_on(args: &[String], selection: &Selection) -> Vec<String> {
    let is_ours = |option: &&Given| match option.name.as_str() {
        "bm" => selection.mode.is_some(),
        "p" => selection.parameters.iter().any(|(name, _)| option.value().starts_with(&format!("{name}="))),
        name => OURS.contains(&name),
    };
    parse(args).iter().filter(|option| !is_ours(option)).flat_map(|option| option.words.clone()).collect()
}

/// An option as it was given.
struct Given {
    name: String,
    words: Vec<String>,
}

impl Given {
    fn value(&self) -> &str {
        match self.words.as_slice() {
            [_, value] => value,
            [word] => word.split_once('=').map_or("", |(_, value)| value),
            _ => "",
        }
    }
}

/// The options among the arguments. Other arguments would select benchmarks, for which `--filter` is used.
fn parse(args: &[String]) -> Vec<Given> {
    let mut options = Vec::new();
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let Some(flag) = arg.strip_prefix("--").or(arg.strip_prefix('-')).filter(|flag| !flag.is_empty())
        else {
            continue;
        };
        let (name, has_value) = match flag.split_once('=') {
            Some((name, _)) => (name, true),
            None => (flag, false),
        };
        let mut words = vec![arg.clone()];
        let may_follow = args.peek().is_some_and(|next| !next.starts_with('-'));
        let takes_next = VALUES.contains(&name) || OPTIONAL.contains(&name) && may_follow;
        if takes_next && !has_value {
            words.extend(args.next().cloned());
        }
        options.push(Given { name: name.into(), words });
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn only_what_is_the_users_to_say_is_passed_on() {
        let check = |given: &str, expected: &str| {
            let parameters = vec![("size".to_owned(), "1".to_owned())];
            let selection = Selection { name: "a.B.c".into(), parameters, mode: Some("avgt".into()) };
            assert_eq!(passed_on(&words(given), &selection), words(expected), "{given}");
        };
        check("-jvmArgs -Xmx1g -prof gc -t 2", "-jvmArgs -Xmx1g -prof gc -t 2");
        check("-f 0 -foe false Sort -gc true", "-gc true");
        check("-gc -si -r 1s", "-gc -si -r 1s");
        check("-p size=1,2 -p kind=a -p=size=3", "-p kind=a");
        check("-bm=avgt -rf json -rff x -o y -l -v EXTRA", "");
        check("-jvmArgs", "-jvmArgs");
        check("- --", "");
    }

    #[test]
    fn a_mode_is_the_users_to_say_where_the_name_has_none() {
        let selection = Selection { name: "a.B.c".into(), parameters: Vec::new(), mode: None };
        assert_eq!(passed_on(&words("-bm ss -f 2"), &selection), words("-bm ss"));
    }

    #[test]
    fn numbers_of_iterations_are_noticed() {
        let check = |given: &str, expected| assert_eq!(fix_iterations(&words(given)), expected, "{given}");
        check("-i 5", true);
        check("-wi=5", true);
        check("-r 1s -t 2", false);
        check("-jvmArgs -i", false);
    }
}
