//! Graphs as Graph500 specifies them: Kronecker graphs, with 16 edges for each vertex.

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// Edges for each vertex.
pub const EDGE_FACTOR: u64 = 16;

/// The probabilities of three of the four quadrants of the matrix; the last one has the rest.
const QUADRANTS: [f64; 3] = [0.57, 0.19, 0.19];

const SEED: u64 = 0x6772_6170_6835_3030;

/// The edges of a graph with 2^`scale` vertices, each a pair of vertices. There are loops and
/// duplicates among them. The numbers of the vertices say nothing.
pub fn edges(scale: u32) -> Vec<(u32, u32)> {
    let mut random = SmallRng::seed_from_u64(SEED);
    let vertices = 1u32 << scale;
    let mut names: Vec<u32> = (0..vertices).collect();
    names.shuffle(&mut random);
    let [upper_left, upper_right, lower_left] = QUADRANTS;
    let edges = (0..u64::from(vertices) * EDGE_FACTOR).map(|_| {
        let (mut row, mut column) = (0u32, 0u32);
        for _ in 0..scale {
            let place: f64 = random.random();
            let is_lower = place >= upper_left + upper_right;
            let is_right = if is_lower {
                place >= upper_left + upper_right + lower_left
            } else {
                place >= upper_left
            };
            row = row << 1 | u32::from(is_lower);
            column = column << 1 | u32::from(is_right);
        }
        (names[row as usize], names[column as usize])
    });
    edges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_vertices_have_most_edges() {
        let edges = edges(10);
        assert_eq!(edges.len(), 16 << 10);
        let mut degrees = vec![0u32; 1 << 10];
        for &(from, to) in &edges {
            degrees[from as usize] += 1;
            degrees[to as usize] += 1;
        }
        degrees.sort_unstable();
        let most: u32 = degrees[900..].iter().sum();
        assert!(most > 16 << 10, "an eighth of them has half of the ends");
        assert!(degrees[100] < 4, "and many have hardly any");
    }
}
