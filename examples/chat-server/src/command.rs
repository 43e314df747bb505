//! What a line of a client means.

/// How many bytes a line of a client may have, with its end.
pub const LONGEST_LINE: usize = 1024;

/// How many characters a nick may have.
const LONGEST_NICK: usize = 20;

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// To say this to the room.
    Say(String),
    /// To be called this.
    Nick(String),
    /// To leave.
    Quit,
    /// Nothing: the line is empty.
    Nothing,
    /// Something that there is not. The client is told this.
    Invalid(&'static str),
}

impl Command {
    /// Reads a line.
    pub fn parse(line: &[u8]) -> Self {
        let mut text = String::from_utf8_lossy(line).into_owned();
        // A line could move the cursors of the others by its control characters.
        text.retain(|character| !character.is_control());
        let text = text.trim();
        let Some(command) = text.strip_prefix('/') else {
            return if text.is_empty() {
                Command::Nothing
            } else {
                Command::Say(text.to_owned())
            };
        };
        match command.split_once(' ').unwrap_or((command, "")) {
            ("quit", "") => Command::Quit,
            ("nick", nick) => Self::nick(nick.trim()),
            _ => Command::Invalid("there are /nick NAME and /quit"),
        }
    }

    fn nick(nick: &str) -> Self {
        let is_allowed = |character: char| character.is_alphanumeric() || "-_".contains(character);
        if nick.is_empty() || nick.chars().count() > LONGEST_NICK {
            Command::Invalid("a nick has 1 to 20 characters")
        } else if nick.chars().all(is_allowed) {
            Command::Nick(nick.to_owned())
        } else {
            Command::Invalid("a nick consists of letters, digits, - and _")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn lines_have_a_meaning() {
        let say = |text: &str| Command::Say(text.to_owned());
        assert_eq!(Command::parse(b"hello there\r\n"), say("hello there"));
        assert_eq!(Command::parse(b"\x1b[2Jhello"), say("[2Jhello"));
        assert_eq!(Command::parse(b" \r\n"), Command::Nothing);
        assert_eq!(Command::parse(b"/quit\n"), Command::Quit);
        assert_eq!(
            Command::parse(b"/nick  ada\n"),
            Command::Nick("ada".to_owned())
        );
    }

    #[test]
    fn what_makes_no_sense_is_invalid() {
        for line in ["/join", "/quit now", "/nick", "/nick a b", "/nick a:b"] {
            let command = Command::parse(line.as_bytes());
            assert!(matches!(command, Command::Invalid(_)), "{line}");
        }
        let long = format!("/nick {}", "a".repeat(21));
        assert!(matches!(
            Command::parse(long.as_bytes()),
            Command::Invalid(_)
        ));
    }
}
