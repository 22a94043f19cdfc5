//! Downloads from and uploads to presigned addresses.

use std::io::Read;
use std::time::Duration;

use benchwright_worker::envelope::Failed;

/// The time limit of one transfer.
const LONGEST: Duration = Duration::from_secs(120);

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(LONGEST)).build().into()
}

/// Downloads the content at the address.
pub(crate) fn get(url: &str) -> Result<impl Read + use<>, Failed> {
    let response = agent().get(url).call().map_err(|error| failed("fetch a package", &error))?;
    Ok(response.into_body().into_reader())
}

/// Uploads bytes to the address.
pub(crate) fn put(url: &str, bytes: &[u8]) -> Result<(), Failed> {
    agent().put(url).send(bytes).map_err(|error| failed("store a large answer", &error))?;
    Ok(())
}

/// An address is as secret as a password, so no part of it is put into a message.
fn failed(what: &str, error: &ureq::Error) -> Failed {
    let (why, may_pass) = match error {
        ureq::Error::StatusCode(status @ (403 | 404)) => (format!("the storage answers {status}"), false),
        ureq::Error::StatusCode(status) => (format!("the storage answers {status}"), true),
        ureq::Error::Io(error) => (error.to_string(), true),
        ureq::Error::Timeout(_) => ("it takes too long".into(), true),
        ureq::Error::HostNotFound => ("the storage's host name is unknown there".into(), true),
        ureq::Error::ConnectionFailed => ("the storage cannot be reached".into(), true),
        _ => ("the storage sent an answer that cannot be understood".into(), true),
    };
    Failed {
        message: format!("{what}: {why}"),
        hint: "a function in a private network needs a connection to the storage".into(),
        may_pass,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    /// Answers one request with `response` and returns the address.
    fn once(response: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).unwrap();
            stream.write_all(response.as_bytes()).unwrap();
        });
        format!("http://{address}/secret?signature=hidden")
    }

    #[test]
    fn what_lies_there_is_read() {
        let mut text = String::new();
        let url = once("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
        get(&url).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn refusals_are_told_without_the_address() {
        let check = |response, may_pass: bool, word: &str| {
            let url = once(response);
            let failed = get(&url).map(|_| ()).unwrap_err();
            assert!(failed.message.contains(word), "{failed:?}");
            assert!(
                !failed.message.contains("hidden") && !failed.message.contains("127.0.0.1"),
                "{failed:?}"
            );
            assert_eq!(failed.may_pass, may_pass, "{failed:?}");
        };
        check("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", false, "403");
        check("HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\n\r\n", true, "503");
        check("nonsense", true, "");
    }
}
