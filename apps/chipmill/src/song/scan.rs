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

/// The bytes of the command at `offset`, those of a data block with its data.
///
/// # Errors
///
/// There is no such command, or the file ends before it.
pub fn command_len(bytes: &[u8], offset: usize) -> Result<usize, SongError> {
    let broken = |what: String| SongError::Command { offset, what };
    let rest = &bytes[offset..];
    let Some(&code) = rest.first() else {
        return Err(broken(
            "the file ends without a command that ends it".to_owned(),
        ));
    };
    let len = match code {
        BLOCK => block_len(rest).ok_or_else(|| broken("a data block is cut short".to_owned()))?,
        _ => fixed_len(code)
            .ok_or_else(|| broken(format!("{code:#04x} is no command of a register log")))?,
    };
    if rest.len() < len {
        return Err(broken(format!(
            "command {code:#04x} has {len} bytes, and the file {} more",
            rest.len()
        )));
    }
    Ok(len)
}

/// How many commands there are from `offset` to the end of the log.
///
/// # Errors
///
/// One of them is broken.
pub fn commands(bytes: &[u8], mut offset: usize) -> Result<usize, SongError> {
    let mut commands = 0;
    loop {
        let len = command_len(bytes, offset)?;
        if bytes[offset] == END {
            return Ok(commands);
        }
        commands += 1;
        offset += len;
    }
}

/// The bytes of a data block, all of which the file may not have.
fn block_len(rest: &[u8]) -> Option<usize> {
    let head: &[u8; BLOCK_HEAD] = rest.first_chunk()?;
    let data = u32::from_le_bytes([head[3], head[4], head[5], head[6]]);
    // The highest bit is the chip's.
    BLOCK_HEAD.checked_add((data & 0x7fff_ffff) as usize)
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
        COPY => 12,
        _ => return None,
    })
}
