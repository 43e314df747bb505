//! The lab, the examples and the applications use the public API, like any other program.
//!
//! The compiler keeps private items private. What it cannot keep is an item that is `pub` but
//! hidden from the documentation, and a source file borrowed by path.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, Meta, UseTree, Visibility};

use super::mention::collect_tokens;
use super::verdict::Violation;

const RULE: &str = "public-api-only";

/// The names in `lib.rs` that are public for the compiler but not for people.
pub fn hidden_names(lib: &str) -> Result<BTreeSet<String>> {
    let mut hidden = BTreeSet::new();
    for item in syn::parse_file(lib)?.items {
        let (attrs, vis, names) = match &item {
            Item::Mod(item) => (&item.attrs, &item.vis, vec![item.ident.to_string()]),
            Item::Fn(item) => (&item.attrs, &item.vis, vec![item.sig.ident.to_string()]),
            Item::Struct(item) => (&item.attrs, &item.vis, vec![item.ident.to_string()]),
            Item::Use(item) => {
                let mut names = Vec::new();
                imported(&item.tree, &mut names);
                (&item.attrs, &item.vis, names)
            }
            _ => continue,
        };
        if matches!(vis, Visibility::Public(_)) {
            let all = attrs.iter().any(is_hidden);
            hidden.extend(
                names
                    .into_iter()
                    .filter(|name| all || name.starts_with("__")),
            );
        }
    }
    Ok(hidden)
}

/// Looks at one file of a consumer.
pub fn judge_file(file: &Path, text: &str, hidden: &BTreeSet<String>) -> Result<Vec<Violation>> {
    let tokens = TokenStream::from_str(text)
        .map_err(|error| anyhow!("{} is not Rust: {error}", file.display()))?;
    let mut found = Vec::new();
    for mention in collect_tokens(tokens.clone()) {
        if let [root, name, ..] = mention.segments.as_slice()
            && root == "drumline"
            && hidden.contains(name)
        {
            found.push(Violation {
                file: file.to_owned(),
                line: mention.line,
                rule: RULE,
                message: format!("`drumline::{name}` is hidden, and not for use from outside"),
            });
        }
    }
    borrowed(tokens, &mut |line| {
        found.push(Violation {
            file: file.to_owned(),
            line,
            rule: RULE,
            message: "a source file of the library is borrowed by its path".to_owned(),
        });
    });
    Ok(found)
}

/// Calls `report` for `#[path = "…drumline/src…"]` and for `include!` of such a path.
fn borrowed(tokens: TokenStream, report: &mut impl FnMut(usize)) {
    let mut last_word = String::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => last_word = ident.to_string(),
            TokenTree::Literal(literal)
                if last_word == "path" && literal.to_string().contains("drumline/src") =>
            {
                report(literal.span().start().line);
            }
            TokenTree::Group(group) => {
                if last_word == "include" {
                    for token in group.stream() {
                        if token.to_string().contains("drumline/src") {
                            report(token.span().start().line);
                        }
                    }
                }
                borrowed(group.stream(), report);
            }
            _ => {}
        }
    }
}

fn is_hidden(attr: &Attribute) -> bool {
    attr.path().is_ident("doc")
        && matches!(&attr.meta, Meta::List(list) if list.tokens.to_string() == "hidden")
}

fn imported(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => imported(&path.tree, names),
        UseTree::Name(leaf) => names.push(leaf.ident.to_string()),
        UseTree::Rename(leaf) => names.push(leaf.rename.to_string()),
        UseTree::Glob(_) => {}
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, names)),
    }
}
