//! Two kinds of state that the library must not have. A plain static would be shared by the runs of
//! a model checker. Plain thread-local state could have a destructor, and the library checks for
//! none.

use syn::visit::{self, Visit};
use syn::{Item, ItemStatic, Macro, Type};

use super::tree::{Module, is_test};

/// Where statics may stand as they are: `platform` has real atomics, and `sync` the macro.
const FREE: &[&str] = &["platform", "sync"];

/// Types of the standard library that only ever get one value, and have no part in a protocol.
const ONCE: &[&str] = &["OnceLock", "LazyLock"];

/// The lines and names of the statics of `module` that belong into `process_wide!`. (What stands in
/// a macro is loose tokens to the parser, and not found here.)
pub fn outside_of_macros(module: &Module) -> Vec<(usize, String)> {
    if module
        .path
        .first()
        .is_some_and(|top| FREE.contains(&top.as_str()))
    {
        return Vec::new();
    }
    find(module).found
}

/// The lines at which `module` uses the standard library's macro for thread-local state, and not
/// `per_thread!`.
pub fn thread_locals(module: &Module) -> Vec<usize> {
    if module
        .path
        .first()
        .is_some_and(|top| FREE.contains(&top.as_str()))
    {
        return Vec::new();
    }
    find(module).thread_locals
}

fn find(module: &Module) -> Finder {
    let mut finder = Finder::default();
    for item in &module.items {
        finder.visit_item(item);
    }
    finder
}

#[derive(Default)]
struct Finder {
    found: Vec<(usize, String)>,
    thread_locals: Vec<usize>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        let attrs = match item {
            Item::Fn(item) => item.attrs.as_slice(),
            Item::Impl(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !is_test(attrs) {
            visit::visit_item(self, item);
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        if let Some(last) = mac.path.segments.last()
            && last.ident == "thread_local"
        {
            self.thread_locals.push(last.ident.span().start().line);
        }
        visit::visit_macro(self, mac);
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        if !is_once(&item.ty) {
            let line = item.ident.span().start().line;
            self.found.push((line, item.ident.to_string()));
        }
    }
}

fn is_once(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| ONCE.iter().any(|once| last.ident == once))
}
