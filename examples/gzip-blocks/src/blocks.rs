//! The source: a file in blocks of the same size.

use std::io::Read;
use std::sync::Arc;

use anyhow::{Context, Result};

/// A block, and the one before it: what stands there may be referred to.
pub struct Block {
    /// What is to be compressed.
    pub data: Arc<Vec<u8>>,
    /// The block before it; empty at the beginning.
    pub before: Arc<Vec<u8>>,
}

/// The blocks of a file. An error is the last item.
pub struct Blocks {
    reader: Box<dyn Read + Send>,
    name: String,
    size: usize,
    last: Arc<Vec<u8>>,
    is_over: bool,
}

impl Blocks {
    /// Blocks of `size` bytes; the file is called `name` in messages.
    pub fn of(reader: Box<dyn Read + Send>, name: String, size: usize) -> Self {
        Blocks {
            reader,
            name,
            size,
            last: Arc::default(),
            is_over: false,
        }
    }

    fn read(&mut self) -> Result<Option<Block>> {
        // A little more than is asked for: so `read_to_end` need not find out whether it was
        // exactly enough.
        let mut data = Vec::with_capacity(self.size + 64);
        let count = self
            .reader
            .by_ref()
            .take(self.size as u64)
            .read_to_end(&mut data)
            .with_context(|| format!("cannot read {}", self.name))?;
        self.is_over = count < self.size;
        if count == 0 {
            return Ok(None);
        }
        let data = Arc::new(data);
        let before = std::mem::replace(&mut self.last, Arc::clone(&data));
        Ok(Some(Block { data, before }))
    }
}

impl Iterator for Blocks {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        if self.is_over {
            return None;
        }
        let read = self.read();
        self.is_over |= read.is_err();
        read.transpose()
    }
}
