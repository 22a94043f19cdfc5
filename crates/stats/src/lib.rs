//! Numbers in, findings out.
