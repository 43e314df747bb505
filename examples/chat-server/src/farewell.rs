//! Why a client leaves.

/// Why a client leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// It has said so.
    Quit,
    /// Its connection has ended.
    Gone,
    /// It does not read as fast as the room speaks.
    TooSlow,
    /// It has sent a line that is too long.
    LongLine,
}

impl Farewell {
    /// The last line that the client gets.
    pub fn to_client(self) -> &'static str {
        match self {
            Farewell::Quit | Farewell::Gone => "* goodbye\n",
            Farewell::TooSlow => "! you are too slow: too many lines wait for you; goodbye\n",
            Farewell::LongLine => "! your line is too long; goodbye\n",
        }
    }

    /// What the others hear behind "left".
    pub fn to_others(self) -> &'static str {
        match self {
            Farewell::Quit => "",
            Farewell::Gone => ": the connection has ended",
            Farewell::TooSlow => ": too slow",
            Farewell::LongLine => ": a line was too long",
        }
    }
}

/// The last line that each client gets when the server ends.
pub const SHUTDOWN: &str = "* the server shuts down; goodbye\n";
