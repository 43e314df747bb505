//! `pbfs`: a breadth-first search of a large graph.

use std::sync::Arc;

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

use crate::families::programs::graph::{Graph, Search};
use crate::families::programs::{Program, ProgramRuntime, breadth_first};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How many searches a process makes after the warm-up, each from a root of its own.
const ROOTS: usize = 64;

/// A graph, and where to begin.
#[derive(Debug)]
pub struct Pbfs {
    search: Arc<Search>,
    component: Vec<u32>,
    edges: u64,
    roots: Vec<u32>,
}

impl Program for Pbfs {
    const CARD: WorkloadCard = WorkloadCard {
        name: "pbfs",
        about: "breadth-first search of a Kronecker graph, from 64 roots",
        analysis: "As in Graph500: 2^scale vertices, 16 edges for each, and few of the vertices \
                   have most of them. Each sample is the search from the next of 64 random roots \
                   of the largest component, and every process searches from all of them, unless \
                   `--samples` says otherwise. The tree that a search makes is checked after it, \
                   untimed. \
                   A search has some seven levels. Of these two or three have nearly all vertices, \
                   and the others are too small to be shared. Memory decides: most steps are to a \
                   vertex that is in no cache.",
        item: "edge",
        size_counts: "scale",
        sizes: &[16, 18, 20],
        smoke_sizes: &[10],
        limits: (4, 26),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const SAMPLES: Option<usize> = Some(ROOTS);

    fn build(size: u64) -> Result<Self> {
        let graph = Graph::kronecker(u32::try_from(size)?);
        let component = graph.largest_component();
        let edges = graph.edges_of(&component);
        let mut random = SmallRng::seed_from_u64(size);
        let roots = (0..ROOTS).filter_map(|_| component.choose(&mut random));
        let roots = roots.copied().collect();
        let search = Arc::new(Search::new(graph));
        Ok(Self {
            search,
            component,
            edges,
            roots,
        })
    }

    fn drive<R: ProgramRuntime>(&self, runtime: &R, session: &mut Session) {
        let mut turn = 0;
        let root = |turn: &usize| self.roots[turn % self.roots.len()];
        session.sample_prepared(
            self.edges,
            &mut turn,
            |_| self.search.reset(),
            |turn| breadth_first::run(&self.search, runtime, root(turn)),
            |turn, found| {
                if found != self.component.len() {
                    return Err(format!("{found} vertices were found"));
                }
                self.search.validate(root(turn), &self.component)?;
                *turn += 1;
                Ok(())
            },
        );
    }

    fn size_label(size: u64) -> String {
        format!("scale {size}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::effort::Effort;
    use crate::families::programs::kmers::KmerCounter;
    use crate::families::programs::runtimes::seq::Seq;
    use crate::registry;
    use crate::runtime::RuntimeCard;

    /// Searches as `seq` does, and notes where it began.
    #[derive(Default)]
    struct Noting {
        begins: AtomicBool,
        roots: Mutex<Vec<u32>>,
    }

    impl ProgramRuntime for Noting {
        const CARD: RuntimeCard = <Seq as ProgramRuntime>::CARD;

        fn start(_jobs: usize) -> Result<Self> {
            Ok(Self::default())
        }

        fn search(&self, search: impl FnOnce() -> usize + Send) -> usize {
            // Relaxed, here and below: one thread does all of this.
            self.begins.store(true, Ordering::Relaxed);
            search()
        }

        fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
            if self.begins.swap(false, Ordering::Relaxed) {
                self.roots.lock().unwrap().extend(&frontier);
            }
            search.visit_all(&frontier)
        }

        fn count(&self, _: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
            counters
        }
    }

    #[test]
    fn every_process_searches_from_all_roots() {
        let workload = registry::workload("pbfs").unwrap();
        for usual in [Effort::quick(), Effort::usual(), Effort::full()] {
            let program = Pbfs::build(8).unwrap();
            let noting = Noting::start(1).unwrap();
            let mut session = Session::new(workload.effort(usual));
            program.drive(&noting, &mut session);
            assert_eq!(session.end().error, None);
            // The first one is the warm-up.
            let mut searched = noting.roots.into_inner().unwrap().split_off(1);
            let mut roots = program.roots;
            assert_eq!(roots.len(), 64);
            searched.sort_unstable();
            roots.sort_unstable();
            assert_eq!(searched, roots);
        }
    }
}
