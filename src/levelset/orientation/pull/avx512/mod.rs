//! Kernels that move whole registers: AVX-512 with GFNI, for the larger sets with VBMI, too.

mod bytes;
mod orders;

pub use bytes::RegisterMoves;
pub(super) use orders::add_orders;
