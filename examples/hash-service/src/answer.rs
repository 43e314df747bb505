//! The response to each outcome.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};

/// A response with a short text as its body.
pub type Answer = Response<Full<Bytes>>;

/// Why a request has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No such path.
    NotFound,
    /// The path has another method, which is named.
    Method(&'static str),
    /// As many requests as the service admits are admitted.
    TooMany,
    /// The body is longer than the limit.
    TooLarge,
    /// The body broke off, or was no valid HTTP.
    Body,
    /// The deadline passed before the body was there.
    SlowBody,
    /// The deadline passed before the result was there.
    Overdue,
    /// The job panicked.
    Panicked,
    /// The job was stopped by something else than its own request.
    Stopped,
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Refusal::NotFound => StatusCode::NOT_FOUND,
            Refusal::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Refusal::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::Body => StatusCode::BAD_REQUEST,
            Refusal::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Refusal::Overdue => StatusCode::GATEWAY_TIMEOUT,
            Refusal::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            Refusal::Stopped => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Refusal::NotFound => "there are POST /hash and GET /stats",
            Refusal::Method(_) => "this path has another method",
            Refusal::TooMany => "too many requests are being computed; try again later",
            Refusal::TooLarge => "the upload is too long",
            Refusal::Body => "the upload broke off",
            Refusal::SlowBody => "the deadline passed before the upload was complete",
            Refusal::Overdue => "the deadline passed before the result was there",
            // What a panic says is for the operator, and stands on standard error.
            Refusal::Panicked => "the computing failed",
            Refusal::Stopped => "the computing was stopped",
        }
    }

    /// A header that says what to do instead.
    fn header(self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Refusal::Method(method) => Some((ALLOW, HeaderValue::from_static(method))),
            // A full queue is through after a fraction of this; seconds are the unit of the header.
            Refusal::TooMany => Some((RETRY_AFTER, HeaderValue::from_static("1"))),
            _ => None,
        }
    }

    /// The response that says so.
    pub fn answer(self) -> Answer {
        let mut answer = text(self.status(), format!("{}\n", self.message()));
        answer.headers_mut().extend(self.header());
        answer
    }
}

/// A response of text.
pub fn text(status: StatusCode, text: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    *answer.status_mut() = status;
    answer.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    answer
}
