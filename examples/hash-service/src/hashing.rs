//! The computing itself.

use std::fmt;

use drumline::CancellationToken;
use sha2::{Digest as _, Sha256};

/// The bytes of an upload that are hashed between two looks at the token: some 50 µs of work.
const BLOCK: usize = 64 * 1024;

/// The rounds between two looks at the token: some 15 µs of work.
const ROUNDS_PER_LOOK: u32 = 256;

/// A SHA-256 hash. It is displayed in hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The computing was told to stop before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the computing was stopped")
    }
}

impl std::error::Error for Stopped {}

/// The hash of an upload, hashed again as often as `rounds` says.
///
/// # Errors
///
/// If the token is cancelled meanwhile.
pub fn hash(upload: &[u8], rounds: u32, token: &CancellationToken) -> Result<Digest, Stopped> {
    let mut hasher = Sha256::new();
    for block in upload.chunks(BLOCK) {
        proceed(token)?;
        hasher.update(block);
    }
    let mut digest = hasher.finalize();
    for round in 0..rounds {
        if round % ROUNDS_PER_LOOK == 0 {
            proceed(token)?;
        }
        digest = Sha256::digest(digest);
    }
    Ok(Digest(digest.into()))
}

fn proceed(token: &CancellationToken) -> Result<(), Stopped> {
    if token.is_cancelled() {
        Err(Stopped)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        let token = CancellationToken::new();
        // From FIPS 180-2, appendix B.
        assert_eq!(
            hash(b"abc", 0, &token).unwrap().to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let million = vec![b'a'; 1_000_000];
        assert_eq!(
            hash(&million, 0, &token).unwrap().to_string(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    #[test]
    fn a_round_hashes_the_hash() {
        let token = CancellationToken::new();
        let once = hash(b"abc", 0, &token).unwrap();
        assert_eq!(hash(&once.0, 0, &token), hash(b"abc", 1, &token));
    }

    #[test]
    fn a_cancelled_token_stops_it() {
        let token = CancellationToken::new();
        token.cancel();
        assert_eq!(hash(b"abc", 0, &token), Err(Stopped));
        assert_eq!(hash(b"", 1, &token), Err(Stopped));
    }
}
