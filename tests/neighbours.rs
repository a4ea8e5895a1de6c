//! Tables checked against their neighbours, as `verify --deep` does. The larger ones are those that the other tests of
//! the long suite have built.

use twistbase::Kernel;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::query::{DeepRequest, DeepVerified, verify_deep};
use twistbase::store::Store;
use twistbase::tables::{self, Definition};

use crate::faults::{Numbers, SMALL, run, small};
use crate::support::cube3::CUBE3;
use crate::support::{CUBE21, count, with_rows};

fn deep(
    store: &Store,
    table: &'static dyn Definition,
    rows: Option<u32>,
    positions: u64,
) -> (DeepVerified, Vec<Error>) {
    let request = DeepRequest { rows, positions, seed: 4, memory: 4 << 30, kernel: Kernel::detect() };
    let mut faults = Vec::new();
    let verified = verify_deep(store, table, &request, &Context::silent(), &mut |fault| faults.push(fault));
    (verified.expect("the table"), faults)
}

#[test]
fn intact_tables_follow_from_their_neighbours() {
    let fixture = small();
    let (verified, faults) = deep(&fixture.store(), fixture.definition, None, 0);
    assert_eq!(verified, DeepVerified { rows: 90, positions: 0, faults: 0 }, "{faults:?}");
    for name in ["phase1", "phase1-qtm", "phase2", "nx-eo1-ep1-htm"] {
        let table = tables::find(name).expect("a table");
        let (verified, faults) = deep(&CUBE3.with(&[table]), table, None, 3000);
        assert_eq!(verified, DeepVerified { rows: 0, positions: 3000, faults: 0 }, "{name}: {faults:?}");
    }
}

#[test]
#[ignore = "long suite: the larger tables of the cube, and shapes of Cube21"]
fn larger_tables_follow_from_their_neighbours() {
    let (verified, faults) = deep(&CUBE21.store(), CUBE21.definition, Some(12), 0);
    assert_eq!(verified, DeepVerified { rows: 12, positions: 0, faults: 0 }, "{faults:?}");
    let larger = [
        "phase1-kociemba",
        "phase2-kociemba",
        "phase2-qtm",
        "phase2-exact",
        "phase2-exact-qtm",
        "nx-eo1-ep1-qtm",
        // Built in the second tier of checks only.
        "huge",
        "nx-eo2-ep1-htm",
    ];
    for name in &larger[..count(6, 8)] {
        let table = tables::find(name).expect("a table");
        let (verified, faults) = deep(&CUBE3.with(&[table]), table, None, 5000);
        assert_eq!(verified.faults, 0, "{name}: {faults:?}");
    }
}

/// Tables whose checksums are right and whose distances are not: only their neighbours tell.
#[test]
fn wrong_distances_are_found_by_their_neighbours() {
    let fixture = small();
    let definition = fixture.definition;
    let (layout, right) = (definition.layout(), fixture.store().table(definition.layout()).expect("the table"));
    let mut numbers = Numbers(3);
    for _ in 0..3 {
        let (row, byte) = (numbers.below(layout.rows.into()) as u32, numbers.below(layout.row_bytes() as u64) as usize);
        let mut bytes = vec![0; layout.row_bytes()];
        right.read_row(row, &mut bytes).expect("a row");
        // One more or one less, and no other value.
        bytes[byte] ^= 1;
        let levels = right.row_record(row).expect("a record").row_levels();
        let dir = with_rows(&right, &[(row, (bytes, levels))].into());
        assert_eq!(run(dir.path(), &["verify", SMALL]).code, Some(0), "the bytes are as they were written");
        let (_, faults) = deep(&Store::open(dir.path()), definition, None, 0);
        let rows = faults.iter().map(|fault| match fault {
            Error::Data(fault) => fault.row.expect("a row"),
            other => panic!("{other}"),
        });
        assert!(rows.clone().any(|found| found == row), "{row}: {:?}", rows.collect::<Vec<_>>());
        let ended = run(dir.path(), &["verify", SMALL, "--deep"]);
        assert_eq!(ended.code, Some(4));
        assert!(ended.stdout.contains("contradicts its neighbours"), "{}", ended.stdout);
    }
}
