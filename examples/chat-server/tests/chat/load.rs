//! Clients that check what they hear.

use std::num::NonZero;

use chat_server::{Settings, load};

use crate::running::settings;

#[test]
fn each_line_arrives_at_each_client_in_order() {
    let clients = NonZero::new(30).unwrap();
    let report = load::run(settings(), clients, NonZero::new(20).unwrap()).unwrap();
    assert_eq!((report.clients, report.said), (30, 600));
    assert_eq!(report.arrived, 18_000);
    let room = report.room;
    assert_eq!((room.joined, room.said, room.too_slow), (30, 600, 0));
    // And those that tell which clients have joined and left.
    assert!(room.delivered > 18_000, "{room:?}");
    // "guest1: 0 0" has 12 bytes with its end.
    assert!(report.bytes >= 12 * report.arrived, "{report:?}");
}

#[test]
fn more_clients_than_may_connect_are_an_error() {
    let settings = Settings {
        connections: NonZero::new(2).unwrap(),
        ..settings()
    };
    let error = load::run(settings, NonZero::new(3).unwrap(), NonZero::<u64>::MIN).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("--connections 2"), "{message}");
}
