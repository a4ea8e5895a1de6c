//! Ranking of permutations, small groups and packed nibbles and digits: arithmetic that knows no puzzle and no file.

pub mod bits;
pub mod bytes;
pub mod hitting_set;
pub mod nibble;
pub mod perm8;
pub mod prefetch;
pub mod quarters;
pub mod square;
pub mod trits;
pub mod vector;
