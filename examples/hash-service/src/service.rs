//! What is done with one request.

use std::sync::Arc;
use std::time::Duration;

use drumline::{BuildError, ShutdownError};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::{Method, Request, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::admission::AdmissionLimit;
use crate::answer::{Answer, Refusal, text};
use crate::computer::{Computer, Failure, Work};
use crate::counters::Counters;
use crate::hashing::Digest;
use crate::settings::Settings;

/// Answers requests, within the limits of its settings.
#[derive(Debug)]
pub struct Service {
    computer: Computer,
    admission: AdmissionLimit,
    counters: Arc<Counters>,
    body_limit: usize,
    deadline: Duration,
}

/// Counts a request as abandoned, unless it is answered before this is dropped.
struct Unanswered<'a>(Option<&'a Counters>);

impl Unanswered<'_> {
    fn answered(mut self) {
        self.0 = None;
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if let Some(counters) = self.0 {
            counters.abandoned.add_one();
        }
    }
}

impl Service {
    /// Starts the threads that compute.
    ///
    /// # Errors
    ///
    /// If the number of jobs makes no sense.
    pub fn start(settings: &Settings, work: Arc<Work>) -> Result<Self, BuildError> {
        let counters = Arc::new(Counters::default());
        let computer = Computer::start(settings.jobs, work, Arc::clone(&counters))?;
        Ok(Service {
            admission: AdmissionLimit::new(computer.jobs() + settings.queue),
            computer,
            counters,
            body_limit: settings.body_limit.get(),
            deadline: settings.deadline,
        })
    }

    /// What this service has done so far.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Waits until all jobs have ended, and ends the threads that compute. Call it outside of async
    /// code: it blocks.
    ///
    /// # Errors
    ///
    /// On a thread of the pool.
    pub fn shutdown(self) -> Result<(), ShutdownError> {
        self.computer.shutdown()
    }

    /// The response to a request.
    ///
    /// When the client goes away, hyper drops this future, at whichever `await` it stands.
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let unanswered = Unanswered(Some(&self.counters));
        let result = match (request.uri().path(), request.method()) {
            ("/hash", &Method::POST) => self
                .hash(request.into_body())
                .await
                .map(|digest| format!("{digest}\n")),
            ("/hash", _) => Err(Refusal::Method("POST")),
            ("/stats", &Method::GET) => Ok(self.stats()),
            ("/stats", _) => Err(Refusal::Method("GET")),
            _ => Err(Refusal::NotFound),
        };
        unanswered.answered();
        match result {
            Ok(result) => text(StatusCode::OK, result),
            Err(refusal) => refusal.answer(),
        }
    }

    /// Admits the request first, because its body takes memory, and reads and computes then. The
    /// deadline is for both.
    async fn hash(&self, body: Incoming) -> Result<Digest, Refusal> {
        // A client that says the length in advance hears at once that it is too much.
        if body.size_hint().lower() > self.body_limit as u64 {
            return Err(Refusal::TooLarge);
        }
        let Some(admission) = self.admission.try_admit() else {
            self.counters.refused.add_one();
            return Err(Refusal::TooMany);
        };
        self.counters.admitted.add_one();
        let deadline = Instant::now() + self.deadline;
        let upload = match timeout_at(deadline, self.read(body)).await {
            Ok(read) => read?,
            Err(_) => return Err(self.overdue(Refusal::SlowBody)),
        };
        // The deadline drops the inner future, which stops the job.
        match timeout_at(deadline, self.computer.compute(upload, admission)).await {
            Ok(Ok(digest)) => Ok(digest),
            Ok(Err(Failure::Panicked)) => Err(Refusal::Panicked),
            Ok(Err(Failure::Stopped)) => Err(Refusal::Stopped),
            Err(_) => Err(self.overdue(Refusal::Overdue)),
        }
    }

    async fn read(&self, body: Incoming) -> Result<Bytes, Refusal> {
        match Limited::new(body, self.body_limit).collect().await {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
            Err(_) => Err(Refusal::Body),
        }
    }

    fn overdue(&self, refusal: Refusal) -> Refusal {
        self.counters.overdue.add_one();
        refusal
    }

    /// One line per figure.
    fn stats(&self) -> String {
        let pool = self.computer.stats();
        format!(
            "requests_admitted_now {}\nrequests_admitted_limit {}\n{}\
             pool_jobs {}\npool_threads {}\npool_queue_depth {}\npool_steals_total {}\n\
             pool_parks_total {}\npool_wakes_total {}\n",
            self.admission.admitted(),
            self.admission.limit(),
            self.counters,
            pool.jobs,
            pool.threads,
            pool.queue_depth,
            pool.steals,
            pool.parks,
            pool.wakes,
        )
    }
}
