//! How many sockets the system lets a process have.

use anyhow::Result;

/// What a process needs besides its clients: standard streams, the listener, what tokio waits with.
pub const OWN: u64 = 64;

/// Raises the limit of file descriptors as far as the system allows it to this process.
///
/// # Errors
///
/// If that is less than `needed`. The error says how to get them.
#[cfg(unix)]
pub fn raise_limit(needed: u64) -> Result<()> {
    use anyhow::{Context, ensure};
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    // Without a number there is no limit.
    let most = limit.maximum.unwrap_or(u64::MAX);
    ensure!(
        most >= needed,
        "{needed} file descriptors are needed, and this process may have {most}; raise the hard \
         limit before the start: `ulimit -Hn {needed}` in a shell of root, `LimitNOFILE={needed}` \
         in a unit of systemd, or `--ulimit nofile={needed}` for a container"
    );
    let current = limit.current.unwrap_or(u64::MAX);
    if current == most {
        return Ok(());
    }
    limit.current = limit.maximum;
    let is_raised = setrlimit(Resource::Nofile, limit).is_ok();
    if !is_raised && current < needed {
        // Some systems grant less than their hard limit says.
        limit.current = Some(needed);
        setrlimit(Resource::Nofile, limit).with_context(|| {
            format!("cannot raise the limit of file descriptors from {current} to {needed}")
        })?;
    }
    Ok(())
}

/// Here, sockets are not limited in this way.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn raise_limit(_needed: u64) -> Result<()> {
    Ok(())
}
