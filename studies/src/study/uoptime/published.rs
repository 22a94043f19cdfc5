//! Numbers published in the paper and its replication package.
//!
//! The paper draws its figures from tables of the package (`quality_analysis.csv`, `kruskal.csv`,
//! `dunns_test.csv`, `cliffs_delta.csv` of commit 35741a50), so the numbers of figures 3 and 4 are from
//! there. Tables 2 and 3 are from the paper.

/// Share of time saved, and shares of benchmarks within 1, 3 and 5 %.
pub(super) type Bar = (f64, [f64; 3]);

/// The bars of figure 3, in the order of [`super::savings::METHODS`].
pub(super) fn figure_3(symbol: &str) -> Option<&'static [Bar; 9]> {
    FIGURE_3.iter().find(|(known, _)| *known == symbol).map(|(_, bars)| bars)
}

const FIGURE_3: [(&str, [Bar; 9]); 7] = [
    (
        "G1",
        [
            (0.96, [0.7742, 0.9355, 0.9355]),
            (0.96, [0.9677, 0.9677, 0.9677]),
            (0.5204, [0.8065, 0.9677, 0.9677]),
            (0.5471, [0.9355, 0.9677, 0.9677]),
            (0.8976, [0.8387, 1.0, 1.0]),
            (0.9290, [0.9677, 1.0, 1.0]),
            (0.8619, [0.8710, 1.0, 1.0]),
            (0.7510, [0.8387, 1.0, 1.0]),
            (0.8598, [0.9677, 1.0, 1.0]),
        ],
    ),
    (
        "G2",
        [
            (0.96, [0.6286, 0.7714, 0.8571]),
            (0.96, [0.8857, 0.9429, 1.0]),
            (0.5585, [0.7429, 0.9143, 0.9429]),
            (0.6034, [0.9429, 1.0, 1.0]),
            (0.7680, [0.8, 0.8571, 1.0]),
            (0.9543, [0.8857, 1.0, 1.0]),
            (0.7109, [0.8571, 0.9143, 1.0]),
            (0.5383, [0.9714, 1.0, 1.0]),
            (0.7109, [0.9714, 1.0, 1.0]),
        ],
    ),
    (
        "G3",
        [
            (0.96, [0.8043, 0.9565, 1.0]),
            (0.96, [0.6957, 0.9565, 0.9565]),
            (0.6478, [0.9783, 1.0, 1.0]),
            (0.5762, [0.8913, 1.0, 1.0]),
            (0.7896, [0.8261, 1.0, 1.0]),
            (0.9597, [0.8043, 1.0, 1.0]),
            (0.6586, [0.8478, 1.0, 1.0]),
            (0.4333, [1.0, 1.0, 1.0]),
            (0.6426, [0.9565, 1.0, 1.0]),
        ],
    ),
    (
        "J1",
        [
            (0.994, [0.0, 0.0, 0.0]),
            (0.994, [0.0, 0.0, 0.0]),
            (0.7153, [0.2308, 0.4103, 0.5128]),
            (0.7153, [0.3333, 0.6410, 0.7692]),
            (0.2804, [0.7179, 0.7179, 0.7179]),
            (0.6867, [0.3590, 0.3590, 0.3590]),
            (0.0765, [0.9231, 0.9231, 0.9231]),
            (0.0, [1.0, 1.0, 1.0]),
            (0.0765, [0.9231, 0.9231, 0.9231]),
        ],
    ),
    (
        "J7",
        [
            (0.994, [0.0, 0.0, 0.0323]),
            (0.994, [0.0, 0.0, 0.0645]),
            (0.7177, [0.2903, 0.6129, 0.7419]),
            (0.7177, [0.5161, 0.8710, 0.8710]),
            (0.0321, [0.9677, 0.9677, 0.9677]),
            (0.8407, [0.3226, 0.4516, 0.5161]),
            (0.0301, [1.0, 1.0, 1.0]),
            (0.0224, [1.0, 1.0, 1.0]),
            (0.0292, [1.0, 1.0, 1.0]),
        ],
    ),
    (
        "J11",
        [
            (0.95, [0.3333, 0.5385, 0.6410]),
            (0.95, [0.3590, 0.5897, 0.7179]),
            (0.6615, [0.3590, 0.6923, 0.7949]),
            (0.6615, [0.3333, 0.7436, 0.7949]),
            (0.2436, [0.8205, 0.8462, 0.8462]),
            (0.5573, [0.6923, 0.7692, 0.8974]),
            (0.1410, [0.9231, 0.9487, 0.9487]),
            (0.0299, [1.0, 1.0, 1.0]),
            (0.1410, [0.9744, 0.9744, 0.9744]),
        ],
    ),
    (
        "J12",
        [
            (0.95, [0.3478, 0.6739, 0.8043]),
            (0.95, [0.5, 0.7826, 0.8478]),
            (0.6594, [0.3478, 0.8261, 0.8913]),
            (0.6594, [0.5870, 0.8478, 0.9130]),
            (0.7174, [0.5, 0.8478, 0.8913]),
            (0.9417, [0.4565, 0.7826, 0.8913]),
            (0.5011, [0.6522, 0.9130, 0.9348]),
            (0.2094, [0.8913, 1.0, 1.0]),
            (0.5004, [0.7609, 0.9130, 0.9565]),
        ],
    ),
];

/// The bars of figure 4, with warm-up, for CV, RMAD, RCIW1, RCIW2 and RCIW3. The paper shows only RCIW3, and
/// the package has the others too.
pub(super) fn figure_4(symbol: &str) -> Option<&'static [Bar; 5]> {
    FIGURE_4.iter().find(|(known, _)| *known == symbol).map(|(_, bars)| bars)
}

const FIGURE_4: [(&str, [Bar; 5]); 2] = [
    (
        "J1",
        [
            (0.2419, [0.7692, 0.8205, 0.8718]),
            (0.6656, [0.5641, 0.7179, 0.7949]),
            (0.1216, [0.9231, 0.9487, 0.9744]),
            (0.0587, [1.0, 1.0, 1.0]),
            (0.1214, [0.9744, 0.9744, 0.9744]),
        ],
    ),
    (
        "J7",
        [
            (0.4964, [0.4516, 0.6774, 0.8387]),
            (0.8256, [0.3548, 0.7742, 0.8710]),
            (0.4027, [0.5806, 0.7419, 0.8710]),
            (0.2158, [0.8065, 0.9032, 1.0]),
            (0.4025, [0.6774, 0.8387, 0.8710]),
        ],
    ),
];

/// H and p of Kruskal-Wallis over the metrics, and the number of groups.
pub(super) fn kruskal(symbol: &str) -> Option<(f64, f64, usize)> {
    let known = [
        ("G1", 7.3557, 0.118245, 5),
        ("G2", 3.7563, 0.439989, 5),
        ("G3", 5.0717, 0.280019, 5),
        ("J1", 42.8213, 1.127e-8, 5),
        ("J7", 30.8323, 3.312e-6, 5),
        ("J11", 8.7417, 0.188633, 7),
        ("J12", 7.7604, 0.256190, 7),
    ];
    known.iter().find(|(name, ..)| *name == symbol).map(|(_, h, p, groups)| (*h, *p, *groups))
}

/// p of Dunn's test without correction, and Cliff's delta, for a metric compared with RMAD.
pub(super) fn against_rmad(symbol: &str, metric: &str) -> Option<(f64, f64)> {
    let known = [
        ("J1", "CV", 5.0396e-4, -0.3596),
        ("J1", "RCIW1", 4.9000e-7, -0.4806),
        ("J1", "RCIW2", 7.3529e-9, -0.5385),
        ("J1", "RCIW3", 5.7320e-7, -0.4721),
        ("J7", "CV", 2.0482e-5, -0.4568),
        ("J7", "RCIW1", 1.6098e-5, -0.4797),
        ("J7", "RCIW2", 4.4328e-5, -0.4755),
        ("J7", "RCIW3", 1.9314e-6, -0.4839),
    ];
    known
        .iter()
        .find(|(name, other, ..)| *name == symbol && *other == metric)
        .map(|(.., p, delta)| (*p, *delta))
}

/// A row of table 2 or 3: number of pairs of versions, changes found by the full and by the chosen
/// configurations, and the rates as printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableRow {
    pub(super) pairs: usize,
    pub(super) full: u32,
    pub(super) chosen: u32,
    pub(super) false_positive: &'static str,
    pub(super) false_negative: &'static str,
}

/// The rows of a project, in the order minimum, random, µOpTime.
pub(super) fn table(symbol: &str) -> Option<[TableRow; 3]> {
    let row = |pairs, full, chosen, false_positive, false_negative| TableRow {
        pairs,
        full,
        chosen,
        false_positive,
        false_negative,
    };
    Some(match symbol {
        "G1" => [
            row(4, 28, 27, "0 (0)", "0–3.57 (0)"),
            row(4, 28, 27, "0 (0)", "0–3.57 (0)"),
            row(4, 28, 28, "0 (0)", "0 (0)"),
        ],
        "G2" => [
            row(4, 26, 25, "0 (0)", "0–8.33 (0)"),
            row(4, 26, 26, "0 (0)", "0 (0)"),
            row(4, 26, 26, "0–4.35 (2.17)", "0–8.33 (4.17)"),
        ],
        "G3" => [
            row(4, 3, 4, "0–10 (0)", "0–50 (0)"),
            row(4, 3, 4, "0–5 (0)", "0 (0)"),
            row(4, 3, 4, "0–5 (0)", "0 (0)"),
        ],
        "J11" => [
            row(30, 11, 48, "0–25 (5.56)", "0–100 (0)"),
            row(30, 11, 7, "0–10 (0)", "0–100 (0)"),
            row(30, 11, 28, "0–10 (0)", "0–66.67 (0)"),
        ],
        "J12" => [
            row(11, 8, 39, "0–15.63 (2.94)", "0–100 (0)"),
            row(11, 8, 15, "0–9.38 (0)", "0–100 (0)"),
            row(11, 8, 11, "0–3.03 (0)", "0 (0)"),
        ],
        _ => return None,
    })
}
