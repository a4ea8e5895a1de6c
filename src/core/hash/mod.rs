//! Hash tables of numbers, by Knuth's multiplicative hashing (TAOCP 6.4): the one that keeps all it is given
//! ([`HashTable`]), and the one that threads share and that forgets ([`LossyTable`]).
//!
//! The standard library's maps hash longer, store keys of any length, and cannot say where a key will be looked for, which
//! searches need to load it in advance.

mod lossy;
mod table;

pub use lossy::LossyTable;
pub use table::HashTable;

/// 2^64 over the golden ratio: its multiples spread evenly, however many are taken (Fibonacci hashing).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number of `bits` bits, at least one, which are spread evenly over neighbouring keys.
#[inline(always)]
pub const fn spread(key: u64, bits: u32) -> usize {
    (key.wrapping_mul(GOLDEN) >> (64 - bits)) as usize
}
