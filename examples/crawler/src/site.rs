//! A made-up site on the loopback, which counts what is in flight.
//!
//! A request is in flight from the moment at which it has been read to the moment before the
//! response is written. After that the client may have the response, and ask for the next page.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use crate::http;
use crate::site_map::SiteMap;

/// Threads besides those that answer: so a request above the bound is answered, and counted.
const SPARE_THREADS: usize = 4;

/// Called with the path of each request, while it is in flight.
pub type Hold = dyn Fn(&str) + Send + Sync;

/// What the site has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteRecord {
    in_flight: usize,
    /// The most requests that were in flight at once.
    pub most_in_flight: usize,
    /// How often each path was asked for.
    pub requests: BTreeMap<String, u64>,
}

struct Shared {
    listener: TcpListener,
    map: SiteMap,
    hold: Box<Hold>,
    record: Mutex<SiteRecord>,
    is_over: AtomicBool,
}

/// A site that listens.
pub struct Site {
    address: SocketAddr,
    bound: usize,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Shared {
    fn record(&self) -> MutexGuard<'_, SiteRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer_all(&self) {
        // Acquire: pairs with the store in `finish`, which comes before the connection that wakes
        // this thread.
        while !self.is_over.load(Ordering::Acquire) {
            // A connection that fails concerns its client only.
            if let Ok((socket, _)) = self.listener.accept() {
                let _ = self.answer(socket);
            }
        }
    }

    fn answer(&self, mut socket: TcpStream) -> io::Result<()> {
        socket.set_read_timeout(Some(http::PATIENCE))?;
        let head = http::head(&mut BufReader::new(&socket))?;
        let path = head.split(' ').nth(1).unwrap_or_default();
        {
            let mut record = self.record();
            record.in_flight += 1;
            record.most_in_flight = record.most_in_flight.max(record.in_flight);
            *record.requests.entry(path.to_owned()).or_default() += 1;
        }
        (self.hold)(path);
        let http::Response { status, body } = self.map.response(path);
        self.record().in_flight -= 1;
        let length = body.len();
        socket.write_all(
            format!("HTTP/1.0 {status} -\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes(),
        )
    }
}

impl Site {
    /// Opens a free port. At most `bound` requests may be in flight at once.
    ///
    /// # Errors
    ///
    /// If the system refuses the port, or a thread.
    pub fn start(map: SiteMap, bound: usize, hold: Box<Hold>) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("cannot open a port")?;
        let mut site = Site {
            address: listener.local_addr()?,
            bound,
            shared: Arc::new(Shared {
                listener,
                map,
                hold,
                record: Mutex::default(),
                is_over: AtomicBool::new(false),
            }),
            threads: Vec::new(),
        };
        for number in 0..bound.saturating_add(SPARE_THREADS) {
            let shared = Arc::clone(&site.shared);
            let thread = thread::Builder::new()
                .name(format!("site-{number}"))
                .spawn(move || shared.answer_all())
                .context("cannot start a thread for the site")?;
            site.threads.push(thread);
        }
        Ok(site)
    }

    /// A hold that makes each page take this long.
    pub fn latency(latency: Duration) -> Box<Hold> {
        Box::new(move |_| {
            if !latency.is_zero() {
                thread::sleep(latency);
            }
        })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has seen so far.
    pub fn record(&self) -> SiteRecord {
        self.shared.record().clone()
    }

    /// Ends the site. Returns what it has seen.
    ///
    /// # Errors
    ///
    /// If more requests than its bound were in flight at once.
    pub fn finish(mut self) -> Result<SiteRecord> {
        self.end()
            .map_err(|Panicked| anyhow!("a thread of the site panicked"))?;
        let record = self.record();
        ensure!(
            record.most_in_flight <= self.bound,
            "{} pages were in flight at once; {} are allowed",
            record.most_in_flight,
            self.bound
        );
        Ok(record)
    }

    fn end(&mut self) -> Result<(), Panicked> {
        // Release: pairs with the load in `answer_all`.
        self.shared.is_over.store(true, Ordering::Release);
        for _ in &self.threads {
            // Each thread ends after one more connection at most. Without a connection, the system
            // has no sockets left, and the next accept of the thread fails.
            drop(TcpStream::connect(self.address));
        }
        let mut result = Ok(());
        for thread in self.threads.drain(..) {
            result = result.and(thread.join().map_err(|_| Panicked));
        }
        result
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // A test that has failed may hold requests for ever.
        if !thread::panicking() {
            // A crawl that has failed says why itself.
            let _ = self.end();
        }
    }
}

/// A thread of the site has panicked.
struct Panicked;

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site")
            .field("address", &self.address)
            .field("map", &self.shared.map)
            .finish_non_exhaustive()
    }
}
