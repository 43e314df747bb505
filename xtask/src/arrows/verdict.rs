//! The rules applied to a module tree.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use super::mention::{Mention, Role};
use super::resolve::{Absolute, Names};
use super::rules::{LAYERS, Layer, RESERVED, ROOMS, Reserved};
use super::statics;
use super::tree::{Files, Module, Tree};

/// A place where the source breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The file, relative to the source tree that was looked at.
    pub file: PathBuf,
    /// The line, from 1; 0 when it is the file as a whole.
    pub line: usize,
    /// Short name of the rule.
    pub rule: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {} [{}]", self.message, self.rule)
    }
}

/// Applies every rule to the sources of the library.
pub fn judge(files: &Files) -> anyhow::Result<Vec<Violation>> {
    let tree = Tree::grow(files)?;
    let names = Names::read(&tree);
    let mut court = Court {
        tree: &tree,
        names: &names,
        found: Vec::new(),
        imported: BTreeSet::new(),
    };
    for file in &tree.orphans {
        court.found.push(Violation {
            file: file.clone(),
            line: 0,
            rule: "no-orphans",
            message: "no `mod` declaration reaches this file".to_owned(),
        });
    }
    for (index, module) in tree.modules.iter().enumerate() {
        court.known(module);
        court.statics(module);
        for mention in names.mentions(index) {
            court.mention(module, mention);
        }
    }
    let mut found = court.found;
    found.sort();
    found.dedup();
    Ok(found)
}

struct Court<'a> {
    tree: &'a Tree,
    names: &'a Names<'a>,
    found: Vec<Violation>,
    /// The imports that were reported, by file and rule: what is then done with the imported name
    /// is the same violation, and would only be noise.
    imported: BTreeSet<(PathBuf, &'static str, Absolute)>,
}

impl Court<'_> {
    /// Whether the violation is news; takes note of it when it is an import.
    fn is_news(
        &mut self,
        module: &Module,
        mention: &Mention,
        rule: &'static str,
        path: &Absolute,
    ) -> bool {
        let key = |path: &[String]| (module.file.clone(), rule, path.to_vec());
        if mention.role != Role::Code {
            self.imported.insert(key(path));
            return true;
        }
        let spelled_out = mention.segments == *path;
        spelled_out || !(1..=path.len()).any(|n| self.imported.contains(&key(&path[..n])))
    }

    fn report(&mut self, module: &Module, line: usize, rule: &'static str, message: String) {
        self.found.push(Violation {
            file: module.file.clone(),
            line,
            rule,
            message,
        });
    }

    fn known(&mut self, module: &Module) {
        if let [top] = module.path.as_slice()
            && layer(top).is_none()
        {
            self.report(
                module,
                0,
                "known-modules",
                format!(
                    "the architecture does not know the module `{top}`: add a `layer(\"{top}\", …)` \
                     with the modules it may name to LAYERS in xtask/src/arrows/rules.rs, and a \
                     line about it to the code map of ARCHITECTURE.md"
                ),
            );
        }
    }

    fn statics(&mut self, module: &Module) {
        for (line, name) in statics::outside_of_macros(module) {
            let message = format!(
                "tests under shuttle run beside each other, and would share the static `{name}`: put it into \
                 `crate::sync::process_wide!`"
            );
            self.report(module, line, "statics-are-process-wide", message);
        }
        for line in statics::thread_locals(module) {
            let message =
                "`thread_local!` where `sync::per_thread!` would check that there is no destructor";
            self.report(
                module,
                line,
                "thread-locals-are-checked",
                message.to_owned(),
            );
        }
    }

    fn mention(&mut self, module: &Module, mention: &Mention) {
        for path in self.names.spelled(&module.path, mention) {
            self.arrow(module, mention, &path);
            for reserved in RESERVED {
                self.reserved(module, mention, &path, reserved);
            }
        }
    }

    fn arrow(&mut self, module: &Module, mention: &Mention, path: &Absolute) {
        // The root only declares and re-exports; it may name everything.
        let Some(from) = module.path.first() else {
            return;
        };
        if path == &["crate"] {
            if matches!(mention.role, Role::Glob { .. }) {
                let message = "a glob over the crate root hides the arrows: name what you need";
                self.report(module, mention.line, "arrows", message.to_owned());
            }
            return;
        }
        let mut led_anywhere = path[0] != "crate";
        for reached in self.names.reached(path) {
            let [root, to, ..] = reached.as_slice() else {
                continue;
            };
            if root != "crate" {
                led_anywhere = true;
                continue;
            }
            if !self.tree.has(std::slice::from_ref(to)) {
                continue;
            }
            led_anywhere = true;
            if from == to {
                self.room_arrow(module, mention, path, &reached);
                continue;
            }
            let allowed = layer(from).is_none_or(|layer| layer.may_use.contains(&to.as_str()));
            if !allowed && self.is_news(module, mention, "arrows", path) {
                let through = if &reached == path {
                    String::new()
                } else {
                    format!(", which is `{}`", reached.join("::"))
                };
                self.report(
                    module,
                    mention.line,
                    "arrows",
                    format!(
                        "`{from}` must not name `{to}`: `{}`{through}",
                        path.join("::")
                    ),
                );
            }
        }
        if !led_anywhere {
            self.report(
                module,
                mention.line,
                "arrows",
                format!(
                    "`{}` is defined in the crate root, which no module may depend on: move it \
                     into a module",
                    path.join("::")
                ),
            );
        }
    }

    /// An arrow inside a module: from room to room.
    fn room_arrow(
        &mut self,
        module: &Module,
        mention: &Mention,
        path: &Absolute,
        reached: &Absolute,
    ) {
        let (Some(from), Some(to)) = (room(&module.path), room(&reached[1..])) else {
            return;
        };
        let allowed = from.name == to.name || from.may_use.contains(&to.name);
        if !allowed && self.is_news(module, mention, "rooms", path) {
            let message = format!(
                "`{}` must not name `{}`: `{}`",
                from.name,
                to.name,
                path.join("::")
            );
            self.report(module, mention.line, "rooms", message);
        }
    }

    fn reserved(
        &mut self,
        module: &Module,
        mention: &Mention,
        path: &Absolute,
        reserved: &Reserved,
    ) {
        let top = module.path.first().map_or("lib.rs", String::as_str);
        if reserved.who.allows(top) {
            return;
        }
        if mention.is_passed_on() && reserved.may_pass_on.contains(&top) {
            return;
        }
        let reached = if reserved.through_reexports {
            self.names.reached(path)
        } else {
            [path.clone()].into()
        };
        let is_glob = matches!(mention.role, Role::Glob { .. });
        let hit = reached.iter().find(|reached| {
            reserved.paths.iter().any(|kept| {
                let kept: Vec<&str> = kept.split("::").collect();
                let shared = reached.iter().zip(&kept).all(|(a, b)| a == b);
                shared
                    && (reached.len() >= kept.len() || is_glob && kept.len() - reached.len() == 1)
            })
        });
        if let Some(hit) = hit
            && self.is_news(module, mention, reserved.rule, path)
        {
            let through = if hit == path {
                String::new()
            } else {
                format!(", which is `{}`", hit.join("::"))
            };
            self.report(
                module,
                mention.line,
                reserved.rule,
                format!(
                    "`{top}` must not name `{}`{through}: {}",
                    path.join("::"),
                    reserved.why
                ),
            );
        }
    }
}

/// The room that a path leads into.
fn room(path: &[String]) -> Option<&'static Layer> {
    let [module, room, ..] = path else {
        return None;
    };
    let is_it = |name: &str| name.split_once("::") == Some((module, room));
    ROOMS.iter().find(|layer| is_it(layer.name))
}

/// The layer of a top-level module.
fn layer(name: &str) -> Option<&'static Layer> {
    LAYERS.iter().find(|layer| layer.name == name)
}
