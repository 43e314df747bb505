//! What the shared libraries of the tests contain, after a line that says how many thread-locals
//! they have besides: `const CELLS: usize = …;`.

use std::cell::Cell;

use drumline::{Pool, join};

thread_local! {
    static CELLS_OF_THREAD: [Cell<u64>; CELLS] = const { [const { Cell::new(1) }; CELLS] };
}

/// A Fibonacci number, by a pool of this library.
// SAFETY: the library exports no other function of this name, and is loaded with `RTLD_LOCAL`.
#[unsafe(no_mangle)]
pub extern "C" fn fibonacci(n: u64) -> u64 {
    let pool = Pool::builder().jobs(2).build();
    pool.map_or(0, |pool| pool.install(|| fib(n)))
}

/// The same, by the calling thread, as a guest of the global pool.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub extern "C" fn fibonacci_here(n: u64) -> u64 {
    fib(n)
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// How many thread-locals there are, counted by the calling thread.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub extern "C" fn count_cells() -> u64 {
    CELLS_OF_THREAD.with(|cells| cells.iter().map(Cell::get).sum())
}
