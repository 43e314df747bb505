//! What members hear of each other.

use chat_server::LONGEST_LINE;

use crate::client::Client;
use crate::running::{Running, settings};

#[test]
fn all_hear_what_one_says_and_does() {
    let server = Running::start(settings());
    let mut ada = Client::join(server.address, "ada");
    let mut bob = Client::join(server.address, "bob");
    ada.send("hello");
    bob.send("good morning");
    bob.send("/quit");
    let goodbye = bob.rest();
    let heard: Vec<String> = std::iter::from_fn(|| ada.line()).take(5).collect();
    assert_eq!(heard[..2], ["* guest2 joined", "* guest2 is now bob"]);
    // The two speak at the same time.
    let at = |line: &str| heard.iter().position(|heard| heard == line).unwrap();
    assert!(at("bob: good morning") < at("* bob left"), "{heard:?}");
    assert!(at("ada: hello") >= 2, "{heard:?}");
    assert_eq!(goodbye.last().unwrap(), "* goodbye");
    assert!(goodbye.contains(&"bob: good morning".to_owned()));
    drop(ada);
    let report = server.stop();
    assert_eq!((report.joined, report.said, report.too_slow), (2, 2, 0));
}

#[test]
fn a_client_that_only_goes_is_missed() {
    let server = Running::start(settings());
    let mut ada = Client::join(server.address, "ada");
    drop(Client::join(server.address, "bob"));
    ada.wait_for(|line| line == "* bob left: the connection has ended");
    ada.send("/quit");
    assert_eq!(ada.rest(), ["* goodbye"]);
    server.stop();
}

#[test]
fn a_nick_is_taken_once() {
    let server = Running::start(settings());
    let ada = Client::join(server.address, "ada");
    let mut other = Client::connect(server.address);
    other.send("/nick ada");
    other.send("/nick -");
    other.send("/dance");
    assert_eq!(other.line().unwrap(), "* you are guest2");
    assert_eq!(other.line().unwrap(), "! ada is taken");
    assert_eq!(other.line().unwrap(), "* guest2 is now -");
    assert_eq!(other.line().unwrap(), "! there are /nick NAME and /quit");
    drop(ada);
    other.send("/quit");
    assert_eq!(other.rest().last().unwrap(), "* goodbye");
    server.stop();
}

#[test]
fn a_line_without_end_is_refused() {
    let server = Running::start(settings());
    let mut ada = Client::join(server.address, "ada");
    let mut talker = Client::join(server.address, "talker");
    // With its end it is as long as a line may be.
    let longest = "x".repeat(LONGEST_LINE - 1);
    talker.send(&longest);
    assert_eq!(talker.line().unwrap(), format!("talker: {longest}"));
    talker.send(&format!("{longest}x"));
    assert_eq!(talker.rest(), ["! your line is too long; goodbye"]);
    ada.wait_for(|line| line == "* talker left: a line was too long");
    drop(ada);
    server.stop();
}
