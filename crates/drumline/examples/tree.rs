//! Scratch: ns per node of a tree sum.
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
fn seq(n: &Node) -> i64 {
    match (&n.left, &n.right) {
        (Some(l), Some(r)) => {
            let a = seq(l);
            let b = seq(r);
            a + b + n.value
        }
        (Some(c), None) | (None, Some(c)) => n.value + seq(c),
        _ => n.value,
    }
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
fn time(reps: u32, mut f: impl FnMut() -> i64) -> f64 {
    let mut v: Vec<f64> = (0..25)
        .map(|_| {
            let t = Instant::now();
            for _ in 0..reps {
                std::hint::black_box(f());
            }
            t.elapsed().as_nanos() as f64 / reps as f64
        })
        .collect();
    v.sort_by(f64::total_cmp);
    v[12]
}
fn fibs(n: u32) -> i64 {
    if n < 2 {
        n as i64
    } else {
        fibs(n - 1) + fibs(n - 2)
    }
}
fn fibp(n: u32) -> i64 {
    if n < 2 {
        n as i64
    } else {
        let (a, b) = drumline::join(|| fibp(n - 1), || fibp(n - 2));
        a + b
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() > 1 {
        // callgrind: jobs
        let t = build(1, 1000).unwrap();
        let pool = drumline::Pool::builder().jobs(1).build().unwrap();
        if args[1] == "seq" {
            for _ in 0..1000 {
                std::hint::black_box(seq(&t));
            }
        } else {
            pool.install(|| {
                for _ in 0..1000 {
                    std::hint::black_box(par(&t));
                }
            })
        }
        return;
    }
    let p1 = drumline::Pool::builder().jobs(1).build().unwrap();
    let p2 = drumline::Pool::builder().jobs(2).build().unwrap();
    for (n, reps) in [(1_000i64, 2000u32), (100_000, 30), (10_000_000, 1)] {
        let t = build(1, n).unwrap();
        let want = n * (n + 1) / 2;
        assert_eq!(seq(&t), want);
        let s = time(reps, || seq(&t));
        let a = p1.install(|| {
            time(reps, || {
                let r = par(&t);
                assert_eq!(r, want);
                r
            })
        });
        let b = p2.install(|| {
            time(reps, || {
                let r = par(&t);
                assert_eq!(r, want);
                r
            })
        });
        let o = time(reps, || p2.install(|| par(&t)));
        println!(
            "tree {n}: seq {:.2} ns; 1 job {:.2}x; 2 jobs {:.2}x; outside2 {:.2}x",
            s / n as f64,
            a / s,
            b / s,
            o / s
        );
    }
    let s = time(1, || fibs(32));
    let a = p1.install(|| time(1, || fibp(32)));
    let b = p2.install(|| time(1, || fibp(32)));
    println!(
        "fib seq {:.2} ns; 1 job {:.2}x 2 jobs {:.2}x",
        s / 7e6,
        a / s,
        b / s
    );
    for (p, j) in [(&p1, 1), (&p2, 2)] {
        let l = p.install(|| {
            time(1, || {
                for i in 0..1_000_000u64 {
                    std::hint::black_box(drumline::join(
                        || std::hint::black_box(i),
                        || std::hint::black_box(i),
                    ));
                }
                0
            })
        });
        println!("loop of joins, {j} jobs: {:.2} ns", l / 1e6);
    }
}
