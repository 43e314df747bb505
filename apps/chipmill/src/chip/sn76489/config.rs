//! What a VGM header says of an SN76489.

use thiserror::Error;

/// Which relative of the SN76489 a chip is.
///
/// The default is the chip in Sega's VDPs: a shift register of 16 bits with the taps 0x0009, no
/// flags set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sn76489Config {
    pub(super) taps: u32,
    pub(super) width: u8,
    pub(super) zero_is_1024: bool,
    pub(super) negates: bool,
    pub(super) has_stereo: bool,
    pub(super) divides_by_8: bool,
    pub(super) has_ncr_noise: bool,
}

/// What is wrong with the fields of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Sn76489ConfigError {
    /// The model has no shift register of this width in bits.
    #[error(
        "the SN76489 has a noise shift register of {0} bits: write 15, 16 or 17 into byte 0x2A \
         of the header (up to 32 work)"
    )]
    Width(u8),
    /// No tap of the pattern is inside of the shift register, so that the noise would end.
    #[error(
        "the noise feedback pattern {taps:#06x} has no tap in a shift register of {width} bits: \
         write 0x0009 (Sega) or 0x0003 (SN76489AN) into bytes 0x28 and 0x29 of the header"
    )]
    Taps {
        /// The pattern.
        taps: u16,
        /// The width of the shift register in bits.
        width: u8,
    },
}

impl Sn76489Config {
    /// Reads the fields of a VGM header: the feedback pattern (at 0x28), the width of the shift
    /// register in bits (at 0x2A) and the flags (at 0x2B).
    ///
    /// A pattern of 0 stands for 0x0009 and a width of 0 for 16: these are the values of files
    /// that are older than the fields. The flags are:
    ///
    /// | bit | set                                          | clear                             |
    /// | --- | -------------------------------------------- | --------------------------------- |
    /// | 0   | period 0 is 1,024 (Texas Instruments)        | period 0 is constant (Sega)       |
    /// | 1   | the output is negated                        | it is not                         |
    /// | 2   | the stereo register is ignored               | the stereo register works         |
    /// | 3   | one step is 2 clock cycles                   | one step is 16 clock cycles       |
    /// | 4   | the noise is that of the NCR8496             | the noise is that of the others   |
    ///
    /// # Errors
    ///
    /// [`Sn76489ConfigError::Width`] for more than 32 bits, [`Sn76489ConfigError::Taps`] for a
    /// pattern without a bit inside of the width.
    pub fn from_header(feedback: u16, width: u8, flags: u8) -> Result<Self, Sn76489ConfigError> {
        let taps = if feedback == 0 { 0x0009 } else { feedback };
        let width = if width == 0 { 16 } else { width };
        if width > 32 {
            return Err(Sn76489ConfigError::Width(width));
        }
        if taps.trailing_zeros() >= u32::from(width) {
            return Err(Sn76489ConfigError::Taps { taps, width });
        }
        let is_set = |bit: u8| flags >> bit & 1 == 1;
        Ok(Self {
            taps: u32::from(taps),
            width,
            zero_is_1024: is_set(0),
            negates: is_set(1),
            has_stereo: !is_set(2),
            divides_by_8: !is_set(3),
            has_ncr_noise: is_set(4),
        })
    }
}

impl Default for Sn76489Config {
    fn default() -> Self {
        Self {
            taps: 0x0009,
            width: 16,
            zero_is_1024: false,
            negates: false,
            has_stereo: true,
            divides_by_8: true,
            has_ncr_noise: false,
        }
    }
}
