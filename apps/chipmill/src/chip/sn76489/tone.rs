//! A tone generator.

/// A counter that counts down from the period, and a flip-flop that toggles at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tone {
    /// The register: ten bits.
    period: u16,
    zero_is_1024: bool,
    /// Steps until the flip-flop toggles, at least 1.
    until_edge: u32,
    /// The flip-flop.
    is_set: bool,
}

impl Tone {
    /// A tone with period 0 and a flip-flop that toggles with the first step.
    pub(super) fn new(zero_is_1024: bool) -> Self {
        Self {
            period: 0,
            zero_is_1024,
            until_edge: 1,
            is_set: false,
        }
    }

    /// Sets the lower four bits of the period. The count that runs ends first.
    pub(super) fn set_period_low(&mut self, byte: u8) {
        self.period = self.period & 0x3F0 | u16::from(byte & 0x0F);
    }

    /// Sets the upper six bits of the period. The count that runs ends first.
    pub(super) fn set_period_high(&mut self, byte: u8) {
        self.period = self.period & 0x00F | u16::from(byte & 0x3F) << 4;
    }

    /// The period in steps: half of a cycle of the square wave.
    fn steps(&self) -> u32 {
        match self.period {
            0 if self.zero_is_1024 => 1_024,
            0 => 1,
            period => u32::from(period),
        }
    }

    pub(super) fn steps_to_edge(&self) -> u32 {
        self.until_edge
    }

    /// Goes on by at most [`steps_to_edge`](Self::steps_to_edge). Returns whether the flip-flop has
    /// been set.
    pub(super) fn advance(&mut self, steps: u32) -> bool {
        self.until_edge -= steps;
        if self.until_edge > 0 {
            return false;
        }
        self.until_edge = self.steps();
        self.is_set = !self.is_set;
        self.is_set
    }

    /// What is heard. A square wave of one step is far above what can be heard. Programs use it to
    /// play samples through the attenuator, so it gives the attenuator a constant.
    pub(super) fn is_high(&self) -> bool {
        self.is_set || self.steps() == 1
    }
}
