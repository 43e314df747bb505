//! Records in which the figures of this machine are looked for.
//!
//! A table may need several runs, so all records are one heap, the newest on top: each cell has the
//! newest record that measured it. The page names every file that it took something from.

use std::collections::BTreeMap;

use super::experiment::Cell;
use crate::archive::Archive;
use crate::entry::RuntimeEntry;
use crate::record::Record;

/// Records of runs, the newest first.
#[derive(Debug, Default)]
pub struct Evidence {
    archive: Archive,
}

/// A record, and the name of its run.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The record.
    pub record: &'a Record,
    /// The file that it is in.
    pub run: &'a str,
}

impl Evidence {
    /// What these runs say.
    pub fn of(archive: Archive) -> Self {
        Self { archive }
    }

    /// Adds what was measured just now, which is the newest.
    pub fn add(&mut self, name: String, records: Vec<Record>) {
        self.archive.add(name, records);
    }

    /// The newest record of a cell at this size; of this runtime, which is that of the cell or the
    /// one that it is held against. Without a figure in any, one that says why there is none.
    pub fn find(&self, cell: &Cell, size: u64, runtime: &RuntimeEntry) -> Option<Found<'_>> {
        let is_it = |record: &Record| {
            let jobs = cell.jobs.filter(|_| runtime.card.parallel);
            let jobs = match runtime.card.parallel {
                true => jobs.or(record.machine.cores_available),
                false => Some(1),
            };
            record.workload == cell.workload.card.name
                && record.size == size
                && record.runtime == runtime.card.name
                && jobs == Some(record.jobs)
        };
        let found = self.archive.runs().iter().flat_map(|run| {
            let records = run.records.iter().filter(|record| is_it(record));
            records.map(|record| Found {
                record,
                run: &run.name,
            })
        });
        let mut without = None;
        for found in found {
            if found.record.ok == Some(true) {
                return Some(found);
            }
            without = without.or(Some(found));
        }
        without
    }

    /// The size of a workload that is shown: the published one, if a record has it; else the one
    /// with the most records, and the larger of two.
    pub fn size(&self, cell: &Cell) -> u64 {
        let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
        for record in self.archive.runs().iter().flat_map(|run| &run.records) {
            if record.workload == cell.workload.card.name && record.ok == Some(true) {
                *sizes.entry(record.size).or_default() += 1;
            }
        }
        if sizes.contains_key(&cell.size) {
            return cell.size;
        }
        let most = sizes
            .into_iter()
            .max_by_key(|(size, records)| (*records, *size));
        most.map_or(cell.size, |(size, _)| size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::published::experiment::named;

    /// The first cell of the table of tree-sum with 100,000,000 nodes on two jobs.
    fn cell() -> Cell {
        let experiment = named(&["tree-sum-100M".to_owned()]).unwrap().remove(0);
        let rows = experiment.rows().unwrap();
        let row = rows.iter().find(|row| row.label == "drumline");
        row.unwrap().cells[2]
    }

    fn record(size: u64, wall: f64) -> Record {
        let mut record = made_up::record("tree-sum", "drumline", 2, &[wall]);
        record.size = size;
        record
    }

    #[test]
    fn the_newest_figure_is_found() {
        let cell = cell();
        let mut evidence = Evidence::default();
        assert!(evidence.find(&cell, cell.size, cell.runtime).is_none());
        evidence.add("old".to_owned(), vec![record(cell.size, 1.0)]);
        let mut failed = record(cell.size, 2.0);
        (failed.ok, failed.error) = (Some(false), Some("it broke".to_owned()));
        evidence.add("new".to_owned(), vec![failed.clone()]);
        let found = evidence.find(&cell, cell.size, cell.runtime).unwrap();
        assert_eq!((found.run, found.record.ok), ("old", Some(true)));
        assert!(evidence.find(&cell, 7, cell.runtime).is_none());

        let mut broken = Evidence::default();
        broken.add("new".to_owned(), vec![failed]);
        let found = broken.find(&cell, cell.size, cell.runtime).unwrap();
        assert_eq!(found.record.trouble(), Some("it broke"));
    }

    #[test]
    fn as_many_jobs_as_processors_are_those_of_the_machine_that_measured() {
        let mut cell = cell();
        cell.jobs = None;
        let mut evidence = Evidence::default();
        let mut other = record(cell.size, 1.0);
        other.machine.cores_available = Some(8);
        evidence.add("eight".to_owned(), vec![other]);
        assert!(evidence.find(&cell, cell.size, cell.runtime).is_none());
        let mut two = record(cell.size, 1.0);
        two.machine.cores_available = Some(2);
        evidence.add("two".to_owned(), vec![two]);
        let found = evidence.find(&cell, cell.size, cell.runtime).unwrap();
        assert_eq!(found.run, "two");
    }

    #[test]
    fn the_published_size_is_shown_if_there_is_one() {
        let cell = cell();
        let mut evidence = Evidence::default();
        assert_eq!(evidence.size(&cell), cell.size);
        evidence.add(
            "some".to_owned(),
            vec![record(5, 1.0), record(9, 1.0), record(9, 1.0)],
        );
        assert_eq!(evidence.size(&cell), 9);
        evidence.add("one".to_owned(), vec![record(cell.size, 1.0)]);
        assert_eq!(evidence.size(&cell), cell.size);
    }
}
