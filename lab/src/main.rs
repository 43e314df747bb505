//! The laboratory (skeleton).
fn main() {}
