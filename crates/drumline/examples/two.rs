//! Scratch: distribution with two jobs.
use std::time::Instant;
struct Node {
    value: i64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}
fn build(lo: i64, hi: i64) -> Option<Box<Node>> {
    if lo > hi {
        return None;
    }
    let mid = (lo + hi) / 2;
    let mut n = Box::new(Node {
        value: mid,
        left: None,
        right: None,
    });
    n.left = build(lo, mid - 1);
    n.right = build(mid + 1, hi);
    Some(n)
}
#[inline(never)]
fn par(n: &Node) -> i64 {
    match (&n.left, &n.right) {
        (Some(l), Some(r)) => {
            let (a, b) = drumline::join(|| par(l), || par(r));
            a + b + n.value
        }
        (Some(c), None) | (None, Some(c)) => n.value + par(c),
        _ => n.value,
    }
}
fn main() {
    let n: i64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let jobs: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let t = build(1, n).unwrap();
    let p = drumline::Pool::builder().jobs(jobs).build().unwrap();
    let mut v: Vec<f64> = p.install(|| {
        (0..(40_000_000 / n))
            .map(|_| {
                let s = Instant::now();
                std::hint::black_box(par(&t));
                s.elapsed().as_nanos() as f64
            })
            .collect()
    });
    let total: f64 = v.iter().sum();
    v.sort_by(f64::total_cmp);
    let q = |f: f64| v[((v.len() - 1) as f64 * f) as usize] / n as f64;
    println!(
        "n {n} jobs {jobs}: mean {:.2} ns/node; p10 {:.2} p50 {:.2} p90 {:.2} p99 {:.2} p999 {:.2} max {:.0} us",
        total / v.len() as f64 / n as f64,
        q(0.1),
        q(0.5),
        q(0.9),
        q(0.99),
        q(0.999),
        v[v.len() - 1] / 1e3
    );
}
