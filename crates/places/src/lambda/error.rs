//! Errors of the platform.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use aws_sdk_lambda::config::http::HttpResponse;
use aws_sdk_lambda::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};

use crate::PlaceError;
use crate::dispatch::FailedSending;
use crate::package::PackageError;

/// Why an operation on the platform failed.
#[derive(Debug, thiserror::Error)]
pub enum LambdaError {
    /// The function's program is nowhere.
    #[error("find the function's program")]
    NoImage {
        /// The paths that were searched.
        places: Vec<PathBuf>,
    },
    /// It cannot be read.
    #[error("read the function's program `{}`", .path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It cannot run there.
    #[error("deploy `{}`: {why}", .path.display())]
    UnfitImage {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
        /// Advice for the user.
        hint: String,
    },
    /// The region is not set.
    #[error("find out which region of AWS to use")]
    NoRegion,
    /// The function does not exist.
    #[error("find the function `{name}` in {region}")]
    NoFunction {
        /// Its name.
        name: String,
        /// The region that was searched.
        region: String,
    },
    /// Credentials are missing, wrong, expired or do not suffice.
    #[error("{what}: {why}")]
    Credentials {
        /// What failed.
        what: String,
        /// The platform's message about the credentials.
        why: String,
        /// Advice for the user.
        hint: &'static str,
    },
    /// The platform cannot be reached.
    #[error("{what}: {why}")]
    Unreachable {
        /// What failed.
        what: String,
        /// The error of the system.
        why: String,
    },
    /// The platform returned an error.
    #[error("{what}: {why}")]
    Service {
        /// What failed.
        what: String,
        /// Its message.
        why: String,
    },
    /// A program could not be packed.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A setting is no pattern of paths.
    #[error("use `{pattern}` in `lambda.include`")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// A function has one memory size.
    #[error("call the function `{name}` for {} MB", .sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" and "))]
    OneFunction {
        /// Its name, as configured.
        name: String,
        /// The required sizes.
        sizes: Vec<u32>,
    },
    /// The asynchronous runtime of the SDK could not be started.
    #[error("start the network runtime")]
    Runtime(#[source] io::Error),
}

impl LambdaError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            LambdaError::NoImage { places } => {
                let places: Vec<String> = places.iter().map(|path| path.display().to_string()).collect();
                format!(
                    "it comes with benchwright: put it into the same directory, or name it with --function; looked for {}",
                    places.join(", ")
                )
            }
            LambdaError::UnfitImage { hint, .. } => hint.clone(),
            LambdaError::NoRegion => "set `lambda.region`, AWS_REGION or a region in your AWS profile".into(),
            LambdaError::NoFunction { .. } => "`benchwright deploy` makes it".into(),
            LambdaError::Credentials { hint, .. } => (*hint).into(),
            LambdaError::Unreachable { .. } => {
                "check the network and `lambda.region`; `lambda.endpoint` is for emulators only".into()
            }
            LambdaError::Package(error) => error.hint().into(),
            LambdaError::OneFunction { .. } => {
                "leave `lambda.function` out, since `benchwright deploy` makes one per size, or write `{memory}` into its name".into()
            }
            LambdaError::Image { .. }
            | LambdaError::Service { .. }
            | LambdaError::Pattern { .. }
            | LambdaError::Runtime(_) => String::new(),
        }
    }

    /// Whether the request was wrong, and not only its execution failed.
    pub fn is_misuse(&self) -> bool {
        matches!(
            self,
            LambdaError::NoRegion
                | LambdaError::NoImage { .. }
                | LambdaError::UnfitImage { .. }
                | LambdaError::Pattern { .. }
                | LambdaError::OneFunction { .. }
        )
    }
}

impl From<LambdaError> for PlaceError {
    fn from(error: LambdaError) -> Self {
        PlaceError::Elsewhere { what: error.to_string(), hint: error.hint(), source: None }
    }
}

/// The meaning of a response of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) kind: ReasonKind,
    pub(crate) message: String,
}

/// The kind of remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReasonKind {
    /// Later.
    Throttled,
    /// Again.
    Lost,
    /// Again, but it may happen again.
    Crashed,
    /// There is no remedy.
    Impossible,
    /// The resource does not exist.
    Missing,
    /// Other credentials.
    Credentials(&'static str),
    /// A network.
    Unreachable,
    /// The message has to be read.
    Other,
}

const NO_CREDENTIALS: &str =
    "credentials come from the AWS SDK's own chain: environment variables, profiles, roles of machines";
const EXPIRED: &str = "the session's credentials have expired: log in again, then `--resume`";
const WRONG: &str = "the platform rejects these credentials: check AWS_PROFILE and `lambda.profile`";
const DENIED: &str = "`benchwright deploy --policy` prints the rights that are needed";

/// The meaning of an SDK error.
pub(crate) fn reason<E>(error: &SdkError<E, HttpResponse>) -> Reason
where
    E: ProvideErrorMetadata + Error + 'static,
{
    let kind = match error {
        SdkError::DispatchFailure(_) if has_not_connected(error) => ReasonKind::Unreachable,
        SdkError::TimeoutError(_) | SdkError::ResponseError(_) => ReasonKind::Lost,
        SdkError::DispatchFailure(failure) if failure.is_timeout() || failure.is_io() => ReasonKind::Lost,
        SdkError::ServiceError(service) => {
            let code = service.err().code().unwrap_or_default();
            return Reason {
                kind: of_code(code, service.raw().status().as_u16()),
                message: words(code, service.err().message(), service.raw().status().as_u16()),
            };
        }
        other if chain(other).to_lowercase().contains("credential") => {
            ReasonKind::Credentials(NO_CREDENTIALS)
        }
        // A connection that breaks off is not one of the named kinds.
        SdkError::DispatchFailure(_) => ReasonKind::Lost,
        _ => ReasonKind::Other,
    };
    Reason { kind, message: innermost(error) }
}

fn of_code(code: &str, status: u16) -> ReasonKind {
    match code {
        "TooManyRequestsException"
        | "ThrottlingException"
        | "Throttling"
        | "SlowDown"
        | "EC2ThrottledException"
        | "RequestLimitExceeded"
        | "ResourceNotReadyException"
        | "SnapStartNotReadyException" => ReasonKind::Throttled,
        "ExpiredTokenException" | "ExpiredToken" | "RequestExpired" => ReasonKind::Credentials(EXPIRED),
        "UnrecognizedClientException"
        | "InvalidClientTokenId"
        | "InvalidSignatureException"
        | "SignatureDoesNotMatch"
        | "InvalidAccessKeyId"
        | "AuthFailure"
        | "IncompleteSignature"
        | "MissingAuthenticationToken" => ReasonKind::Credentials(WRONG),
        "AccessDeniedException" | "AccessDenied" | "UnauthorizedOperation" => ReasonKind::Credentials(DENIED),
        "ResourceNotFoundException" | "NoSuchKey" | "NoSuchBucket" | "NoSuchEntity" | "NotFound" => {
            ReasonKind::Missing
        }
        "RequestTooLargeException" | "RequestEntityTooLargeException" | "InvalidRequestContentException" => {
            ReasonKind::Impossible
        }
        _ => match status {
            429 => ReasonKind::Throttled,
            403 | 401 => ReasonKind::Credentials(DENIED),
            404 => ReasonKind::Missing,
            413 => ReasonKind::Impossible,
            500..=599 => ReasonKind::Crashed,
            _ => ReasonKind::Other,
        },
    }
}

fn words(code: &str, message: Option<&str>, status: u16) -> String {
    match (code, message) {
        ("", None) => format!("the platform answers {status}"),
        ("", Some(message)) => message.to_owned(),
        (code, None) => code.to_owned(),
        (code, Some(message)) => format!("{message} ({code})"),
    }
}

fn chain(error: &(dyn Error + 'static)) -> String {
    DisplayErrorContext(error).to_string()
}

/// Whether the request did not reach a receiver. A request that breaks off later may have been carried out.
fn has_not_connected(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        let is_nobody = matches!(
            kind,
            Some(
                io::ErrorKind::ConnectionRefused
                    | io::ErrorKind::HostUnreachable
                    | io::ErrorKind::NetworkUnreachable
                    | io::ErrorKind::NetworkDown
            )
        );
        // Errors of name lookup and connection timeouts have no public type.
        let words = error.to_string();
        if is_nobody || ["dns error", "HTTP connect timeout"].iter().any(|word| words.contains(word)) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The last cause is the most specific: `connection refused` instead of `dispatch failure`.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last: &dyn Error = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

impl Reason {
    /// The error, with what was attempted.
    pub(crate) fn error(self, what: &str) -> LambdaError {
        let (what, why) = (what.to_owned(), self.message);
        match self.kind {
            ReasonKind::Credentials(hint) => LambdaError::Credentials { what, why, hint },
            ReasonKind::Unreachable | ReasonKind::Lost => LambdaError::Unreachable { what, why },
            _ => LambdaError::Service { what, why },
        }
    }

    /// What the sender should do about it.
    pub(crate) fn sending(&self) -> FailedSending {
        match self.kind {
            ReasonKind::Throttled => FailedSending::Throttled,
            ReasonKind::Unreachable => FailedSending::Unreachable,
            ReasonKind::Lost => FailedSending::Lost,
            ReasonKind::Crashed => FailedSending::Crashed,
            ReasonKind::Impossible => FailedSending::Impossible,
            ReasonKind::Missing | ReasonKind::Credentials(_) | ReasonKind::Other => FailedSending::Refused,
        }
    }

    /// Advice for the user. Empty if there is none.
    pub(crate) fn hint(&self) -> &'static str {
        match self.kind {
            ReasonKind::Credentials(hint) => hint,
            ReasonKind::Missing => "`benchwright deploy` makes the function",
            ReasonKind::Throttled => {
                "the account's quota of concurrent executions may be smaller than `lambda.parallel`"
            }
            ReasonKind::Unreachable => {
                "the platform cannot be reached: check the network and `lambda.region`"
            }
            _ => "",
        }
    }
}

/// Converts errors of the SDK.
pub(crate) trait Explained<T> {
    /// The value, or the error that `what` failed.
    fn explained(self, what: &str) -> Result<T, LambdaError>;
    /// The same, with `None` for a resource that does not exist.
    fn if_there(self, what: &str) -> Result<Option<T>, LambdaError>;
}

impl<T, E: ProvideErrorMetadata + Error + 'static> Explained<T> for Result<T, SdkError<E, HttpResponse>> {
    fn explained(self, what: &str) -> Result<T, LambdaError> {
        self.map_err(|error| reason(&error).error(what))
    }

    fn if_there(self, what: &str) -> Result<Option<T>, LambdaError> {
        match self.map_err(|error| reason(&error)) {
            Ok(value) => Ok(Some(value)),
            Err(Reason { kind: ReasonKind::Missing, .. }) => Ok(None),
            Err(reason) => Err(reason.error(what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_platform_have_their_remedies() {
        let check = |code: &str, status, expected: FailedSending, hint: &str| {
            let reason = Reason { kind: of_code(code, status), message: words(code, Some("m"), status) };
            assert_eq!(reason.sending(), expected, "{code}");
            assert!(reason.hint().contains(hint), "{code}: {}", reason.hint());
        };
        use FailedSending::{Crashed, Impossible, Refused, Throttled};
        check("TooManyRequestsException", 429, Throttled, "quota");
        check("", 429, Throttled, "quota");
        check("ServiceException", 500, Crashed, "");
        check("", 502, Crashed, "");
        check("ExpiredTokenException", 403, Refused, "expired");
        check("UnrecognizedClientException", 403, Refused, "rejects these credentials");
        check("AccessDeniedException", 403, Refused, "--policy");
        check("ResourceNotFoundException", 404, Refused, "deploy");
        check("RequestTooLargeException", 413, Impossible, "");
    }

    #[test]
    fn words_are_the_platforms_own() {
        assert_eq!(words("", None, 502), "the platform answers 502");
        assert_eq!(words("X", Some("too many"), 429), "too many (X)");
        assert_eq!(words("X", None, 429), "X");
    }
}
