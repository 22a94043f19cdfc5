//! What the numbers mean: verdicts, plans, summaries.
