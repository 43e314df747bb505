//! The program `chipmill`.

fn main() {}
