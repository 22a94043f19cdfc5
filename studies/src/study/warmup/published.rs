//! Numbers from the paper (Traini, Di Menna & Cortellessa, ASE 2024), for 586 benchmarks.

/// Precision, recall, F1, balanced accuracy (table 2).
pub(super) fn windows(model: &str) -> Option<[f64; 4]> {
    Some(match model {
        "fcn" => [0.880, 0.659, 0.753, 0.712],
        "oscnn" => [0.886, 0.650, 0.748, 0.715],
        "rocket" => [0.810, 0.932, 0.867, 0.682],
        _ => return None,
    })
}

/// A12 and r of warm-up errors compared with a baseline (tables 3 and 6). p is below 0.001 in all cases.
pub(super) fn errors(model: &str, baseline: &str) -> Option<(f64, f64)> {
    Some(match (model, baseline) {
        ("fcn", "SOP") => (0.664, 0.352),
        ("oscnn", "SOP") => (0.658, 0.348),
        ("rocket", "SOP") => (0.683, 0.282),
        ("fcn", "CV") => (0.637, 0.370),
        ("fcn", "RCIW") => (0.731, 0.400),
        ("fcn", "KLD") => (0.630, 0.292),
        ("oscnn", "CV") => (0.632, 0.385),
        ("oscnn", "RCIW") => (0.728, 0.414),
        ("oscnn", "KLD") => (0.621, 0.288),
        ("rocket", "CV") => (0.649, 0.245),
        ("rocket", "RCIW") => (0.726, 0.264),
        ("rocket", "KLD") => (0.656, 0.157),
        _ => return None,
    })
}

/// Improved quality and time, regressed quality and time, and net, in percent of benchmarks (tables 4 and 7).
pub(super) fn changes(model: &str, baseline: &str) -> Option<[f64; 5]> {
    Some(match (model, baseline) {
        ("fcn", "SOP") => [16.7, 30.7, 14.3, 7.8, 25.3],
        ("oscnn", "SOP") => [17.9, 30.9, 13.7, 8.2, 27.0],
        ("rocket", "SOP") => [9.4, 20.1, 25.9, 6.5, -2.9],
        ("fcn", "CV") => [26.8, 27.1, 12.3, 7.7, 34.0],
        ("fcn", "RCIW") => [6.3, 50.3, 24.2, 4.6, 27.8],
        ("fcn", "KLD") => [25.9, 24.4, 13.1, 10.4, 26.8],
        ("oscnn", "CV") => [28.8, 26.8, 12.3, 8.0, 35.3],
        ("oscnn", "RCIW") => [7.0, 52.6, 21.8, 4.8, 32.9],
        ("oscnn", "KLD") => [27.8, 23.0, 12.1, 12.8, 25.9],
        ("rocket", "CV") => [11.3, 19.8, 24.6, 2.7, 3.8],
        ("rocket", "RCIW") => [4.1, 24.4, 51.4, 3.4, -26.3],
        ("rocket", "KLD") => [7.2, 21.5, 22.5, 3.9, 2.2],
        _ => return None,
    })
}

/// Deviation in percent and testing time in seconds, with quartiles, as printed (table 5).
pub(super) fn deviation_and_time(rule: &str) -> Option<(&'static str, &'static str)> {
    Some(match rule {
        "fcn" => ("5.7 (2.8–11.3)", "74 (43–150)"),
        "oscnn" => ("5.5 (2.4–12.3)", "79 (47–161)"),
        "rocket" => ("10.0 (4.5–21.7)", "51 (30–78)"),
        "SOP" => ("6.5 (2.4–19.2)", "100 (30–403)"),
        "CV" => ("9.9 (4.7–17.5)", "75 (51–113)"),
        "RCIW" => ("4.5 (1.8–11.5)", "300 (265–301)"),
        "KLD" => ("7.9 (4.2–13.4)", "121 (94–156)"),
        _ => return None,
    })
}

/// Percent of processes whose warm-up ends too late, too early and exactly, if the text states them (figure
/// 4).
pub(super) fn figure_4(rule: &str) -> Option<[Option<f64>; 3]> {
    Some(match rule {
        "fcn" => [Some(38.1), None, Some(15.5)],
        "oscnn" => [Some(41.2), None, Some(14.9)],
        "rocket" => [Some(13.0), Some(70.3), Some(16.6)],
        "SOP" => [Some(63.9), Some(36.0), Some(0.1)],
        "RCIW" => [Some(74.1), None, None],
        _ => return None,
    })
}
