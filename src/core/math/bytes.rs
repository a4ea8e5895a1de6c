//! Counting bytes.

/// How often each byte occurs among some.
pub fn count_bytes(bytes: &[u8]) -> [u64; 256] {
    // Several counters of each: neighbours are often equal, and raising one counter twice takes longer than raising two.
    const COUNTERS: usize = 4;
    let mut counts = [[0u64; 256]; COUNTERS];
    let (groups, rest) = bytes.as_chunks::<COUNTERS>();
    for group in groups {
        counts.iter_mut().zip(group).for_each(|(counts, &byte)| counts[usize::from(byte)] += 1);
    }
    rest.iter().for_each(|&byte| counts[0][usize::from(byte)] += 1);
    std::array::from_fn(|byte| counts.iter().map(|counts| counts[byte]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_counted_whatever_their_number() {
        let bytes: Vec<u8> = (0..1_003u32).map(|at| (at * at % 251) as u8).collect();
        for bytes in (0..8).map(|left_out| &bytes[left_out..]) {
            let plain = |byte: usize| bytes.iter().filter(|&&one| usize::from(one) == byte).count() as u64;
            assert_eq!(count_bytes(bytes), std::array::from_fn(plain));
        }
    }
}
