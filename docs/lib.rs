//! The readme and the guide: each page is the documentation of an item, so that
//! `cargo test -p guide --doc` compiles and runs its code.
//!
//! `xtask/src/guide` checks that each page with code stands here.

#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    pub struct Readme;

    #[doc = include_str!("src/actor-trees.md")]
    pub struct ActorTrees;

    #[doc = include_str!("src/actors.md")]
    pub struct Actors;

    #[doc = include_str!("src/blocking.md")]
    pub struct Blocking;

    #[doc = include_str!("src/channels.md")]
    pub struct Channels;

    #[doc = include_str!("src/choosing.md")]
    pub struct Choosing;

    #[doc = include_str!("src/debugging.md")]
    pub struct Debugging;

    #[doc = include_str!("src/library.md")]
    pub struct Library;

    #[doc = include_str!("src/pools.md")]
    pub struct Pools;

    #[doc = include_str!("src/protocols.md")]
    pub struct Protocols;

    #[doc = include_str!("src/python.md")]
    pub struct Python;

    #[doc = include_str!("src/rayon.md")]
    pub struct Rayon;

    #[doc = include_str!("src/streams.md")]
    pub struct Streams;

    #[doc = include_str!("src/tasks.md")]
    pub struct Tasks;

    #[doc = include_str!("src/two-runtimes.md")]
    pub struct TwoRuntimes;
}
