use benchwright_report::csv::{COLUMNS, write};

use crate::sample;

/// Reads RFC 4180: quoted fields, doubled quotes, CRLF.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (vec![], vec![], String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    assert!(!quoted && field.is_empty() && record.is_empty(), "the last record is complete");
    records
}

#[test]
fn every_finding_comes_back_as_it_was() {
    let comparison = sample::rich();
    let mut out = Vec::new();
    write(&comparison, &mut out).unwrap();
    let records = parse(std::str::from_utf8(&out).unwrap());
    assert_eq!(records[0], COLUMNS);
    assert_eq!(records.len(), 1 + comparison.findings.len());
    let column = |name: &str| COLUMNS.iter().position(|column| *column == name).unwrap();
    for (record, finding) in records[1..].iter().zip(&comparison.findings) {
        assert_eq!(record.len(), COLUMNS.len());
        assert_eq!(record[column("benchmark")], benchwright_report::visible(&finding.benchmark.name));
        let is_judged = finding.reason != benchwright_model::Reason::Informational;
        assert_eq!(record[column("verdict")], if is_judged { finding.verdict.word() } else { "not_judged" });
        assert_eq!(record[column("outlier_ratio")], finding.wild.to_string());
        let number = |name: &str| record[column(name)].parse::<f64>().ok();
        assert_eq!(number("base"), finding.base.map(|side| side.centre));
        let ratio = finding.effect.map(|effect| effect.lo.exp()).filter(|ratio| ratio.is_finite());
        assert_eq!(number("ratio_lo"), ratio);
        assert_eq!(record[column("fails")], finding.fails.to_string());
    }
}
