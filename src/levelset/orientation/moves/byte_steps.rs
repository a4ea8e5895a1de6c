//! Permutations of places as permutations of bytes and transpositions of bits.
//!
//! A set of edge orientations is bytes: three bits of an orientation's number select a bit in a byte, the others a byte.
//! A processor may take bytes from anywhere in one instruction, and transpose 8 × 8 bits in another, which exchanges the
//! three bits with the lowest three of the others. A permutation of places, also of twelve of which the last follows
//! from the others, is a linear map of numbers over GF(2), and any of these is bytes, transposition, bytes, or that and
//! once more transposition and bytes; flips are added to the numbers of bytes.

use super::movable::MovableOrientations;

/// Bits of a number that select a bit in a byte.
const IN_BYTE: usize = 3;
/// Bits of a number, at most.
const MOST_BITS: usize = 11;
/// What a transposition inverts: bit `i` of byte `j` becomes bit `j` of byte `7 - i`.
const TRANSPOSED: u16 = 7;

/// How sets are moved by one permutation of places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteSteps {
    /// Linear maps from the number of a byte to that of the byte it comes from, one for each permutation of bytes, as
    /// `vgf2p8affineqb` takes them: the row of output bit `i` in byte `7 - i`. Where numbers of bytes have fewer than
    /// eight bits, the others stay.
    pub(crate) bytes: [u64; 3],
    /// What has to be flipped so that nothing is: transpositions invert bits, too.
    turned: u16,
    /// Whether the first two, with one transposition between them, are all.
    pub(crate) is_short: bool,
}

impl ByteSteps {
    /// The steps that move sets as `map` does, with nothing flipped.
    pub(crate) fn new<S: MovableOrientations>(map: &S::Map) -> Self {
        let bits = S::STATES.trailing_zeros() as usize;
        let mut images = [0; MOST_BITS];
        for bit in 0..bits {
            // The orientations whose number has this bit, moved: those that come from there.
            let having = |word: usize| {
                let number = |at: usize| 64 * word + at;
                (0..64).fold(0, |set, at| set | ((number(at) >> bit & 1) as u64) << at)
            };
            let moved = S::from_words(having).moved(map, 0);
            let from_there = |to: &usize| moved.contains(1 << to);
            (0..bits).filter(from_there).for_each(|to| images[to] |= 1 << bit);
        }
        Self::of_images(&images[..bits])
    }

    /// The steps that take number `f`, a sum of powers of two, from the sum of the images of these.
    fn of_images(images: &[u16]) -> Self {
        let bits = images.len();
        let mut now = BitImages::of_powers(bits);
        let (in_byte, of_byte) = images.split_at(IN_BYTE);
        let (here, target) = (now.sums_of_bytes(), LinearSpan::of(of_byte));
        let is_short = in_byte.iter().all(|&image| here.has(image)) && (0..IN_BYTE).all(|bit| target.has(1 << bit));
        let mut bytes = Vec::new();
        if !is_short {
            bytes.push(now.take_bytes(&now.bytes_to_leave(in_byte, &target)));
            now.transpose();
        }
        let here = now.sums_of_bytes();
        bytes.push(now.take_bytes(&completed(in_byte, bits, |number| here.has(number) && target.has(number))));
        now.transpose();
        bytes.push(now.take_bytes(of_byte));
        debug_assert_eq!(now.all(), images);
        bytes.resize(3, 0);
        let steps = Self { bytes: [bytes[0], bytes[1], bytes[2]], turned: 0, is_short };
        Self { turned: steps.source_of_zero(), ..steps }
    }

    /// What is added to the numbers of bytes, by step, so that the places `turned` are flipped.
    #[inline(always)]
    pub(crate) fn turning(&self, turned: u16) -> [u8; 3] {
        let turned = self.turned ^ turned;
        [(turned >> IN_BYTE) as u8, (turned & 7) as u8, 0]
    }

    /// The number that number 0 is taken from, if nothing is added to the numbers of bytes.
    fn source_of_zero(&self) -> u16 {
        let permuted = |step: usize, number: u16| {
            let rows = self.bytes[step].to_be_bytes();
            let row = |bit: usize| u16::from((rows[bit] & (number >> IN_BYTE) as u8).count_ones() as u8 & 1);
            (0..8).fold(number & 7, |to, bit| to | row(bit) << (bit + IN_BYTE))
        };
        let transposed = |number: u16| number & !0x3f | (number & 7 ^ TRANSPOSED) << IN_BYTE | number >> IN_BYTE & 7;
        let number = if self.is_short { 0 } else { transposed(permuted(2, 0)) };
        permuted(0, transposed(permuted(1, number)))
    }
}

/// What the bits of a number are images of, after some steps.
struct BitImages {
    images: [u16; MOST_BITS],
    bits: usize,
}

impl BitImages {
    /// Each bit the image of itself.
    fn of_powers(bits: usize) -> Self {
        Self { images: std::array::from_fn(|bit| if bit < bits { 1 << bit } else { 0 }), bits }
    }

    /// The images of all bits.
    fn all(&self) -> &[u16] {
        &self.images[..self.bits]
    }

    /// The sums of the images that select a byte.
    fn sums_of_bytes(&self) -> LinearSpan {
        LinearSpan::of(&self.images[IN_BYTE..self.bits])
    }

    /// The images for a first permutation of bytes: what comes into bytes with the last transposition leaves them with
    /// the first, and everything else that is needed selects a byte then.
    fn bytes_to_leave(&self, in_byte: &[u16], target: &LinearSpan) -> Vec<u16> {
        let (numbers, here) = (1..1 << self.bits, self.sums_of_bytes());
        let kept = LinearSpan::of(&[&self.images[..IN_BYTE], in_byte].concat());
        let mut rest = kept;
        let leaving = numbers.clone().filter(|&number| here.has(number) && target.has(number) && rest.insert(number));
        let mut chosen: Vec<u16> = leaving.take(IN_BYTE).collect();
        let mut apart = LinearSpan::of(&chosen);
        let kept_first = numbers.clone().filter(|&number| kept.has(number)).chain(numbers);
        chosen.extend(kept_first.filter(|&number| here.has(number) && apart.insert(number)));
        chosen
    }

    /// Permutes bytes so that the bits that select them are images of these; returns the map to where bytes come from.
    fn take_bytes(&mut self, wanted: &[u16]) -> u64 {
        let now = &mut self.images[IN_BYTE..self.bits];
        let span = LinearSpan::of(now);
        let mut rows: [u8; 8] = std::array::from_fn(|bit| if bit < now.len() { 0 } else { 1 << bit });
        for (bit, &image) in wanted.iter().enumerate() {
            let (rest, sum) = span.reduced(image);
            assert!(rest == 0, "bytes do not have {image:#x}");
            rows.iter_mut().enumerate().for_each(|(row, bits)| *bits |= ((sum >> row & 1) as u8) << bit);
        }
        now.copy_from_slice(wanted);
        u64::from_be_bytes(rows)
    }

    fn transpose(&mut self) {
        (0..IN_BYTE).for_each(|bit| self.images.swap(bit, bit + IN_BYTE));
    }
}

/// These numbers, and others that `may_be_added` so that there are as many as bits select a byte, all independent.
fn completed(numbers: &[u16], bits: usize, may_be_added: impl Fn(u16) -> bool) -> Vec<u16> {
    let mut span = LinearSpan::of(numbers);
    let added = (1..1 << bits).filter(|&number| may_be_added(number) && span.insert(number));
    numbers.iter().copied().chain(added).take(bits - IN_BYTE).collect()
}

/// All sums of some independent numbers.
#[derive(Clone, Copy)]
struct LinearSpan {
    /// By its highest bit, a sum, and which numbers it is a sum of; 0 where there is none.
    sums: [(u16, u16); MOST_BITS],
    len: usize,
}

impl LinearSpan {
    /// The sums of these numbers, which need not be independent.
    fn of(numbers: &[u16]) -> Self {
        let mut span = Self { sums: [(0, 0); MOST_BITS], len: 0 };
        numbers.iter().for_each(|&number| _ = span.insert(number));
        span
    }

    /// What is left of a number without those parts that are sums, and the numbers that these are sums of.
    fn reduced(&self, number: u16) -> (u16, u16) {
        let high_first = self.sums.iter().enumerate().rev();
        high_first.fold((number, 0), |(rest, of), (bit, (sum, numbers))| match rest >> bit & 1 {
            0 => (rest, of),
            _ => (rest ^ sum, of ^ numbers),
        })
    }

    fn has(&self, number: u16) -> bool {
        self.reduced(number).0 == 0
    }

    /// Adds a number; whether it was no sum before.
    fn insert(&mut self, number: u16) -> bool {
        let (rest, of) = self.reduced(number);
        if rest != 0 {
            self.sums[rest.ilog2() as usize] = (rest, of | 1 << self.len);
            self.len += 1;
        }
        rest != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orientation::representation::{OrientationSet8, OrientationSet12};

    /// The number that another is taken from, step by step.
    fn source(steps: &ByteSteps, turned: u16, number: u16) -> u16 {
        // By hand, a bit at a time: the other way than in the registers.
        let permuted = |step: usize, number: u16| {
            let (mut to, turned) = (number & 7, u16::from(steps.turning(turned)[step]));
            for row in 0..8 {
                for bit in 0..8 {
                    let takes = (steps.bytes[step] >> (8 * (7 - row) + bit)) as u16;
                    to ^= (takes & number >> (3 + bit) & 1) << (3 + row);
                }
            }
            to ^ turned << 3
        };
        let transposed = |number: u16| number & !0x3f | (7 - (number & 7)) << 3 | number >> 3 & 7;
        let number = if steps.is_short { number } else { transposed(permuted(2, number)) };
        permuted(0, transposed(permuted(1, number)))
    }

    /// Whichever places select the bit in a byte, and wherever the last one goes.
    #[test]
    fn steps_take_every_permutation_apart() {
        fn check<S: MovableOrientations>() -> usize {
            let count = S::PLACES as u8;
            let mut short = 0;
            for (a, b, c, last) in (0..count)
                .flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c))))
                .flat_map(|(a, b, c)| (0..count).map(move |last| (a, b, c, last)))
                .filter(|&(a, b, c, last)| ![a, b, c].contains(&last))
            {
                // Places by where they go, as the definition of maps says it: place `i` gets the orientation of
                // place `places[i]`.
                let others = (0..count).filter(|place| ![a, b, c, last].contains(place));
                let order: Vec<u8> = [a, b, c].into_iter().chain(others).chain([last]).collect();
                let mut places = vec![0; order.len()];
                (0..).zip(&order).for_each(|(to, &from)| places[usize::from(from)] = to);
                let turned = (u16::from(a) * 77 + u16::from(last)) % S::STATES as u16;
                let steps = ByteSteps::new::<S>(&S::map(&places));
                short += usize::from(steps.is_short);
                let single = (0..S::STATES.trailing_zeros()).map(|bit| 1 << bit);
                for number in (0..S::STATES as u16).step_by(13).chain(single) {
                    let orientations = number | ((number.count_ones() & 1) as u16) << 11;
                    let moved = (0..S::PLACES).fold(0, |moved, i| moved | (orientations >> places[i] & 1) << i);
                    assert_eq!(source(&steps, turned, number), (moved ^ turned) & (S::STATES - 1) as u16, "{places:?}");
                }
            }
            short
        }
        // Those of which the three come from bytes: 10 of 56, with five last ones each; 8 · 7 · 6 / 6 of 220 and so on.
        assert_eq!(check::<OrientationSet8>(), 50);
        assert!(check::<OrientationSet12>() > 300);
    }
}
