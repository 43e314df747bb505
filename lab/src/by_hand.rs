//! Some of the workloads, as code that is written by hand: without the lab's traits, and without a
//! runtime. `seq` is held against it; see [`crate::baseline`].

use std::hint::black_box;

use anyhow::{Result, bail};

use crate::families::fork_join::tree::{Node, Tree};
use crate::families::loops::numbers;
use crate::families::loops::workloads::{mandelbrot, map_collect};
use crate::session::Session;

/// The name that stands where that of a runtime would.
pub const NAME: &str = "by-hand";

/// The workloads that are written by hand, with the sizes at which `seq` is held against them.
pub const ALL: &[(&str, &[u64])] = &[
    ("slice-sum", &[10, 1_000, 100_000, 1_000_000]),
    ("tree-sum", &[1_000, 100_000]),
    ("fib", &[25]),
    ("mandelbrot", &[64]),
    ("map-collect", &[10_000]),
];

/// Measures one of them in this process.
pub fn run(workload: &str, size: u64, session: &mut Session) -> Result<()> {
    session.begin();
    match workload {
        "slice-sum" => {
            let numbers = numbers::small(usize::try_from(size)?);
            let expected = slice_sum(&numbers);
            session.sample(&expected, size, || slice_sum(black_box(&numbers)));
        }
        "tree-sum" => {
            let tree = Tree::build(size)?;
            let expected = tree.expected_sum();
            session.sample(&expected, size, || tree_sum(black_box(&tree.root)));
            std::mem::forget(tree);
        }
        "fib" => {
            let (expected, calls) = (fib(size), 2 * fib(size + 1) - 1);
            session.sample(&expected, calls, || fib(black_box(size)));
        }
        "mandelbrot" => {
            let side = usize::try_from(size)?;
            let expected = (0..side).map(|y| mandelbrot::row(y, side)).sum();
            session.sample(&expected, size, || picture(black_box(side)));
        }
        "map-collect" => {
            let numbers = numbers::random(usize::try_from(size)?);
            let expected: Vec<u64> = numbers.iter().map(|&n| map_collect::mapped(n)).collect();
            session.sample_prepared(
                size,
                &mut (),
                |()| (),
                |()| mapped(black_box(&numbers)),
                |(), found| map_collect::same(&found, &expected),
            );
        }
        _ => bail!("there is no {workload} written by hand"),
    }
    Ok(())
}

fn slice_sum(numbers: &[u64]) -> u64 {
    let mut sum = 0;
    for number in numbers {
        sum += number;
    }
    sum
}

fn tree_sum(node: &Node) -> i64 {
    let mut sum = node.value;
    if let Some(left) = &node.left {
        sum += tree_sum(left);
    }
    if let Some(right) = &node.right {
        sum += tree_sum(right);
    }
    sum
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    fib(n - 1) + fib(n - 2)
}

fn picture(side: usize) -> u64 {
    let scale = 2.5 / side as f64;
    let mut steps = 0;
    for row in 0..side {
        let imaginary = (row as f64 + 0.5) * scale - 1.25;
        for column in 0..side {
            let real = (column as f64 + 0.5) * scale - 2.0;
            let (mut x, mut y) = (0.0, 0.0);
            for _ in 0..mandelbrot::MOST_STEPS {
                if x * x + y * y > 4.0 {
                    break;
                }
                (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
                steps += 1;
            }
        }
    }
    steps
}

fn mapped(numbers: &[u64]) -> Vec<u64> {
    let mut mapped = Vec::with_capacity(numbers.len());
    for &number in numbers {
        mapped.push((number ^ (number >> 7)).wrapping_mul(3));
    }
    mapped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use crate::registry;

    /// Both measure the same number of items, and both check their answers.
    #[test]
    fn it_is_the_same_work() {
        for (workload, sizes) in ALL {
            let size = sizes[0].min(20);
            let mut measured = [NAME, "seq"].map(|runtime| {
                let mut session = Session::new(Effort::once());
                match runtime {
                    NAME => run(workload, size, &mut session).unwrap(),
                    _ => registry::run(workload, runtime, size, 1, &mut session).unwrap(),
                }
                session.end()
            });
            for found in &mut measured {
                assert_eq!(found.error.take(), None, "{workload}");
            }
            assert_eq!(measured[0].items, measured[1].items, "{workload}");
        }
        let mut session = Session::new(Effort::once());
        assert!(run("sort", 1, &mut session).is_err());
    }
}
