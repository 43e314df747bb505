//! The queue between the writes of a player and the decoder.
//!
//! The chip has no queue: it asks for a byte when it needs one, and the X68000's DMA answers. A VGM
//! file has the times of the answers, rounded to 1/44,100 s, and a player may run the chip in
//! blocks. So a byte comes a little early or late, and without a queue the decoder would skip or
//! repeat one.
//!
//! ```text
//!         push: first byte             two pops
//!  ┌─► dry ───────────────► settling ───────────► flowing
//!  └───────────────────────────────────────────────┘
//!                  pop: nothing is there
//! ```
//!
//! Early bytes wait in the queue. For late bytes, the first one after a dry spell waits for two
//! frames, which is the time of a byte: each following byte may be late by as much.
//!
//! The queue is bounded, because a file may have any number of writes at one time, and because what
//! waits is heard late. Eight bytes are 1 ms at 15,625 Hz, more than the times of a good file move.
//! In a full queue, a push replaces the newest entry, as a write to the chip replaces the byte that
//! has not been taken.

use std::collections::VecDeque;

/// How many entries the queue holds.
pub(super) const CAPACITY: usize = 8;

/// For how many frames the first byte after a dry spell waits.
const SETTLING_FRAMES: u8 = 2;

/// What the decoder does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// It decodes two nibbles.
    Byte(u8),
    /// It goes back to the smallest step size.
    StepReset,
}

#[derive(Debug, Clone)]
pub(super) struct Queue {
    entries: VecDeque<Entry>,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// No byte has come since the queue was created or ran empty.
    Dry,
    /// The first byte waits for this number of frames.
    Settling(u8),
    /// Entries come out.
    Flowing,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self {
            entries: VecDeque::with_capacity(CAPACITY),
            state: State::Dry,
        }
    }

    /// Adds an entry, in place of the newest if the queue is full.
    pub(super) fn push(&mut self, entry: Entry) {
        if self.entries.len() == CAPACITY {
            self.entries.pop_back();
        }
        self.entries.push_back(entry);
        if let (State::Dry, Entry::Byte(_)) = (self.state, entry) {
            self.state = State::Settling(SETTLING_FRAMES);
        }
    }

    /// Takes the oldest entry. In a frame that needs a byte, the decoder pops until it has one or
    /// gets `None`.
    pub(super) fn pop(&mut self) -> Option<Entry> {
        match self.state {
            State::Dry => None,
            State::Settling(frames) => {
                self.state = match frames {
                    0 | 1 => State::Flowing,
                    _ => State::Settling(frames - 1),
                };
                None
            }
            State::Flowing => {
                let entry = self.entries.pop_front();
                if entry.is_none() {
                    self.state = State::Dry;
                }
                entry
            }
        }
    }
}
