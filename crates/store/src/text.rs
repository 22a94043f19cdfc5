//! Model values as text: JSON, or a bare word.

use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::{Error, Value};

/// JSON on one line.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("model types have only text keys")
}

/// A value of an enumeration as the text of a column: the bare word, or JSON for variants with data.
pub(crate) fn to_text<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value).expect("model types have only text keys") {
        Value::String(word) => word,
        other => other.to_string(),
    }
}

/// The value that [`to_text`] wrote.
pub(crate) fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    if text.starts_with('{') {
        return serde_json::from_str(text);
    }
    let word: StrDeserializer<'_, Error> = text.into_deserializer();
    T::deserialize(word)
}

#[cfg(test)]
mod tests {
    use benchwright_model::{FailureKind, Reason, Trial, Unit, Verdict};
    use proptest::prelude::*;

    use super::*;
    use crate::arbitrary;

    #[test]
    fn words_are_bare_and_variants_with_content_are_json() {
        assert_eq!(to_text(&Verdict::Slower), "slower");
        assert_eq!(to_text(&Unit::Other("\"{".into())), r#"{"other":"\"{"}"#);
        assert_eq!(to_text(&FailureKind::Signal(9)), r#"{"signal":9}"#);
        let reason = Reason::Confirmed { evidence: f64::INFINITY, needed: 0.1, layouts: 10 };
        assert_eq!(to_text(&reason), r#"{"confirmed":{"evidence":"inf","layouts":10,"needed":"0.1"}}"#);
        // As written before layouts existed.
        let old: Reason = from_text(r#"{"confirmed":{"evidence":"inf","needed":"0.1"}}"#).unwrap();
        assert_eq!(old, Reason::Confirmed { evidence: f64::INFINITY, needed: 0.1, layouts: 0 });
    }

    #[test]
    fn unknown_words_are_refused() {
        assert!(from_text::<Verdict>("worse").is_err());
        assert!(from_text::<Unit>("other").is_err());
        assert!(from_text::<Reason>("{\"confirmed\":").is_err());
    }

    proptest! {
        #[test]
        fn reasons_come_back(reason in arbitrary::reason()) {
            let back: Reason = from_text(&to_text(&reason)).unwrap();
            prop_assert_eq!(format!("{back:?}"), format!("{reason:?}"));
        }

        #[test]
        fn units_come_back(unit in arbitrary::unit()) {
            prop_assert_eq!(from_text::<Unit>(&to_text(&unit)).unwrap(), unit);
        }

        #[test]
        fn trials_come_back_from_json_on_one_line(trial in arbitrary::trial()) {
            let text = json(&trial);
            prop_assert!(!text.contains('\n'));
            let back: Trial = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(format!("{back:?}"), format!("{trial:?}"));
        }
    }
}
