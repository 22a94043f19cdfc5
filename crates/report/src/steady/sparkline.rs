//! A series as one line of blocks.

/// Blocks from low to high.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One block per column, each as high as the median of its values. There are fewer columns than `width` if
/// there are fewer values. A column without numbers is blank.
pub(super) fn sparkline(values: &[f64], width: usize, range: (f64, f64)) -> String {
    columns(values.len(), width)
        .map(|(from, to)| middle(&values[from..to]).map_or(' ', |value| block(value, range)))
        .collect()
}

/// The line below: `·` for warm-up, and `━` from `from` on.
pub(super) fn underline(n: usize, width: usize, from: usize) -> String {
    columns(n, width).map(|(_, to)| if to <= from { '·' } else { '━' }).collect()
}

/// First and one past the last value of each column.
fn columns(n: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let width = width.clamp(1, n.max(1));
    (0..width)
        .map(move |column| (column * n / width, (column + 1) * n / width))
        .filter(|(from, to)| from < to)
}

fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn block(value: f64, (lo, hi): (f64, f64)) -> char {
    let share = ((value - lo) / (hi - lo)).clamp(0.0, 1.0);
    let index = if share.is_nan() { 0 } else { (share * (BLOCKS.len() - 1) as f64).round() as usize };
    BLOCKS[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_follow_the_values() {
        assert_eq!(sparkline(&[8.0, 4.0, 2.0, 1.0], 4, (1.0, 8.0)), "█▄▂▁");
        assert_eq!(sparkline(&[8.0, 8.0, 1.0, 1.0], 2, (1.0, 8.0)), "█▁");
        assert_eq!(sparkline(&[1.0, 8.0], 80, (1.0, 8.0)), "▁█");
        assert_eq!(sparkline(&[99.0, f64::NAN, -5.0], 3, (1.0, 8.0)), "█ ▁");
        assert_eq!(sparkline(&[], 10, (0.0, 1.0)), "");
    }

    #[test]
    fn the_line_below_tells_warm_up_from_the_rest() {
        assert_eq!(underline(8, 4, 4), "··━━");
        assert_eq!(underline(8, 4, 5), "··━━");
        assert_eq!(underline(8, 4, 0), "━━━━");
        assert_eq!(underline(8, 4, 8), "····");
    }
}
