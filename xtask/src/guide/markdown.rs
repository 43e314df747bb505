//! What a check has to know of a page in Markdown: its links, its anchors, its code.
//!
//! Of Markdown it knows what the pages of this repository use: blocks of code between fences, code
//! between backticks, headings with `#`, and links and pictures with the address behind the text.

use std::collections::HashMap;

/// A page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    /// The links and pictures, in their order.
    pub links: Vec<Link>,
    /// What a link to a part of this page can name.
    pub anchors: Vec<String>,
    /// Whether there is Rust that a documentation test would take.
    pub has_rust: bool,
}

/// A link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    /// The line of its address, from 1.
    pub line: usize,
    /// Where it leads, as it is written.
    pub address: String,
}

impl Markdown {
    /// Reads a page.
    pub fn parse(text: &str) -> Self {
        let mut page = Markdown::default();
        let mut seen = HashMap::new();
        let mut fence: Option<&str> = None;
        // Prose without its code. A link may begin in one line and end in the next.
        let mut prose = String::new();
        for line in text.lines() {
            let bare = line.trim_start();
            let ticks = &bare[..bare.len() - bare.trim_start_matches('`').len()];
            match fence {
                Some(open) => {
                    if ticks.len() >= open.len() && bare.trim_end() == ticks {
                        fence = None;
                    }
                }
                None if ticks.len() >= 3 => {
                    fence = Some(ticks);
                    page.has_rust |= is_rust(bare[ticks.len()..].trim());
                }
                None => {
                    if let Some(heading) = heading(line) {
                        let anchor = anchor(heading);
                        let count = seen.entry(anchor.clone()).or_insert(0);
                        page.anchors.push(match *count {
                            0 => anchor,
                            again => format!("{anchor}-{again}"),
                        });
                        *count += 1;
                    }
                    prose += line;
                }
            }
            prose.push('\n');
        }
        page.links = links(&without_code(&prose));
        page
    }
}

/// Whether a block with this word behind its fence is a documentation test.
fn is_rust(language: &str) -> bool {
    let mut words = language.split(',').map(str::trim);
    words.clone().all(|word| {
        word.is_empty()
            || word.starts_with("edition")
            || ["rust", "no_run", "should_panic", "compile_fail"].contains(&word)
            || word.starts_with('E')
    }) && !words.any(|word| word == "ignore")
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (1..=6)
        .contains(&level)
        .then(|| text.strip_prefix(' '))
        .flatten()
        .map(str::trim)
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

/// The prose with code between backticks blanked out. Line breaks stay.
fn without_code(prose: &str) -> String {
    let mut text = String::with_capacity(prose.len());
    let mut rest = prose;
    while let Some(begin) = rest.find('`') {
        let opened = &rest[begin..];
        let ticks = &opened[..opened.len() - opened.trim_start_matches('`').len()];
        let inside = &opened[ticks.len()..];
        text += &rest[..begin];
        // A paragraph ends what was opened in it.
        let paragraph = inside.find("\n\n").unwrap_or(inside.len());
        match inside[..paragraph].find(ticks) {
            Some(end) => {
                text.extend(inside[..end].chars().filter(|c| *c == '\n'));
                rest = &inside[end + ticks.len()..];
            }
            None => rest = inside,
        }
    }
    text + rest
}

/// The links of prose.
fn links(prose: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut from = 0;
    while let Some(found) = prose[from..].find("](") {
        let begin = from + found + 2;
        let Some(length) = prose[begin..].find(')') else {
            break;
        };
        // The address may be followed by a title.
        if let Some(address) = prose[begin..begin + length].split_whitespace().next() {
            links.push(Link {
                line: prose[..begin].matches('\n').count() + 1,
                address: address.to_owned(),
            });
        }
        from = begin + length;
    }
    links
}
