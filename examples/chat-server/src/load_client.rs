//! A client that speaks, and checks what it hears.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Barrier, Semaphore};

/// What all clients of a load have in common.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the server is.
    pub address: SocketAddr,
    /// How many clients there are.
    pub clients: usize,
    /// How many lines each says.
    pub lines: u64,
    /// Where they wait until there is room in the accept queue of the server.
    pub entrance: Arc<Semaphore>,
    /// Where they wait until all are members.
    pub start: Arc<Barrier>,
}

/// What a client has heard.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// How many lines were said.
    pub lines: u64,
    /// How many bytes these lines had.
    pub bytes: u64,
    /// When all were members.
    pub begun: Instant,
    /// When the last line was heard.
    pub ended: Instant,
}

/// One client.
pub struct LoadClient {
    number: usize,
    plan: Plan,
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    /// The number of the line that comes next, of each client.
    expected: Vec<u64>,
}

impl LoadClient {
    /// Connects, speaks, and hears all that the others say.
    pub async fn run(number: usize, plan: Plan) -> Result<Heard> {
        let entrance = Arc::clone(&plan.entrance).acquire_owned().await?;
        let socket = TcpStream::connect(plan.address)
            .await
            .with_context(|| format!("client {number} cannot connect"))?;
        socket.set_nodelay(true)?;
        let (reader, writer) = socket.into_split();
        let mut client = LoadClient {
            number,
            lines: BufReader::new(reader).lines(),
            writer,
            expected: vec![0; plan.clients],
            plan,
        };
        let welcome = client.next_line().await?;
        ensure!(welcome.starts_with("* you are "), "not welcome: {welcome}");
        drop(entrance);
        client.plan.start.wait().await;
        let heard = client
            .speak()
            .await
            .with_context(|| format!("client {number}"))?;
        client
            .quit()
            .await
            .with_context(|| format!("client {number} at its end"))?;
        Ok(heard)
    }

    async fn next_line(&mut self) -> Result<String> {
        let line = self.lines.next_line().await?;
        line.context("the server has closed the connection")
    }

    /// Says the next line when the one before has come back, and hears all others meanwhile.
    async fn speak(&mut self) -> Result<Heard> {
        let begun = Instant::now();
        let mut heard = Heard {
            lines: 0,
            bytes: 0,
            begun,
            ended: begun,
        };
        self.say(0).await?;
        let all = self.plan.clients as u64 * self.plan.lines;
        while heard.lines < all {
            let line = self.next_line().await?;
            if line.starts_with("* ") {
                // Clients come and go.
                continue;
            }
            let (sender, number) = said(&line).with_context(|| format!("heard: {line}"))?;
            let Some(expected) = self.expected.get_mut(sender) else {
                bail!("there is no client {sender}");
            };
            ensure!(
                *expected == number,
                "line {number} of client {sender} came in the place of line {expected}"
            );
            *expected += 1;
            heard.lines += 1;
            heard.bytes += line.len() as u64 + 1;
            if sender == self.number && number + 1 < self.plan.lines {
                self.say(number + 1).await?;
            }
        }
        heard.ended = Instant::now();
        Ok(heard)
    }

    async fn say(&mut self, number: u64) -> Result<()> {
        let line = format!("{} {number}\n", self.number);
        Ok(self.writer.write_all(line.as_bytes()).await?)
    }

    /// Says goodbye. Nothing is said after all that was said.
    async fn quit(&mut self) -> Result<()> {
        self.writer.write_all(b"/quit\n").await?;
        let mut last = String::new();
        while let Some(line) = self.lines.next_line().await? {
            ensure!(line.starts_with("* "), "one line too many: {line}");
            last = line;
        }
        ensure!(last == "* goodbye", "the last line was: {last}");
        Ok(())
    }
}

/// The client, and the number of its line.
fn said(line: &str) -> Option<(usize, u64)> {
    let (_nick, text) = line.split_once(": ")?;
    let (sender, number) = text.split_once(' ')?;
    Some((sender.parse().ok()?, number.parse().ok()?))
}
