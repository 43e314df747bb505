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

/// How many searches are made, one after another, and then again.
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
        about: "breadth-first search of a Kronecker graph, from one of 64 roots",
        analysis: "As in Graph500: 2^scale vertices, 16 edges for each, and few of the vertices \
                   have most of them. Each sample is the search from the next of 64 roots of the \
                   largest component, and the tree that it makes is checked after that, untimed. \
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
