//! Orders: a level of a search in parts, for threads and tasks that are handed their work.

use std::ops::Range;
use std::sync::Arc;

use super::VERTICES;
use super::graph::Search;

/// Vertices that a thread or a task is to go on from. All orders of a level share its vertices.
#[derive(Debug)]
pub struct Order {
    search: Arc<Search>,
    frontier: Arc<Vec<u32>>,
    range: Range<usize>,
}

impl Order {
    /// The orders of a level: [`VERTICES`] vertices each, and what is left.
    pub fn all(search: &Arc<Search>, frontier: Vec<u32>) -> impl Iterator<Item = Self> {
        let (search, frontier) = (Arc::clone(search), Arc::new(frontier));
        (0..frontier.len())
            .step_by(VERTICES)
            .map(move |start| Self {
                range: start..(start + VERTICES).min(frontier.len()),
                search: Arc::clone(&search),
                frontier: Arc::clone(&frontier),
            })
    }

    /// Goes on from them. Returns what was found first here.
    pub fn follow(&self) -> Vec<u32> {
        self.search.visit_all(&self.frontier[self.range.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::programs::graph::Graph;

    #[test]
    fn the_orders_of_a_level_are_all_of_its_vertices() {
        let search = Arc::new(Search::new(Graph::kronecker(4)));
        for vertices in [0, 1, VERTICES, VERTICES + 1, 3 * VERTICES] {
            let frontier = Vec::from_iter(0..u32::try_from(vertices).unwrap());
            let orders = Vec::from_iter(Order::all(&search, frontier.clone()));
            assert_eq!(orders.len(), vertices.div_ceil(VERTICES));
            let parts = orders.iter().map(|order| &frontier[order.range.clone()]);
            assert_eq!(parts.collect::<Vec<_>>().concat(), frontier);
            // A copy for each would be work that a program can do without.
            let is_shared = |order: &Order| Arc::ptr_eq(&order.frontier, &orders[0].frontier);
            assert!(orders.iter().all(is_shared));
        }
    }
}
