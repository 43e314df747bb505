//! How much a song may do.

/// The work that a song may do at once, beyond what [`EARNED`] allows: less than a second of it.
pub(super) const MOST: u64 = 1 << 24;

/// The work that a song may do for each sample of its log. The bus of no machine has time for a
/// tenth of these writes.
const EARNED: u64 = 256;

/// The bytes of a memory that take as long as a write.
const BYTES: u64 = 16;

/// The streams or banks that are looked through in the time of a write.
const LOOKED_THROUGH: u64 = 16;

/// The work that a song may still do before time passes in its log.
///
/// A unit is the time of a register write, some 20 ns. All that takes time is counted, also events
/// that come to nothing: without that, a log of some bytes could keep a program busy for days. Time
/// is that of the log. So neither the rate of the output nor how many frames are made at a time
/// changes whether a song is given up.
pub struct Budget {
    left: u64,
    overspent: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            left: MOST,
            overspent: false,
        }
    }
}

impl Budget {
    /// Takes the work of an event, or of a write.
    pub fn spend(&mut self, work: u64) {
        match self.left.checked_sub(work) {
            Some(left) => self.left = left,
            None => self.overspent = true,
        }
    }

    /// Takes the work of an event for which this number of streams or banks is looked through.
    pub fn spend_on_search(&mut self, among: usize) {
        self.spend(1 + among as u64 / LOOKED_THROUGH);
    }

    /// Takes the work of this number of bytes that go into a memory, or are uncompressed.
    pub fn spend_on_bytes(&mut self, bytes: usize) {
        self.spend(1 + bytes as u64 / BYTES);
    }

    /// Adds what a song may do in this number of samples of its log.
    pub fn earn(&mut self, samples: u64) {
        let more = EARNED.saturating_mul(samples);
        self.left = self.left.saturating_add(more).min(MOST);
    }

    /// Whether the song has done more than it may. That stays so.
    pub fn is_overspent(&self) -> bool {
        self.overspent
    }
}
