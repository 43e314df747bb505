//! Chores (skeleton).
fn main() {}
