//! When the operator wants the service to stop.

use std::io;

/// The exit status after a second signal.
const IMPATIENT: i32 = 130;

/// Starts to listen for signals. What it returns is ready after the first one. Called in a runtime
/// of tokio.
///
/// A second signal ends the process at once.
///
/// # Errors
///
/// If the system refuses the handlers.
pub fn stop() -> io::Result<impl Future<Output = ()>> {
    let mut signals = Signals::listen()?;
    let (first, was_first) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        signals.next().await;
        // The receiver is gone if the server has failed meanwhile.
        let _ = first.send(());
        signals.next().await;
        std::process::exit(IMPATIENT);
    });
    Ok(async {
        // The task cannot end before it has sent.
        let _ = was_first.await;
    })
}

/// SIGINT and SIGTERM.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Signals)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
