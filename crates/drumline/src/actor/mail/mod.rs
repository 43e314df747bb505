//! Messages: in memory, on their way, and lost.
//!
//! | file | noun |
//! |---|---|
//! | `envelope` | one message in its block of memory, and the notices of the library |
//! | `message` | what is sent: with and without a reply, within a bound or not |
//! | `bounded` | the messages of an actor with a bound |
//! | `dead_letter` | messages that were lost |
//! | `error` | what comes back instead: of a message, of a question, of a name |

pub(super) mod bounded;
pub(super) mod dead_letter;
pub(super) mod envelope;
pub(super) mod error;
pub(super) mod message;

pub(super) use {
    bounded::{BoundedMail, BoundedOutcome, Refused},
    dead_letter::Loss,
    envelope::{Envelope, OpenFn, SpentEnvelope},
    message::{AskedMessage, Content, ToldMessage},
};
