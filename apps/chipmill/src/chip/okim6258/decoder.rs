//! The ADPCM decoder of Dialogic and OKI: a nibble of four bits makes a sample of 12 bits.

/// The number of step sizes.
const STEP_COUNT: usize = 49;

/// The step sizes: 16 × 1.1^n, rounded down.
const STEPS: [i32; STEP_COUNT] = steps();

const fn steps() -> [i32; STEP_COUNT] {
    let mut steps = [0; STEP_COUNT];
    let mut step = 16.0;
    let mut n = 0;
    while n < STEP_COUNT {
        steps[n] = step as i32;
        step *= 1.1;
        n += 1;
    }
    steps
}

/// How far the number of the step size moves, by the lower three bits of the nibble.
const STEP_SHIFTS: [isize; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// The decoder's range: 12 bits.
const MIN: i32 = -2_048;
const MAX: i32 = 2_047;

#[derive(Debug, Clone)]
pub(super) struct Decoder {
    signal: i32,
    /// The number of the step size.
    step: usize,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self {
            signal: -2,
            step: 0,
        }
    }

    /// Goes back to the smallest step size. The signal stays, so that nothing clicks.
    pub(super) fn reset_step(&mut self) {
        self.step = 0;
    }

    /// The last sample: -2,048 to 2,047.
    pub(super) fn signal(&self) -> i32 {
        self.signal
    }

    /// Decodes the lower four bits of `nibble`: a sign and three bits of magnitude.
    pub(super) fn decode(&mut self, nibble: u8) {
        let step = STEPS[self.step];
        let part = |bit: u8, part: i32| if nibble & bit != 0 { part } else { 0 };
        let difference = step / 8 + part(1, step / 4) + part(2, step / 2) + part(4, step);
        let signal = if nibble & 8 != 0 {
            self.signal - difference
        } else {
            self.signal + difference
        };
        self.signal = signal.clamp(MIN, MAX);
        let shift = STEP_SHIFTS[usize::from(nibble & 7)];
        self.step = self.step.saturating_add_signed(shift).min(STEP_COUNT - 1);
    }
}
