//! Names that every file system takes.

use super::tags::prefix;

/// How many bytes a name has at most, without its extension. Most file systems have room for 255.
pub(super) const MAX_BYTES: usize = 200;

/// Makes one component of a path of any text. It is empty if nothing is left.
///
/// Characters that some file system refuses become `_`: separators, control characters, and those
/// that have a meaning on Windows. Dots and white space at the end are dropped, and white space at
/// the front. A dot at the front, which would hide the file, becomes `_`. Names of Windows devices
/// get a `_` at the front. What is longer than [`MAX_BYTES`] is cut between characters.
pub(super) fn component(text: &str) -> String {
    let mut name: String = text
        .trim_start()
        .chars()
        .map(|character| {
            if is_refused(character) {
                '_'
            } else {
                character
            }
        })
        .collect();
    name.truncate(cut(&name, MAX_BYTES).len());
    if name.starts_with('.') {
        name.replace_range(..1, "_");
    }
    if is_windows_device(&name) {
        name.insert(0, '_');
        name.truncate(cut(&name, MAX_BYTES).len());
    }
    name
}

/// The front of a name that has at most `bytes` bytes, without dots and white space at its end.
pub(super) fn cut(name: &str, bytes: usize) -> &str {
    prefix(name, bytes).trim_end_matches(|last: char| last == '.' || last.is_whitespace())
}

fn is_refused(character: char) -> bool {
    character.is_control() || r#"/\:*?"<>|"#.contains(character)
}

/// Windows takes these names for devices in every directory and with every extension.
fn is_windows_device(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let base = name.split('.').next().unwrap_or(name).trim_end();
    if DEVICES
        .iter()
        .any(|device| base.eq_ignore_ascii_case(device))
    {
        return true;
    }
    let Some((port, number)) = base.split_at_checked(3) else {
        return false;
    };
    let mut digits = number.chars();
    ["COM", "LPT"]
        .iter()
        .any(|device| port.eq_ignore_ascii_case(device))
        && matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³'))
        && digits.next().is_none()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn refused_characters_are_replaced() {
        assert_eq!(
            component("a/b\\c:d*e?f\"g<h>i|j\0k\nl\u{7f}"),
            "a_b_c_d_e_f_g_h_i_j_k_l_"
        );
        assert_eq!(component("Ōkami – 'ok' #1 (50%)"), "Ōkami – 'ok' #1 (50%)");
    }

    #[test]
    fn ends_are_trimmed() {
        assert_eq!(component("  Wait... . "), "Wait");
        assert_eq!(component(".hidden"), "_hidden");
        for text in ["", " ", ".", "..", " . . "] {
            assert_eq!(component(text), "");
        }
    }

    #[test]
    fn windows_devices_are_no_names() {
        for name in ["con", "Aux", "NUL.txt", "com1", "LPT³", "CON .x", "conin$"] {
            assert_eq!(component(name), format!("_{name}"));
        }
        let long = "con.".to_owned() + &"a".repeat(196);
        assert_eq!(component(&long), format!("_{}", &long[..199]));
        // It is one only after it is cut.
        assert_eq!(component(&format!("con{}x", " ".repeat(300))), "_con");
        for name in ["console", "COM", "COM10", "nu", "lptx", "ab\u{fc}1"] {
            assert_eq!(component(name), name);
        }
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(component(&"é".repeat(300)), "é".repeat(100));
        assert_eq!(component(&("a".to_owned() + &"é".repeat(300))).len(), 199);
        assert_eq!(component(&("a".repeat(199) + ". b")), "a".repeat(199));
    }

    /// Texts in which the special cases are frequent.
    pub(in crate::output) fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            "[ ./\\\\:a]{1,3}",
            prop::sample::select(vec![
                "con", "COM1", "..", "é", "(2)", "\0", "{title}", "{", "}"
            ])
            .prop_map(String::from),
            "[a-c]{50,150}",
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    /// Whether a name, with an extension, is one component that is not special.
    pub(in crate::output) fn is_one_component(name: &str) -> bool {
        let file = format!("{name}.wav");
        let mut components = Path::new(&file).components();
        matches!(components.next(), Some(Component::Normal(only)) if only == file.as_str())
            && components.next().is_none()
            && name.len() <= MAX_BYTES
            && !name.chars().any(is_refused)
            && !name.ends_with(['.', ' '])
            && !is_windows_device(name)
    }

    proptest! {
        #[test]
        fn a_name_is_empty_or_one_component(text in text()) {
            let name = component(&text);
            prop_assert!(name.is_empty() || is_one_component(&name), "{name:?}");
            prop_assert_eq!(component(&name), name);
        }
    }
}
