//! The public items of a crate, as rustdoc's JSON has them.

use std::collections::HashSet;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::code_block::has_example;

/// The kinds of items that should have an example.
const KINDS: [&str; 6] = ["function", "struct", "enum", "union", "trait", "macro"];

/// All public items that should have an example.
pub struct PublicItems {
    items: Vec<PublicItem>,
}

/// A function, method, type, trait or macro that users can name.
pub struct PublicItem {
    /// How a user names it.
    pub path: String,
    /// The file and the line where it is written.
    pub place: String,
    is_shown: bool,
}

impl PublicItems {
    /// Reads what rustdoc has written.
    ///
    /// # Errors
    ///
    /// If the text has another form than the one that this knows.
    pub fn parse(text: &str) -> Result<Self> {
        let krate: Value = serde_json::from_str(text)?;
        let index = krate["index"].as_object().context("it has no `index`")?;
        let root = krate["root"].to_string();
        let mut walk = Walk {
            index,
            seen: HashSet::new(),
            items: Vec::new(),
        };
        walk.item(&root, "", None)
            .with_context(|| format!("the root is item {root}"))?;
        Ok(PublicItems { items: walk.items })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Those that no example shows.
    pub fn without_example(&self) -> impl Iterator<Item = &PublicItem> {
        self.items.iter().filter(|item| !item.is_shown)
    }
}

/// A walk through all that is public, from the root of the crate.
struct Walk<'a> {
    index: &'a Map<String, Value>,
    /// An item may be public by several names. The first one counts.
    seen: HashSet<String>,
    items: Vec<PublicItem>,
}

impl Walk<'_> {
    /// Visits an item in the module, type or trait `parent`. A re-export may give it another name.
    fn item(&mut self, id: &str, parent: &str, name: Option<&str>) -> Result<()> {
        // Items of other crates, and hidden ones, are not in the index.
        let Some(item) = self.index.get(id) else {
            return Ok(());
        };
        let (kind, inner) = kind(item)?;
        // Modules that re-export each other by `*` would be walked for ever.
        if item["crate_id"] != 0 || !self.seen.insert(id.to_owned()) {
            return Ok(());
        }
        if kind == "use" {
            return self.re_export(inner, parent);
        }
        let name = name.or(item["name"].as_str()).context("it has no name")?;
        let path = match parent {
            "" => name.to_owned(),
            _ => format!("{parent}::{name}"),
        };
        if KINDS.contains(&kind) {
            self.items.push(PublicItem {
                path: path.clone(),
                place: place(item),
                is_shown: self.is_shown(kind, item),
            });
        }
        for child in self.children(kind, inner)? {
            self.item(&child, &path, None)?;
        }
        Ok(())
    }

    fn re_export(&mut self, inner: &Value, parent: &str) -> Result<()> {
        let id = inner["id"].to_string();
        if inner["is_glob"] == true {
            let Some(module) = self.index.get(&id) else {
                return Ok(());
            };
            let (kind, inner) = kind(module)?;
            for child in self.children(kind, inner)? {
                self.item(&child, parent, None)?;
            }
            return Ok(());
        }
        let name = inner["name"].as_str();
        self.item(&id, parent, Some(name.context("a re-export has no name")?))
    }

    /// What a user finds in an item.
    fn children(&self, kind: &str, inner: &Value) -> Result<Vec<String>> {
        match kind {
            "module" | "trait" => ids(&inner["items"]),
            "struct" | "enum" | "union" => {
                let mut children = Vec::new();
                for id in ids(&inner["impls"])? {
                    // The methods of a trait are documented there.
                    let block = self.index.get(&id).map(|block| &block["inner"]["impl"]);
                    let own = block.filter(|block| block["trait"].is_null());
                    for child in own.map_or(Ok(Vec::new()), |block| ids(&block["items"]))? {
                        if self
                            .index
                            .get(&child)
                            .is_some_and(|c| c["visibility"] == "public")
                        {
                            children.push(child);
                        }
                    }
                }
                Ok(children)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether an example shows the item. Most types are made by a function: then it is enough that
    /// the text names one with an example.
    fn is_shown(&self, kind: &str, item: &Value) -> bool {
        let has_one = |item: &Value| item["docs"].as_str().is_some_and(has_example);
        let is_made = || {
            let links = item["links"].as_object();
            links.into_iter().flat_map(Map::values).any(|id| {
                self.index
                    .get(&id.to_string())
                    .is_some_and(|target| is_named_for_use(target) && has_one(target))
            })
        };
        has_one(item) || matches!(kind, "struct" | "enum" | "union") && is_made()
    }
}

/// Whether a type whose text links to this item is shown by the example there.
fn is_named_for_use(item: &Value) -> bool {
    kind(item).is_ok_and(|(kind, _)| matches!(kind, "function" | "macro" | "trait"))
}

/// The kind of an item, and what is known of it besides.
fn kind(item: &Value) -> Result<(&str, &Value)> {
    let inner = item["inner"].as_object();
    let entry = inner.and_then(|inner| inner.iter().next());
    let (kind, inner) = entry.context("an item has no `inner`")?;
    Ok((kind, inner))
}

fn ids(list: &Value) -> Result<Vec<String>> {
    let list = list.as_array().context("an item has no list of items")?;
    Ok(list.iter().map(Value::to_string).collect())
}

/// The file and the line, as compilers write them.
fn place(item: &Value) -> String {
    let span = &item["span"];
    let file = span["filename"].as_str().unwrap_or("unknown file");
    format!("{file}:{}", span["begin"][0])
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::*;

    const EXAMPLE: &str = "Does it.\n\n```\nassert!(true);\n```";

    fn item(name: &str, docs: &str, inner: Value) -> Value {
        json!({
            "crate_id": 0,
            "name": name,
            "visibility": "public",
            "docs": docs,
            "links": {},
            "span": { "filename": "src/lib.rs", "begin": [7, 1], "end": [7, 20] },
            "inner": inner,
        })
    }

    fn function(name: &str, docs: &str) -> Value {
        item(name, docs, json!({ "function": {} }))
    }

    fn module(name: &str, items: &[u32]) -> Value {
        item(name, "", json!({ "module": { "items": items } }))
    }

    fn krate(index: Value) -> String {
        json!({ "root": 0, "index": index }).to_string()
    }

    /// A crate with one function that has an example and one that has none.
    pub fn two_functions() -> String {
        krate(json!({
            "0": module("krate", &[1, 2]),
            "1": function("shown", EXAMPLE),
            "2": function("bare", "Does it."),
        }))
    }

    fn paths_without_example(text: &str) -> Vec<String> {
        let items = PublicItems::parse(text).unwrap();
        items
            .without_example()
            .map(|item| item.path.clone())
            .collect()
    }

    #[test]
    fn what_rustdoc_writes_is_read() {
        // Of rustdoc 1.95, as it is but for what it says of generics.
        let text = r#"{"root":0,"crate_version":null,"includes_private":false,"index":{
            "0":{"id":0,"crate_id":0,"name":"drumline","span":null,"visibility":"public",
                "docs":null,"links":{},"attrs":[],"deprecation":null,
                "inner":{"module":{"is_crate":true,"items":[94],"is_stripped":false}}},
            "94":{"id":94,"crate_id":0,"name":"worker_index",
                "span":{"filename":"crates/drumline/src/pool/local.rs","begin":[32,1],"end":[34,2]},
                "visibility":"public","docs":"The number of the thread.","links":{},"attrs":[],
                "deprecation":null,"inner":{"function":{"sig":{"inputs":[],"output":null,
                "is_c_variadic":false},"header":{"is_const":false,"is_unsafe":false,
                "is_async":false,"abi":"Rust"},"has_body":true}}}},
            "paths":{},"external_crates":{},"format_version":57}"#;
        let items = PublicItems::parse(text).unwrap();
        let missing: Vec<_> = items.without_example().collect();
        assert_eq!((items.len(), missing.len()), (1, 1));
        assert_eq!(missing[0].path, "drumline::worker_index");
        assert_eq!(missing[0].place, "crates/drumline/src/pool/local.rs:32");
    }

    #[test]
    fn another_form_is_an_error() {
        assert!(PublicItems::parse("[]").is_err());
        assert!(PublicItems::parse(r#"{"root":0,"index":{"0":{}}}"#).is_err());
    }

    #[test]
    fn re_exports_have_their_own_names() {
        let reexport = |name: &str, id: u32, glob: bool| json!({ "use": { "name": name, "id": id, "is_glob": glob } });
        let text = krate(json!({
            "0": module("krate", &[1, 2]),
            "1": item("", "", reexport("renamed", 4, false)),
            "2": item("", "", reexport("private", 3, true)),
            "3": module("private", &[5]),
            "4": function("inner", "Does it."),
            "5": function("bare", "Does it."),
        }));
        assert_eq!(
            paths_without_example(&text),
            ["krate::renamed", "krate::bare"]
        );
    }

    #[test]
    fn methods_of_types_and_traits_count_and_implementations_do_not() {
        let block = |of: Value, items: &[u32]| {
            item("", "", json!({ "impl": { "trait": of, "items": items } }))
        };
        let text = krate(json!({
            "0": module("krate", &[1, 7]),
            "1": item("Type", EXAMPLE, json!({ "struct": { "impls": [2, 3] } })),
            "2": block(Value::Null, &[4, 5]),
            "3": block(json!({ "path": "Clone" }), &[6]),
            "4": function("own", "Does it."),
            "5": { "crate_id": 0, "name": "private", "visibility": "default", "inner": { "function": {} } },
            "6": function("clone", ""),
            "7": item("Trait", EXAMPLE, json!({ "trait": { "items": [8] } })),
            "8": function("required", "Does it."),
        }));
        assert_eq!(
            paths_without_example(&text),
            ["krate::Type::own", "krate::Trait::required"]
        );
    }

    #[test]
    fn a_type_is_shown_by_the_function_that_makes_it() {
        let mut made = item(
            "Made",
            "By [`shown`].",
            json!({ "struct": { "impls": [] } }),
        );
        made["links"] = json!({ "`shown`": 2 });
        let mut other = item(
            "Other",
            "By [`bare`].",
            json!({ "struct": { "impls": [] } }),
        );
        other["links"] = json!({ "`bare`": 3 });
        let mut function_like = function("like", "As [`shown`].");
        function_like["links"] = json!({ "`shown`": 2 });
        let text = krate(json!({
            "0": module("krate", &[1, 2, 3, 4, 5]),
            "1": made,
            "2": function("shown", EXAMPLE),
            "3": function("bare", "Does it."),
            "4": other,
            "5": function_like,
        }));
        assert_eq!(
            paths_without_example(&text),
            ["krate::bare", "krate::Other", "krate::like"]
        );
    }
}
