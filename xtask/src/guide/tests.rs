use std::fs;
use std::path::PathBuf;

use super::markdown::Link;
use super::markdown::Markdown;
use super::*;

#[test]
fn the_pages_of_this_repository_have_no_faults() {
    check(&workspace::root()).unwrap();
}

#[test]
fn links_are_found_and_code_is_none() {
    let page = "\
# One thing

See [this](a.md), [that `x](y)` one](b.md#part \"title\") and [a link
over](c/d.rs) two lines. `[no](link.md)`

```rust
let a = b[0](\"[no](link.md)\");
```

![a picture](e.svg)
";
    let page = Markdown::parse(page);
    let links: Vec<(usize, &str)> = page
        .links
        .iter()
        .map(|Link { line, address }| (*line, address.as_str()))
        .collect();
    assert_eq!(
        links,
        [(3, "a.md"), (3, "b.md#part"), (4, "c/d.rs"), (10, "e.svg")]
    );
    assert!(page.has_rust);
}

#[test]
fn anchors_are_those_of_github() {
    let page = "# Pools and `--jobs`\n## In short\n```sh\n# no heading\n```\n## In short\n#no\n";
    let page = Markdown::parse(page);
    assert_eq!(page.anchors, ["pools-and---jobs", "in-short", "in-short-1"]);
    assert!(!page.has_rust);
}

#[test]
fn blocks_that_no_test_takes_are_no_rust() {
    for (language, has_rust) in [
        ("", true),
        ("rust,no_run", true),
        ("compile_fail,E0277", true),
        ("rust,ignore", false),
        ("text", false),
        ("toml", false),
    ] {
        let page = Markdown::parse(&format!("```{language}\nx\n```\n"));
        assert_eq!(page.has_rust, has_rust, "{language}");
    }
}

/// A repository with these files, in a folder of the system for temporary ones.
struct Repository(PathBuf);

impl Repository {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Repository(root)
    }

    fn faults(&self) -> String {
        check(&self.0).unwrap_err().to_string()
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn each_fault_is_told_with_its_place() {
    let repository = Repository::new(
        "guide-faults",
        &[
            (
                "README.md",
                "[gone](gone.md)\n[no such part](docs/src/a.md#two)\n[out](../../x)\n",
            ),
            ("docs/src/SUMMARY.md", "[A](a.md)\n"),
            (
                "docs/src/a.md",
                "# One\n```\nlet a = 1;\n```\n[up](../../README.md)\n",
            ),
            (
                "docs/src/b.md",
                "# Not in the summary\n[own](#other)\n[code](../lib.rs#part)\n",
            ),
            ("docs/lib.rs", ""),
            ("target/c.md", "[not looked at](gone.md)\n"),
        ],
    );
    let faults = repository.faults();
    for fault in [
        "README.md:1: gone.md: there is no gone.md",
        "README.md:2: docs/src/a.md#two: docs/src/a.md has no heading `two`; it has one",
        "README.md:3: ../../x: leads out of the repository",
        "docs/src/a.md:5: ../../README.md: mdBook turns this",
        "docs/src/a.md: docs/lib.rs does not test its code",
        "docs/src/b.md: SUMMARY.md does not name it",
        "docs/src/b.md:2: #other: docs/src/b.md has no heading `other`",
        "docs/src/b.md:3: ../lib.rs#part: docs/lib.rs is no page with headings",
    ] {
        assert!(faults.contains(fault), "{fault}\n{faults}");
    }
    assert!(!faults.contains("c.md"), "{faults}");
}

#[test]
fn a_repository_without_faults_passes() {
    let repository = Repository::new(
        "guide-right",
        &[
            (
                "README.md",
                "# Top\n[a](docs/src/a.md#one) [top](#top) [web](https://x.y/#z)\n",
            ),
            ("docs/src/SUMMARY.md", "[A](a.md)\n"),
            (
                "docs/src/a.md",
                "# One\n```rust\nlet a = 1;\n```\n[code](../lib.rs)\n",
            ),
            ("docs/lib.rs", "#[doc = include_str!(\"src/a.md\")]\n"),
        ],
    );
    let told = check(&repository.0).unwrap();
    assert!(told.starts_with("5 links in 3 pages, 1 chapters"), "{told}");
}
