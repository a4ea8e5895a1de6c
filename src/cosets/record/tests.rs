use super::*;

/// A result about a coset: positions at each depth from 4 on, the first `exact` of these levels exact.
pub fn record(coset: u32, positions: &[u64], exact: usize) -> CosetRecord {
    let mut total = 0;
    let levels = (0..).zip(positions).map(|(place, &positions)| {
        total += positions;
        let exact = place < exact;
        CosetLevel {
            depth: 4 + place as u8,
            positions: Some(positions),
            total: Some(total),
            weighted: exact.then_some(positions * 48),
            exact,
            searched: exact,
            ended_early: false,
            sequences: positions * 2,
            prepass_seconds: 0.5,
            search_seconds: 0.1,
        }
    });
    let levels: Vec<_> = levels.collect();
    CosetRecord {
        coset,
        search_depth: 3 + exact as u8,
        depth: 3 + positions.len() as u8,
        mode: "fast".to_owned(),
        prepass: true,
        stop_at: None,
        bound_20: false,
        cover: Some(Cover::identity().to_owned()),
        exact_to: Some(3 + exact as u8),
        remaining: CosetOfH::POSITIONS - total,
        levels,
        seconds: 0.1,
        threads: 2,
        finished: 1_700_000_000,
        creator: "test".to_owned(),
    }
}

/// Whichever is known to a greater depth: the counts stay, and the weights are those of this program's cover.
#[test]
fn weights_of_an_earlier_cover_are_replaced() {
    let new = record(5, &[2, 18], 2);
    for exact in [2, 3] {
        let mut old = record(5, &[2, 18, 118], exact);
        old.cover = Some("an earlier one".to_owned());
        old.levels.iter_mut().for_each(|level| level.weighted = level.weighted.map(|weighted| weighted + 1));
        for (first, second) in [(&new, &old), (&old, &new)] {
            let combined = first.clone().combined(second.clone()).unwrap();
            let weighted: Vec<_> = combined.levels.iter().map(|level| level.weighted).collect();
            assert_eq!((combined.exact_to, &combined.cover), (old.exact_to, &new.cover));
            assert_eq!(weighted, [Some(96), Some(864), None]);
        }
    }
}

#[test]
fn levels_that_no_number_counts_are_refused() {
    let mut record = record(5, &[2, 18], 2);
    (record.levels[0].depth, record.levels[1].depth, record.depth) = (255, 0, 255);
    assert!(record.check().is_err());
}
