//! Where the commands of a register log begin and end.

use super::SongError;

/// What ends the log.
pub const END: u8 = 0x66;
/// What begins a data block.
pub const BLOCK: u8 = 0x67;
/// Copies data into the memory of a chip that there is no model of.
pub const COPY: u8 = 0x68;
/// The bytes of a data block before its data: the command, a mark, the type, and the length.
pub const BLOCK_HEAD: usize = 7;
/// The most bytes of a command that is no data block.
pub const LONGEST: usize = 12;

/// What is wrong with the command at an offset.
fn broken(offset: usize, what: String) -> SongError {
    SongError::Command { offset, what }
}

/// The error of a command of which the file has this number of bytes only.
pub fn cut(offset: usize, code: u8, len: usize, there: usize) -> SongError {
    let what = format!("command {code:#04x} has {len} bytes, and the file {there} more");
    broken(offset, what)
}

/// The bytes of the command with which `rest` begins, those of a data block without its data.
/// `offset` is its place in the file.
///
/// # Errors
///
/// There is no such command, or the file ends before it: `rest` has [`LONGEST`] bytes at least, or
/// all that are left.
pub fn command_len(rest: &[u8], offset: usize) -> Result<usize, SongError> {
    let Some(&code) = rest.first() else {
        let what = "the file ends without a command that ends it".to_owned();
        return Err(broken(offset, what));
    };
    let len = match code {
        BLOCK if rest.len() < BLOCK_HEAD => {
            return Err(broken(offset, "a data block is cut short".to_owned()));
        }
        BLOCK => BLOCK_HEAD,
        _ => fixed_len(code).ok_or_else(|| {
            let what = format!("{code:#04x} is no command of a register log");
            broken(offset, what)
        })?,
    };
    if rest.len() < len {
        return Err(cut(offset, code, len, rest.len()));
    }
    Ok(len)
}

/// The bytes of commands that have a fixed length, with which `rest` begins and which are parsed
/// together: some more than `most`, and none from the end of the log or from the offset `stop` on.
///
/// # Errors
///
/// As [`command_len`] for one of them. `rest` has `most` + [`LONGEST`] bytes at least, or all that
/// are left.
pub fn batch_len(
    rest: &[u8],
    offset: usize,
    most: usize,
    stop: Option<usize>,
) -> Result<usize, SongError> {
    let mut len = 0;
    while len < most {
        let command = command_len(&rest[len..], offset + len)?;
        if matches!(rest[len], END | BLOCK | COPY) {
            break;
        }
        len += command;
        if Some(offset + len) == stop {
            break;
        }
    }
    Ok(len)
}

/// The bytes of any other command, as the format's specification has them, also for those that it
/// keeps for later.
fn fixed_len(code: u8) -> Option<usize> {
    Some(match code {
        END | 0x62 | 0x63 | 0x70..=0x8f => 1,
        0x30..=0x3f | 0x4f | 0x50 | 0x94 => 2,
        0x40..=0x4e | 0x51..=0x5f | 0x61 | 0xa0..=0xbf => 3,
        0xc0..=0xdf => 4,
        0x90 | 0x91 | 0x95 | 0xe0..=0xff => 5,
        0x92 => 6,
        0x93 => 11,
        COPY => LONGEST,
        _ => return None,
    })
}
