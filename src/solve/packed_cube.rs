//! The cube as bytes, in the arrangement whose products and marks a processor's byte shuffles compute.

#[cfg(target_arch = "x86_64")]
use crate::shuffles::Shuffles;
use twistbase_core::math::bits;
#[cfg(target_arch = "x86_64")]
use twistbase_core::simd::{Avx2Bmi2, VectorWork};
use twistbase_puzzle::cube3::{CORNERS, Cube, EDGES, coordinate};

/// A position, or a symmetry that is no reflection, as bytes.
///
/// An edge is its number and its edge orientation in bit 4; lanes 12 to 15 hold themselves. A corner is its number and
/// its corner orientation in bits 4 and 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub(super) struct PackedCube {
    pub edges: [u8; 16],
    pub corners: [u8; CORNERS],
}

/// Bit of an edge's byte for its edge orientation.
pub(super) const EDGE_ORIENTATION_BIT: u32 = 4;
/// Bit of an edge's byte for a middle edge.
pub(super) const MIDDLE_BIT: u32 = 3;
/// Bit of a corner's byte for a D corner.
pub(super) const DOWN_BIT: u32 = 2;
/// The lanes of edges.
const LANES: u32 = (1 << EDGES) - 1;

impl PackedCube {
    pub fn of(cube: &Cube) -> Self {
        let edge = |i: usize| if i < EDGES { cube.ep[i] | cube.eo[i] << 4 } else { i as u8 };
        Self { edges: std::array::from_fn(edge), corners: std::array::from_fn(|i| cube.cp[i] | (cube.co[i] % 3) << 4) }
    }
}

/// What is done with [`PackedCube`], for a kind of processor.
pub(super) trait CubeKernel: Copy {
    /// `b` after `a`, as [`Cube::then`].
    fn product(self, a: &PackedCube, b: &PackedCube) -> PackedCube;

    /// The same of the edges alone.
    fn edges(self, a: &[u8; 16], b: &[u8; 16]) -> [u8; 16];

    /// A bit of each edge, as a number of twelve bits.
    fn edge_bits<const BIT: u32>(self, edges: &[u8; 16]) -> u32;

    /// A bit of each corner, as a number of eight bits.
    fn corner_bits<const BIT: u32>(self, corners: &[u8; CORNERS]) -> u32;

    /// The bits of `bits` that are in `mask`, moved together.
    fn gather(self, bits: u32, mask: u32) -> u32;

    /// Asks for the cache line of `bytes[at]`, if there is one.
    fn prefetch(self, bytes: &[u8], at: usize);
}

/// Something to do with a kernel.
pub(super) trait CubeWork {
    type Output;

    /// Does it. All that it calls with the kernel has to be inlined (`#[inline(always)]`), or the kernel's instructions
    /// become calls.
    fn run<K: CubeKernel>(self, kernel: K) -> Self::Output;
}

/// Does something with the fastest kernel that this processor has.
pub(super) fn on_this_processor<W: CubeWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = Avx2Bmi2::detect() {
        return instructions.run(WithShuffles(instructions, work));
    }
    work.run(Portable)
}

/// Something to do with the kernel for AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
struct WithShuffles<W>(Avx2Bmi2, W);

#[cfg(target_arch = "x86_64")]
impl<W: CubeWork> VectorWork for WithShuffles<W> {
    type Output = W::Output;

    #[inline(always)]
    fn run(self) -> W::Output {
        self.1.run(Shuffles(self.0))
    }
}

/// The kernel of any processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl CubeKernel for Portable {
    #[inline(always)]
    fn product(self, a: &PackedCube, b: &PackedCube) -> PackedCube {
        let corner = |i: usize| {
            let sum = a.corners[usize::from(b.corners[i] & 7)] + (b.corners[i] & 0x30);
            // What is below 3 << 4 wraps to a large number.
            sum.min(sum.wrapping_sub(3 << 4))
        };
        PackedCube { edges: self.edges(&a.edges, &b.edges), corners: std::array::from_fn(corner) }
    }

    #[inline(always)]
    fn edges(self, a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
        b.map(|edge| a[usize::from(edge & 15)] ^ (edge & 1 << EDGE_ORIENTATION_BIT))
    }

    #[inline(always)]
    fn edge_bits<const BIT: u32>(self, edges: &[u8; 16]) -> u32 {
        let bytes = u128::from_le_bytes(*edges);
        (bits::lowest_of_bytes((bytes >> BIT) as u64) | bits::lowest_of_bytes((bytes >> 64 >> BIT) as u64) << 8) & LANES
    }

    #[inline(always)]
    fn corner_bits<const BIT: u32>(self, corners: &[u8; CORNERS]) -> u32 {
        bits::lowest_of_bytes(u64::from_le_bytes(*corners) >> BIT)
    }

    #[inline(always)]
    fn gather(self, bits: u32, mask: u32) -> u32 {
        bits::gather(bits, mask)
    }

    #[inline(always)]
    fn prefetch(self, _bytes: &[u8], _at: usize) {}
}

/// The order of four things in places 0 to 3, from the low and the high bits of their numbers.
#[inline(always)]
pub(super) fn order_bits(low: u32, high: u32) -> usize {
    (low | high << 4) as usize
}

/// The number of the corner orientations, as [`corner_orientation`](twistbase_puzzle::cube3::coordinate::corner_orientation).
#[inline(always)]
pub(super) fn corner_orientation_number(corners: &[u8; CORNERS]) -> u16 {
    coordinate::corner_orientation_number(u64::from_le_bytes(*corners) >> 4 & 0x0303_0303_0303_0303)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use twistbase_puzzle::cube3::{Symmetry, random_cube};

    /// Everything that kernels do, for random positions.
    struct KernelCheck;

    impl CubeWork for KernelCheck {
        type Output = ();

        fn run<K: CubeKernel>(self, kernel: K) {
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            for _ in 0..2000 {
                let [a, b] = [(); 2].map(|()| random_cube(&mut rng));
                let [left, right] = [a, b].map(|cube| PackedCube::of(&cube));
                assert!(kernel.product(&left, &right) == PackedCube::of(&a.then(&b)));
                assert_eq!(kernel.edges(&left.edges, &right.edges), PackedCube::of(&a.then(&b)).edges);
                assert_eq!(corner_orientation_number(&left.corners), coordinate::corner_orientation(&a));
                assert_eq!(
                    kernel.edge_bits::<EDGE_ORIENTATION_BIT>(&left.edges) as u16 & 0x7ff,
                    coordinate::edge_orientation(&a)
                );
                let middle = (0..12).filter(|&place| a.edges()[place] >= 8).fold(0, |mask, place| mask | 1 << place);
                assert_eq!(kernel.edge_bits::<MIDDLE_BIT>(&left.edges), middle);
                let lower = (0..8).filter(|&place| a.corners()[place] >= 4).fold(0, |mask, place| mask | 1 << place);
                assert_eq!(kernel.corner_bits::<DOWN_BIT>(&left.corners), lower);
                let (bits, mask): (u16, u16) = rng.random();
                let chosen = (0..16).filter(|bit| mask >> bit & 1 == 1);
                let expected = (0..).zip(chosen).fold(0, |sum, (to, bit)| sum | u32::from(bits >> bit & 1) << to);
                assert_eq!(kernel.gather(bits.into(), mask.into()), expected);
                // Rotations are products, too; of reflections only the edges are needed.
                for symmetry in Symmetry::all() {
                    let [there, back] = [symmetry, symmetry.inverse()].map(|s| PackedCube::of(s.motion()));
                    let image = PackedCube::of(&symmetry.of(&a));
                    let seen = kernel.product(&kernel.product(&there, &left), &back);
                    assert_eq!(seen.edges, image.edges);
                    assert!(symmetry.is_reflection() || seen == image);
                }
            }
        }
    }

    #[test]
    fn the_portable_kernel_follows_positions() {
        KernelCheck.run(Portable);
    }

    #[test]
    fn the_kernel_of_this_processor_follows_positions() {
        on_this_processor(KernelCheck);
    }
}
