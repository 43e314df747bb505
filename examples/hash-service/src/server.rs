//! The listener and its connections.

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::service::Service;
use crate::settings::Settings;

/// How long a client may take to send the head of a request. So it is also how long an idle
/// connection stays open.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long no connection is accepted after the system has refused one, mostly for want of file
/// descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A service that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    service: Arc<Service>,
    connections: usize,
}

impl Server {
    /// Opens the port. Called in a runtime of tokio.
    ///
    /// # Errors
    ///
    /// If the address cannot be had.
    pub async fn bind(settings: &Settings, service: Service) -> io::Result<Self> {
        Ok(Server {
            listener: TcpListener::bind(settings.listen).await?,
            service: Arc::new(service),
            connections: settings.connections.get(),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` is ready. Then it accepts no more connections, answers the
    /// requests that it has, and returns the service, which no connection uses any more.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Service {
        let Server {
            listener,
            service,
            connections,
        } = self;
        let (stopping, is_stopping) = watch::channel(false);
        let mut open = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                // The tasks that have ended go, so the set stays as small as the limit.
                Some(_) = open.join_next() => {}
                accepted = listener.accept(), if open.len() < connections => match accepted {
                    Ok((stream, _)) => {
                        service.counters().connections.add_one();
                        open.spawn(talk(stream, Arc::clone(&service), is_stopping.clone()));
                    }
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
        drop(listener);
        stopping.send_replace(true);
        while open.join_next().await.is_some() {}
        Arc::into_inner(service).expect("the tasks of all connections have ended")
    }
}

/// Serves one connection. When the server stops, the request at hand is the last one.
async fn talk(stream: TcpStream, service: Arc<Service>, is_stopping: watch::Receiver<bool>) {
    let answer = service_fn(|request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    // An error ends this connection and concerns nothing else: mostly the client has gone.
    let _ = tokio::select! {
        result = connection.as_mut() => result,
        () = wait_for(is_stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
}

async fn wait_for(mut is_stopping: watch::Receiver<bool>) {
    // The sender lives as long as any connection.
    let _ = is_stopping.wait_for(|is_stopping| *is_stopping).await;
}
