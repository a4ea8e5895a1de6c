//! What is asked of the tables in a store.

mod builds;
mod damage;
pub mod samples;

pub(crate) use samples::*;

use super::*;
use twistbase_core::error::{Class, DataError, Error};

fn data_error(error: Error) -> DataError {
    match error {
        Error::Data(error) => error,
        other => panic!("not a data error: {other}"),
    }
}

fn fault_of(store: &Store, layout: &TableLayout) -> DataError {
    data_error(store.table(layout).expect_err("the table opened"))
}

/// Reads every page; the number of damaged ones. A page that reads as anything but what was written fails the test.
fn damaged_pages(table: &StoredTable, expected: &[Vec<u8>]) -> usize {
    let layout = *table.layout();
    let mut page_bytes = Vec::new();
    let mut damaged = 0;
    for (row, page) in (0..layout.rows).flat_map(|row| (0..layout.pages).map(move |page| (row, page))) {
        match table.read_page(row, page, &mut page_bytes) {
            Ok(()) => {
                let start = page as usize * layout.page_bytes();
                let right = &expected[row as usize][start..start + layout.page_bytes()];
                assert!(page_bytes == right, "wrong answer: row {row} page {page}");
            }
            Err(error) => {
                assert_eq!(error.class(), Class::Data, "{error}");
                damaged += 1;
            }
        }
    }
    damaged
}

fn samples(layout: &TableLayout) -> Vec<Vec<u8>> {
    (0..layout.rows).map(|row| sample_row(layout, row, 0)).collect()
}
