//! What cannot be answered of many positions, and which of them is named.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twistbase::context::Silent;
use twistbase::database::ManyPositions;
use twistbase::error::{Class, ErrorReport, InvalidInput};
use twistbase::{Context, Database, Error, RandomRequest, Result};

use super::{SMALL, arrays, ctx, levels, table};
use crate::support::CUBE3;

/// The element that is named, and what is wrong with it.
fn invalid<T: std::fmt::Debug>(result: Result<T>) -> (usize, InvalidInput) {
    match result {
        Err(Error::Element { number, error }) => match *error {
            Error::Invalid(invalid) => (number, invalid),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn codes(invalid: &InvalidInput) -> Vec<&'static str> {
    invalid.problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn the_first_element_is_named_whatever_the_threads_do() {
    const COUNT: usize = 60_000;
    let table = SMALL.table_arrays(table("cube2"), &ctx()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut good = vec![0; COUNT * table.width()];
    arrays("cube2").random(&RandomRequest::default(), 1, &mut good, &ctx()).unwrap();
    for round in 0..12 {
        let (mut array, mut indices) = (good.clone(), vec![0; COUNT]);
        let bad: Vec<usize> = (0..1 + round).map(|_| rng.random_range(0..COUNT)).collect();
        for &number in &bad {
            array[number * table.width() + 5] = 6;
            indices[number] = table.entries();
        }
        let first = *bad.iter().min().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + round % 4).build().unwrap();
        pool.install(|| {
            let (number, error) = invalid(levels(&table, ManyPositions::Arrays(&array), COUNT));
            assert_eq!((number, codes(&error)[0]), (first, "bad-number"));
            assert_eq!(invalid(levels(&table, ManyPositions::Indices(&indices), COUNT)).0, first);
            assert_eq!(invalid(arrays("cube2").texts(&array, &ctx())).0, first);
            assert_eq!(invalid(arrays("cube2").neighbours(&array, &ctx())).0, first);
            assert_eq!(invalid(table.positions(&indices, &mut array.clone(), &ctx())).0, first);
            assert_eq!(invalid(table.indices(ManyPositions::Arrays(&array), &mut indices.clone(), &ctx())).0, first);
        });
    }
}

#[test]
fn every_reason_is_told() {
    let corners = SMALL.table_arrays(table("square1-corners"), &ctx()).unwrap();
    let solved: Vec<u8> = (0..16).collect();
    let mut straddling = solved.clone();
    straddling.rotate_left(1);
    straddling.swap(7, 8);
    let all = |array: &[u8]| invalid(levels(&corners, ManyPositions::Arrays(&[&solved, array].concat()), 2));
    let (number, error) = all(&straddling);
    assert_eq!((number, codes(&error), error.input.as_str()), (1, vec!["straddling-piece"], "123456798ABCDEF0"));
    let mut twice = solved.clone();
    (twice[3], twice[7]) = (1, 200);
    let (_, error) = all(&twice);
    assert_eq!(codes(&error), ["bad-number", "duplicate-piece", "missing-piece"]);
    assert_eq!((error.input.as_str(), error.problems[0].at.clone()), ("0121456?89ABCDEF", Some(7..8)));
    // Small pieces are all alike there: one number may stand for all of them.
    let kinds: Vec<u8> = solved.iter().map(|&piece| if piece % 2 == 0 { 0 } else { piece }).collect();
    assert_eq!(levels(&corners, ManyPositions::Arrays(&kinds), 1).unwrap(), [0]);
    let (number, error) = invalid(levels(&corners, ManyPositions::Texts(&["/", "nonsense", "?"]), 3));
    assert_eq!((number, error.input.as_str()), (1, "nonsense"));
    let (number, error) = invalid(levels(&corners, ManyPositions::Indices(&[0, u64::MAX]), 2));
    assert_eq!((number, codes(&error), error.input.as_str()), (1, vec!["index-out-of-range"], "18446744073709551615"));
    assert!(error.problems[0].message.contains("0 to 3628799"), "{error:?}");
}

#[test]
fn a_position_outside_h_is_refused_with_its_reasons() {
    let table = Database::open(CUBE3.as_path()).unwrap().table_arrays(table("phase2"), &ctx()).unwrap();
    let cube3 = arrays("cube3");
    let mut array = vec![0; 2 * cube3.width()];
    cube3.parse(&["R2 U", "R"], &mut array, &ctx()).unwrap();
    for form in [ManyPositions::Arrays(&array), ManyPositions::Texts(&["R2 U", "R"])] {
        let (number, error) = invalid(levels(&table, form, 2));
        assert_eq!((number, codes(&error)), (1, vec!["corners-twisted", "edges-outside"]));
    }
    // As JSON it is the reasons and the words, which name the place.
    let error = levels(&table, ManyPositions::Texts(&["R2", "R"]), 2).unwrap_err();
    assert_eq!(error.class(), Class::Invalid);
    let report = serde_json::to_value(ErrorReport::new(None, &error)).unwrap();
    assert_eq!((&report["input"], &report["error"]["problems"][0]["code"]), (&"R".into(), &"corners-twisted".into()));
    assert!(
        report["error"]["message"].as_str().unwrap().starts_with("element 1: valid, but not a position in H"),
        "{report}"
    );
}

#[test]
fn distances_and_bounds_are_not_taken_for_each_other() {
    let refused = |result: Result<()>, word: &str| match result {
        Err(Error::Usage(message)) => assert!(message.contains(word), "{message}"),
        other => panic!("{other:?}"),
    };
    let distances = SMALL.table_arrays(table("cube2"), &ctx()).unwrap();
    refused(distances.bounds(ManyPositions::Indices(&[0]), &mut [0], &ctx()), "it stores distances");
    let bounds = Database::open(CUBE3.as_path()).unwrap().table_arrays(table("phase1"), &ctx()).unwrap();
    refused(bounds.distances(ManyPositions::Indices(&[0]), &mut [0], &ctx()), "lower bounds");
    refused(distances.distances(ManyPositions::Indices(&[0]), &mut [], &ctx()), "room for 0");
    refused(distances.distances(ManyPositions::Arrays(&[0; 25]), &mut [0], &ctx()), "25 bytes");
    refused(distances.positions(&[0], &mut [0; 48], &ctx()), "room for 2");
    refused(arrays("cube3").parse(&["R"], &mut [0; 53], &ctx()), "53 bytes");
    refused(arrays("cube3").random(&RandomRequest::default(), 0, &mut [0; 55], &ctx()), "55 bytes");
}

#[test]
fn cancelled_work_ends() {
    let table = SMALL.table_arrays(table("cube2"), &ctx()).unwrap();
    let cancelled = Context::new(Arc::new(AtomicBool::new(true)), Arc::new(Silent));
    let (indices, mut array) = (vec![u64::MAX; 10_000], vec![0; 24]);
    let interrupted = |result: Result<()>| assert!(matches!(result, Err(Error::Interrupted)), "{result:?}");
    interrupted(table.distances(ManyPositions::Indices(&indices), &mut [0; 10_000], &cancelled));
    interrupted(arrays("cube2").random(&RandomRequest::default(), 0, &mut array, &cancelled));
    interrupted(arrays("cube2").parse(&["R"], &mut array, &cancelled));
    interrupted(arrays("cube2").neighbours(&array, &cancelled).map(drop));
}
