//! Levels of spaces up to symmetry, counted.
//!
//! A state is a pair of values that each turn moves by themselves. The classes of the first values up to symmetry are the *rows*; the
//! second values are the *entries* of a row, one bit each. A turn takes the representative of a row to a value of another row, and
//! a symmetry takes that to the representative there; what both do to the entries is a *map*, the same for all rows.
//!
//! Only what is reached is stored. Within one more turn is what was reached, and its neighbours. Each row looks up its own
//! neighbours, with all turns, so the set of a row has all states of its representative at any time: also those of a representative
//! that some symmetries keep.
//!
//! The set of the last level is in memory. The new one is beside it; or it is in a file, and continues after an interruption. Of a
//! set that is larger than memory a level takes several passes, each with a part of the last set.

use std::path::Path;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::level_files::{LevelFiles, RowBytes, RowFile};
use crate::orientation::ReachedLevels;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;

/// Bytes of rows that are worked on, written and read together, about.
const GROUP_BYTES: usize = 1 << 16;

/// A space whose first values are classes under symmetry.
#[derive(Debug)]
pub struct ClassSpace {
    /// The number of turns, which come with their inverses.
    pub turns: usize,
    /// The number of entries of a row.
    pub entries: usize,
    /// For each row, the number of values in its class.
    pub weights: Vec<u32>,
    /// For each row and turn, the row that it leads to.
    pub next: Vec<u32>,
    /// For each row and turn, the map of the entries.
    pub map_of: Vec<u16>,
    /// For each map, where it takes each entry.
    pub maps: Vec<Box<[u32]>>,
    /// For each map, the number of the map that undoes it.
    pub inverse: Vec<u16>,
    /// The row and the entry of the state that distances are from.
    pub start: (u32, u32),
    /// The number of states that the turns reach, each of a class counted; `None` if it is not known.
    pub states: Option<u64>,
}

impl ClassSpace {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    fn row_words(&self) -> usize {
        self.entries.div_ceil(64)
    }

    /// Rows that are worked on together.
    fn group_rows(&self) -> usize {
        (GROUP_BYTES / (8 * self.row_words())).clamp(1, self.rows())
    }

    fn group_words(&self) -> usize {
        self.group_rows() * self.row_words()
    }

    fn groups(&self) -> usize {
        self.rows().div_ceil(self.group_rows())
    }

    /// Bytes of a set of states, beside which the counts of its rows are stored.
    fn set_bytes(&self) -> u64 {
        self.groups() as u64 * self.group_bytes()
    }

    fn group_bytes(&self) -> u64 {
        8 * self.group_words() as u64 + 4 * self.group_rows() as u64
    }

    /// Bytes of the space itself.
    fn bytes(&self) -> u64 {
        let of_turn = size_of::<u32>() + size_of::<u16>();
        (self.rows() * (4 + self.turns * of_turn) + self.maps.len() * self.entries * size_of::<u32>()) as u64
    }

    /// Bytes that a count takes whatever the part of a set that is in memory.
    fn fixed_memory(&self, in_files: bool) -> u64 {
        // A thread has a group, the same compressed, and a row.
        let threads = rayon::current_num_threads() as u64;
        self.bytes() + threads * (8 * self.row_words() as u64 + if in_files { 2 * self.group_bytes() } else { 0 })
    }

    /// Bytes of memory without which the states cannot be counted. In memory alone that takes two sets.
    pub fn least_memory(&self, in_files: bool) -> u64 {
        self.fixed_memory(in_files) + if in_files { self.group_bytes() } else { 2 * self.set_bytes() }
    }
}

/// How the levels of a space are counted.
#[derive(Debug, Clone, Copy)]
pub struct ClassOptions<'a> {
    /// Whatever the states and the turns follow from: a count of another space does not continue this one's.
    pub identity: &'a str,
    /// The folder of the files, which stay there; `None` to count in memory alone.
    pub folder: Option<&'a Path>,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// The last level to count.
    pub depth: usize,
}

/// Counts the states at each distance. `level` gets each distance with its number as soon as it is known, those of an interrupted
/// count first; an error of its own ends the search. Returns whether no states are left.
///
/// # Errors
/// [`Error::Memory`] below [`ClassSpace::least_memory`]; [`Error::Io`] from the files; [`Error::Busy`] if another count uses them;
/// [`Error::Interrupted`]; those of `level`.
pub fn count_classes(
    space: &ClassSpace,
    options: &ClassOptions<'_>,
    ctx: &Context,
    level: &mut dyn FnMut(usize, u64) -> Result<()>,
) -> Result<bool> {
    let (in_files, mut counts) = (options.folder.is_some(), Vec::new());
    Error::check_memory(options.memory, space.least_memory(in_files))?;
    let mut search = ClassSearch::open(space, options, &mut counts)?;
    for (distance, &count) in counts.iter().enumerate().take(options.depth.saturating_add(1)) {
        level(distance, count)?;
    }
    if counts.len() > options.depth.saturating_add(1) {
        return Ok(false);
    }
    let all: u64 = space.weights.iter().map(|&weight| u64::from(weight) * space.entries as u64).sum();
    let all = space.states.unwrap_or(all);
    loop {
        if counts.iter().sum::<u64>() == all {
            return Ok(true);
        }
        if counts.len() > options.depth {
            return Ok(false);
        }
        let count = search.level(counts.len(), ctx)?;
        if count == 0 {
            return Ok(true);
        }
        counts.push(count);
        search.record(&counts)?;
        level(counts.len() - 1, count)?;
    }
}

/// The part of the last level's set that is in memory: some groups.
struct Held {
    /// The first group.
    first: usize,
    bits: Zeroed<u64>,
    /// The number of states of each row.
    counts: Vec<u32>,
}

/// Where the set of the new level is.
enum NewSet {
    Memory(Zeroed<u64>),
    Files(Box<LevelFiles>),
}

/// A search between two levels.
struct ClassSearch<'a> {
    space: &'a ClassSpace,
    held: Held,
    /// Groups that are held at a time.
    slots: usize,
    new: NewSet,
}

impl<'a> ClassSearch<'a> {
    /// Begins with the state that distances are from, or with the levels that are recorded, and adds their counts.
    fn open(space: &'a ClassSpace, options: &ClassOptions<'_>, counts: &mut Vec<u64>) -> Result<Self> {
        let room = options.memory - space.fixed_memory(options.folder.is_some());
        let slots = match options.folder {
            Some(_) => ((room / space.group_bytes()) as usize).clamp(1, space.groups()),
            None => space.groups(),
        };
        let bits = Zeroed::new(slots * space.group_words())?;
        let held = Held { first: 0, bits, counts: vec![0; slots * space.group_rows()] };
        let Some(folder) = options.folder else {
            let new = NewSet::Memory(Zeroed::new(slots * space.group_words())?);
            let mut search = Self { space, held, slots, new };
            let (row, entry) = space.start;
            search.held.bits[row as usize * space.row_words() + entry as usize / 64] = 1 << (entry % 64);
            search.held.counts[row as usize] = 1;
            counts.push(1);
            return Ok(search);
        };
        let name = format!("levels-{:016x}", xxh3_64(options.identity.as_bytes()));
        let files = LevelFiles::open((folder, &name), &[], space.groups(), 8 * space.group_words())?;
        let mut search = Self { space, held, slots, new: NewSet::Files(Box::new(files)) };
        search.resume(counts)?;
        Ok(search)
    }

    /// Reads the levels that are recorded, or writes the first one.
    fn resume(&mut self, counts: &mut Vec<u64>) -> Result<()> {
        let NewSet::Files(files) = &mut self.new else { return Ok(()) };
        if let Some(levels) = files.recorded()? {
            counts.extend(levels.counts.iter().flatten());
            return Ok(());
        }
        let (row, entry) = (self.space.start.0 as usize, self.space.start.1 as usize);
        let (group, at) = (row / self.space.group_rows(), row % self.space.group_rows());
        let mut bits = vec![0u64; self.space.group_words()];
        bits[at * self.space.row_words() + entry / 64] = 1 << (entry % 64);
        let written = files.new.write(group, bytemuck::cast_slice(&bits), &mut RowBytes::default())?;
        files.new.set(group, written);
        counts.push(1);
        self.record(counts)
    }

    /// Records the levels, if there are files.
    fn record(&self, counts: &[u64]) -> Result<()> {
        let NewSet::Files(files) = &self.new else { return Ok(()) };
        let counts = counts.iter().map(|&count| vec![count]).collect();
        files.record(&ReachedLevels { counts, ..ReachedLevels::default() })
    }

    /// Finds the next level. Returns how many states it has; after 0 the search is over.
    fn level(&mut self, level: usize, ctx: &Context) -> Result<u64> {
        let groups = self.space.groups();
        if let NewSet::Files(files) = &mut self.new {
            files.exchange();
        }
        let (passes, mut count) = (groups.div_ceil(self.slots), 0);
        for pass in 0..passes {
            let part = if passes > 1 { format!(", part {} of {passes}", pass + 1) } else { String::new() };
            ctx.progress().begin(&format!("level {level}{part}"), groups as u64, "groups of rows");
            count += match &self.new {
                NewSet::Memory(_) => self.pass_in_memory(ctx)?,
                NewSet::Files(_) => self.pass_in_files(pass, ctx)?,
            };
            ctx.progress().end();
        }
        Ok(count)
    }

    /// Finds a level whose set is made in memory.
    fn pass_in_memory(&mut self, ctx: &Context) -> Result<u64> {
        let (space, held, NewSet::Memory(new)) = (self.space, &mut self.held, &mut self.new) else { return Ok(0) };
        let mut counts = held.counts.clone();
        let (words, rows) = (space.group_words(), space.group_rows());
        let groups = new.par_chunks_mut(words).zip(counts.par_chunks_mut(rows)).enumerate();
        let fresh = groups.map_init(Vec::new, |room, (group, (bits, counts))| {
            ctx.check()?;
            bits.copy_from_slice(&held.bits[group * words..][..words]);
            let fresh = space.expand(group, bits, Some(counts), held, room);
            ctx.progress().advance(1);
            Ok::<_, Error>(fresh)
        });
        let fresh = fresh.try_reduce(|| 0, |one, other| Ok(one + other))?;
        held.counts = counts;
        std::mem::swap(&mut held.bits, new);
        Ok(fresh)
    }

    /// Adds to the new set, in its file, what a part of the last set leads to.
    fn pass_in_files(&mut self, pass: usize, ctx: &Context) -> Result<u64> {
        let (space, held, NewSet::Files(files)) = (self.space, &mut self.held, &mut self.new) else { return Ok(0) };
        let (words, rows, row_words) = (space.group_words(), space.group_rows(), space.row_words());
        held.first = pass * self.slots;
        let slots = held.bits.par_chunks_mut(words).zip(held.counts.par_chunks_mut(rows)).enumerate();
        slots.try_for_each_init(RowBytes::default, |bytes, (slot, (bits, counts))| {
            ctx.check()?;
            if held.first + slot >= space.groups() {
                counts.fill(0);
                return Ok::<_, Error>(());
            }
            files.old.read(held.first + slot, bytemuck::cast_slice_mut(bits), bytes)?;
            count_rows(bits, row_words, counts);
            Ok(())
        })?;
        let before = if pass == 0 { &files.old } else { &files.new };
        let buffers = || (vec![0u64; words], Vec::new(), RowBytes::default());
        let groups = (0..space.groups()).into_par_iter().map_init(buffers, |(bits, room, bytes), group| {
            ctx.check()?;
            before.read(group, bytemuck::cast_slice_mut(bits), bytes)?;
            let fresh = space.expand(group, bits, None, held, room);
            let written = if pass > 0 && fresh == 0 {
                files.new.get(group)
            } else {
                files.new.write(group, bytemuck::cast_slice(bits), bytes)?
            };
            ctx.progress().advance(1);
            Ok((written, fresh))
        });
        let groups: Vec<(RowFile, u64)> = groups.collect::<Result<_>>()?;
        for (group, &(written, _)) in groups.iter().enumerate() {
            files.new.set(group, written);
        }
        Ok(groups.iter().map(|&(_, fresh)| fresh).sum())
    }
}

/// Counts the states of some rows.
fn count_rows(bits: &[u64], row_words: usize, counts: &mut [u32]) {
    for (row, count) in bits.chunks_exact(row_words).zip(counts) {
        *count = row.iter().map(|word| word.count_ones()).sum();
    }
}

impl ClassSpace {
    /// Adds to the rows of a group their neighbours in the held rows, and to `counts` their numbers. Returns how many states that
    /// is, each of a class counted.
    fn expand(
        &self,
        group: usize,
        bits: &mut [u64],
        mut counts: Option<&mut [u32]>,
        held: &Held,
        room: &mut Vec<u64>,
    ) -> u64 {
        let first = group * self.group_rows();
        let rows = first..self.rows().min(first + self.group_rows());
        let mut fresh = 0;
        for (at, (row, bits)) in rows.zip(bits.chunks_exact_mut(self.row_words())).enumerate() {
            let count = match &counts {
                Some(counts) => counts[at] as usize,
                None => bits.iter().map(|word| word.count_ones() as usize).sum(),
            };
            let found = self.expand_row(row, bits, count, held, room);
            if let Some(counts) = &mut counts {
                counts[at] += found;
            }
            fresh += u64::from(found) * u64::from(self.weights[row]);
        }
        fresh
    }

    /// The same of a row that has `count` states.
    fn expand_row(&self, row: usize, bits: &mut [u64], count: usize, held: &Held, room: &mut Vec<u64>) -> u32 {
        let mut left = self.entries - count;
        if left == 0 {
            return 0;
        }
        let (first, row_words, mut is_open) = (held.first * self.group_rows(), self.row_words(), false);
        for turn in row * self.turns..(row + 1) * self.turns {
            // Rows that are not held, also: they are before the first, or behind the last.
            let from = (self.next[turn] as usize).wrapping_sub(first);
            let Some(&reached) = held.counts.get(from) else { continue };
            let reached = reached as usize;
            if reached == 0 {
                continue;
            }
            if !std::mem::replace(&mut is_open, true) {
                room.clear();
                room.extend(bits.iter().map(|word| !word));
                if !self.entries.is_multiple_of(64) {
                    room[row_words - 1] &= (1 << (self.entries % 64)) - 1;
                }
            }
            if reached == self.entries {
                room.fill(0);
                left = 0;
                break;
            }
            let source = &held.bits[from * row_words..][..row_words];
            let map = self.map_of[turn];
            left -= if reached <= left {
                push(source, &self.maps[usize::from(self.inverse[usize::from(map)])], room)
            } else {
                pull(source, &self.maps[usize::from(map)], room)
            };
            if left == 0 {
                break;
            }
        }
        let found = self.entries - count - left;
        if found > 0 {
            bits.iter_mut().zip(&*room).for_each(|(word, open)| *word = !open);
            if !self.entries.is_multiple_of(64) {
                bits[row_words - 1] &= (1 << (self.entries % 64)) - 1;
            }
        }
        found as u32
    }
}

/// Takes out of the open entries those that states of a row lead to. Returns their number.
fn push(source: &[u64], map: &[u32], open: &mut [u64]) -> usize {
    let mut found = 0;
    for (&word, map) in source.iter().zip(map.chunks(64)) {
        let mut states = word;
        while states != 0 {
            let to = map[states.trailing_zeros() as usize];
            let (word, bit) = (&mut open[to as usize / 64], to % 64);
            found += (*word >> bit & 1) as usize;
            *word &= !(1 << bit);
            states &= states - 1;
        }
    }
    found
}

/// Takes out of the open entries those that lead to states of a row. Returns their number.
fn pull(source: &[u64], map: &[u32], open: &mut [u64]) -> usize {
    let mut found = 0;
    for (word, map) in open.iter_mut().zip(map.chunks(64)) {
        let (mut entries, mut leading) = (*word, 0);
        while entries != 0 {
            let at = entries.trailing_zeros();
            let to = map[at as usize];
            leading |= (source[to as usize / 64] >> (to % 64) & 1) << at;
            entries &= entries - 1;
        }
        *word &= !leading;
        found += leading.count_ones() as usize;
    }
    found
}
