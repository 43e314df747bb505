//! An echo server on tokio, and a client on a thread of its own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::latencies::Latencies;

/// How often the client asks.
const INTERVAL: Duration = Duration::from_millis(1);

const MESSAGE: [u8; 16] = [7; 16];

/// Starts a server that echoes on one connection.
pub fn listen(runtime: &Runtime) -> io::Result<SocketAddr> {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    runtime.spawn(async move {
        let (mut stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let mut message = MESSAGE;
        loop {
            stream.read_exact(&mut message).await?;
            stream.write_all(&message).await?;
        }
        #[expect(unreachable_code, reason = "says which errors end the task")]
        io::Result::Ok(())
    });
    Ok(address)
}

/// Asks for this long.
pub fn measure(server: SocketAddr, how_long: Duration) -> io::Result<Latencies> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    let mut echo = MESSAGE;
    // The first one includes the accept.
    stream.write_all(&MESSAGE)?;
    stream.read_exact(&mut echo)?;

    let mut latencies = Latencies::new(INTERVAL);
    let end = Instant::now() + how_long;
    let mut next = Instant::now() + INTERVAL;
    while next < end {
        thread::sleep(next.saturating_duration_since(Instant::now()));
        let start = Instant::now();
        stream.write_all(&MESSAGE)?;
        stream.read_exact(&mut echo)?;
        latencies.add(start.elapsed());
        next = (next + INTERVAL).max(Instant::now());
    }
    Ok(latencies)
}
