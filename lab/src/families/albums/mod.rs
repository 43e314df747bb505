//! Albums: songs of a few minutes each that a program of its own renders, several at once.
//!
//! The program is `apps/chipmill`, which also has the peers: it says in the lab's terms what it has
//! measured (see [`Measurement`](crate::measurement::Measurement)), and the lab takes turns between
//! its rows, adds up and compares. It needs a C++ compiler and is built apart from the lab.

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::Family;
use crate::machine::cores_available;
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::WorkloadCard;

pub mod program;

include!(concat!(env!("OUT_DIR"), "/families/albums.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "albums",
    title: "albums of songs",
    rank: 48,
    nests: false,
    computes: true,
    jobs: |cores| {
        let mut jobs = vec![1, 4, cores, 4 * cores];
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    },
    // A warm-up would take as long as what it is for.
    effort: |_| Effort::once(),
    limit: |smoke, _, samples| {
        let each = if smoke { 120 } else { 1800 };
        std::time::Duration::from_secs(each * samples.max(1) as u64)
    },
};

/// An album.
pub trait Album {
    /// Name, sizes and text. The size is the number of songs.
    const CARD: WorkloadCard;
}

/// A way of rendering an album.
pub trait AlbumRuntime {
    /// Name and place of this runtime.
    const CARD: RuntimeCard;

    /// What the program calls it.
    const PROGRAM: &'static str;

    /// How many songs it has in flight with this many threads, on this many cores. `None` where
    /// that is the same as another row.
    fn in_flight(threads: usize, cores: usize) -> Option<usize>;
}

// What the registry is made of.

pub(crate) const fn workload<W: Album>() -> WorkloadEntry {
    WorkloadEntry::new(&FAMILY, W::CARD)
}

pub(crate) const fn runtime<R: AlbumRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: Album, R: AlbumRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<R>)
}

fn measure<R: AlbumRuntime>(songs: u64, jobs: usize, session: &mut Session) -> Result<()> {
    session.begin();
    let Some(in_flight) = R::in_flight(jobs, cores_available().unwrap_or(1)) else {
        session.decline("the same as another row");
        return Ok(());
    };
    let Some(program) = program::find()? else {
        session.decline(program::HOW_TO_GET);
        return Ok(());
    };
    session.tasks(in_flight as u64, None);
    let row = format!("{} {in_flight} x {jobs}", R::PROGRAM);
    session.sample_program(|| program::measure(&program, songs, &row));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// A record says the version of the lab's own lock file; the peer is compiled into the program.
    #[test]
    fn the_program_has_the_version_of_rayon_that_a_record_says() {
        let version = |lock: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(lock);
            let text = std::fs::read_to_string(path).unwrap();
            let (_, rest) = text.split_once("name = \"rayon\"\nversion = ").unwrap();
            rest.lines().next().unwrap().to_owned()
        };
        let program = version("../apps/chipmill/Cargo.lock");
        assert_eq!(program, version("../Cargo.lock"));
    }
}
