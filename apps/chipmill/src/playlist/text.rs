//! The text of a playlist, whatever its encoding.

use std::borrow::Cow;

/// Decodes `bytes`, without a byte order mark at the front, whatever their encoding.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match from_utf16(bytes) {
        Some(text) => Cow::Owned(text),
        None => from_bytes(without_mark(bytes)),
    }
}

/// The text, if it is UTF-16, which is known by its byte order mark, or by the zeros of its first
/// letters.
pub(super) fn from_utf16(bytes: &[u8]) -> Option<String> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Some(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Some(utf16(rest, u16::from_be_bytes));
    }
    match bytes {
        [1..=255, 0, 1..=255, 0, ..] => Some(utf16(bytes, u16::from_le_bytes)),
        [0, 1..=255, 0, 1..=255, ..] => Some(utf16(bytes, u16::from_be_bytes)),
        _ => None,
    }
}

/// The bytes behind the byte order mark of UTF-8.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Decodes UTF-8. Everything else is Windows-1252, which has Latin-1 in it.
pub(super) fn from_bytes(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(
        |_| Cow::Owned(bytes.iter().map(|byte| windows_1252(*byte)).collect()),
        Cow::Borrowed,
    )
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The character of a byte in Windows-1252. The five bytes without one are control characters, as
/// in browsers.
fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_is_borrowed_with_and_without_its_mark() {
        assert!(matches!(decode("Ōkami".as_bytes()), Cow::Borrowed("Ōkami")));
        assert!(matches!(
            decode("\u{feff}Ōkami".as_bytes()),
            Cow::Borrowed("Ōkami")
        ));
        assert_eq!(decode(b""), "");
    }

    #[test]
    fn other_bytes_are_windows_1252() {
        assert_eq!(decode(b"Caf\xe9 \x80 \x96 \x9f"), "Café € – Ÿ");
    }

    #[test]
    fn utf_16_is_known_by_its_mark_or_its_zeros() {
        assert_eq!(decode(b"\xff\xfea\0\xe9\0"), "aé");
        assert_eq!(decode(b"\xfe\xff\0a\xd8\0\0b"), "a\u{fffd}b");
        assert_eq!(decode(b"a\0b\0\xe9\0"), "abé");
        assert_eq!(decode(b"\0a\0b\0\xe9"), "abé");
    }
}
