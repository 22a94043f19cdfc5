//! One thing looked at.

/// How good a machine is in one respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing to do.
    Good,
    /// Makes measurements noisier, or cannot be judged fully.
    Doubtful,
    /// Makes measurements wrong or useless.
    Bad,
    /// The system does not show it.
    Unknown,
}

impl State {
    /// The word in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            State::Good => "good",
            State::Doubtful => "doubtful",
            State::Bad => "bad",
            State::Unknown => "unknown",
        }
    }
}

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, a few lowercase words that stay the same from version to version.
    pub name: String,
    /// How good it is.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What that means for measurements, a full sentence.
    pub meaning: String,
    /// What to do, with the command where there is one; empty where nothing needs doing.
    pub advice: String,
}

impl Check {
    /// A check without advice.
    pub(super) fn new(
        name: &str,
        state: State,
        found: impl Into<String>,
        meaning: impl Into<String>,
    ) -> Self {
        Check {
            name: name.into(),
            state,
            found: found.into(),
            meaning: meaning.into(),
            advice: String::new(),
        }
    }

    /// A property that the system does not show.
    pub(super) fn unknown(name: &str, meaning: &str) -> Self {
        Check::new(name, State::Unknown, "not visible", meaning)
    }

    /// The same with advice.
    pub(super) fn advice(self, advice: impl Into<String>) -> Self {
        Check { advice: advice.into(), ..self }
    }
}
