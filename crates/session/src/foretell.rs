//! Predicted times in words.

use std::time::Duration;

use benchwright_analysis::predict::Prediction;
use benchwright_model::{Enough, TimeRange};
use benchwright_report::scale;

/// How far a budget gets, if it is likely to be spent before all benchmarks are decided.
pub fn enough(prediction: &Prediction, budget: Option<Duration>) -> Option<Enough> {
    let budget = budget.filter(|budget| *budget < prediction.range.middle && !prediction.each.is_empty())?;
    Some(Enough { budget, benchmarks: prediction.enough_for(budget) })
}

/// For example `4 to 9 min`, or with a budget that does not suffice `5 min is enough for about 13 of 66; all
/// need about 25 min (15 to 40 min)`.
pub fn describe(range: &TimeRange, enough: Option<Enough>, benchmarks: u32) -> String {
    let whole = scale::range(range.low, range.high);
    match enough {
        None => whole,
        Some(enough) => {
            let (budget, middle) = (scale::rough(enough.budget), scale::rough(range.middle));
            let for_some = match enough.benchmarks {
                0 => "is hardly enough for one".to_owned(),
                some => format!("is enough for about {some}"),
            };
            format!("{budget} {for_some} of {benchmarks}; all need about {middle} ({whole})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_says_what_it_is_enough_for() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        let range = TimeRange { low: minutes(15), middle: minutes(25), high: minutes(40) };
        let prediction = Prediction { range, each: vec![Duration::from_secs(23); 66] };
        let check = |budget: Option<u64>, expected: &str| {
            let enough = enough(&prediction, budget.map(minutes));
            assert_eq!(describe(&range, enough, 66), expected);
        };
        check(None, "15 to 40 min");
        check(Some(30), "15 to 40 min");
        check(Some(5), "5 min is enough for about 10 of 66; all need about 25 min (15 to 40 min)");
        check(Some(0), "0 s is hardly enough for one of 66; all need about 25 min (15 to 40 min)");
    }
}
