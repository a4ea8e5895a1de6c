//! The positions of a definition as a product of coordinates: for each orbit, which pieces lie where, and how they are turned.
//!
//! A move takes the pieces of an orbit to other places wherever they are turned, and changes orientations by place whichever
//! pieces they are of. So both are coordinates that move by themselves. A coordinate's values are those that the moves reach.
//! An orbit of many different pieces has too many arrangements for a table, so it is split into classes of pieces. The places of the
//! classes are one coordinate, and the order of each class is another, moved as the first one says.
//!
//! A puzzle that is solved up to a group of moves has one coordinate: the [cosets](super::cosets).
//!
//! Of two coordinates together the moves may not reach all pairs of values: even arrangements of one orbit may go with even ones of
//! the other. Two small coordinates of which that is so become one.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use num_bigint::BigUint;

use twistbase_core::error::{Error, Result};
use twistbase_levelset::{Coordinate, Guided, ProductSpace};

use super::cosets::Cosets;
use super::model::{Orbit, Pattern, PuzzleDefinition, Turn};

/// More positions than the memory of a large machine has room for. Those of large puzzles are refused before their coordinates are looked for.
const MOST_POSITIONS: u64 = 1 << 40;

/// The most values of a coordinate.
const MOST_VALUES: usize = 1 << 20;

/// The most orientations of those pieces of an orbit whose orientation matters.
const MOST_ORIENTATIONS: usize = 1 << 12;

/// The most arrangements of pieces that are all different: of more, the orbit is split, which costs nothing but a moment.
const MOST_ARRANGEMENTS: usize = 1 << 17;

/// The most coordinates of which all pairs are looked at.
const MOST_LOOKED_AT: usize = 24;

/// The most pairs of values of two coordinates that are looked at together.
const MOST_PAIRS: usize = 1 << 17;

/// The most pieces of a class, so that the orders of two classes are numbers of small tables.
const LARGEST_CLASS: usize = 6;

/// The positions of a puzzle, numbered: what tables are made of.
///
/// ```
/// use twistbase_core::context::Context;
/// use twistbase_definition::{PuzzleDefinition, PuzzleSpace};
///
/// let text = "Set TILE 4 1\nMove S\nTILE\n2 1 3 4\nEnd\nMove T\nTILE\n2 3 4 1\nEnd\n";
/// let space = PuzzleSpace::new(PuzzleDefinition::parse(text)?)?;
/// let position = space.read("S T2")?;
/// assert_eq!((space.states(), space.is_solved(position)), (24, false));
/// assert_eq!(space.kpattern(position).to_string(), r#"{"TILE":{"pieces":[2,3,1,0],"orientation":[0,0,0,0]}}"#);
/// assert_eq!(space.read(&space.kpattern(position).to_string())?, position);
/// # Ok::<(), twistbase_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct PuzzleSpace {
    pub(crate) definition: PuzzleDefinition,
    pub(crate) turns: Vec<Turn>,
    pub(crate) product: ProductSpace,
    /// What the values of each coordinate are, then those of the guided ones.
    pub(crate) parts: Vec<Part>,
    pub(crate) solved: Vec<u32>,
}

/// What the values of a coordinate are.
#[derive(Debug)]
pub(crate) enum Part {
    /// Some of the bytes of a position.
    Values(Values),
    /// The order of the pieces of a class, in the places of an orbit.
    Order(Order),
    /// The orientations of those pieces of an orbit whose orientation matters.
    Oriented(Oriented),
    /// Pairs of values of two others.
    Pairs(Box<Pairs>),
    /// Cosets of the group up to which the puzzle is solved.
    Cosets(Box<Cosets>),
}

/// The pairs of values that the moves reach.
#[derive(Debug)]
pub(crate) struct Pairs {
    parts: [Part; 2],
    /// The pairs, in rising order.
    pairs: Vec<[u32; 2]>,
}

impl Pairs {
    /// The number of the pair of a position.
    fn number(&self, pattern: &Pattern) -> Option<u32> {
        let [one, other] = &self.parts;
        let pair = [one.value(pattern)?, other.value(pattern)?];
        self.pairs.binary_search(&pair).ok().map(|number| number as u32)
    }
}

/// The orders of a class of pieces that a coordinate numbers.
#[derive(Debug)]
pub(crate) struct Order {
    places: Range<usize>,
    /// The number of the class, and its pieces.
    number: u8,
    class: Vec<u8>,
    /// The order of each value, as ranks of pieces in the class.
    orders: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u32>,
}

/// The orientations of some pieces of an orbit, in the order of their places: digits, the last one fastest.
#[derive(Debug)]
pub(crate) struct Oriented {
    places: Range<usize>,
    /// The numbers of these pieces.
    pieces: Vec<u8>,
    period: u8,
}

impl Oriented {
    /// The places of the pieces.
    fn places<'a>(&'a self, pieces: &'a [u8]) -> impl DoubleEndedIterator<Item = usize> + 'a {
        self.places.clone().filter(move |&place| self.pieces.contains(&pieces[place]))
    }
}

/// The lists of bytes that a coordinate numbers.
#[derive(Debug)]
pub(crate) struct Values {
    places: Range<usize>,
    of: Of,
    /// The bytes of each value, in rising order.
    values: Vec<Box<[u8]>>,
}

/// Which bytes of an orbit's places a coordinate numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Of {
    /// The pieces.
    Pieces,
    /// The classes of the pieces: for each piece, the number of its class.
    Classes(Vec<u8>),
    /// The orientations.
    Twists,
    /// The orientations, from the last place but one down to the first, and of the last place, which follows from the others.
    TwistsDown,
    /// Both, where the period depends on the piece.
    Both,
}

impl Of {
    fn bytes(&self, pattern: &Pattern, places: &Range<usize>) -> Box<[u8]> {
        let (pieces, twists) = (&pattern.pieces[places.clone()], &pattern.twist[places.clone()]);
        match self {
            Self::Pieces => pieces.into(),
            Self::Classes(class_of) => pieces.iter().map(|&piece| class_of[usize::from(piece)]).collect(),
            Self::Twists => twists.into(),
            Self::TwistsDown => down(twists),
            Self::Both => pieces.iter().chain(twists).copied().collect(),
        }
    }
}

/// A list backwards, but for the last byte.
fn down(bytes: &[u8]) -> Box<[u8]> {
    let (last, others) = bytes.split_last().expect("an orbit has places");
    others.iter().rev().chain([last]).copied().collect()
}

/// The error of a puzzle that is solved up to a group with too many cosets.
fn too_many_cosets() -> Error {
    Error::Usage(format!(
        "solved up to these moves, this puzzle has more than {MOST_VALUES} positions: give more such moves, solve with fewer moves, or \
         ignore orbits"
    ))
}

/// The error of a puzzle without a table, with an alternative.
fn cannot(reason: &str) -> Error {
    Error::Usage(format!(
        "the positions of this puzzle cannot be numbered: {reason}. query and solve search for solutions without a table"
    ))
}

impl PuzzleSpace {
    /// Numbers the positions of a puzzle.
    ///
    /// # Errors
    /// [`Error::Usage`] with the reason why they cannot be numbered here: positions are illegal, there are too many of them in an
    /// orbit, or too many cosets.
    pub fn new(definition: PuzzleDefinition) -> Result<Self> {
        if !definition.illegal.is_empty() {
            return Err(cannot("some of them are illegal"));
        }
        let is_whole = definition.up_to.is_empty();
        let most = if is_whole { MOST_POSITIONS } else { MOST_VALUES as u64 };
        if definition.least_positions().is_none_or(|least| least > BigUint::from(most)) {
            return Err(if is_whole { cannot("there are too many") } else { too_many_cosets() });
        }
        Self::of_coordinates(definition)
    }

    /// The same, of which somebody knows that the positions are not too many.
    pub(crate) fn of_coordinates(definition: PuzzleDefinition) -> Result<Self> {
        Self::with_twists(definition, Of::Twists)
    }

    /// The same, where the orientations of an orbit are a number in which the digit of the first place is the lowest; that of the
    /// last place follows from the others.
    ///
    /// # Errors
    /// [`Error::Usage`] with the reason why they cannot be numbered here.
    pub fn with_first_place_lowest(definition: PuzzleDefinition) -> Result<Self> {
        Self::with_twists(definition, Of::TwistsDown)
    }

    fn with_twists(definition: PuzzleDefinition, twists: Of) -> Result<Self> {
        let turns = definition.turns();
        if turns.is_empty() {
            return Err(cannot("no move changes anything"));
        }
        let coordinates = Coordinates { puzzle: &definition, turns: &turns, twists };
        let (mut free, mut guided) = (Vec::new(), Vec::new());
        for (orbit, places) in definition.ranges().filter(|_| definition.up_to.is_empty()) {
            if !coordinates.add(orbit, places, &mut free, &mut guided) {
                return Err(cannot(&format!("the orbit {} has too many arrangements", orbit.name)));
            }
        }
        if !definition.up_to.is_empty() {
            let (coordinate, cosets) = coordinates.cosets().ok_or_else(too_many_cosets)?;
            free.push((coordinate, Part::Cosets(Box::new(cosets))));
        }
        while let Some((one, other, found)) = coordinates.dependent(&free, &guided) {
            join(&mut free, &mut guided, one, other, found);
        }
        let sizes = free.iter().map(|(of, _)| of.size()).chain(guided.iter().map(|(of, _)| of.size()));
        if ProductSpace::states_of(sizes) > ProductSpace::MOST_STATES {
            return Err(cannot("orbits that are split into classes have too many states"));
        }
        let (free, parts): (Vec<_>, Vec<_>) = free.into_iter().unzip();
        let (guided, of_guided): (Vec<_>, Vec<_>) = guided.into_iter().unzip();
        let product = ProductSpace::new(free, guided);
        let parts = parts.into_iter().chain(of_guided).collect();
        let mut space = Self { definition, turns, product, parts, solved: Vec::new() };
        space.solved = space.state(&space.definition.solved).expect("coordinates begin at the solved position");
        Ok(space)
    }

    /// The values of a position; `None` if the moves do not lead there in one of the coordinates.
    pub(crate) fn state(&self, pattern: &Pattern) -> Option<Vec<u32>> {
        self.parts.iter().map(|part| part.value(pattern)).collect()
    }

    /// The position with some values.
    pub(crate) fn pattern(&self, state: &[u32]) -> Pattern {
        let mut pattern = self.definition.solved.clone();
        // Guided ones come last: orders fill the places that their class has, orientations those of their pieces.
        let mut classes = pattern.pieces.clone();
        self.parts.iter().zip(state).for_each(|(part, &value)| part.write(value, &mut pattern, &mut classes));
        self.definition.with_periods(pattern)
    }
}

impl Part {
    /// The value of a position; `None` if it has none.
    fn value(&self, pattern: &Pattern) -> Option<u32> {
        match self {
            Self::Values(Values { places, of, values }) => {
                let number = values.binary_search(&of.bytes(pattern, places)).ok()?;
                Some(number as u32)
            }
            Self::Order(Order { places, class, numbers, .. }) => {
                let at = |piece: &u8| class.iter().position(|of_class| of_class == piece).map(|at| at as u8);
                let order: Box<[u8]> = pattern.pieces[places.clone()].iter().filter_map(at).collect();
                numbers.get(&order).copied()
            }
            Self::Oriented(oriented) => {
                let digits = oriented.places(&pattern.pieces).map(|place| u32::from(pattern.twist[place]));
                Some(digits.fold(0, |value, digit| value * u32::from(oriented.period) + digit))
            }
            Self::Pairs(pairs) => pairs.number(pattern),
            Self::Cosets(cosets) => cosets.value(pattern),
        }
    }

    /// Writes a value into a position, or into the classes of its pieces.
    fn write(&self, value: u32, pattern: &mut Pattern, classes: &mut [u8]) {
        match self {
            Self::Values(Values { places, of, values }) => {
                let (bytes, count) = (&values[value as usize], places.len());
                match of {
                    Of::Pieces => pattern.pieces[places.clone()].copy_from_slice(bytes),
                    Of::Classes(_) => classes[places.clone()].copy_from_slice(bytes),
                    Of::Twists => pattern.twist[places.clone()].copy_from_slice(bytes),
                    Of::TwistsDown => pattern.twist[places.clone()].copy_from_slice(&down(bytes)),
                    Of::Both => {
                        pattern.pieces[places.clone()].copy_from_slice(&bytes[..count]);
                        pattern.twist[places.clone()].copy_from_slice(&bytes[count..]);
                    }
                }
            }
            Self::Order(Order { places, class, number, orders, .. }) => {
                let order = orders[value as usize].iter().map(|&at| class[usize::from(at)]);
                let of_class = places.clone().filter(|&place| classes[place] == *number);
                of_class.zip(order).for_each(|(place, piece)| pattern.pieces[place] = piece);
            }
            Self::Oriented(oriented) => {
                let (mut rest, period) = (value, u32::from(oriented.period));
                for place in oriented.places(&pattern.pieces).rev() {
                    pattern.twist[place] = (rest % period) as u8;
                    rest /= period;
                }
            }
            Self::Pairs(pairs) => {
                let values = pairs.pairs[value as usize];
                pairs.parts.iter().zip(values).for_each(|(part, value)| part.write(value, pattern, classes));
            }
            Self::Cosets(cosets) => cosets.write(value, pattern),
        }
    }
}

/// What finds the coordinates of a puzzle.
struct Coordinates<'a> {
    puzzle: &'a PuzzleDefinition,
    turns: &'a [Turn],
    /// How orientations are numbered.
    twists: Of,
}

impl Coordinates<'_> {
    /// Adds the coordinates of an orbit. Returns `false` if one has too many values.
    fn add(
        &self,
        orbit: &Orbit,
        places: Range<usize>,
        free: &mut Vec<(Coordinate, Part)>,
        guided: &mut Vec<(Guided, Part)>,
    ) -> bool {
        let solved = &self.puzzle.solved;
        let periods = &solved.period[places.clone()];
        if periods.iter().any(|&period| period != periods[0]) {
            if self.add_oriented(places.clone(), free, guided) {
                return true;
            }
            return self.add_values(self.coordinate(places, Of::Both, MOST_VALUES), free);
        }
        let are_different = self.puzzle.kinds(places.clone()) == orbit.pieces;
        let most = if are_different { MOST_ARRANGEMENTS } else { MOST_VALUES };
        match self.coordinate(places.clone(), Of::Pieces, most) {
            Some((coordinate, values)) => free.push((coordinate, Part::Values(values))),
            None if are_different => {
                let moves =
                    |place: usize| self.turns.iter().any(|turn| usize::from(turn.transformation.from[place]) != place);
                let moved = places.clone().filter(|&place| moves(place)).map(|place| solved.pieces[place]);
                let moved: Vec<u8> = moved.collect();
                let size = moved.len().div_ceil(moved.len().div_ceil(LARGEST_CLASS));
                let mut class_of = vec![u8::MAX; orbit.pieces];
                for (class, pieces) in (0..).zip(moved.chunks(size)) {
                    pieces.iter().for_each(|&piece| class_of[usize::from(piece)] = class);
                }
                let orders = moved.chunks(size).map(|pieces| (1..=pieces.len()).product());
                if ProductSpace::states_of(orders) > ProductSpace::MOST_STATES {
                    return false;
                }
                let guide = free.len();
                let Some((coordinate, classes)) = self.coordinate(places.clone(), Of::Classes(class_of), MOST_VALUES)
                else {
                    return false;
                };
                let orders = (0..).zip(moved.chunks(size));
                guided.extend(orders.map(|(class, pieces)| self.order(class, pieces, guide, &classes)));
                free.push((coordinate, Part::Values(classes)));
            }
            None => return false,
        }
        self.add_values(self.coordinate(places, self.twists.clone(), MOST_VALUES), free)
    }

    /// Adds a coordinate, if there is one. Returns whether there is.
    fn add_values(&self, found: Option<(Coordinate, Values)>, free: &mut Vec<(Coordinate, Part)>) -> bool {
        let is_found = found.is_some();
        free.extend(found.map(|(coordinate, values)| (coordinate, Part::Values(values))));
        is_found
    }

    /// Adds the coordinates of an orbit in which the orientation of some pieces matters, all with the same period: the pieces, and
    /// guided by them these orientations; one coordinate of both if they are few. Returns `false` if there are too many values, or
    /// the moves do not reach all of few.
    fn add_oriented(
        &self,
        places: Range<usize>,
        free: &mut Vec<(Coordinate, Part)>,
        guided: &mut Vec<(Guided, Part)>,
    ) -> bool {
        let solved = &self.puzzle.solved;
        let period = solved.period[places.clone()].iter().copied().max().unwrap_or(1);
        let is_oriented = |&place: &usize| solved.period[place] > 1;
        let count = places.clone().filter(is_oriented).count();
        let is_one_period = places.clone().filter(is_oriented).all(|place| solved.period[place] == period);
        let sizes = usize::from(period).checked_pow(count as u32).filter(|&size| size <= MOST_ORIENTATIONS);
        let Some(size) = sizes.filter(|_| is_one_period) else { return false };
        let Some((coordinate, values)) = self.coordinate(places, Of::Pieces, MOST_VALUES) else { return false };
        let (of_orientations, oriented) = self.oriented(period, size, free.len(), &values);
        let (pieces, oriented) = (Part::Values(values), Part::Oriented(oriented));
        if coordinate.size() * size > MOST_VALUES {
            guided.push((of_orientations, oriented));
            free.push((coordinate, pieces));
            return true;
        }
        let Guided { map_of, maps, .. } = of_orientations;
        let after = |turn: usize| {
            let mut moved = Vec::with_capacity(coordinate.size() * size);
            for one in 0..coordinate.size() {
                let first = coordinate.after(turn, one as u32) * size as u32;
                moved.extend(maps[map_of[turn][one] as usize].iter().map(|value| first + value));
            }
            moved.into()
        };
        let both = Coordinate::new((0..self.turns.len()).map(after).collect());
        let pairs = (0..both.size()).map(|place| pair_at(place, size)).collect();
        let pairs = Pairs { parts: [pieces, oriented], pairs };
        let start = pairs.number(solved).expect("all pairs are numbered");
        let is_whole = count_reached(&both, start, &self.generators()) == both.size();
        free.extend(is_whole.then(|| (both, Part::Pairs(Box::new(pairs)))));
        is_whole
    }

    /// The first two coordinates of which the moves do not reach all pairs, and the pairs that they reach, in rising order.
    fn dependent(
        &self,
        free: &[(Coordinate, Part)],
        guided: &[(Guided, Part)],
    ) -> Option<(usize, usize, Vec<[u32; 2]>)> {
        if free.len() > MOST_LOOKED_AT {
            return None;
        }
        let guides = |number: usize| guided.iter().any(|(one, _)| one.guide == number);
        let generators = self.generators();
        let pairs = (0..free.len()).flat_map(|one| (one + 1..free.len()).map(move |other| (one, other)));
        pairs.filter(|&(one, other)| !guides(one) && !guides(other)).find_map(|(one, other)| {
            let ([(first, of_first), (second, of_second)], all) =
                ([&free[one], &free[other]], free[one].0.size() * free[other].0.size());
            if all > MOST_PAIRS || first.size() == 1 || second.size() == 1 {
                return None;
            }
            let start = [of_first, of_second].map(|part| part.value(&self.puzzle.solved).expect("solved has a value"));
            let (mut seen, mut found) = (vec![false; all], vec![start]);
            let at = |[first, other]: [u32; 2]| first as usize * second.size() + other as usize;
            seen[at(start)] = true;
            let mut next = 0;
            while let Some(&[of_first, of_second]) = found.get(next) {
                for &turn in &generators {
                    let pair = [first.after(turn, of_first), second.after(turn, of_second)];
                    if !std::mem::replace(&mut seen[at(pair)], true) {
                        found.push(pair);
                    }
                }
                next += 1;
            }
            // In rising order: places are numbered so.
            let pairs = || (0..all).filter(|&place| seen[place]).map(|place| pair_at(place, second.size())).collect();
            (found.len() < all).then(|| (one, other, pairs()))
        })
    }

    /// For each turn that is one of its move after another earlier one, these two.
    fn powers(&self) -> Vec<Option<[usize; 2]>> {
        let power = |(turn, of): (usize, &Turn)| {
            let once = self.turns[..turn].iter().position(|other| other.of == of.of)?;
            let before = turn - 1;
            let product = self.puzzle.compose(&self.turns[before].transformation, &self.turns[once].transformation);
            (product == of.transformation).then_some([before, once])
        };
        self.turns.iter().enumerate().map(power).collect()
    }

    /// The turns that are no powers of others: what these reach, all reach.
    fn generators(&self) -> Vec<usize> {
        self.powers().iter().enumerate().filter(|(_, power)| power.is_none()).map(|(turn, _)| turn).collect()
    }

    /// The coordinate of some bytes of an orbit: all that the turns reach from solved, in rising order. `None` if these are more
    /// than `most`.
    fn coordinate(&self, places: Range<usize>, of: Of, most: usize) -> Option<(Coordinate, Values)> {
        let (count, solved) = (places.len(), &self.puzzle.solved);
        let mut periods = [1; 256];
        places.clone().for_each(|place| periods[usize::from(solved.pieces[place])] = solved.period[place]);
        let after = |turn: usize, value: &[u8], image: &mut Vec<u8>| {
            let turn = &self.turns[turn].transformation;
            let from = places.clone().map(|place| usize::from(turn.from[place]) - places.start);
            let twisted = |twists: &[u8], period: &dyn Fn(usize) -> u8| -> Vec<u8> {
                let sum = |(at, from): (usize, usize)| {
                    let sum = u16::from(twists[from]) + u16::from(turn.twist[places.start + at]);
                    (sum % u16::from(period(from))) as u8
                };
                from.clone().enumerate().map(sum).collect()
            };
            match &of {
                Of::Pieces | Of::Classes(_) => image.extend(from.map(|from| value[from])),
                Of::Twists => image.extend(twisted(value, &|_| solved.period[places.start])),
                Of::TwistsDown => image.extend(down(&twisted(&down(value), &|_| solved.period[places.start]))),
                Of::Both => {
                    let (pieces, twists) = value.split_at(count);
                    let period = |from: usize| periods[usize::from(pieces[from])];
                    image.extend(from.clone().map(|from| pieces[from]).chain(twisted(twists, &period)));
                }
            }
        };
        let (coordinate, values) = self.reached(of.bytes(solved, &places), most, after)?;
        Some((coordinate, Values { places, of, values }))
    }

    /// The coordinate of the cosets of the group up to which the puzzle is solved; `None` if there are too many.
    fn cosets(&self) -> Option<(Coordinate, Cosets)> {
        let mut cosets = Cosets::new(self.puzzle);
        let turns: Vec<_> = self.turns.iter().map(|turn| cosets.permutation(&turn.transformation)).collect();
        let (mut images, mut room) = (Vec::new(), Vec::new());
        let after = |turn: usize, member: &[u16], image: &mut Vec<u16>| {
            image.extend(cosets.after(member, &turns[turn], &mut images, &mut room));
        };
        let (coordinate, members) = self.reached(cosets.solved(), MOST_VALUES, after)?;
        cosets.set_members(members);
        Some((coordinate, cosets))
    }

    /// All values that the turns reach from one, in rising order, with the coordinate that they make; `None` if these are more than
    /// `most`. `after` appends what a value is after a turn.
    fn reached<Element: Clone + Ord + Hash>(
        &self,
        start: Box<[Element]>,
        most: usize,
        mut after: impl FnMut(usize, &[Element], &mut Vec<Element>),
    ) -> Option<(Coordinate, Vec<Box<[Element]>>)> {
        // One after the other: so they are read faster than each by itself.
        let (width, mut found, mut count) = (start.len(), start.into_vec(), 1);
        fn row<Element>(found: &[Element], width: usize, number: u32) -> &[Element] {
            &found[number as usize * width..][..width]
        }
        let hasher = DefaultHashBuilder::default();
        let mut numbers: HashTable<u32> = HashTable::new();
        numbers.insert_unique(hasher.hash_one(&found), 0, |_| 0);
        let mut images: Vec<Vec<u32>> = vec![Vec::new(); self.turns.len()];
        let (mut at, mut image) = (0, Vec::new());
        let powers = self.powers();
        while at < count {
            for (turn, images) in images.iter_mut().enumerate().filter(|&(turn, _)| powers[turn].is_none()) {
                image.clear();
                after(turn, row(&found, width, at), &mut image);
                let hash = hasher.hash_one(&image);
                let known = numbers.find(hash, |&number| row(&found, width, number) == image);
                let number = known.copied().unwrap_or(count);
                if number == count {
                    found.extend_from_slice(&image);
                    numbers.insert_unique(hash, count, |&number| hasher.hash_one(row(&found, width, number)));
                    count += 1;
                }
                images.push(number);
            }
            if count as usize > most {
                return None;
            }
            at += 1;
        }
        for (turn, power) in powers.into_iter().enumerate() {
            if let Some([before, once]) = power {
                images[turn] = images[before].iter().map(|&value| images[once][value as usize]).collect();
            }
        }
        // The numbers of values shall not depend on the order of the turns.
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_unstable_by(|&one, &other| row(&found, width, one).cmp(row(&found, width, other)));
        let mut number_of = vec![0; order.len()];
        (0..).zip(&order).for_each(|(number, &found)| number_of[found as usize] = number);
        let in_order =
            |images: Vec<u32>| order.iter().map(|&found| number_of[images[found as usize] as usize]).collect();
        let after = images.into_iter().map(in_order).collect();
        let found = order.iter().map(|&number| row(&found, width, number).into()).collect();
        Some((Coordinate::new(after), found))
    }

    /// The orientations of the pieces whose orientation matters, all with one period, moved as the places of the pieces say; `size` is
    /// how many there are.
    fn oriented(&self, period: u8, size: usize, guide: usize, values: &Values) -> (Guided, Oriented) {
        let (solved, places) = (&self.puzzle.solved, values.places.clone());
        let matters = places.clone().filter(|&place| solved.period[place] > 1);
        let mut pieces: Vec<u8> = matters.map(|place| solved.pieces[place]).collect();
        pieces.sort_unstable();
        pieces.dedup();
        // Which orientations go where depends on the places of these pieces alone: for each set of places, which are few, and each
        // place, the rank of the piece there.
        let (mut sets, mut set_numbers) = (Vec::new(), HashMap::<Box<[Option<u8>]>, usize>::new());
        let set_of = values.values.iter().map(|value| {
            let mut rank = 0..;
            let ranked = |piece: &u8| pieces.binary_search(piece).ok().and_then(|_| rank.next());
            *set_numbers.entry(value.iter().map(ranked).collect()).or_insert_with_key(|ranks| {
                sets.push(ranks.clone());
                sets.len() - 1
            })
        });
        let set_of: Vec<usize> = set_of.collect();
        let base = usize::from(period);
        // Where digits go: for each of the pieces where it arrives, its rank before and its twist.
        let map_by = |digits: &[[u8; 2]]| -> Box<[u32]> {
            let weight = |rank: u8| base.pow(digits.len() as u32 - 1 - u32::from(rank));
            let after = |value: usize| {
                let digit = |&[rank, twist]: &[u8; 2]| (value / weight(rank) + usize::from(twist)) % base;
                digits.iter().fold(0, |moved, of| moved * base + digit(of)) as u32
            };
            (0..size).map(after).collect()
        };
        let (mut maps, mut map_numbers) = (Vec::new(), HashMap::<Vec<[u8; 2]>, u32>::new());
        let map_of = self.turns.iter().map(|Turn { transformation, .. }| {
            let arrivals = places.clone().map(|place| {
                (usize::from(transformation.from[place]) - places.start, transformation.twist[place] % period)
            });
            let arrivals: Vec<_> = arrivals.collect();
            let of_set = sets.iter().map(|ranks| {
                let digits = arrivals.iter().filter_map(|&(from, twist)| ranks[from].map(|rank| [rank, twist]));
                *map_numbers.entry(digits.collect()).or_insert_with_key(|digits| {
                    maps.push(map_by(digits));
                    maps.len() as u32 - 1
                })
            });
            let of_set: Vec<u32> = of_set.collect();
            set_of.iter().map(|&set| of_set[set]).collect()
        });
        let map_of = map_of.collect();
        (Guided { guide, map_of, maps }, Oriented { places: places.clone(), pieces, period })
    }

    /// The order of the pieces of a class, moved as the places of the classes say.
    fn order(&self, class: u8, pieces: &[u8], guide: usize, classes: &Values) -> (Guided, Part) {
        let places = classes.places.clone();
        let orders = permutations(pieces.len());
        let numbers: HashMap<Box<[u8]>, u32> = orders.iter().cloned().zip(0..).collect();
        let (mut maps, mut map_numbers) = (Vec::new(), HashMap::<[u8; LARGEST_CLASS], u32>::new());
        let map_of = self.turns.iter().map(|turn| {
            let from = places.clone().map(|place| usize::from(turn.transformation.from[place]) - places.start);
            let from: Vec<usize> = from.collect();
            let of_value = classes.values.iter().map(|value| {
                // Where the pieces of the class come from, in the order of the places where they arrive; these by their rank.
                let (mut sources, mut map) = ([usize::MAX; LARGEST_CLASS], [0; LARGEST_CLASS]);
                let of_class = from.iter().filter(|&&from| value[from] == class);
                sources.iter_mut().zip(of_class).for_each(|(source, &from)| *source = from);
                for (rank, source) in map.iter_mut().zip(sources).take(pieces.len()) {
                    *rank = sources.iter().filter(|&&other| other < source).count() as u8;
                }
                *map_numbers.entry(map).or_insert_with(|| {
                    let map = &map[..pieces.len()];
                    let after = |order: &[u8]| -> Box<[u8]> { map.iter().map(|&at| order[usize::from(at)]).collect() };
                    maps.push(orders.iter().map(|order| numbers[&after(order)]).collect());
                    maps.len() as u32 - 1
                })
            });
            of_value.collect()
        });
        let map_of = map_of.collect();
        let order = Order { places, number: class, class: pieces.to_vec(), orders, numbers };
        (Guided { guide, map_of, maps }, Part::Order(order))
    }
}

/// The number of values that the turns reach from one.
fn count_reached(coordinate: &Coordinate, start: u32, turns: &[usize]) -> usize {
    let (mut seen, mut found) = (vec![false; coordinate.size()], vec![start]);
    seen[start as usize] = true;
    let mut next = 0;
    while let Some(&value) = found.get(next) {
        let after = turns.iter().map(|&turn| coordinate.after(turn, value));
        found.extend(after.filter(|&after| !std::mem::replace(&mut seen[after as usize], true)));
        next += 1;
    }
    found.len()
}

/// The pair of values with a number.
fn pair_at(place: usize, size: usize) -> [u32; 2] {
    [(place / size) as u32, (place % size) as u32]
}

/// Makes two coordinates one, in the place of the first: that of some of their pairs, which are in rising order.
fn join(
    free: &mut Vec<(Coordinate, Part)>,
    guided: &mut [(Guided, Part)],
    one: usize,
    other: usize,
    pairs: Vec<[u32; 2]>,
) {
    let (second, of_second) = free.remove(other);
    guided.iter_mut().filter(|(guided, _)| guided.guide > other).for_each(|(guided, _)| guided.guide -= 1);
    let (first, of_first) = free.remove(one);
    let after = |turn: usize| {
        let moved = pairs.iter().map(|&[of_first, of_second]| {
            let pair = [first.after(turn, of_first), second.after(turn, of_second)];
            pairs.binary_search(&pair).expect("moves lead to pairs that are reached") as u32
        });
        moved.collect()
    };
    let coordinate = Coordinate::new((0..first.turns()).map(after).collect());
    free.insert(one, (coordinate, Part::Pairs(Box::new(Pairs { parts: [of_first, of_second], pairs }))));
}

/// All permutations of `count` numbers, in ascending order.
fn permutations(count: usize) -> Vec<Box<[u8]>> {
    let mut permutations: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |begin: Vec<u8>| {
            let rest = (0..count as u8).filter(|next| !begin.contains(next)).collect::<Vec<_>>();
            rest.into_iter().map(move |next| begin.iter().copied().chain([next]).collect::<Vec<u8>>())
        };
        permutations = permutations.into_iter().flat_map(longer).collect();
    }
    permutations.into_iter().map(Vec::into_boxed_slice).collect()
}
