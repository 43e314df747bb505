//! What a page says and links to.

use std::collections::HashMap;

/// The words and the links of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// How often it has each word.
    pub words: HashMap<String, u64>,
    /// The paths on the same site to which it links, in their order, without what is behind `#`.
    pub links: Vec<String>,
}

impl Page {
    /// Reads HTML: links are in `<a href="…">`, and words are what is outside of tags.
    pub fn parse(html: &str) -> Self {
        let mut page = Page::default();
        for (index, part) in html.split('<').enumerate() {
            // Before the first tag there is text only.
            let text = match (index, part.split_once('>')) {
                (0, _) => part,
                (_, Some((tag, text))) => {
                    page.links.extend(link(tag));
                    text
                }
                // A tag without end: the rest of the page is in it.
                (_, None) => break,
            };
            let words = text
                .split(|character: char| !character.is_alphanumeric())
                .filter(|word| !word.is_empty());
            for word in words {
                *page.words.entry(word.to_lowercase()).or_default() += 1;
            }
        }
        page
    }
}

/// The path on this site to which a tag links. Links to other sites have none.
fn link(tag: &str) -> Option<String> {
    let (_, target) = tag.strip_prefix("a ")?.split_once("href=\"")?;
    let (target, _) = target.split_once('"')?;
    let (path, _) = target.split_once('#').unwrap_or((target, ""));
    // Two slashes are followed by the name of another site.
    let is_here = path.starts_with('/') && !path.starts_with("//");
    is_here.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn words_and_links_are_found() {
        let html = "Go <p>go <a href=\"/one\">there</a>, <a class=x href=\"/two#part\">or</a> \
                    <a href=\"http://example.org/\">away</a> <a href=\"//example.org/\"></a>\
                    <a href=\"#top\">up</a> <a name=\"here\"></a> <broken";
        let page = Page::parse(html);
        assert_eq!(page.links, ["/one", "/two"]);
        assert_eq!(page.words["go"], 2);
        let mut words: Vec<_> = page.words.keys().map(String::as_str).collect();
        words.sort_unstable();
        assert_eq!(words, ["away", "go", "or", "there", "up"]);
    }

    #[test]
    fn an_empty_page_is_a_page() {
        assert_eq!(Page::parse(""), Page::default());
    }
}
