//! A batch of rows: what they find, and what is entered of it.

use std::ops::Range;

use rayon::prelude::*;

use crate::orientation::pull::{PullTask, PullableOrientations, RowSources};
use crate::orientation::representation::PartMarks;
use twistbase_core::error::Result;
use twistbase_core::simd::in_wide_registers;

use super::enter::EnterFound;
use super::search::{LevelCodes, OrientationSearch};

impl<S: PullableOrientations, const P: usize> OrientationSearch<'_, S, P> {
    /// Pulls the rows of a batch that moves lead to from live rows.
    pub(super) fn pull_batch(&mut self, batch: Range<usize>, codes: LevelCodes) -> Result<()> {
        let todo: Vec<usize> = batch.clone().filter(|&row| self.live_sources(row).next().is_some()).collect();
        let needed: Vec<usize> = todo.iter().flat_map(|&row| self.live_sources(row).chain([row])).collect();
        self.rows.bring(&needed)?;
        self.find(&todo, codes.from);
        self.enter(batch, &todo, codes);
        Ok(())
    }

    /// The live rows that moves into a row lead from.
    fn live_sources(&self, row: usize) -> impl Iterator<Item = usize> {
        let sources = self.prepared.space.sources(row).iter().map(|source| source.row as usize);
        sources.filter(|&row| self.frontier.live[row])
    }

    /// Finds what these rows are next to: the states of that code in other rows.
    fn find(&mut self, todo: &[usize], code: u8) {
        let Self { prepared, rows, frontier, found, fresh, .. } = self;
        let shape = *prepared.space.shape();
        let (parts, groups) = (shape.parts, shape.groups);
        let at_once = (S::TASK_BLOCKS / groups).clamp(1, parts);
        let rooms = found.par_chunks_exact_mut(shape.blocks()).zip(fresh.par_chunks_exact_mut(parts));
        todo.par_iter().zip(rooms).for_each(|(&row, (found, fresh))| {
            let row = RowSources::<S, P>::new(prepared, row, rows, frontier, code);
            let tasks = found.par_chunks_mut(at_once * groups).zip(fresh.par_chunks_mut(at_once)).enumerate();
            tasks.for_each(|(task, (found, fresh))| {
                in_wide_registers(PullTask { row: &row, first: task * at_once, groups, found, fresh });
            });
        });
    }

    /// Enters what these rows of a batch found, marks the parts and counts the states.
    fn enter(&mut self, batch: Range<usize>, todo: &[usize], codes: LevelCodes) {
        let Self { prepared, rows, next, counts, found, fresh, .. } = self;
        let shape = prepared.space.shape();
        let counts = &mut counts[batch.clone()];
        counts.iter_mut().for_each(|counts| counts.push(0));
        let mut wanted = todo.iter().copied().peekable();
        let results = batch.clone().zip(next.rows_mut(batch.start).zip(counts));
        let results: Vec<_> = results.filter_map(|(row, results)| wanted.next_if_eq(&row).map(|_| results)).collect();
        rows.rows_mut(todo)
            .into_par_iter()
            .zip(results)
            .zip(found.par_chunks_exact(shape.blocks()))
            .zip(fresh.par_chunks_exact(shape.parts))
            .for_each(|(((sets, (marks, counts)), found), fresh)| {
                let parts = PartMarks::mark(marks, fresh.iter().map(|&fresh| fresh > 0));
                in_wide_registers(EnterFound::<S, P>::new(shape, codes, sets, found, parts));
                if let Some(count) = counts.last_mut() {
                    *count = fresh.iter().map(|&fresh| u64::from(fresh)).sum();
                }
            });
    }
}
