//! The OKIM6258.
