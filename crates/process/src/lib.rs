//! Start one process, stream its output, limit it, kill its whole group, account for it.
