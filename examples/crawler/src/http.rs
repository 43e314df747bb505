//! A request of HTTP/1.0 over a socket, and the head of a message.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long the other side may be silent.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How many bytes the head of a message may have.
const LONGEST_HEAD: u64 = 8 * 1024;

/// How many bytes a page may have.
const LONGEST_BODY: u64 = 1024 * 1024;

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status, as 200.
    pub status: u16,
    /// The page.
    pub body: String,
}

/// Asks the server at this address for a page.
///
/// # Errors
///
/// If there is no connection, or no valid response.
///
/// # Blocking
///
/// Until the page is here.
pub fn get(address: SocketAddr, path: &str) -> io::Result<Response> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    // In one write: a second small one would wait for the acknowledgement of the first.
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    socket.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(socket);
    let head = head(&mut reader)?;
    let invalid = || invalid("this is no response of HTTP");
    let status = head.split(' ').nth(1).ok_or_else(invalid)?;
    let status = status.parse().map_err(|_| invalid())?;
    let length: u64 = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .and_then(|length| length.parse().ok())
        .ok_or_else(invalid)?;
    if length > LONGEST_BODY {
        return Err(self::invalid("the page is too long"));
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    if (body.len() as u64) < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(Response { status, body })
}

/// Reads a head, up to the empty line.
///
/// # Errors
///
/// If the stream ends before, or the head is too long.
pub fn head(reader: &mut impl BufRead) -> io::Result<String> {
    let mut limited = reader.take(LONGEST_HEAD);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if limited.read_line(&mut head)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(head)
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}
