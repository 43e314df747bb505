//! The SN76489 and its relatives.
