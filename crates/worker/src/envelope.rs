//! The messages to and from a function: the calls with the addresses of their programs, and the response.
//!
//! The types are the JSON format, and [`VERSION`] is part of it. A function that receives another version
//! returns an error instead of guessing.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of the format. The function and the sender must have the same one.
pub const VERSION: u32 = 1;

/// A message to a function.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// [`VERSION`] of the sender.
    pub version: u32,
    /// The calls, in a format of their own.
    pub parcel: Box<RawValue>,
    /// The packages that contain its programs.
    pub packages: Vec<PackageSource>,
    /// A presigned URL to upload a response that is too large to be returned. `None` if such a response is an
    /// error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_to: Option<String>,
}

/// Where a package comes from and where it is unpacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageSource {
    /// Its address.
    pub id: String,
    /// The directory to unpack it to, unless it is already there. All directories of a comparison have the
    /// same length.
    pub dir: String,
    /// Where the archive is.
    pub archive: Archive,
}

/// Where an archive is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Archive {
    /// At a presigned URL.
    Url(String),
    /// In this message, in base 64.
    Inline(String),
    /// Not sent. A function that does not have it answers [`Response::Missing`].
    Withheld,
}

/// The answer of a function.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// The response, in a format of its own.
    Delivery(Box<RawValue>),
    /// The response was uploaded to [`Request::answer_to`]: its number of bytes.
    Stored(u64),
    /// These packages, by address, have to be sent first.
    Missing(Vec<String>),
    /// It could not be carried out.
    Failed(Failed),
}

/// Why a request could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// A fragment that reads after "cannot".
    pub message: String,
    /// Advice for the user. Empty if there is none.
    pub hint: String,
    /// Whether trying again could help.
    pub may_pass: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_comes_back_as_it_was() {
        let json = r#"{"version":1,"parcel":{"calls":[1, 2]},"packages":[{"id":"a","dir":"/tmp/a","archive":{"url":"http://x"}},{"id":"b","dir":"/tmp/b","archive":"withheld"}],"answer_to":"http://y"}"#;
        let request: Request = serde_json::from_str(json).unwrap();
        assert_eq!(request.parcel.get(), r#"{"calls":[1, 2]}"#);
        assert_eq!(request.packages[0].archive, Archive::Url("http://x".into()));
        assert_eq!(request.packages[1].archive, Archive::Withheld);
        assert_eq!(serde_json::to_string(&request).unwrap(), json);
    }

    #[test]
    fn every_answer_comes_back_as_it_was() {
        let check = |json: &str| {
            let response: Response = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&response).unwrap(), json);
        };
        check(r#"{"delivery":{"x":1.50}}"#);
        check(r#"{"stored":7000000}"#);
        check(r#"{"missing":["a","b"]}"#);
        check(r#"{"failed":{"message":"m","hint":"h","may_pass":true}}"#);
    }
}
