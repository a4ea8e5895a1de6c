//! What this processor can do, as values: the one place that asks it.
//!
//! A witness of instructions is a value without size that only detection makes. A function that takes one may use the
//! instructions, so that a kernel that holds a witness is safe to call from anywhere. To be fast as well, a kernel has to be
//! inlined into a function that was compiled for its instructions, which `run` of its witness does with a [`VectorWork`].
//! A closure that `array::map` calls is so only where a compiler happens to inline `map` as well, which it cannot where a crate is
//! compiled in parts and not optimised across them, as for tests: what is hot does without.
//!
//! On other processors than x86-64 no witness exists, and the type system knows it.
#![allow(unsafe_code)]

mod sixteen_bytes;

pub use sixteen_bytes::{BytesWork, SixteenBytes, with_sixteen_bytes};

/// Something to do with some instructions.
pub trait VectorWork {
    /// The type of the result.
    type Output;

    /// Does it. All that it calls has to be inlined (`#[inline(always)]`) to be compiled for these instructions as well.
    fn run(self) -> Self::Output;
}

/// Defines the witness of some of a processor's features.
macro_rules! witness {
    ($(#[$doc:meta])* $name:ident: $($feature:tt),+) => {
        $(#[$doc])*
        #[cfg(target_arch = "x86_64")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(());

        $(#[$doc])*
        #[cfg(not(target_arch = "x86_64"))]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {}

        #[cfg(target_arch = "x86_64")]
        impl $name {
            /// The witness, if this processor has the instructions. Asking again costs a few loads.
            #[inline]
            pub fn detect() -> Option<Self> {
                ($(is_x86_feature_detected!($feature))&&+).then_some(Self(()))
            }

            /// Does something in a function that is compiled for the instructions.
            #[inline]
            #[allow(dead_code, reason = "not every kernel is a piece of work")]
            pub fn run<W: VectorWork>(self, work: W) -> W::Output {
                #[target_feature($(enable = $feature),+)]
                fn compiled_for_them<W: VectorWork>(work: W) -> W::Output {
                    work.run()
                }
                // SAFETY: the processor has the features, or there were no witness.
                unsafe { compiled_for_them(work) }
            }
        }

        #[cfg(not(target_arch = "x86_64"))]
        impl $name {
            pub fn detect() -> Option<Self> {
                None
            }

            #[allow(dead_code, reason = "not every kernel is a piece of work")]
            pub fn run<W: VectorWork>(self, _: W) -> W::Output {
                match self {}
            }
        }
    };
}

witness! {
    /// Shuffles of bytes and `pext`.
    Avx2Bmi2: "avx2", "bmi2"
}
witness! {
    /// 8 × 8 bit matrices in registers of 64 bytes.
    Gfni512: "avx512f", "avx512bw", "avx512dq", "avx512vl", "gfni"
}
witness! {
    /// 8 × 8 bit matrices, and permutations of the bytes, in registers of 64 bytes.
    Vbmi512: "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "gfni"
}
witness! {
    /// Counting bits, and words and shuffles of bytes, in registers of 32 bytes.
    Words256: "avx2", "popcnt"
}
witness! {
    /// Counting bits, and words, in registers of 64 bytes.
    Words512: "avx512f", "avx512bw", "avx512dq", "avx512vl", "popcnt"
}

/// Does something with words in the widest registers that this processor has: one source, which the compiler turns into
/// steps of two, four or eight words.
#[inline]
pub fn in_wide_registers<W: VectorWork>(work: W) -> W::Output {
    match (Words512::detect(), Words256::detect()) {
        (Some(instructions), _) => instructions.run(work),
        (None, Some(instructions)) => instructions.run(work),
        (None, None) => work.run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the bits of some words.
    struct Sum<'a>(&'a [u64]);

    impl VectorWork for Sum<'_> {
        type Output = u64;

        #[inline(always)]
        fn run(self) -> u64 {
            self.0.iter().map(|word| u64::from(word.count_ones())).sum()
        }
    }

    #[test]
    fn work_comes_out_the_same_with_all_instructions() {
        let words: Vec<u64> = (0..1000).map(|word| word * word).collect();
        let expected = Sum(&words).run();
        let found = [
            ("Avx2Bmi2", Avx2Bmi2::detect().map(|witness| witness.run(Sum(&words)))),
            ("Gfni512", Gfni512::detect().map(|witness| witness.run(Sum(&words)))),
            ("Vbmi512", Vbmi512::detect().map(|witness| witness.run(Sum(&words)))),
            ("Words256", Words256::detect().map(|witness| witness.run(Sum(&words)))),
            ("Words512", Words512::detect().map(|witness| witness.run(Sum(&words)))),
            ("the widest", Some(in_wide_registers(Sum(&words)))),
        ];
        for (name, found) in found {
            match found {
                Some(found) => assert_eq!(found, expected, "{name}"),
                // This one stands for all: every kernel is tested with what the processor has.
                None => twistbase_testing::skipped::skipped(&format!("this processor has no instructions of {name}")),
            }
        }
    }

    #[test]
    fn a_witness_has_no_size() {
        assert_eq!(size_of::<(Avx2Bmi2, Gfni512, Vbmi512)>(), 0);
    }
}
