//! Breadth-first search: from one vertex on, level by level.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};

use super::kronecker;

/// No vertex.
pub const NONE: u32 = u32::MAX;

/// A graph without directions: the neighbours of each vertex, one row after another.
#[derive(Debug)]
pub struct Graph {
    /// Where the row of each vertex begins, and where the last one ends.
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The Kronecker graph of this scale, without loops. Duplicates stay.
    pub fn kronecker(scale: u32) -> Self {
        Self::new(1 << scale, &kronecker::edges(scale))
    }

    fn new(vertices: usize, edges: &[(u32, u32)]) -> Self {
        let edges = || edges.iter().filter(|(from, to)| from != to);
        let mut starts = vec![0; vertices + 1];
        for &(from, to) in edges() {
            starts[from as usize + 1] += 1;
            starts[to as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[vertices]];
        let mut add = |from: u32, to: u32| {
            let place = &mut next[from as usize];
            neighbours[*place] = to;
            *place += 1;
        };
        for &(from, to) in edges() {
            add(from, to);
            add(to, from);
        }
        Self { starts, neighbours }
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbours of a vertex; one may be there more than once.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbours[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// The vertices that can be reached from the one with the most neighbours: all but single ones
    /// and pairs, in graphs of this kind.
    pub fn largest_component(&self) -> Vec<u32> {
        let all = 0..u32::try_from(self.vertices()).expect("a vertex has 32 bits");
        let Some(centre) = all.max_by_key(|&vertex| self.neighbours(vertex).len()) else {
            return Vec::new();
        };
        let mut is_seen = vec![false; self.vertices()];
        is_seen[centre as usize] = true;
        let mut component = vec![centre];
        let mut next = 0;
        while let Some(&vertex) = component.get(next) {
            next += 1;
            for &neighbour in self.neighbours(vertex) {
                if !mem::replace(&mut is_seen[neighbour as usize], true) {
                    component.push(neighbour);
                }
            }
        }
        component
    }

    /// How many edges there are between vertices of a component.
    pub fn edges_of(&self, component: &[u32]) -> u64 {
        let ends = component
            .iter()
            .map(|&vertex| self.neighbours(vertex).len());
        ends.sum::<usize>() as u64 / 2
    }

    /// Whether the parents are a tree of shortest paths from `root` to all of `component`, by the
    /// rules of Graph500.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub fn validate(
        &self,
        parent: impl Fn(u32) -> u32,
        root: u32,
        component: &[u32],
    ) -> Result<(), String> {
        if parent(root) != root {
            return Err("the root is not its own parent".to_owned());
        }
        let has_parent = |vertex: &u32| parent(*vertex) != NONE;
        let all = 0..u32::try_from(self.vertices()).expect("a vertex has 32 bits");
        if !component.iter().all(has_parent) || all.filter(has_parent).count() != component.len() {
            return Err("not all vertices were found, or too many".to_owned());
        }
        let mut levels = vec![NONE; self.vertices()];
        levels[root as usize] = 0;
        let mut path = Vec::new();
        for &vertex in component {
            let mut next = vertex;
            while levels[next as usize] == NONE {
                if path.len() > component.len() {
                    return Err("the parents go round in a circle".to_owned());
                }
                path.push(next);
                next = parent(next);
            }
            let mut level = levels[next as usize];
            while let Some(passed) = path.pop() {
                level += 1;
                levels[passed as usize] = level;
            }
        }
        for &vertex in component {
            let (level, parent) = (levels[vertex as usize], parent(vertex));
            let mut is_beside_parent = vertex == root;
            for &neighbour in self.neighbours(vertex) {
                is_beside_parent |= neighbour == parent;
                if levels[neighbour as usize].abs_diff(level) > 1 {
                    return Err("a path is not the shortest".to_owned());
                }
            }
            if !is_beside_parent {
                return Err("a vertex is no neighbour of its parent".to_owned());
            }
        }
        Ok(())
    }
}

/// A search: the graph, and which vertex each one was found from.
#[derive(Debug)]
pub struct Search {
    graph: Graph,
    parents: Vec<AtomicU32>,
}

impl Search {
    /// A search that has found nothing.
    pub fn new(graph: Graph) -> Self {
        let parents = (0..graph.vertices()).map(|_| AtomicU32::new(NONE));
        Self {
            parents: parents.collect(),
            graph,
        }
    }

    /// Forgets what was found. Between two runs.
    pub fn reset(&self) {
        for parent in &self.parents {
            // Relaxed, here and below: a number that publishes nothing. Runtimes order the levels.
            parent.store(NONE, Ordering::Relaxed);
        }
    }

    /// Goes on from one vertex: appends those that this thread finds first to `found`.
    #[inline]
    pub fn visit(&self, vertex: u32, found: &mut Vec<u32>) {
        for &neighbour in self.graph.neighbours(vertex) {
            let parent = &self.parents[neighbour as usize];
            if parent.load(Ordering::Relaxed) == NONE
                && parent
                    .compare_exchange(NONE, vertex, Ordering::Relaxed, Ordering::Relaxed)
                    .is_ok()
            {
                found.push(neighbour);
            }
        }
    }

    /// A whole search on one thread, from `root` on, which has begun. Returns how many vertices it
    /// has found.
    ///
    /// There is one queue in the place of levels, and a claim is a plain store: with a locked
    /// operation for each vertex, the sequential search would be slower than it is by hand.
    pub fn alone(&self, root: u32) -> usize {
        let mut queue = vec![root];
        let mut next = 0;
        while next < queue.len() {
            let vertex = queue[next];
            next += 1;
            for &neighbour in self.graph.neighbours(vertex) {
                let parent = &self.parents[neighbour as usize];
                // Relaxed, both: one thread searches, and no other reads meanwhile.
                if parent.load(Ordering::Relaxed) == NONE {
                    parent.store(vertex, Ordering::Relaxed);
                    queue.push(neighbour);
                }
            }
        }
        queue.len()
    }

    /// Begins at `root`, which is its own parent.
    pub fn begin(&self, root: u32) {
        self.parents[root as usize].store(root, Ordering::Relaxed);
    }

    /// Goes on from some vertices, one after another. Returns what this thread finds first.
    pub fn visit_all(&self, vertices: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        for &vertex in vertices {
            self.visit(vertex, &mut found);
        }
        found
    }

    /// Whether what was found is right; see [`Graph::validate`].
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub fn validate(&self, root: u32, component: &[u32]) -> Result<(), String> {
        let parent = |vertex: u32| self.parents[vertex as usize].load(Ordering::Relaxed);
        self.graph.validate(parent, root, component)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::families::programs::runtimes::seq::Seq;
    use crate::families::programs::runtimes::std_threads::StdThreads;
    use crate::families::programs::{ProgramRuntime, breadth_first};

    fn searched() -> (Arc<Search>, Vec<u32>) {
        let graph = Graph::new(7, &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 2), (1, 4), (5, 6)]);
        let component = graph.largest_component();
        assert_eq!(graph.edges_of(&component), 5);
        let search = Arc::new(Search::new(graph));
        assert_eq!(breadth_first::run(&search, &Seq::start(1).unwrap(), 0), 5);
        (search, component)
    }

    #[test]
    fn a_search_finds_its_component() {
        let (search, mut component) = searched();
        assert_eq!(search.validate(0, &component), Ok(()));
        component.sort_unstable();
        assert_eq!(component, [0, 1, 2, 3, 4]);
    }

    /// Both ways of claiming a vertex make trees that are right.
    #[test]
    fn a_search_by_levels_finds_the_same() {
        let (search, component) = searched();
        search.reset();
        let found = breadth_first::run(&search, &StdThreads::start(1).unwrap(), 0);
        assert_eq!(search.validate(0, &component), Ok(()));
        assert_eq!(found, component.len());
    }

    #[test]
    fn a_wrong_tree_is_refused() {
        for (vertex, parent, error) in [
            (0, 1, "the root is not its own parent"),
            (4, NONE, "not all vertices were found, or too many"),
            (6, 5, "not all vertices were found, or too many"),
            (4, 4, "the parents go round in a circle"),
            (4, 0, "a vertex is no neighbour of its parent"),
            (3, 2, "a path is not the shortest"),
        ] {
            let (search, component) = searched();
            search.parents[vertex as usize].store(parent, Ordering::Relaxed);
            assert_eq!(search.validate(0, &component), Err(error.to_owned()));
        }
    }
}
