//! What a consumer has for itself.

use super::batch_size::BatchSize;

/// What a consumer has for itself: its batch size, and a vector for batches. The next one to come
/// goes on with it.
pub(super) struct Hand<T> {
    pub(super) batch_size: BatchSize,
    pub(super) batch: Vec<T>,
}
