//! Publish and subscribe: a broker passes each article on to the guests that have asked for its
//! topic.
//!
//! ```
//! use sessions::news::{self, counter, feed};
//!
//! let (guest, broker) = counter::unbounded();
//! let broker = std::thread::spawn(|| news::broker(vec![broker]));
//! let (guest, weather) = news::subscribe(guest, "weather")?;
//! let guest = news::publish(guest, "sports", "a draw")?;
//! let guest = news::publish(guest, "weather", "rain")?;
//! news::leave(guest)?;
//! assert_eq!(news::read(weather)?, ["rain"]);
//! assert_eq!(broker.join().unwrap(), news::Day { articles: 2, copies: 1, gone: 0 });
//! # Ok::<(), drumline::protocol::PeerLeft>(())
//! ```
//!
//! A guest that subscribes makes a session of its own, the [`feed`], and sends one side of it to
//! the broker: it *delegates* it. From then on the broker writes to that session, and the guest, or
//! the task to which it gives the other side, reads. A reader that goes away is noticed with the
//! next article.

use std::collections::HashMap;
use std::sync::Arc;

use drumline::protocol::{PeerLeft, select};

drumline::protocol! {
    /// The articles of one topic, to one reader.
    pub mod feed of source with reader {
        Next = choose {
            Article(Arc<str>) => Next,
            /// The broker has no guests any more.
            NoMore => end,
        };
    }
}

drumline::protocol! {
    /// What a guest says to the broker.
    pub mod counter of guest with broker {
        Open = choose {
            /// Articles of this topic shall go there.
            Subscribe((String, feed::source::Next)) => Open,
            /// An article, and its topic.
            Publish((String, String)) => Open,
            Leave => end,
        };
    }
}

/// Asks for the articles of a topic.
///
/// # Errors
///
/// If the broker has left.
pub fn subscribe(
    guest: counter::guest::Open,
    topic: &str,
) -> Result<(counter::guest::Open, feed::reader::Next), PeerLeft> {
    let (source, reader) = feed::unbounded();
    let guest = guest.choose(counter::choice::Open::Subscribe((topic.to_owned(), source)))?;
    Ok((guest, reader))
}

/// Publishes an article.
///
/// # Errors
///
/// If the broker has left.
pub fn publish(
    guest: counter::guest::Open,
    topic: &str,
    article: &str,
) -> Result<counter::guest::Open, PeerLeft> {
    let publish = counter::choice::Open::Publish((topic.to_owned(), article.to_owned()));
    Ok(guest.choose(publish)?)
}

/// Says goodbye to the broker.
///
/// # Errors
///
/// If the broker has left.
pub fn leave(guest: counter::guest::Open) -> Result<counter::guest::End, PeerLeft> {
    Ok(guest.choose(counter::choice::Open::Leave)?)
}

/// Reads all articles of a topic, until the broker says that there will be no more.
///
/// # Errors
///
/// If the broker has left before it said so.
pub fn read(mut feed: feed::reader::Next) -> Result<Vec<String>, PeerLeft> {
    let mut articles = Vec::new();
    loop {
        match feed.offer()? {
            feed::offer::Next::Article(article, next) => {
                articles.push(article.to_string());
                feed = next;
            }
            feed::offer::Next::NoMore(_end) => return Ok(articles),
        }
    }
}

/// What the broker has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// How many articles were published.
    pub articles: u64,
    /// How many copies of them were passed on.
    pub copies: u64,
    /// How many guests and readers went away without a word.
    pub gone: u64,
}

/// Serves all guests until each of them has left.
pub fn broker(mut guests: Vec<counter::broker::Open>) -> Day {
    let mut feeds: HashMap<String, Vec<feed::source::Next>> = HashMap::new();
    let mut day = Day::default();
    while let Some((_, word)) = select(&mut guests) {
        match word {
            Ok(counter::offer::Open::Subscribe((topic, feed), next)) => {
                feeds.entry(topic).or_default().push(feed);
                guests.push(next);
            }
            Ok(counter::offer::Open::Publish((topic, article), next)) => {
                day.articles += 1;
                if let Some(readers) = feeds.get_mut(&topic) {
                    deliver(&article.into(), readers, &mut day);
                }
                guests.push(next);
            }
            Ok(counter::offer::Open::Leave(_end)) => {}
            Err(_left) => day.gone += 1,
        }
    }
    for feed in feeds.into_values().flatten() {
        let told = feed.choose(feed::choice::Next::NoMore);
        day.gone += u64::from(told.is_err());
    }
    day
}

/// Sends an article to all readers of its topic.
fn deliver(article: &Arc<str>, readers: &mut Vec<feed::source::Next>, day: &mut Day) {
    for feed in std::mem::take(readers) {
        match feed.choose(feed::choice::Next::Article(Arc::clone(article))) {
            Ok(next) => {
                day.copies += 1;
                readers.push(next);
            }
            Err(_left) => day.gone += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drumline::Pool;

    #[test]
    fn readers_get_what_they_have_asked_for() {
        let pool = Pool::builder().jobs(2).build().unwrap();
        let (guests, brokers): (Vec<_>, Vec<_>) = (0..3).map(|_| counter::unbounded()).unzip();
        let broker = pool.spawn(|| broker(brokers));
        // All have subscribed before the first article is published.
        let mut readers = Vec::new();
        let guests: Vec<_> = guests
            .into_iter()
            .map(|guest| {
                let (guest, odd) = subscribe(guest, "odd").unwrap();
                readers.push(pool.spawn(|| read(odd).unwrap()));
                guest
            })
            .collect();
        let [first, second, third] = guests.try_into().unwrap();
        let first = (0..100).fold(first, |guest, number| {
            let topic = if number % 2 == 0 { "even" } else { "odd" };
            publish(guest, topic, &number.to_string()).unwrap()
        });
        leave(first).unwrap();
        leave(second).unwrap();
        drop(third);
        let day = broker.join().unwrap();
        assert_eq!((day.articles, day.gone), (100, 1));
        let expected: Vec<_> = (1..100)
            .step_by(2)
            .map(|number| number.to_string())
            .collect();
        let mut copies = 0;
        for reader in readers {
            let articles = reader.join().unwrap();
            copies += articles.len() as u64;
            // The broker may come to a subscription after articles of another guest.
            assert!(expected.ends_with(&articles));
        }
        assert_eq!(copies, day.copies);
    }

    #[test]
    fn readers_that_are_gone_are_forgotten() {
        let (guest, counter) = counter::unbounded();
        let broker = std::thread::spawn(|| broker(vec![counter]));
        let (guest, reader) = subscribe(guest, "all").unwrap();
        let (guest, kept) = subscribe(guest, "all").unwrap();
        drop(reader);
        let guest = publish(guest, "all", "one").unwrap();
        let guest = publish(guest, "all", "two").unwrap();
        leave(guest).unwrap();
        assert_eq!(read(kept).unwrap(), ["one", "two"]);
        let day = broker.join().unwrap();
        assert_eq!((day.articles, day.copies, day.gone), (2, 2, 1));
    }

    #[test]
    fn a_broker_that_goes_away_says_so() {
        let (guest, counter) = counter::unbounded();
        let (guest, reader) = subscribe(guest, "all").unwrap();
        drop(counter);
        let left = read(reader).unwrap_err();
        assert_eq!((left.role(), left.step()), ("source", "Next"));
        assert!(leave(guest).is_err());
    }
}
