//! Runs the program.

use std::process::Command;

fn crawler() -> Command {
    Command::new(env!("CARGO_BIN_EXE_crawler"))
}

#[test]
fn a_crawl_is_reported() {
    let output = crawler()
        .args(["--pages=60", "--fetchers=3", "--jobs=2", "--top=2"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    // 60 pages, 6 that there are not, and 2 that fail.
    for part in [
        "60 pages, each fetched once; 68 requests in ",
        "\n6 broken links\n  /missing/19, linked on /page/19: there is no such page\n",
        "\n2 pages that failed\n  /failing/0, linked on /page/0: status 500\n",
        "\nthe most frequent words\n  the ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.lines().last().unwrap().split(' ').count(), 4);
}

#[test]
fn arguments_that_make_no_sense_are_errors() {
    for argument in [
        "--pages=0",
        "--fetchers=0",
        "--ahead=0",
        "--index-ahead=0",
        "--most-pages=0",
        "--jobs=0",
        "--latency=soon",
    ] {
        let output = crawler().arg(argument).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{argument}: {output:?}");
        let (option, _) = argument.split_once('=').unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(option), "{argument}: {message}");
    }
}
