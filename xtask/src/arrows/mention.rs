//! Every path that a module spells out, outside of its tests: in code, in `use` trees, and in the
//! arguments of macros, which the parser sees as loose tokens.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemForeignMod, ItemMacro, ItemUse, Macro, UseTree, Visibility};

use super::rules::FOREIGN_BLOCK;
use super::tree::is_test;

/// One path as it stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Line in the file, from 1.
    pub line: usize,
    /// The segments as written, so the first may be `crate`, `self` or `super`.
    pub segments: Vec<String>,
    /// Whether it began with `::`, and so with the name of another crate.
    pub outside: bool,
    /// What the path is for.
    pub role: Role,
}

/// What a path is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// It is used on the spot.
    Code,
    /// It brings a name into scope, and hands it on if `public`.
    Import {
        /// The name that it gets here.
        name: String,
        /// Whether other modules can reach it through this one.
        public: bool,
    },
    /// It brings in everything below it.
    Glob {
        /// Whether other modules can reach it through this one.
        public: bool,
    },
}

impl Mention {
    /// Whether other modules can reach what it names through this one.
    pub fn is_passed_on(&self) -> bool {
        matches!(
            self.role,
            Role::Import { public: true, .. } | Role::Glob { public: true }
        )
    }
}

/// Collects the mentions of a module.
pub fn collect(items: &[Item]) -> Vec<Mention> {
    let mut collector = Collector::default();
    for item in items {
        collector.visit_item(item);
    }
    collector.found
}

/// Collects what looks like a path in loose tokens.
pub fn collect_tokens(tokens: TokenStream) -> Vec<Mention> {
    let mut found = Vec::new();
    scan(tokens, &[], false, &mut found);
    found
}

/// The macros among the items that other crates can call. Their names are those of the root.
pub fn exported_macros(items: &[Item]) -> impl Iterator<Item = String> {
    items.iter().filter_map(|item| match item {
        Item::Macro(item) if is_exported(item) => item.ident.as_ref().map(plain),
        _ => None,
    })
}

fn is_exported(item: &ItemMacro) -> bool {
    let is_export = |attr: &syn::Attribute| attr.path().is_ident("macro_export");
    item.attrs.iter().any(is_export)
}

#[derive(Default)]
struct Collector {
    found: Vec<Mention>,
}

impl Collector {
    fn push(&mut self, span: Span, segments: Vec<String>, outside: bool, role: Role) {
        self.found.push(Mention {
            line: span.start().line,
            segments,
            outside,
            role,
        });
    }

    fn use_tree(&mut self, tree: &UseTree, prefix: &[String], outside: bool, public: bool) {
        let join = |last: &syn::Ident| {
            let mut path = prefix.to_vec();
            // `use a::b::{self}` names `a::b`.
            if last != "self" || prefix.is_empty() {
                path.push(plain(last));
            }
            path
        };
        match tree {
            UseTree::Path(path) => {
                let longer = join(&path.ident);
                self.use_tree(&path.tree, &longer, outside, public);
            }
            UseTree::Name(leaf) => {
                let path = join(&leaf.ident);
                let name = path.last().cloned().unwrap_or_default();
                self.push(leaf.span(), path, outside, Role::Import { name, public });
            }
            UseTree::Rename(leaf) => {
                let path = join(&leaf.ident);
                let name = plain(&leaf.rename);
                self.push(leaf.span(), path, outside, Role::Import { name, public });
            }
            UseTree::Glob(star) => {
                self.push(star.span(), prefix.to_vec(), outside, Role::Glob { public });
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, prefix, outside, public);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attrs = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => return visit::visit_impl_item(self, item),
        };
        if !is_test(attrs) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        self.use_tree(&item.tree, &[], item.leading_colon.is_some(), public);
    }

    fn visit_item_foreign_mod(&mut self, item: &'ast ItemForeignMod) {
        let name = vec![FOREIGN_BLOCK.to_owned()];
        self.push(item.abi.span(), name, true, Role::Code);
        visit::visit_item_foreign_mod(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let segments = path
                .segments
                .iter()
                .map(|part| plain(&part.ident))
                .collect();
            let outside = path.leading_colon.is_some();
            self.push(path.span(), segments, outside, Role::Code);
        }
        visit::visit_path(self, path);
    }

    /// The text of an exported macro is a part of the program that calls it. Only what it names by
    /// `$crate` or from the root is the library's doing.
    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if !is_exported(item) {
            return visit::visit_item_macro(self, item);
        }
        let mut found = collect_tokens(item.mac.tokens.clone());
        found.retain(|mention| !matches!(mention.segments[0].as_str(), "super" | "self"));
        self.found.append(&mut found);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        visit::visit_macro(self, mac);
        scan(mac.tokens.clone(), &[], false, &mut self.found);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// Finds `a::b::c`, `::a::b`, `a::*` and `a::{b, c::d}` in loose tokens.
fn scan(tokens: TokenStream, prefix: &[String], rooted: bool, found: &mut Vec<Mention>) {
    let mut path = prefix.to_vec();
    let mut outside = rooted;
    let mut colons = false;
    let mut half_colon = false;
    let mut line = 0;

    let flush =
        |path: &mut Vec<String>, outside: &mut bool, line, role: Role, found: &mut Vec<_>| {
            let complete = match role {
                Role::Code => path.len() > 1 && path.len() > prefix.len(),
                Role::Import { .. } | Role::Glob { .. } => !path.is_empty(),
            };
            let segments = std::mem::replace(path, prefix.to_vec());
            let outside = std::mem::replace(outside, rooted);
            if complete {
                found.push(Mention {
                    line,
                    segments,
                    outside,
                    role,
                });
            }
        };

    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                // `a b` are two paths; `a::b` is one. Inside a `use` group the first one belongs
                // to the prefix.
                if !colons && path.len() > prefix.len() {
                    flush(&mut path, &mut outside, line, Role::Code, found);
                }
                if colons && path.is_empty() {
                    outside = true;
                }
                line = ident.span().start().line;
                path.push(plain(&ident));
                colons = false;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                if half_colon {
                    colons = true;
                    half_colon = false;
                    continue;
                }
                half_colon = punct.spacing() == Spacing::Joint;
                if !half_colon {
                    flush(&mut path, &mut outside, line, Role::Code, found);
                    colons = false;
                }
                continue;
            }
            TokenTree::Punct(punct) if punct.as_char() == '*' && colons => {
                let role = Role::Glob { public: false };
                flush(&mut path, &mut outside, line, role, found);
                colons = false;
            }
            TokenTree::Group(group) => {
                if colons && group.delimiter() == Delimiter::Brace {
                    scan(group.stream(), &path, outside, found);
                    path = prefix.to_vec();
                } else {
                    flush(&mut path, &mut outside, line, Role::Code, found);
                    scan(group.stream(), &[], false, found);
                }
                colons = false;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                flush(&mut path, &mut outside, line, Role::Code, found);
                colons = false;
            }
        }
        half_colon = false;
    }
    flush(&mut path, &mut outside, line, Role::Code, found);
}

/// The name without the mark of a raw identifier.
fn plain(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

fn attributes(item: &Item) -> &[syn::Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
