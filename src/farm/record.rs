//! The record of an item.

use serde::{Deserialize, Serialize};

use super::plan::ItemList;
use twistbase_cosets::CosetRecord;
use twistbase_database::OptimalRecord;
use twistbase_query::RowCheck;

/// What came of an item of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FarmRecord {
    /// The item, from 0.
    pub item: u64,
    /// What came of it.
    #[serde(flatten)]
    pub found: FarmFinding,
}

/// What came of an item, by what was done with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FarmFinding {
    /// The result about a coset.
    Coset(Box<CosetRecord>),
    /// The answer to a line.
    Answer(Box<OptimalRecord>),
    /// What computing a row anew came to.
    Row(RowCheck),
}

impl FarmRecord {
    /// The result about a coset, if it is one.
    pub(super) fn as_coset(&self) -> Option<&CosetRecord> {
        if let FarmFinding::Coset(record) = &self.found { Some(record) } else { None }
    }

    /// What computing a row anew came to, if it is that.
    pub(super) fn into_row(self) -> Option<RowCheck> {
        if let FarmFinding::Row(check) = self.found { Some(check) } else { None }
    }

    /// Fails unless it is about its item.
    pub(super) fn check(&self, list: &ItemList) -> Result<(), String> {
        let item = self.item;
        let is_of_item = match &self.found {
            FarmFinding::Coset(record) => {
                record.check()?;
                list.number(item).is_some() && list.number(item) == record.number()
            }
            FarmFinding::Answer(record) => record.number == item + 1 && record.input == list.line(item),
            FarmFinding::Row(check) => list.number(item) == Some(check.row),
        };
        if is_of_item { Ok(()) } else { Err(format!("the record of item {item} belongs to another item")) }
    }
}
