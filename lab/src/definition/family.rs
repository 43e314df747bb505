//! The family of own workloads.

use crate::effort::Effort;
use crate::families::{Family, one_job_and_all, usual_limit};

/// The family of everything that files define.
pub static FAMILY: Family = Family {
    name: "own",
    title: "own workloads",
    rank: 250,
    nests: false,
    // What a program does is not known.
    computes: false,
    jobs: one_job_and_all,
    // A program is started for each sample, and warms up by itself if it wants to.
    effort: |usual| Effort {
        warm_up_ms: 0,
        samples_min: 1,
        ..usual
    },
    limit: usual_limit,
};
