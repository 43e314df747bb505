//! What a port set does to the order of messages, and how closing restores it.
//!
//! A worker sends its results to a collector, and then tells a reporter that it is done. The
//! reporter tells the collector. So the results have caused the report; but they come through
//! another port, and the report may be received first.
//!
//! ```sh
//! cargo run -p drumline --example port_set_order
//! ```
//!
//! ```text
//!               1: results
//!   worker ───────────────────────► collector
//!      │ 2: done                        ▲
//!      └─────────► reporter ────────────┘
//!                          3: report
//! ```
//!
//! All is done on one thread, step by step, so the order is the same in each run.

use drumline::channel::{CloseReason, PortEvent, PortSet, spsc};

/// What the collector hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Result(u32),
    Report,
}

/// The two ports of a collector, with what was sent to them in the order of the picture.
fn collector() -> (PortSet<News>, spsc::Sender<News>) {
    let (mut of_worker, results) = spsc::unbounded();
    let (mut of_reporter, reports) = spsc::unbounded();
    let (mut tell, mut told) = spsc::unbounded();
    // The port of the reporter comes first: reports are urgent.
    let mut collector = PortSet::biased();
    collector.add(reports);
    collector.add(results);

    // 1 and 2: the worker.
    of_worker.send(News::Result(1)).unwrap();
    of_worker.send(News::Result(2)).unwrap();
    tell.send("done").unwrap();
    // 3: the reporter, which has heard of it.
    assert_eq!(told.recv(), Ok("done"));
    of_reporter.send(News::Report).unwrap();
    of_reporter.finish();
    (collector, of_worker)
}

/// Receives messages, one after another, and nothing else.
fn in_the_order_of_arrival() -> Vec<News> {
    let (mut collector, _worker) = collector();
    let mut heard = Vec::new();
    while heard.len() < 3 {
        heard.extend(collector.recv().unwrap().into_message());
    }
    heard
}

/// Acts upon the report when the port of the worker is closed: then all results are there.
fn until_the_worker_has_ended() -> Vec<News> {
    let (mut collector, worker) = collector();
    worker.finish();
    let (mut results, mut reports) = (Vec::new(), Vec::new());
    for event in &mut collector {
        match event {
            PortEvent::Message(_, News::Report) => reports.push(News::Report),
            PortEvent::Message(_, result) => results.push(result),
            PortEvent::Closed(_, reason) => assert_eq!(reason, CloseReason::Finished),
        }
    }
    results.extend(reports);
    results
}

/// The collector ends first: it closes all ports, and takes what was sent before. What causes
/// something that is there is there as well.
fn drained() -> (Vec<News>, bool) {
    let (mut collector, mut worker) = collector();
    let mut news = Vec::from_iter(collector.drain().filter_map(PortEvent::into_message));
    // All is there; results first.
    news.sort_by_key(|news| *news == News::Report);
    (news, worker.send(News::Result(3)).is_err())
}

fn main() {
    let arrived = in_the_order_of_arrival();
    println!("as they arrive:        {arrived:?}");
    assert_eq!(arrived, [News::Report, News::Result(1), News::Result(2)]);

    let ordered = until_the_worker_has_ended();
    println!("the worker has ended:  {ordered:?}");
    assert_eq!(ordered, [News::Result(1), News::Result(2), News::Report]);

    let (drained, worker_is_told) = drained();
    println!("the collector drains:  {drained:?}");
    assert_eq!(drained, [News::Result(1), News::Result(2), News::Report]);
    assert!(worker_is_told);
}
