//! Permutations of places as permutations of bytes and transpositions of bits.
//!
//! A set of edge orientations is bytes: three bits of a edge orientation's number select a bit in a byte, the others a
//! byte. A processor may take bytes anywhere in one step, and transpose 8 × 8 bits in another, which exchanges the
//! three bits with the lowest three of the others. A permutation of places, also of twelve of which the last follows
//! from the others, is a linear map of numbers over GF(2), and any of these is bytes, transposition, bytes, or that and
//! once more transposition and bytes; what is turned over goes with the bytes.

use super::set::OrientationSet;

/// Bits of a number that select a bit in a byte.
const IN_BYTE: usize = 3;
/// Bits of a number, at most.
const MOST_BITS: usize = 11;
/// What a transposition turns over: bit `i` of byte `j` becomes bit `j` of byte `7 - i`.
const TRANSPOSED: u16 = 7;

/// How sets are moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    /// Linear maps from the number of a byte to that of the byte it comes from, one for each permutation of bytes, as
    /// `vgf2p8affineqb` takes them: the row of output bit `i` in byte `7 - i`. Where numbers of bytes have fewer than
    /// eight bits, the others stay.
    pub bytes: [u64; 3],
    /// The edge orientations that have to be turned over so that none are: transpositions turn bits over, too.
    turned: u16,
    /// Whether the first two, with one transposition between them, are all.
    pub is_short: bool,
}

impl Steps {
    /// Those that move sets as `map` does, with nothing turned over.
    pub fn new<S: OrientationSet>(map: &S::Map) -> Self {
        let bits = S::STATES.trailing_zeros() as usize;
        let mut images = [0; MOST_BITS];
        for bit in 0..bits {
            // The edge orientations of which a number has this bit, moved: those that come from there.
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

    /// Those that take from number `f`, a sum of powers of two, the sum of the images of these.
    fn of_images(images: &[u16]) -> Self {
        let bits = images.len();
        let mut at = At { images: [0; MOST_BITS], bits };
        (0..bits).for_each(|bit| at.images[bit] = 1 << bit);
        let (in_byte, of_byte) = images.split_at(IN_BYTE);
        let (target, all_bytes) = (Span::of(of_byte), Span::of(&at.images[IN_BYTE..bits]));
        let mut bytes = [0; 3];
        let is_short =
            in_byte.iter().all(|&image| all_bytes.has(image)) && (0..IN_BYTE).all(|bit| target.has(1 << bit));
        if is_short {
            bytes[0] = at.take_bytes(&completed(in_byte, bits, |number| all_bytes.has(number) && target.has(number)));
            at.transpose();
            bytes[1] = at.take_bytes(of_byte);
        } else {
            // What comes into bytes with the last transposition leaves them with the first, and everything else that is
            // needed is in the bytes then.
            let kept = Span::of(&[&at.images[..IN_BYTE], in_byte].concat());
            let mut rest = kept;
            let leaving: Vec<u16> = (1..1 << bits)
                .filter(|&number| all_bytes.has(number) && target.has(number) && rest.insert(number))
                .take(IN_BYTE)
                .collect();
            let mut apart = Span::of(&leaving);
            let staying = |number: &u16| all_bytes.has(*number) && apart.insert(*number);
            let first = (1..1 << bits).filter(|&number| kept.has(number)).chain(1..1 << bits).filter(staying);
            bytes[0] = at.take_bytes(&leaving.iter().copied().chain(first).collect::<Vec<_>>());
            at.transpose();
            let here = Span::of(&at.images[IN_BYTE..bits]);
            bytes[1] = at.take_bytes(&completed(in_byte, bits, |number| here.has(number) && target.has(number)));
            at.transpose();
            bytes[2] = at.take_bytes(of_byte);
        }
        debug_assert_eq!(&at.images[..bits], images);
        let steps = Self { bytes, turned: 0, is_short };
        Self { turned: steps.source_of_zero(), ..steps }
    }

    /// What is turned over in the numbers of bytes, by step, so that the edge orientations `turned` are.
    #[inline(always)]
    pub fn turning(&self, turned: u16) -> [u8; 3] {
        let turned = self.turned ^ turned;
        [(turned >> IN_BYTE) as u8, (turned & 7) as u8, 0]
    }

    /// The number that nothing is taken from, if nothing is turned over.
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
struct At {
    images: [u16; MOST_BITS],
    bits: usize,
}

impl At {
    /// Permutes bytes so that the bits that select them are images of these; tells the map to where bytes come from.
    fn take_bytes(&mut self, wanted: &[u16]) -> u64 {
        let now = &mut self.images[IN_BYTE..self.bits];
        let span = Span::of(now);
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
    let mut span = Span::of(numbers);
    let added = (1..1 << bits).filter(|&number| may_be_added(number) && span.insert(number));
    numbers.iter().copied().chain(added).take(bits - IN_BYTE).collect()
}

/// All sums of some independent numbers.
#[derive(Clone, Copy)]
struct Span {
    /// By its highest bit, a sum, and which numbers it is a sum of; 0 where there is none.
    sums: [(u16, u16); MOST_BITS],
    len: usize,
}

impl Span {
    /// Of these numbers, without those that are sums of others before them.
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

    /// Adds a number unless it is a sum already; whether it was none.
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
    use super::super::set::{OrientationSet8, OrientationSet12};
    use super::*;

    /// The number that another is taken from, step by step.
    fn source(steps: &Steps, turned: u16, number: u16) -> u16 {
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
        fn check<S: OrientationSet>() -> usize {
            let count = S::PLACES as u8;
            let mut short = 0;
            for (a, b, c, last) in (0..count)
                .flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c))))
                .flat_map(|(a, b, c)| (0..count).map(move |last| (a, b, c, last)))
                .filter(|&(a, b, c, last)| ![a, b, c].contains(&last))
            {
                // Places by where they go, as the definition of maps says it: edge orientation `places[i]` is that of
                // place `i`.
                let others = (0..count).filter(|place| ![a, b, c, last].contains(place));
                let order: Vec<u8> = [a, b, c].into_iter().chain(others).chain([last]).collect();
                let mut places = vec![0; order.len()];
                (0..).zip(&order).for_each(|(to, &from)| places[usize::from(from)] = to);
                let turned = (u16::from(a) * 77 + u16::from(last)) % S::STATES as u16;
                let steps = Steps::new::<S>(&S::map(&places));
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
