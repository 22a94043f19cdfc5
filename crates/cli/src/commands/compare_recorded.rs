//! `benchwright compare A.json B.json`: compares results that were measured earlier.
//!
//! Nothing is built, measured or stored. The sides were measured apart, so the paired rule does not apply; see
//! `benchwright_analysis::compare_apart`.

use benchwright_analysis::rules;
use benchwright_config::DecisionSettings;
use benchwright_model::{Side, Trial};
use benchwright_session::recorded::Recorded;
use benchwright_session::{Problem, apart, project};

use crate::args::{CompareArgs, Global, VerdictArgs};
use crate::exit::Outcome;
use crate::flags::{file_limits, flag_layer, refuse_typed};
use crate::output::Formats;
use crate::terminal::Terminal;

/// Both sides, if the arguments name results that were measured earlier. `None` if they name versions.
pub(crate) fn named(global: &Global, args: &CompareArgs) -> Result<Option<[Recorded; 2]>, Problem> {
    let (Some(base), false, None) = (&args.base, args.rev, &args.resume) else { return Ok(None) };
    apart::named(&global.workspace(), file_limits(global, &args.limits)?, base, args.head.as_deref())
}

/// Compares the benchmarks that both sides have, and shows the result.
pub(crate) fn run(global: &Global, args: &CompareArgs, sides: [Recorded; 2]) -> Result<Outcome, Problem> {
    let formats = Formats::of(&args.output)?;
    check_arguments(args)?;
    let mut terminal = Terminal::new(global);
    let flags = flag_layer(global, &args.selection, None, Some(&args.verdict))?;
    let settings = project::settings_anywhere(&global.workspace(), flags, &mut terminal)?;
    let terminal = terminal.configured(settings.colour);
    let mut trials: Vec<Trial> = Vec::new();
    if formats.uses_trials() {
        let named = sides.clone().into_iter().zip(Side::BOTH);
        trials.extend(named.flat_map(|(recorded, side)| recorded.into_trials(side)));
    }
    let comparison = apart::compared(&settings, args.measuring.seed.unwrap_or(0), sides)?;
    formats.write(&comparison, &trials, terminal, args.all)?;
    if formats.shows_diagnostics() {
        Outcome::explain(&comparison, &formats, terminal);
    } else {
        comparison.diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    }
    // Nothing was to be measured here, so verdicts are only required if the user asks for it.
    let is_required = args.verdict.require_decided.is_some();
    let require_decided = if is_required { settings.decision.require_decided } else { 0.0 };
    Ok(Outcome::of(&comparison, &DecisionSettings { require_decided, ..settings.decision }))
}

/// Refuses flags that only make sense when measuring.
fn check_arguments(args: &CompareArgs) -> Result<(), Problem> {
    let rule = args.verdict.rule.as_deref().and_then(rules::by_name).filter(|rule| rule.confirms());
    let (what, hint) = if let Some(rule) = rule {
        (
            format!("apply the rule `{}` to recorded results", rule.name),
            "it needs duets; without --rule processes are compared",
        )
    } else if args.dry_run {
        ("plan a comparison of recorded results".into(), "nothing is measured; leave --dry-run out")
    } else if args.pairing.is_some() {
        ("pair recorded results".into(), "--pairing is for measuring")
    } else {
        return check_verdict(&args.verdict);
    };
    Err(Problem::misuse(what, hint))
}

/// Refuses flags about duets.
fn check_verdict(verdict: &VerdictArgs) -> Result<(), Problem> {
    let flags = [
        ("--duets", verdict.duets.is_some()),
        ("--min-duets", verdict.min_duets.is_some()),
        ("--max-duets", verdict.max_duets.is_some()),
        ("--quick", verdict.quick),
        ("--layouts", verdict.layouts.is_some()),
        ("--confirm", verdict.confirm.is_some()),
    ];
    refuse_typed(&flags, "measuring: recorded results have no duets")
}
