//! One shortest path for each of many positions, found side by side.

use crate::remembered::Remembered;
use twistbase_core::error::Result;
use twistbase_store::Entries;

/// How many descents are made side by side. Nearly every look-up misses the processor's caches: one look-up for each of
/// so many descents, and the misses overlap.
pub(crate) const SIDE_BY_SIDE: usize = 32;

/// A step that may lead nearer, and the entry to be read to decide it.
pub(crate) struct StepProbe {
    pub step: u8,
    pub row: u32,
    pub entry: u64,
}

/// Descents over a table, each from a position down to solved.
pub(crate) trait Descent {
    /// The state of one descent.
    type Walk;
    /// The reader of the table.
    type Entries: Entries;

    fn entries(&self) -> &Self::Entries;

    /// The [key](Remembered) under which the next step is remembered, if it is: of all that the step depends on.
    fn key(&self, walk: &Self::Walk) -> Option<u64>;

    /// The next step to be probed, after `probed` steps have been probed or passed over; `None` at the end of the
    /// descent.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if no step is left.
    fn next_probe(&self, walk: &mut Self::Walk, probed: &mut usize) -> Result<Option<StepProbe>>;

    /// Whether the step probed, the last that [`Descent::next_probe`] returned, leads nearer.
    ///
    /// # Errors
    /// Those of the reader.
    fn leads_nearer(&self, walk: &Self::Walk, probe: &StepProbe) -> Result<bool>;

    /// Takes the step of that number; whether there is one.
    fn step(&self, walk: &mut Self::Walk, step: u8) -> bool;
}

struct Descender<W> {
    walk: W,
    probed: usize,
    key: Option<u64>,
}

/// Brings all descents to their ends. In each round every one of them either takes a step that is remembered in `steps`,
/// or probes one; the entries to be read are prefetched before the first of them is needed.
///
/// # Errors
/// Those of the [`Descent`].
pub(crate) fn walk_down<D: Descent>(descent: &D, steps: &Remembered, walks: Vec<D::Walk>) -> Result<Vec<D::Walk>> {
    let descender = |walk| Descender { walk, probed: 0, key: None };
    let mut descenders: Vec<_> = walks.into_iter().map(descender).collect();
    let mut probes: Vec<(usize, StepProbe)> = Vec::with_capacity(descenders.len());
    loop {
        probes.clear();
        for descender in descenders.iter_mut().filter(|descender| descender.probed == 0) {
            descender.key = descent.key(&descender.walk);
            descender.key.into_iter().for_each(|key| steps.prefetch(key));
        }
        let mut stepped = false;
        for (number, descender) in descenders.iter_mut().enumerate() {
            let remembered = descender.key.filter(|_| descender.probed == 0).and_then(|key| steps.get(key));
            if remembered.is_some_and(|step| descent.step(&mut descender.walk, step)) {
                stepped = true;
            } else if let Some(probe) = descent.next_probe(&mut descender.walk, &mut descender.probed)? {
                probes.push((number, probe));
            }
        }
        probes.iter().for_each(|(_, probe)| descent.entries().prefetch(probe.row, probe.entry));
        if probes.is_empty() && !stepped {
            return Ok(descenders.into_iter().map(|descender| descender.walk).collect());
        }
        // These look-ups are independent of each other.
        let nearer = probes.iter().map(|(number, probe)| descent.leads_nearer(&descenders[*number].walk, probe));
        let nearer = nearer.collect::<Result<Vec<_>>>()?;
        for ((number, probe), _) in probes.iter().zip(nearer).filter(|(_, nearer)| *nearer) {
            let descender = &mut descenders[*number];
            if descent.step(&mut descender.walk, probe.step) {
                descender.key.into_iter().for_each(|key| steps.put(key, probe.step));
                descender.probed = 0;
            }
        }
    }
}
