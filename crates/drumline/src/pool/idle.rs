//! A set of seat numbers with a cheap minimum.

/// The workers that stand in line, asleep.
#[derive(Debug)]
pub(crate) struct IdleSet {
    words: Vec<u64>,
}

impl IdleSet {
    pub(crate) fn new() -> Self {
        IdleSet { words: Vec::new() }
    }

    pub(crate) fn insert(&mut self, seat: usize) {
        let (word, bit) = (seat / 64, seat % 64);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    /// Removes a seat; says whether it was there.
    pub(crate) fn remove(&mut self, seat: usize) -> bool {
        let (word, bit) = (seat / 64, seat % 64);
        let Some(word) = self.words.get_mut(word) else {
            return false;
        };
        let was = *word & (1 << bit) != 0;
        *word &= !(1 << bit);
        was
    }

    /// Removes the lowest number: the head of the line.
    pub(crate) fn pop_first(&mut self) -> Option<usize> {
        for (index, word) in self.words.iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(index * 64 + bit);
            }
        }
        None
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}
