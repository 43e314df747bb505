//! Playlists.
