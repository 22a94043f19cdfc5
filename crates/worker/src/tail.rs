//! The end of the output of a process.

/// How many bytes are kept for people to read.
const KEEP: usize = 8 * 1024;

/// Keeps the last bytes of a stream.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    /// Adds the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        // Cut only now and then, so that many small chunks do not move the bytes each time.
        if self.bytes.len() > 4 * KEEP {
            self.cut();
        }
    }

    /// The end as text without surrounding blank lines. If something was cut, it starts at the beginning of a
    /// line.
    pub(crate) fn text(mut self) -> String {
        if self.bytes.len() > KEEP {
            self.cut();
        }
        let text = String::from_utf8_lossy(&self.bytes);
        let whole = if self.is_cut { text.split_once('\n').map_or(&*text, |(_, rest)| rest) } else { &text };
        whole.trim_end().trim_start_matches('\n').to_owned()
    }

    fn cut(&mut self) {
        let surplus = self.bytes.len().saturating_sub(KEEP);
        self.bytes.drain(..surplus);
        self.is_cut |= surplus > 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunks: &[&[u8]], expected: &str) {
        let mut tail = Tail::default();
        chunks.iter().for_each(|chunk| tail.push(chunk));
        assert_eq!(tail.text(), expected);
    }

    #[test]
    fn short_output_is_kept_whole() {
        check(&[], "");
        check(&[b"a\n", b"  b\xff\n\n"], "a\n  b\u{fffd}");
    }

    #[test]
    fn long_output_begins_with_a_whole_line() {
        let line = [b'x'; 1000];
        let mut chunks: Vec<&[u8]> = Vec::new();
        for _ in 0..100 {
            chunks.extend([&line[..], b"\n"]);
        }
        chunks.push(b"end\n");
        // 8192 bytes hold 8 lines of 1001 bytes, the last line, and a part of a ninth.
        check(&chunks, &(("x".repeat(1000) + "\n").repeat(8) + "end"));
    }
}
