//! Sound chips: what a register write changes, and what is heard.

pub mod okim6258;
pub mod paged_memory;
pub mod sn76489;
pub mod ymfm;

/// A model of a sound chip.
///
/// It makes frames at the rate that the chip has by its clock. What plays it makes the rate of the
/// output of them.
pub trait Core: Send {
    /// The frames per second that [`generate`](Core::generate) makes. Some chips change it when a
    /// register is written.
    fn rate(&self) -> u32;

    /// Writes `value` to `register` of a bank of registers. A chip with one bank ignores `port`.
    fn write(&mut self, port: u8, register: u8, value: u8);

    /// Fills `frames` (left, right) with what the chip sounds next. A full-scale sample is 32,767.
    fn generate(&mut self, frames: &mut [[i32; 2]]);
}
