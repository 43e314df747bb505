//! A crawler: it fetches all pages of a site that link to each other, and counts their words.
//!
//! Three kinds of actors do it. The frontier knows which pages have been seen, and hands them to
//! the fetchers. A fetcher fetches one page at a time, and gives its words to the index.
//!
//! Each of them is slowed down by the next one. A fetcher has a bounded mailbox; when all of these
//! are full, the frontier keeps the pages, and goes on when a fetcher has finished one. The index
//! has a bounded mailbox, too; a fetcher that finds it full waits.
//!
//! | file | noun |
//! |---|---|
//! | `crawl` | all actors together, from the first page to the report |
//! | `frontier` | the actor that knows which pages have been seen |
//! | `fetcher` | the actors that fetch |
//! | `errand` | one page that a fetcher was told to fetch, and what came of it |
//! | `index` | the actor that counts words |
//! | `page` | what a page says and links to |
//! | `http` | a request over a socket |
//! | `report` | what came of it all |
//! | `site` | a made-up site on the loopback, which counts what is in flight |
//! | `site_map` | what the pages of that site are |

mod crawl;
mod errand;
mod fetcher;
mod frontier;
pub mod http;
mod index;
mod page;
mod report;
pub mod site;
pub mod site_map;

pub use crawl::{Limits, crawl};
pub use errand::Outcome;
pub use page::Page;
pub use report::{CrawlReport, Trouble};
