//! Sets of elements that meet every one of given small sets, as cheap as can be found.

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::Result;

/// In the place of an element that is not there.
const NONE: u32 = u32::MAX;
/// What a set that is not met costs, in units of its cheapest element: more than to meet it.
const PENALTY: f64 = 1.5;
/// Steps between two changes of the temperature, and changes there are at least.
const STEPS_AT_ONCE: u64 = 1 << 16;
const LEAST_CHANGES: u64 = 256;

/// Elements with costs, and sets of them each of which is to be met. Sets have at most `MEMBERS` elements.
pub struct HittingSets<const MEMBERS: usize> {
    costs: Vec<u32>,
    /// Members in rising order, [`NONE`] after the last.
    sets: Vec<[u32; MEMBERS]>,
    /// The cost of each set's cheapest member.
    least: Vec<u32>,
    /// Per element where its sets begin in `sets_of`; after the last the end.
    first: Vec<u32>,
    sets_of: Vec<u32>,
}

/// How a search cools down, in units of the mean cost of an element.
#[derive(Debug, Clone, Copy)]
pub struct Cooling {
    /// The temperature at the start.
    pub from: f64,
    /// That at the end.
    pub to: f64,
    /// The number of times that an element is looked at.
    pub steps: u64,
}

impl<const MEMBERS: usize> HittingSets<MEMBERS> {
    /// The problem of meeting these sets, in which elements may repeat.
    pub fn new(costs: Vec<u32>, sets: impl IntoIterator<Item = [u32; MEMBERS]>) -> Self {
        let mut sets: Vec<_> = sets.into_iter().map(distinct).collect();
        sets.sort_unstable();
        sets.dedup();
        // Who meets a part of a set meets the set.
        let small: HashSet<_> = sets.iter().copied().filter(|set| set[MEMBERS - 1] == NONE).collect();
        let mut is_in_small = vec![false; costs.len()];
        small.iter().flat_map(members).for_each(|element| is_in_small[element] = true);
        sets.retain(|set| {
            let is_apart = !members(set).any(|element| is_in_small[element]);
            is_apart || parts(set).all(|part| part == *set || !small.contains(&part))
        });
        let mut first = vec![0; costs.len() + 1];
        sets.iter().flat_map(members).for_each(|element| first[element + 1] += 1);
        (1..first.len()).for_each(|element| first[element] += first[element - 1]);
        let (mut next, mut sets_of) = (first.clone(), vec![0; first[costs.len()] as usize]);
        for (number, set) in (0..).zip(&sets) {
            for element in members(set) {
                sets_of[next[element] as usize] = number;
                next[element] += 1;
            }
        }
        let least = sets.iter().map(|set| members(set).map(|element| costs[element]).min().unwrap_or_default());
        Self { least: least.collect(), costs, sets, first, sets_of }
    }

    /// Searches from a choice of elements; returns a choice that meets all sets and needs each of its elements.
    /// `check` is called now and then with the number of steps since.
    ///
    /// # Errors
    /// Those of `check`, which end the search.
    pub fn search(
        &self,
        chosen: &[bool],
        cooling: Cooling,
        seed: u64,
        check: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<bool>> {
        let mut choice = Choice::new(self, chosen);
        choice.anneal(cooling, seed, check)?;
        choice.complete();
        choice.thin_out();
        Ok(choice.chosen)
    }

    /// What a choice of elements costs.
    pub fn cost(&self, chosen: &[bool]) -> u64 {
        self.costs.iter().zip(chosen).filter(|&(_, &is_chosen)| is_chosen).map(|(&cost, _)| u64::from(cost)).sum()
    }

    fn sets_of(&self, element: usize) -> &[u32] {
        &self.sets_of[self.first[element] as usize..self.first[element + 1] as usize]
    }
}

/// Members once each, in rising order; the places that are left hold [`NONE`].
fn distinct<const MEMBERS: usize>(mut set: [u32; MEMBERS]) -> [u32; MEMBERS] {
    set.sort_unstable();
    for place in (1..MEMBERS).rev() {
        if set[place] == set[place - 1] {
            set[place] = NONE;
        }
    }
    set.sort_unstable();
    set
}

/// The sets that consist of some members of a set.
fn parts<const MEMBERS: usize>(set: &[u32; MEMBERS]) -> impl Iterator<Item = [u32; MEMBERS]> {
    let part = |mask: usize| std::array::from_fn(|place| if mask >> place & 1 == 1 { set[place] } else { NONE });
    (1usize..1 << MEMBERS).map(part).map(distinct)
}

fn members<const MEMBERS: usize>(set: &[u32; MEMBERS]) -> impl Iterator<Item = usize> {
    set.iter().filter(|&&element| element != NONE).map(|&element| element as usize)
}

/// Some elements, and what would change with each.
struct Choice<'a, const MEMBERS: usize> {
    problem: &'a HittingSets<MEMBERS>,
    chosen: Vec<bool>,
    /// Per set: how many of its members are chosen.
    hits: Vec<u8>,
    /// Per element: what the sets are worth which it alone meets or, if it is not chosen, would be the first to meet.
    worth: Vec<i64>,
    /// Sets that are not met.
    missed: usize,
}

impl<'a, const MEMBERS: usize> Choice<'a, MEMBERS> {
    fn new(problem: &'a HittingSets<MEMBERS>, chosen: &[bool]) -> Self {
        let count = problem.costs.len();
        let (hits, missed) = (vec![0; problem.sets.len()], problem.sets.len());
        let mut choice = Self { problem, chosen: vec![false; count], hits, worth: vec![0; count], missed };
        for (set, &least) in problem.sets.iter().zip(&problem.least) {
            members(set).for_each(|element| choice.worth[element] += i64::from(least));
        }
        (0..count).filter(|&element| chosen[element]).for_each(|element| choice.change(element));
        choice
    }

    /// Chooses an element, or leaves it out.
    fn change(&mut self, element: usize) {
        let problem = self.problem;
        let is_added = !self.chosen[element];
        self.chosen[element] = is_added;
        for &number in problem.sets_of(element) {
            let number = number as usize;
            let hits = self.hits[number];
            self.hits[number] = if is_added { hits + 1 } else { hits - 1 };
            // Whom the set is worth something: with no member chosen all of them, with one that one.
            let (fewer, gain) = if is_added { (hits, -1) } else { (hits - 1, 1) };
            let worth = gain * i64::from(problem.least[number]);
            let others = members(&problem.sets[number]).filter(|&other| other != element);
            match fewer {
                0 => others.for_each(|other| self.worth[other] += worth),
                1 => others.filter(|&other| self.chosen[other]).for_each(|other| self.worth[other] += worth),
                _ => {}
            }
            match (fewer, is_added) {
                (0, true) => self.missed -= 1,
                (0, false) => self.missed += 1,
                // Of a set that had a member already it is not the one that meets it alone.
                _ => {}
            }
        }
    }

    fn anneal(&mut self, cooling: Cooling, seed: u64, check: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        let Cooling { from, to, steps } = cooling;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let count = self.chosen.len() as u64;
        let mean = self.problem.costs.iter().map(|&cost| f64::from(cost)).sum::<f64>() / count.max(1) as f64;
        let at_once = STEPS_AT_ONCE.min(steps / LEAST_CHANGES).max(1);
        for done in (0..steps).step_by(at_once as usize) {
            let temperature = mean * from * (to / from).powf(done as f64 / steps as f64);
            let now = at_once.min(steps - done);
            for _ in 0..now {
                let random = rng.next_u64();
                let element = (((random >> 32) * count) >> 32) as usize;
                let cost = f64::from(self.problem.costs[element]);
                let worth = PENALTY * self.worth[element] as f64;
                let rise = if self.chosen[element] { worth - cost } else { cost - worth };
                let unit = (f64::from(random as u32) + 0.5) / 4_294_967_296.0;
                if rise <= 0.0 || rise < -temperature * unit.ln() {
                    self.change(element);
                }
            }
            check(now)?;
        }
        Ok(())
    }

    /// Meets the sets that are not met, each time by the element that is worth most for its cost.
    fn complete(&mut self) {
        while self.missed > 0 {
            let share = |&element: &usize| self.worth[element] as f64 / f64::from(self.problem.costs[element]);
            let others = (0..self.chosen.len()).filter(|&element| !self.chosen[element]);
            let Some(best) = others.max_by(|a, b| share(a).total_cmp(&share(b))) else { return };
            self.change(best);
        }
    }

    /// Leaves out elements that nothing needs, the dearest first.
    fn thin_out(&mut self) {
        let mut chosen: Vec<usize> = (0..self.chosen.len()).filter(|&element| self.chosen[element]).collect();
        chosen.sort_by_key(|&element| std::cmp::Reverse(self.problem.costs[element]));
        for element in chosen {
            if self.worth[element] == 0 {
                self.change(element);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    const ELEMENTS: usize = 12;

    fn meets_all(sets: &[[u32; 3]], chosen: impl Fn(u32) -> bool) -> bool {
        sets.iter().all(|set| set.iter().any(|&element| chosen(element)))
    }

    fn cost(costs: &[u32], chosen: impl Fn(u32) -> bool) -> u64 {
        (0..).zip(costs).filter(|&(element, _)| chosen(element)).map(|(_, &cost)| u64::from(cost)).sum()
    }

    /// The least cost of all choices there are.
    fn least(costs: &[u32], sets: &[[u32; 3]]) -> u64 {
        let choices = (0u32..1 << ELEMENTS).map(|choice| move |element: u32| choice >> element & 1 == 1);
        choices.filter(|choice| meets_all(sets, choice)).map(|choice| cost(costs, choice)).min().unwrap()
    }

    #[test]
    fn small_problems_are_solved() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for seed in 0..40 {
            let costs: Vec<u32> = (0..ELEMENTS).map(|_| rng.random_range(1..9)).collect();
            let mut element = || rng.random_range(0..ELEMENTS as u32);
            let sets: Vec<[u32; 3]> = (0..20).map(|_| [element(), element(), element()]).collect();
            let problem = HittingSets::new(costs.clone(), sets.iter().copied());
            let cooling = Cooling { from: 2.0, to: 0.05, steps: 20_000 };
            // A search may end where no single change helps; not all of ten do.
            let found = (0..10).map(|start| {
                let found = problem.search(&[false; ELEMENTS], cooling, seed * 10 + start, &mut |_| Ok(())).unwrap();
                let chosen = |element: u32| found[element as usize];
                assert!(meets_all(&sets, chosen));
                assert_eq!(problem.cost(&found), cost(&costs, chosen));
                cost(&costs, chosen)
            });
            assert_eq!(found.min(), Some(least(&costs, &sets)), "{sets:?} {costs:?}");
        }
    }
}
