//! Consumers of events and verdicts, one file per format.
