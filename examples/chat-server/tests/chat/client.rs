//! A client that shows each line.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

/// A connection to a server.
pub struct Client(BufReader<TcpStream>);

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        Client(BufReader::new(TcpStream::connect(address).unwrap()))
    }

    /// A client that is a member, under this name.
    pub fn join(address: SocketAddr, nick: &str) -> Self {
        let mut client = Client::connect(address);
        client.wait_for(|line| line.starts_with("* you are "));
        client.send(&format!("/nick {nick}"));
        client.wait_for(|line| line.ends_with(&format!(" is now {nick}")));
        client
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.0.get_mut().write_all(line.as_bytes()).unwrap();
    }

    /// The next line; `None` at the end.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        Some(line.strip_suffix('\n').expect("a whole line").to_owned())
    }

    /// Reads lines up to this one, and returns it.
    pub fn wait_for(&mut self, is_it: impl Fn(&str) -> bool) -> String {
        loop {
            let line = self.line().expect("the server has closed the connection");
            if is_it(&line) {
                return line;
            }
        }
    }

    /// All lines until the end. Then the client closes its side, too: a server waits for that.
    pub fn rest(mut self) -> Vec<String> {
        std::iter::from_fn(|| self.line()).collect()
    }
}
