//! Register logs of sound chips (VGM) to audio.
//!
//! A VGM file is a list of what a program wrote into the registers of a machine's sound chips, and
//! when. This library reads such files, runs models of the chips, and mixes what they sound.
//!
//! ```text
//! album ──┬─► playlist ─► song ─► render ─► output
//! player ─┘                         │
//!                                   ▼
//! compose                         chip
//! ```

pub mod album;
pub mod chip;
pub mod compose;
pub mod output;
pub mod player;
pub mod playlist;
pub mod render;
pub mod song;
