use super::*;
use crate::comparison::made_up;

/// Records of two runtimes with these numbers of jobs.
fn grid_of(jobs: &[usize]) -> Grid {
    let mut records = Vec::new();
    for &jobs in jobs {
        for runtime in ["drumline", "rayon"] {
            let mut record = made_up::record("fib", runtime, jobs, &[1e6; 10]);
            record.item_ns_median = Some(3.0);
            record.size_label = "35".to_owned();
            records.push(record);
        }
    }
    grids(&records).remove(0).1
}

#[test]
fn a_few_numbers_of_jobs_lie_beside_each_other() {
    let grid = grid_of(&[1, 2]);
    let jobs = ["1 job: ns/call", "× seq", "2 jobs: ns/call", "× seq"];
    assert_eq!(grid.header, [&["index", "runtime"][..], &jobs].concat());
    assert_eq!(grid.rows.len(), 3);
    assert!(grid.rows.iter().all(|row| row.cells.len() == 6));
}

#[test]
fn many_numbers_of_jobs_lie_below_each_other() {
    let grid = grid_of(&[1, 2, 4, 64]);
    assert_eq!(
        grid.header,
        ["index", "jobs", "runtime", "ns/call", "× seq"]
    );
    assert_eq!(grid.rows.len(), 4 * 3);
    assert!(grid.rows.iter().all(|row| row.cells.len() == 5));
    let column = |index: usize| -> Vec<&str> {
        let cells = grid.rows.iter().map(|row| row.cells[index].as_str());
        cells.filter(|cell| !cell.is_empty()).collect()
    };
    assert_eq!(column(0), ["35"]);
    assert_eq!(column(1), ["1", "2", "4", "64"]);
    assert_eq!(
        column(2)[..3],
        ["drumline", "rayon", "drumline ÷ best peer"]
    );
}

#[test]
fn a_narrow_terminal_breaks_no_word() {
    let mut grid = grid_of(&[1, 2, 4]);
    grid.title = "a title that has more words than one line has room for".to_owned();
    grid.notes = vec!["a note that has more words than one line has room for".to_owned()];
    let whole = grid.text_within(None);
    assert!(whole.starts_with(&format!("{}\n", grid.title)), "{whole}");
    assert!(whole.ends_with(&format!("\n  {}\n", grid.notes[0])));
    assert_eq!(grid.text_within(Some(1000)), whole);
    let words = |text: &str| {
        let words = text.split(|c: char| c.is_whitespace() || "│┌┐└┘─╞═╡┆├┤╌".contains(c));
        let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
        words.collect::<BTreeSet<_>>()
    };
    for columns in [100, 80, 60, 40] {
        let text = grid.text_within(Some(columns));
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(usize::from(columns)), "{columns}:\n{text}");
        let broken: Vec<_> = words(&text)
            .into_iter()
            .filter(|word| {
                let known = words(&whole);
                // Cell by cell, a colon follows the name of a column.
                !known.contains(word) && !known.contains(word.trim_end_matches(':'))
            })
            .collect();
        assert!(broken.is_empty(), "{columns}: {broken:?}\n{text}");
    }
}

#[test]
fn the_same_note_is_said_once() {
    let notes = ["a, 1: no", "b, 1: no", "a, 2: why"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(shorten(notes), ["a, 1; b, 1: no", "a, 2: why"]);
}
