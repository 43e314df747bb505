//! The end of a server.

use std::net::TcpStream;

use crate::client::Client;
use crate::running::{Running, settings};

#[test]
fn all_are_told_and_disconnected() {
    let server = Running::start(settings());
    let mut clients = ["ada", "bob", "eve"].map(|nick| Client::join(server.address, nick));
    clients[0].send("one more thing");
    for client in &mut clients {
        client.wait_for(|line| line == "ada: one more thing");
    }
    server.handle.shut_down();
    for client in clients {
        assert_eq!(client.rest(), ["* the server shuts down; goodbye"]);
    }
    let address = server.address;
    let report = server.join();
    assert_eq!((report.joined, report.said), (3, 1));
    // A process that another test starts has the socket as well until it has become its program.
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
}

#[test]
fn one_that_keeps_its_side_open_does_not_keep_the_server() {
    let settings = chat_server::Settings {
        grace: std::time::Duration::ZERO,
        ..settings()
    };
    let server = Running::start(settings);
    let silent = Client::join(server.address, "silent");
    server.stop();
    drop(silent);
}

#[test]
fn without_clients_it_ends() {
    let server = Running::start(settings());
    assert_eq!(server.stop(), chat_server::RoomReport::default());
}
