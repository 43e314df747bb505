//! `chipmill compose`: songs that this program makes itself.
