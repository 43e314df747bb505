//! The module tree of the library, read the way the compiler reads it: from `lib.rs` along the
//! `mod` declarations, whatever `cfg` stands on them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Item, ItemMod, Lit, Meta, Token};

/// Source files by their path relative to `src`.
pub type Files = BTreeMap<PathBuf, String>;

/// One module: a file, or an inline `mod name { … }` of a file.
pub struct Module {
    /// The file that holds it.
    pub file: PathBuf,
    /// Its path below the crate root; empty for the root.
    pub path: Vec<String>,
    /// Its items, without the inline modules among them, which are modules of their own.
    pub items: Vec<Item>,
}

/// All modules that are compiled outside of tests.
#[derive(Default)]
pub struct Tree {
    /// The modules; the root comes first.
    pub modules: Vec<Module>,
    /// Files that no `mod` declaration reaches.
    pub orphans: Vec<PathBuf>,
    /// The indices of the modules, by path: several with different `cfg`.
    by_path: BTreeMap<Vec<String>, Vec<usize>>,
}

impl Tree {
    /// Builds the tree that starts at `lib.rs`.
    pub fn grow(files: &Files) -> Result<Self> {
        let mut grower = Grower {
            files,
            tree: Tree::default(),
            seen: BTreeSet::new(),
        };
        grower.file(Path::new("lib.rs"), Vec::new(), Path::new(""), false)?;
        let seen = grower.seen;
        let mut tree = grower.tree;
        tree.orphans = files
            .keys()
            .filter(|file| !seen.contains(*file) && !file.starts_with("bin"))
            .cloned()
            .collect();
        Ok(tree)
    }

    /// Whether `path` names a module.
    pub fn has(&self, path: &[String]) -> bool {
        self.by_path.contains_key(path)
    }

    /// The indices of the modules with this path: several with different `cfg`.
    pub fn find(&self, path: &[String]) -> impl Iterator<Item = usize> + Clone {
        self.by_path.get(path).into_iter().flatten().copied()
    }
}

impl Module {
    /// Whether it defines an item with this name, without the help of a macro.
    pub fn defines(&self, name: &str) -> bool {
        self.items
            .iter()
            .any(|item| item_name(item).is_some_and(|ident| ident == name))
    }

    /// Whether macros may define further items of it.
    pub fn calls_macros(&self) -> bool {
        let is_call = |item: &Item| matches!(item, Item::Macro(item) if item.ident.is_none());
        self.items.iter().any(is_call)
    }
}

/// The name that an item defines.
fn item_name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::TraitAlias(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

struct Grower<'a> {
    files: &'a Files,
    tree: Tree,
    seen: BTreeSet<PathBuf>,
}

impl Grower<'_> {
    fn file(&mut self, file: &Path, path: Vec<String>, dir: &Path, test: bool) -> Result<()> {
        let text = &self.files[file];
        let parsed =
            syn::parse_file(text).with_context(|| format!("{} is not Rust", file.display()))?;
        self.seen.insert(file.to_owned());
        let test = test || is_test(&parsed.attrs);
        self.items(file, path, dir, test, parsed.items)
    }

    fn items(
        &mut self,
        file: &Path,
        path: Vec<String>,
        dir: &Path,
        test: bool,
        items: Vec<Item>,
    ) -> Result<()> {
        let (mods, items): (Vec<_>, Vec<_>) = items
            .into_iter()
            .partition(|item| matches!(item, Item::Mod(_)));
        if !test {
            let index = self.tree.modules.len();
            self.tree
                .by_path
                .entry(path.clone())
                .or_default()
                .push(index);
            self.tree.modules.push(Module {
                file: file.to_owned(),
                path: path.clone(),
                items,
            });
        }
        for item in mods {
            let Item::Mod(item) = item else { continue };
            self.child(file, &path, dir, test, item)?;
        }
        Ok(())
    }

    fn child(
        &mut self,
        file: &Path,
        path: &[String],
        dir: &Path,
        test: bool,
        item: ItemMod,
    ) -> Result<()> {
        let name = item.ident.to_string();
        let name = name.trim_start_matches("r#");
        let test = test || is_test(&item.attrs);
        let mut path = path.to_vec();
        path.push(name.to_owned());
        if let Some((_, items)) = item.content {
            return self.items(file, path, &dir.join(name), test, items);
        }

        let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
        for elsewhere in path_attributes(&item.attrs) {
            let base = file.parent().unwrap_or(Path::new(""));
            let target = base.join(elsewhere);
            let inside = target.parent().unwrap_or(Path::new("")).to_owned();
            found.push((target, inside));
        }
        if found.is_empty() {
            let inside = dir.join(name);
            found.push((dir.join(format!("{name}.rs")), inside.clone()));
            found.push((inside.join("mod.rs"), inside));
        }
        found.retain(|(target, _)| self.files.contains_key(target));
        if found.is_empty() {
            bail!("{}: no file for `mod {name}`", file.display());
        }
        for (target, inside) in found {
            self.file(&target, path.clone(), &inside, test)?;
        }
        Ok(())
    }
}

/// Whether the attributes say that the item exists in tests only.
pub fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("test")
            || attr.path().is_ident("cfg")
                && attr
                    .parse_args::<Meta>()
                    .is_ok_and(|meta| needs_test(&meta))
    })
}

/// Whether a `cfg` predicate can only hold when `test` does.
fn needs_test(meta: &Meta) -> bool {
    let Meta::List(list) = meta else {
        return meta.path().is_ident("test");
    };
    let inner = list
        .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .unwrap_or_default();
    if list.path.is_ident("all") {
        inner.iter().any(needs_test)
    } else if list.path.is_ident("any") {
        !inner.is_empty() && inner.iter().all(needs_test)
    } else {
        false
    }
}

/// The files that `#[path = "…"]` and `#[cfg_attr(…, path = "…")]` point to.
fn path_attributes(attrs: &[Attribute]) -> Vec<String> {
    let mut found = Vec::new();
    for attr in attrs {
        collect_paths(&attr.meta, &mut found);
    }
    found
}

fn collect_paths(meta: &Meta, found: &mut Vec<String>) {
    match meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => {
            if let Expr::Lit(lit) = &pair.value
                && let Lit::Str(text) = &lit.lit
            {
                found.push(text.value());
            }
        }
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let inner = list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .unwrap_or_default();
            for meta in inner.iter().skip(1) {
                collect_paths(meta, found);
            }
        }
        _ => {}
    }
}
