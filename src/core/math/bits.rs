//! Bits of bytes, and bits that a mask selects.

/// The lowest bit of each of eight bytes, as a number of eight bits: the product brings bit 0 of byte n to bit 56 + n.
#[inline(always)]
pub fn lowest_of_bytes(bytes: u64) -> u32 {
    ((bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// The bits of a byte, each as the lowest bit of a byte of its own: the reverse of [`lowest_of_bytes`].
#[inline(always)]
pub fn bits_as_bytes(byte: u8) -> u64 {
    // Byte n keeps bit n, which the sum brings to the byte's highest bit without a carry.
    let bits = u64::from_ne_bytes([byte; 8]) & 0x8040_2010_0804_0201;
    (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101
}

/// The bits of `bits` that `mask` selects, moved together.
#[inline(always)]
pub fn gather(bits: u32, mut mask: u32) -> u32 {
    let (mut gathered, mut to) = (0, 0);
    while mask != 0 {
        gathered |= (bits >> mask.trailing_zeros() & 1) << to;
        mask &= mask - 1;
        to += 1;
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_brought_together() {
        assert_eq!(lowest_of_bytes(0x03fe_01ff_0201_0081), 0b1011_0101);
        assert!((0..=u8::MAX).all(|byte| lowest_of_bytes(bits_as_bytes(byte)) == u32::from(byte)));
        assert!((0..=u8::MAX).all(|byte| bits_as_bytes(byte) & !0x0101_0101_0101_0101 == 0));
        assert_eq!(gather(0b1011_0110, 0b1101_0100), 0b1011);
        assert_eq!((gather(u32::MAX, 0), gather(0x1234_5678, u32::MAX)), (0, 0x1234_5678));
    }
}
