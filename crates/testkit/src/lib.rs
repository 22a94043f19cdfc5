//! Builders, fixtures and redaction for tests.
