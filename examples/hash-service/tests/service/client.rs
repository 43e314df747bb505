//! A client that shows each step of a request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A connection to a server.
pub struct Client(BufReader<TcpStream>);

/// What came back.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        Client(BufReader::new(TcpStream::connect(address).unwrap()))
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// Sends a request with this body, and does not wait for the response.
    pub fn begin(&mut self, method: &str, path: &str, body: &[u8]) {
        self.begin_part(method, path, body.len(), body);
    }

    /// Sends the head of a request with a body of this length, and a part of that body.
    ///
    /// Both in one write: a server may refuse a request, and close the connection, before it reads
    /// the body. What the client writes after that can cost it the response.
    pub fn begin_part(&mut self, method: &str, path: &str, length: usize, part: &[u8]) {
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\n");
        self.send(&[head.as_bytes(), part].concat());
    }

    /// Reads the next response.
    pub fn response(&mut self) -> Response {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.0.read_line(&mut head).unwrap(), 0, "{head:?}");
        }
        let head = head.to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        Response {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: String::from_utf8(body).unwrap(),
            head,
        }
    }

    /// Waits for more, and returns whether the server closes the connection instead.
    pub fn is_closed(&mut self) -> bool {
        self.0.read(&mut [0]).unwrap() == 0
    }

    /// A request, and its response.
    pub fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Response {
        self.begin(method, path, body);
        self.response()
    }

    /// A connection of its own for one upload, which has been sent.
    pub fn with_upload(address: SocketAddr, upload: &[u8]) -> Self {
        let mut client = Client::connect(address);
        client.begin("POST", "/hash", upload);
        client
    }

    /// One upload on a connection of its own, and the status of the response.
    pub fn upload(address: SocketAddr, upload: &[u8]) -> u16 {
        Client::with_upload(address, upload).response().status
    }
}
