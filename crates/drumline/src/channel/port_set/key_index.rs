//! Where a port is, by its key.

use super::PortKey;

/// The places of ports, found by key. It has no keys of its own: the caller says which port is at a
/// place. So it takes 4 bytes a slot, of which a quarter are free at least, and 5/8 at most.
#[derive(Debug)]
pub(super) struct KeyIndex {
    /// A place and 1; 0: free. A power of two of them, or none.
    slots: Vec<u32>,
    len: usize,
}

/// The fewest slots.
const LEAST: usize = 8;

impl KeyIndex {
    pub(super) fn new() -> Self {
        KeyIndex {
            slots: Vec::new(),
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Where the search for a key begins. Keys are counted up, and a program may keep each
    /// thousandth of them: the product spreads those as well.
    fn start(&self, key: PortKey) -> usize {
        let spread = key.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The high bits depend on all bits of the key.
        (spread >> 32) as usize & (self.slots.len() - 1)
    }

    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// The slot of a key. `key_at` says which port is at a place.
    fn slot(&self, key: PortKey, key_at: impl Fn(usize) -> PortKey) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let mut slot = self.start(key);
        loop {
            let place = self.place(slot)?;
            if key_at(place) == key {
                return Some(slot);
            }
            slot = self.after(slot);
        }
    }

    fn place(&self, slot: usize) -> Option<usize> {
        self.slots[slot].checked_sub(1).map(|place| place as usize)
    }

    /// The place of a key. `key_at` says which port is at a place that is in the index.
    pub(super) fn find(&self, key: PortKey, key_at: impl Fn(usize) -> PortKey) -> Option<usize> {
        self.slot(key, key_at).and_then(|slot| self.place(slot))
    }

    /// Adds a key that is not there.
    pub(super) fn insert(&mut self, key: PortKey, place: usize, key_at: impl Fn(usize) -> PortKey) {
        if 4 * (self.len + 1) > 3 * self.slots.len() {
            let more = LEAST.max(2 * self.slots.len());
            let old = std::mem::replace(&mut self.slots, vec![0; more]);
            for entry in old.into_iter().filter(|&entry| entry > 0) {
                self.put(key_at(entry as usize - 1), entry);
            }
        }
        let entry = u32::try_from(place + 1).expect("there are fewer ports than that");
        self.put(key, entry);
        self.len += 1;
    }

    fn put(&mut self, key: PortKey, entry: u32) {
        let mut slot = self.start(key);
        while self.slots[slot] > 0 {
            slot = self.after(slot);
        }
        self.slots[slot] = entry;
    }

    /// Takes a key out. `key_at` says which port is at a place, also of this key.
    pub(super) fn remove(&mut self, key: PortKey, key_at: impl Fn(usize) -> PortKey) {
        let Some(mut free) = self.slot(key, &key_at) else {
            return;
        };
        self.len -= 1;
        self.slots[free] = 0;
        // What comes after it, up to a free slot, may have been put there because it was taken.
        let mut slot = self.after(free);
        while let Some(place) = self.place(slot) {
            let mask = self.slots.len() - 1;
            let start = self.start(key_at(place));
            // How far each is from where the search for this key begins.
            if slot.wrapping_sub(start) & mask >= slot.wrapping_sub(free) & mask {
                self.slots[free] = self.slots[slot];
                self.slots[slot] = 0;
                free = slot;
            }
            slot = self.after(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::sync::XorShift;

    /// Random insertions and removals, beside a map of the standard library. Keys lie a power of
    /// two apart, which is the worst for an index that does not spread them.
    #[test]
    fn it_finds_what_a_map_finds() {
        for stride in [1, 1 << 10, 1 << 40] {
            let (mut index, mut map) = (KeyIndex::new(), HashMap::new());
            let (mut keys, mut vacant) = (Vec::new(), Vec::new());
            let random = XorShift::new(7);
            for number in 0..5_000u64 {
                let key = PortKey(number * stride);
                let place = vacant.pop().unwrap_or(keys.len());
                if place == keys.len() {
                    keys.push(key);
                }
                keys[place] = key;
                index.insert(key, place, |place| keys[place]);
                map.insert(key, place);
                if random.below(3) > 0 {
                    let gone = PortKey(random.below(number as usize + 1) as u64 * stride);
                    index.remove(gone, |place| keys[place]);
                    vacant.extend(map.remove(&gone));
                }
                assert_eq!(index.len(), map.len());
            }
            for number in 0..5_000 {
                let key = PortKey(number * stride);
                let found = index.find(key, |place| keys[place]);
                assert_eq!(found, map.get(&key).copied());
            }
        }
    }
}
