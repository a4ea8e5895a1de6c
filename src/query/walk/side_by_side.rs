//! Walks down to solved, many side by side.

use crate::error::Result;
use crate::query::remembered::Remembered;
use crate::store::Entries;

/// Walks that are made side by side. Nearly every look-up misses the processor's caches; one for each of so many walks, and
/// the misses overlap.
pub(in crate::query) const SIDE_BY_SIDE: usize = 32;

/// A step that may lead nearer, and the entry that tells.
pub(in crate::query) struct Probe {
    pub step: u8,
    pub row: u32,
    pub entry: u64,
}

/// Walks over a table, each from a position down to solved.
pub(in crate::query) trait Descent {
    /// Where one stands.
    type Walk;
    /// What holds the table.
    type Entries: Entries;

    fn entries(&self) -> &Self::Entries;

    /// By what the next step is remembered, if it is: a [key](Remembered) of all that the step depends on.
    fn key(&self, walk: &Self::Walk) -> Option<u64>;

    /// What is to be looked at next, when `looked` steps have been passed over or looked at; `None` at the end of the walk.
    ///
    /// # Errors
    /// [`Error::Data`](crate::error::Error::Data) (damaged) if no step is left.
    fn next_look(&self, walk: &mut Self::Walk, looked: &mut usize) -> Result<Option<Probe>>;

    /// Whether the step looked at, the last that [`Descent::next_look`] told, leads nearer.
    ///
    /// # Errors
    /// Those of the reader.
    fn leads_nearer(&self, walk: &Self::Walk, look: &Probe) -> Result<bool>;

    /// Makes the step of that number; whether there is one.
    fn step(&self, walk: &mut Self::Walk, step: u8) -> bool;
}

struct Walker<W> {
    walk: W,
    looked: usize,
    key: Option<u64>,
}

/// Makes all walks to their ends: each makes a step that is remembered in `steps`, or one step is looked at, in turn. What that
/// reads is asked for beforehand.
///
/// # Errors
/// Those of the [`Descent`].
pub(in crate::query) fn walk_down<D: Descent>(
    descent: &D,
    steps: &Remembered,
    walks: Vec<D::Walk>,
) -> Result<Vec<D::Walk>> {
    let walker = |walk| Walker { walk, looked: 0, key: None };
    let mut walkers: Vec<_> = walks.into_iter().map(walker).collect();
    let mut looks: Vec<(usize, Probe)> = Vec::with_capacity(walkers.len());
    loop {
        looks.clear();
        for walker in walkers.iter_mut().filter(|walker| walker.looked == 0) {
            walker.key = descent.key(&walker.walk);
            walker.key.into_iter().for_each(|key| steps.prefetch(key));
        }
        let mut stepped = false;
        for (number, walker) in walkers.iter_mut().enumerate() {
            let remembered = walker.key.filter(|_| walker.looked == 0).and_then(|key| steps.get(key));
            if remembered.is_some_and(|step| descent.step(&mut walker.walk, step)) {
                stepped = true;
            } else if let Some(look) = descent.next_look(&mut walker.walk, &mut walker.looked)? {
                descent.entries().prefetch(look.row, look.entry);
                looks.push((number, look));
            }
        }
        if looks.is_empty() && !stepped {
            return Ok(walkers.into_iter().map(|walker| walker.walk).collect());
        }
        // Nothing here waits for anything else here.
        let nearer = looks.iter().map(|(number, look)| descent.leads_nearer(&walkers[*number].walk, look));
        let nearer = nearer.collect::<Result<Vec<_>>>()?;
        for ((number, look), _) in looks.iter().zip(nearer).filter(|(_, nearer)| *nearer) {
            let walker = &mut walkers[*number];
            if descent.step(&mut walker.walk, look.step) {
                walker.key.into_iter().for_each(|key| steps.put(key, look.step));
                walker.looked = 0;
            }
        }
    }
}
