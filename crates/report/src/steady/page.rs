//! Pictures of many processes on one page.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::picture::picture;
use super::view::{SeriesView, Steady};
use crate::escape::html;
use crate::overview::processes;

/// Pictures are made for a white page. On a dark page their brightness is inverted and their hues are kept.
const STYLE: &str = "\
:root{--page:#f6f7f9;--card:#fff;--ink:#15181d;--soft:#5a6472;--line:#e2e6eb}\
@media (prefers-color-scheme:dark){:root{--page:#101318;--card:#181c23;--ink:#e8ebf0;--soft:#9aa5b4;--line:#2a303a}\
figure svg{filter:invert(.91) hue-rotate(180deg)}}\
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:66rem;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\
h1{font-size:1.5rem;line-height:1.2;margin:.3rem 0}p{margin:.2rem 0;color:var(--soft)}\
figure{margin:1.5rem 0 0;padding:.75rem;background:var(--card);border:1px solid var(--line);border-radius:.8rem;overflow-x:auto}\
figure svg{max-width:100%;height:auto;border-radius:.4rem}figcaption{font-size:.85rem;color:var(--soft);padding-top:.4rem}";

/// Writes a page: how many processes are steady, then a picture of each. It needs no other file, no network
/// and no script.
pub fn write_html(title: &str, views: &[SeriesView], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title} · benchwright</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><p>benchwright steady</p><h1>{title}</h1><p>{}</p><p>{}</p></header>\n<main>",
        html(&counts(views)),
        html(&classes(views)),
        title = html(title)
    )?;
    for view in views {
        writeln!(out, "<figure>{}", picture(view))?;
        for note in &view.notes {
            writeln!(out, "<figcaption>{}</figcaption>", html(note))?;
        }
        writeln!(out, "</figure>")?;
    }
    writeln!(out, "</main>\n</body>\n</html>")
}

fn counts(views: &[SeriesView]) -> String {
    let count = |is: fn(&Steady) -> bool| views.iter().filter(|view| is(&view.steady)).count();
    let steady = count(|steady| matches!(steady, Steady::From(_)));
    let never = count(|steady| *steady == Steady::Never);
    let unknown = count(|steady| matches!(steady, Steady::Unknown(_)));
    let mut text = format!("{}: {steady} became steady, {never} did not", processes(views.len()));
    if unknown > 0 {
        text.push_str(&format!(", {unknown} could not be labelled"));
    }
    text
}

/// Number of processes per class.
fn classes(views: &[SeriesView]) -> String {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for view in views {
        *found.entry(view.class.as_deref().unwrap_or("unknown")).or_default() += 1;
    }
    let counts: Vec<String> = found.iter().map(|(class, count)| format!("{class} {count}")).collect();
    format!("classes (Barrett et al. 2017): {}", counts.join(", "))
}
