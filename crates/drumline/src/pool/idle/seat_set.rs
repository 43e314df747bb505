//! A set of seat numbers with a cheap minimum.

/// Seats: those that are in the idle set, or those that are active.
#[derive(Debug)]
pub(crate) struct SeatSet {
    words: Vec<u64>,
}

impl SeatSet {
    pub(crate) fn new() -> Self {
        SeatSet { words: Vec::new() }
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

    /// Removes the lowest number: the first idle worker.
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

    /// The highest number.
    pub(crate) fn last(&self) -> Option<usize> {
        let (index, word) = self
            .words
            .iter()
            .enumerate()
            .rfind(|(_, word)| **word != 0)?;
        Some(index * 64 + 63 - word.leading_zeros() as usize)
    }

    pub(crate) fn contains(&self, seat: usize) -> bool {
        self.words
            .get(seat / 64)
            .is_some_and(|word| word & (1 << (seat % 64)) != 0)
    }

    /// All numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            (0..64)
                .filter(move |bit| word & (1 << bit) != 0)
                .map(move |bit| index * 64 + bit)
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}
