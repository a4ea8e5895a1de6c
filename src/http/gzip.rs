//! Compression of answers, piece by piece (RFC 1952). Between two pieces it holds a checksum and no window, so an unread answer
//! needs little memory.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// The head of a gzip member: deflate, no name, no time, unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// Room to reserve beyond the bytes so far.
const ROOM: usize = 1 << 12;

/// One answer.
#[derive(Debug, Default)]
pub(super) struct Gzip {
    crc: Crc,
    has_begun: bool,
}

impl Gzip {
    /// The next bytes of the compressed answer: those of `text`, which can be decompressed at once.
    pub fn encode(&mut self, text: &[u8], is_last: bool) -> Vec<u8> {
        let mut coded = Vec::with_capacity(text.len() / 4 + ROOM);
        if !std::mem::replace(&mut self.has_begun, true) {
            coded.extend(HEAD);
        }
        self.crc.update(text);
        // Each piece is a run of blocks that ends at a byte; it refers to no other piece.
        let mut deflate = Compress::new(Compression::fast(), false);
        let flush = if is_last { FlushCompress::Finish } else { FlushCompress::Sync };
        loop {
            coded.reserve(ROOM);
            let rest = &text[deflate.total_in() as usize..];
            let status = deflate.compress_vec(rest, &mut coded, flush);
            let is_done = match status {
                Ok(Status::StreamEnd) | Err(_) => true,
                Ok(Status::Ok | Status::BufError) => {
                    !is_last && deflate.total_in() as usize == text.len() && coded.len() < coded.capacity()
                }
            };
            if is_done {
                break;
            }
        }
        if is_last {
            coded.extend(self.crc.sum().to_le_bytes());
            coded.extend(self.crc.amount().to_le_bytes());
        }
        coded
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn pieces_make_one_answer() {
        let text: Vec<u8> = (0..200_000u32).flat_map(|number| (number / 3).to_string().into_bytes()).collect();
        for size in [1000, 40_000, text.len()] {
            let (mut gzip, mut coded) = (Gzip::default(), Vec::new());
            for (number, piece) in text.chunks(size).enumerate() {
                coded.extend(gzip.encode(piece, (number + 1) * size >= text.len()));
            }
            let mut decoded = Vec::new();
            GzDecoder::new(&coded[..]).read_to_end(&mut decoded).unwrap();
            assert!(decoded == text && coded.len() < text.len(), "{size}: {} bytes", coded.len());
        }
    }

    /// A client sees each piece when it arrives.
    #[test]
    fn a_piece_is_whole_without_the_next() {
        let coded = Gzip::default().encode(b"one\n", false);
        let mut text = [0; 4];
        GzDecoder::new(&coded[..]).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"one\n");
    }

    #[test]
    fn an_empty_end_ends_the_answer() {
        let mut gzip = Gzip::default();
        let coded = [gzip.encode(b"one\n", false), gzip.encode(b"", true)].concat();
        let mut text = String::new();
        GzDecoder::new(&coded[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\n");
    }
}
