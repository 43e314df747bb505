//! Records that were not measured, for tests.

use crate::record::Record;
use crate::round::RoundFigures;
use crate::statistics::median;

/// A record of processes that found these times per operation.
pub fn record(workload: &str, runtime: &str, jobs: usize, measures: &[f64]) -> Record {
    let by_round = measures.iter().enumerate();
    let by_round = by_round.map(|(round, &wall_ns_median)| RoundFigures {
        round,
        wall_ns_median,
        ..RoundFigures::default()
    });
    let mut record = Record {
        workload: workload.to_owned(),
        runtime: runtime.to_owned(),
        jobs,
        size: 35,
        ok: Some(true),
        rounds: measures.len(),
        wall_ns_median: median(measures),
        by_round: by_round.collect(),
        ..Record::default()
    };
    record.machine.kernel = Some("6.18".to_owned());
    for round in &mut record.by_round {
        round.weather.others = Some(0.01);
    }
    record
}
