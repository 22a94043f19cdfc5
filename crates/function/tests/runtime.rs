//! The real program against the platform's own protocol: it asks for work over a connection, and answers.
#![expect(clippy::unwrap_used, reason = "a test may")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// A child that does not outlive its test.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The next request of the function: its first line and its body.
fn request(stream: &mut BufReader<TcpStream>) -> (String, String) {
    let (mut first, mut length, mut line) = (String::new(), 0, String::new());
    stream.read_line(&mut first).unwrap();
    while line != "\r\n" {
        line.clear();
        stream.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (first, String::from_utf8(body).unwrap())
}

/// What the function answers to `event`.
fn answer(event: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut function = Command::new(env!("CARGO_BIN_EXE_benchwright-function"));
    function.env("AWS_LAMBDA_RUNTIME_API", listener.local_addr().unwrap().to_string());
    function.env("AWS_LAMBDA_FUNCTION_NAME", "f").env("AWS_LAMBDA_FUNCTION_VERSION", "1");
    function.env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128").stdout(Stdio::null()).stderr(Stdio::null());
    let _guard = Guard(function.spawn().unwrap());
    let (stream, _) = listener.accept().unwrap();
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    let (first, _) = request(&mut reader);
    assert!(first.starts_with("GET /2018-06-01/runtime/invocation/next"), "{first}");
    let head = "HTTP/1.1 200 OK\r\nlambda-runtime-aws-request-id: 1\r\nlambda-runtime-deadline-ms: 0\r\n\
                lambda-runtime-invoked-function-arn: arn\r\nlambda-runtime-trace-id: t\r\n";
    write!(writer, "{head}content-length: {}\r\n\r\n{event}", event.len()).unwrap();
    let (first, body) = request(&mut reader);
    format!("{first}{body}")
}

#[test]
fn a_request_of_another_version_is_answered_with_what_to_do() {
    let text = answer(r#"{"version":99,"parcel":{},"packages":[]}"#);
    assert!(text.starts_with("POST /2018-06-01/runtime/invocation/1/response"), "{text}");
    assert!(text.contains(r#""failed""#) && text.contains("version 99"), "{text}");
}

#[test]
fn what_is_no_request_is_an_error_of_the_function() {
    let text = answer(r#"{"hello":1}"#);
    assert!(text.starts_with("POST /2018-06-01/runtime/invocation/1/error"), "{text}");
    assert!(text.contains("errorMessage"), "{text}");
}
