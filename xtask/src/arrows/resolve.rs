//! From a path as written to what it means: relative paths and local imports are made absolute,
//! and re-exports are followed to where they lead.

use std::collections::{BTreeMap, BTreeSet};

use super::mention::{Mention, Role, collect, exported_macros};
use super::tree::Tree;

/// A path with `crate` or the name of another crate as its first segment.
pub type Absolute = Vec<String>;

/// How many imports or re-exports are followed one after another.
const DEPTH: usize = 12;

/// What every module brings into scope and hands on.
pub struct Names<'a> {
    tree: &'a Tree,
    mentions: Vec<Vec<Mention>>,
    scopes: BTreeMap<Vec<String>, Scope>,
    /// Exported macros, and the modules that define them.
    macros: BTreeMap<String, Vec<String>>,
}

/// The `use` declarations of one module.
#[derive(Default)]
struct Scope {
    /// What a name stands for here; several with different `cfg`.
    imports: BTreeMap<String, Vec<Vec<String>>>,
    /// The names among them that other modules can reach.
    public: BTreeSet<String>,
    /// What comes in by globs.
    globs: Vec<Vec<String>>,
    /// The globs among them that other modules can reach.
    public_globs: Vec<Vec<String>>,
}

impl<'a> Names<'a> {
    /// Reads the `use` declarations of all modules.
    pub fn read(tree: &'a Tree) -> Self {
        let mut names = Names {
            tree,
            mentions: Vec::new(),
            scopes: BTreeMap::new(),
            macros: BTreeMap::new(),
        };
        for module in &tree.modules {
            for name in exported_macros(&module.items) {
                names.macros.insert(name, module.path.clone());
            }
            let mentions = collect(&module.items);
            let scope = names.scopes.entry(module.path.clone()).or_default();
            for mention in &mentions {
                let path = mention.segments.clone();
                match &mention.role {
                    Role::Code => {}
                    Role::Import { name, public } => {
                        scope.imports.entry(name.clone()).or_default().push(path);
                        if *public {
                            scope.public.insert(name.clone());
                        }
                    }
                    Role::Glob { public } => {
                        if *public {
                            scope.public_globs.push(path.clone());
                        }
                        scope.globs.push(path);
                    }
                }
            }
            names.mentions.push(mentions);
        }
        names
    }

    /// The mentions of the module with this index in the tree.
    pub fn mentions(&self, index: usize) -> &[Mention] {
        &self.mentions[index]
    }

    /// What a mention spells, made absolute. Usually one path; several when imports differ by
    /// `cfg`.
    pub fn spelled(&self, module: &[String], mention: &Mention) -> Vec<Absolute> {
        if mention.outside {
            return vec![mention.segments.clone()];
        }
        let is_import = mention.role != Role::Code;
        self.absolute(module, &mention.segments, is_import, DEPTH)
    }

    fn absolute(
        &self,
        module: &[String],
        segments: &[String],
        is_import: bool,
        depth: usize,
    ) -> Vec<Absolute> {
        let Some((first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        let from = |base: &[String], rest: &[String]| {
            let mut path = vec!["crate".to_owned()];
            path.extend_from_slice(base);
            path.extend_from_slice(rest);
            path
        };
        match first.as_str() {
            "crate" => return vec![from(&[], rest)],
            "self" => return self.absolute_below(module, rest, is_import, depth),
            "super" => {
                let parent = &module[..module.len().saturating_sub(1)];
                if rest.first().is_some_and(|next| next == "super") {
                    return self.absolute(parent, rest, is_import, depth);
                }
                return vec![from(parent, rest)];
            }
            "Self" => return Vec::new(),
            _ => {}
        }
        let child: Vec<String> = [module, &segments[..1]].concat();
        if self.tree.has(&child) {
            return vec![from(module, segments)];
        }
        let mut found = Vec::new();
        if depth > 0
            && let Some(targets) = self.scopes.get(module).and_then(|s| s.imports.get(first))
        {
            for target in targets {
                // `use loom;` imports the name as itself.
                if target == std::slice::from_ref(first) {
                    continue;
                }
                let longer = [target.as_slice(), rest].concat();
                found.extend(self.absolute(module, &longer, true, depth - 1));
            }
        }
        if found.is_empty() {
            found.push(segments.to_vec());
        }
        found
    }

    /// `self::rest`: a child, an import, or an item of the module itself.
    fn absolute_below(
        &self,
        module: &[String],
        rest: &[String],
        is_import: bool,
        depth: usize,
    ) -> Vec<Absolute> {
        let here = || {
            let mut path = vec!["crate".to_owned()];
            path.extend_from_slice(module);
            path.extend_from_slice(rest);
            path
        };
        let Some(first) = rest.first() else {
            return vec![here()];
        };
        let imported = self
            .scopes
            .get(module)
            .is_some_and(|scope| scope.imports.contains_key(first));
        if imported && depth > 0 {
            self.absolute(module, rest, is_import, depth - 1)
        } else {
            vec![here()]
        }
    }

    /// Where the item is defined that `path` leads to, through imports of any visibility: the
    /// indices of modules in the tree, each with the item's name. A module itself is no item.
    pub fn definitions(&self, path: &Absolute) -> BTreeSet<(usize, String)> {
        let mut found = BTreeSet::new();
        self.define(path, DEPTH, &mut found);
        found
    }

    fn define(&self, path: &Absolute, depth: usize, found: &mut BTreeSet<(usize, String)>) {
        if path[0] != "crate" || depth == 0 {
            return;
        }
        if let [_, name] = path.as_slice()
            && let Some(home) = self.macros.get(name)
        {
            let homes = self.tree.find(home).map(|index| (index, name.clone()));
            return found.extend(homes);
        }
        let is_module = |cut: &usize| self.tree.has(&path[1..*cut]);
        let Some(cut) = (1..=path.len()).rev().find(is_module) else {
            return;
        };
        let (module, rest) = (&path[1..cut], &path[cut..]);
        let Some(name) = rest.first() else {
            return;
        };
        let here = self.tree.find(module).map(|index| (index, name.clone()));
        let defines = |index: usize| self.tree.modules[index].defines(name);
        let defined: Vec<_> = here.clone().filter(|(index, _)| defines(*index)).collect();
        if !defined.is_empty() {
            return found.extend(defined);
        }
        let before = found.len();
        if let Some(scope) = self.scopes.get(module) {
            let (targets, tail) = match scope.imports.get(name) {
                Some(imports) => (imports, &rest[1..]),
                None => (&scope.globs, rest),
            };
            for target in targets {
                let target = [target.as_slice(), tail].concat();
                for next in self.absolute(module, &target, true, DEPTH) {
                    self.define(&next, depth - 1, found);
                }
            }
        }
        if found.len() == before {
            let calls_macros = |index: usize| self.tree.modules[index].calls_macros();
            found.extend(here.filter(|(index, _)| calls_macros(*index)));
        }
    }

    /// Everything that `path` leads to through re-exports, itself included.
    pub fn reached(&self, path: &Absolute) -> BTreeSet<Absolute> {
        let mut reached = BTreeSet::new();
        self.follow(path.clone(), DEPTH, &mut reached);
        reached
    }

    fn follow(&self, path: Absolute, depth: usize, reached: &mut BTreeSet<Absolute>) {
        if !reached.insert(path.clone()) || depth == 0 || path[0] != "crate" {
            return;
        }
        if let [_, name] = path.as_slice()
            && let Some(module) = self.macros.get(name)
        {
            let home = ["crate"]
                .into_iter()
                .chain(module.iter().map(String::as_str));
            reached.insert(home.chain([name.as_str()]).map(str::to_owned).collect());
        }
        for cut in 1..path.len() {
            let (module, rest) = (&path[1..cut], &path[cut..]);
            let Some(scope) = self.scopes.get(module) else {
                break;
            };
            if scope.public.contains(&rest[0]) {
                for target in &scope.imports[&rest[0]] {
                    let longer = [target.as_slice(), &rest[1..]].concat();
                    for next in self.absolute(module, &longer, true, DEPTH) {
                        self.follow(next, depth - 1, reached);
                    }
                }
            }
            let child: Vec<String> = [module, &rest[..1]].concat();
            if self.tree.has(&child) {
                continue;
            }
            for glob in &scope.public_globs {
                let longer = [glob.as_slice(), rest].concat();
                for next in self.absolute(module, &longer, true, DEPTH) {
                    self.follow(next, depth - 1, reached);
                }
            }
        }
    }
}
