//! Register logs of a few notes.

use std::path::{Path, PathBuf};

/// The clock of a YM2612 and its place in the header.
const OPN2: (usize, u32) = (0x2c, 7_670_454);

/// A log in which a YM2612 plays `notes`, each for a tenth of a second.
pub fn song(notes: u16) -> Vec<u8> {
    let mut log = vec![0; 0x100];
    log[..4].copy_from_slice(b"Vgm ");
    log[0x08..0x0c].copy_from_slice(&0x171_u32.to_le_bytes());
    log[0x34..0x38].copy_from_slice(&(0x100_u32 - 0x34).to_le_bytes());
    log[OPN2.0..OPN2.0 + 4].copy_from_slice(&OPN2.1.to_le_bytes());
    let mut write = |register: u8, value: u8| log.extend([0x52, register, value]);
    for operator in 0..4 {
        let level = if operator == 3 { 0 } else { 0x18 };
        write(0x30 + 4 * operator, 1);
        write(0x40 + 4 * operator, level);
        write(0x50 + 4 * operator, 0x1f);
        write(0x60 + 4 * operator, 5);
        write(0x80 + 4 * operator, 0x1a);
    }
    write(0xb0, 0x32);
    write(0xb4, 0xc0);
    for note in 0..notes {
        let pitch = 600 + 37 * (note % 11);
        log.extend([0x52, 0xa4, 0x20 | (pitch >> 8) as u8]);
        log.extend([0x52, 0xa0, pitch as u8]);
        log.extend([0x52, 0x28, 0xf0]);
        log.extend([0x61, 0xa0, 0x0f]);
        log.extend([0x52, 0x28, 0x00]);
        log.extend([0x61, 0x9a, 0x01]);
    }
    log.push(0x66);
    log
}

/// Writes a song, and returns its path.
pub fn write(directory: &Path, name: &str, notes: u16) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, song(notes)).unwrap();
    path
}
