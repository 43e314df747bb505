//! Four small programs on `drumline::protocol!`: [`bank`], [`news`], [`transfer`] and
//! [`calculator`].
//!
//! Each is a library module with a binary around it, so that the tests run what is shown.

pub mod bank;
pub mod calculator;
pub mod news;
pub mod transfer;
