//! The memory that a chip plays from.

/// The bytes of a page. A block of this size comes from the system as zeros that take no memory
/// before they are written, and goes back to it with its song.
pub const PAGE: usize = 256 << 10;

/// A memory of bytes that are 0 until they are written. Only pages that have been written to are
/// there: a byte at the end of a memory takes one page, and not all of the memory.
#[derive(Default)]
pub struct PagedMemory {
    pages: Vec<Option<Box<[u8]>>>,
}

impl PagedMemory {
    /// The byte at an address.
    pub fn get(&self, address: usize) -> u8 {
        match self.pages.get(address / PAGE) {
            Some(Some(page)) => page[address % PAGE],
            _ => 0,
        }
    }

    /// Writes bytes to an address and those behind it.
    pub fn write(&mut self, mut address: usize, mut data: &[u8]) {
        while !data.is_empty() {
            let at = address % PAGE;
            let (part, rest) = data.split_at(data.len().min(PAGE - at));
            self.page(address / PAGE)[at..at + part.len()].copy_from_slice(part);
            address += part.len();
            data = rest;
        }
    }

    fn page(&mut self, number: usize) -> &mut [u8] {
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        self.pages[number].get_or_insert_with(|| vec![0; PAGE].into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_over_the_ends_of_pages() {
        let data: Vec<u8> = (0..3 * PAGE).map(|place| (place % 251) as u8).collect();
        let mut memory = PagedMemory::default();
        let start = 5 * PAGE - 7;
        memory.write(start, &data);
        memory.write(start + 2, &[9]);
        for (place, &byte) in data.iter().enumerate() {
            let expected = if place == 2 { 9 } else { byte };
            assert_eq!(memory.get(start + place), expected);
        }
        for address in [0, start - 1, start + data.len(), usize::MAX] {
            assert_eq!(memory.get(address), 0);
        }
    }

    #[test]
    fn a_byte_takes_a_page() {
        let mut memory = PagedMemory::default();
        memory.write((16 << 20) - 1, &[1]);
        assert_eq!(memory.pages.iter().flatten().count(), 1);
        memory.write(0, &[]);
        assert_eq!(memory.pages.iter().flatten().count(), 1);
    }
}
