//! How loud a voice looks.

/// A bar that jumps when its voice is struck, and falls: slowly while the voice is held, and fast
/// after it is let go.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Meter {
    level: f32,
    strikes: u32,
}

impl Meter {
    /// The level, from 0 to 1, when `seconds` have passed, with the strikes of the voice so far.
    pub fn after(&mut self, seconds: f32, strikes: u32, held: bool) -> f32 {
        if strikes == self.strikes {
            let half_life = if held { 0.8 } else { 0.12 };
            self.level *= 0.5_f32.powf(seconds / half_life);
        } else {
            self.strikes = strikes;
            self.level = 1.0;
        }
        self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strike_is_seen_and_falls() {
        let mut meter = Meter::default();
        assert_eq!(meter.after(0.1, 0, false), 0.0);
        // Also one that is over before the screen is drawn.
        assert_eq!(meter.after(0.1, 3, false), 1.0);
        let held = meter.clone().after(0.1, 3, true);
        let let_go = meter.after(0.1, 3, false);
        assert!(let_go < held && held < 1.0, "{let_go} {held}");
    }
}
