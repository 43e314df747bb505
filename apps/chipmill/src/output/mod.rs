//! Audio files.
