//! Ranking of permutations and small groups: arithmetic that knows no puzzle and no file.

pub mod perm8;
pub mod square;
