//! The beginning and end of all pages.

use std::io::{self, Write};

use crate::escape::html;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Everything before the page's own content. `style` is added to the common style.
pub(crate) fn write_head(title: &str, style: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n<title>{} · benchwright</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>",
        html(title)
    )
}

/// Everything after `<main>`'s content.
pub(crate) fn write_end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</main>\n<div id=\"tip\" hidden></div>\n<script>{SCRIPT}</script>\n</body>\n</html>")
}
