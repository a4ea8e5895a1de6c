//! Ranking of permutations, small groups and packed nibbles and digits: arithmetic that knows no puzzle and no file.

pub(crate) mod bits;
pub(crate) mod bytes;
pub(crate) mod hitting_set;
pub mod nibble;
pub mod perm8;
pub(crate) mod prefetch;
pub mod quarters;
pub mod square;
pub mod trits;
