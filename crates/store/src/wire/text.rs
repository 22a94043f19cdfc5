//! Wire values as text: JSON, and bare words for what is only a word.

use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde_json::{Error, Value};

use super::Wire;
use super::adapters::{Got, list};

/// A list as JSON.
pub(crate) fn json_list<T: Wire>(values: &[T]) -> String {
    let mut bytes = Vec::new();
    list::serialize(values, &mut serde_json::Serializer::new(&mut bytes))
        .expect("wire types have only text keys");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// The list that [`json_list`] wrote.
pub(crate) fn list_from_json<T: Wire>(text: &str) -> Result<Vec<T>, Error> {
    let values: Vec<Got<T>> = serde_json::from_str(text)?;
    Ok(values.into_iter().map(|got| got.0).collect())
}

/// A value of an enumeration as a column's text: the bare word, or JSON for variants that carry something.
pub(crate) fn to_text<T: Wire>(value: &T) -> String {
    match value.put(serde_json::value::Serializer).expect("wire types have only text keys") {
        Value::String(word) => word,
        other => other.to_string(),
    }
}

/// The value that [`to_text`] wrote.
pub(crate) fn from_text<T: Wire>(text: &str) -> Result<T, Error> {
    if text.starts_with('{') {
        return serde_json::from_str::<Got<T>>(text).map(|got| got.0);
    }
    let word: StrDeserializer<'_, Error> = text.into_deserializer();
    T::get(word)
}

#[cfg(test)]
mod tests {
    use benchwright_model::{FailureKind, Reason, Trial, Unit, Verdict};
    use proptest::prelude::*;

    use super::*;
    use crate::arbitrary;
    use crate::wire::Put;

    #[test]
    fn words_are_bare_and_variants_with_content_are_json() {
        assert_eq!(to_text(&Verdict::Slower), "slower");
        assert_eq!(to_text(&Unit::Other("\"{".into())), r#"{"other":"\"{"}"#);
        assert_eq!(to_text(&FailureKind::Signal(9)), r#"{"signal":9}"#);
        let reason = Reason::Confirmed { evidence: f64::INFINITY, needed: 0.1, layouts: 10 };
        assert_eq!(to_text(&reason), r#"{"confirmed":{"evidence":"inf","needed":"0.1","layouts":10}}"#);
        // As written before there were layouts.
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
            let text = serde_json::to_string(&Put(&trial)).unwrap();
            prop_assert!(!text.contains('\n'));
            let Got(back) = serde_json::from_str::<Got<Trial>>(&text).unwrap();
            prop_assert_eq!(format!("{back:?}"), format!("{trial:?}"));
        }
    }
}
