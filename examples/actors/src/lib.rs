//! Three small programs on actors: [`counter`], [`ring`] and [`ping_pong`].
//!
//! Each is a library function with a binary around it, so that the tests run what is shown.

pub mod counter;
pub mod ping_pong;
pub mod ring;

use std::time::Duration;

use drumline::actor::Style;

/// For how long a system may take to end before the program reports what is left.
pub const END: Duration = Duration::from_secs(10);

/// The style of that name, of an actor that is told to go on after each message.
///
/// # Errors
///
/// If there is no such style.
pub fn style(name: &str) -> Result<Style, String> {
    match name {
        "recursive" => Ok(Style::Recursive),
        "loop" => Ok(Style::Loop),
        _ => Err(format!("`{name}` is no style; take `recursive` or `loop`")),
    }
}
