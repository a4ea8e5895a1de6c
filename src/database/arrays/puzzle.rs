//! Positions of a puzzle as arrays: written, read, drawn at random, moved.

use std::mem;

use rayon::prelude::*;

use super::{CHUNK, check_room, fill, positions_in};
use crate::random::RandomRequest;
use twistbase_core::context::Context;
use twistbase_core::error::{InvalidInput, Result};

/// Conversions between a puzzle's positions and arrays.
pub(crate) trait ArrayPuzzle: Send + Sync {
    /// A position.
    type Position: Send;

    /// Bytes of a position as an array.
    fn array_bytes(&self) -> usize;

    /// The names of the moves, by number.
    fn names_of_moves(&self) -> Vec<String>;

    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
    fn read_text(&self, input: &str) -> Result<Self::Position>;

    /// # Errors
    /// Fails with every reason.
    fn read(&self, array: &[u8]) -> Result<Self::Position, InvalidInput>;

    fn write(&self, position: &Self::Position, array: &mut [u8]);

    fn text(&self, position: &Self::Position) -> String;

    /// The number of its neighbours.
    fn degree(&self, position: &Self::Position) -> u8;

    /// Calls `visit` with each neighbour and the number of its move.
    fn for_each_neighbour(&self, position: &Self::Position, visit: &mut dyn FnMut(u8, &Self::Position));

    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) for what the puzzle does not have.
    fn draw(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = Self::Position>>>;
}

/// Many positions of a puzzle at once, as consecutive arrays of [`PuzzleArrays::width`] bytes each. Needs no table.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::{Context, Database};
///
/// let arrays = Database::open("nowhere")?.puzzle("cube2")?.arrays();
/// let ctx = Context::silent();
/// let mut array = vec![0; 2 * arrays.width()];
/// arrays.parse(&["R U", "wca:"], &mut array, &ctx)?;
/// assert_eq!(arrays.texts(&array, &ctx)?[1], "UUUURRRRFFFFDDDDLLLLBBBB");
/// let neighbours = arrays.neighbours(&array, &ctx)?;
/// assert_eq!((neighbours.origins[9], neighbours.moves[9]), (1, 0));
/// assert_eq!(arrays.moves()[0], "U");
/// # Ok::<(), twistbase::Error>(())
/// ```
pub trait PuzzleArrays: Send + Sync {
    /// Bytes of a position: 54 facelets of the Rubik's cube, 24 of the 2×2×2 cube, 16 pieces of the Square-1 family.
    fn width(&self) -> usize;

    /// The names of the moves, by number: `U`, `U2`, `U'`, `R`, …. For the Square-1 family a turn in WCA notation and a twist: `(x,y)/`
    /// has the number 12 (x + 5) + y + 5.
    fn moves(&self) -> Vec<String>;

    /// Reads positions in any notation and writes them as arrays to `to`.
    ///
    /// # Errors
    /// [`Error::Element`](twistbase_core::Error::Element) for the first invalid position, with every reason;
    /// [`Error::Usage`](twistbase_core::Error::Usage) if `to` has another size;
    /// [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    fn parse(&self, texts: &[&str], to: &mut [u8], ctx: &Context) -> Result<()>;

    /// The positions of an array as facelets, or in hexadecimal notation.
    ///
    /// # Errors
    /// As [`PuzzleArrays::parse`].
    fn texts(&self, array: &[u8], ctx: &Context) -> Result<Vec<String>>;

    /// The positions one move away from those of an array: for a cube by all moves; for the Square-1 family by a twist after each
    /// alignment up to turning over
    /// ([`Position::distinct_alignments`](twistbase_puzzle::square1::Position::distinct_alignments)).
    ///
    /// # Errors
    /// As [`PuzzleArrays::parse`].
    fn neighbours(&self, array: &[u8], ctx: &Context) -> Result<NeighbourArrays>;

    /// Fills an array with the first positions of [`Puzzle::random`](crate::Puzzle::random).
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::Error::Usage) for options that the puzzle does not have, and for an array with a partial
    /// position; [`Error::Interrupted`](twistbase_core::Error::Interrupted).
    fn random(&self, request: &RandomRequest, seed: u64, to: &mut [u8], ctx: &Context) -> Result<()>;
}

/// Positions one move away from others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NeighbourArrays {
    /// The neighbours as consecutive arrays: first those of the first position, in the order of moves.
    pub positions: Vec<u8>,
    /// For each neighbour the number of its origin in the input.
    pub origins: Vec<usize>,
    /// For each neighbour the number of its move.
    pub moves: Vec<u8>,
}

/// Space for the neighbours of some positions.
struct NeighbourPart<'a> {
    /// The number of the first of these positions.
    first: usize,
    array: &'a [u8],
    positions: &'a mut [u8],
    origins: &'a mut [usize],
    moves: &'a mut [u8],
}

impl NeighbourArrays {
    /// Space for the neighbours of the positions of an array, split into parts.
    fn parts<'a>(&'a mut self, array: &'a [u8], width: usize, degrees: &[u8]) -> Vec<NeighbourPart<'a>> {
        let sum = |degrees: &[u8]| degrees.iter().map(|&degree| usize::from(degree)).sum::<usize>();
        let all = sum(degrees);
        *self = Self { positions: vec![0; all * width], origins: vec![0; all], moves: vec![0; all] };
        let (mut positions, mut origins, mut moves) =
            (&mut self.positions[..], &mut self.origins[..], &mut self.moves[..]);
        let chunks = (0..).step_by(CHUNK).zip(array.chunks(CHUNK * width).zip(degrees.chunks(CHUNK)));
        let part = |(first, (array, degrees))| NeighbourPart {
            first,
            array,
            positions: split_off(&mut positions, sum(degrees) * width),
            origins: split_off(&mut origins, sum(degrees)),
            moves: split_off(&mut moves, sum(degrees)),
        };
        chunks.map(part).collect()
    }
}

/// Splits off the first items.
fn split_off<'a, T>(items: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = mem::take(items).split_at_mut(count);
    *items = rest;
    first
}

/// Fills in the neighbours of some positions.
fn fill_part<P: ArrayPuzzle>(puzzle: &P, part: NeighbourPart<'_>) -> Result<()> {
    let NeighbourPart { first, array, positions, origins, moves } = part;
    let mut rooms = positions.chunks_exact_mut(puzzle.array_bytes()).zip(origins).zip(moves);
    for (number, array) in (first..).zip(array.chunks_exact(puzzle.array_bytes())) {
        puzzle.for_each_neighbour(&puzzle.read(array)?, &mut |turn, neighbour| {
            if let Some(((array, origin), number_of_move)) = rooms.next() {
                puzzle.write(neighbour, array);
                (*origin, *number_of_move) = (number, turn);
            }
        });
    }
    Ok(())
}

impl<P: ArrayPuzzle> PuzzleArrays for P {
    fn width(&self) -> usize {
        self.array_bytes()
    }

    fn moves(&self) -> Vec<String> {
        self.names_of_moves()
    }

    fn parse(&self, texts: &[&str], to: &mut [u8], ctx: &Context) -> Result<()> {
        check_room(positions_in(to.len(), self.array_bytes())?, texts.len())?;
        fill(to, self.array_bytes(), ctx, |number, to| {
            self.write(&self.read_text(texts[number])?, to);
            Ok(())
        })
    }

    fn texts(&self, array: &[u8], ctx: &Context) -> Result<Vec<String>> {
        let mut texts = vec![String::new(); positions_in(array.len(), self.array_bytes())?];
        fill(&mut texts, 1, ctx, |number, text| {
            text[0] = self.text(&self.read(&array[number * self.array_bytes()..][..self.array_bytes()])?);
            Ok(())
        })?;
        Ok(texts)
    }

    fn neighbours(&self, array: &[u8], ctx: &Context) -> Result<NeighbourArrays> {
        let mut degrees = vec![0; positions_in(array.len(), self.array_bytes())?];
        fill(&mut degrees, 1, ctx, |number, degree| {
            degree[0] = self.degree(&self.read(&array[number * self.array_bytes()..][..self.array_bytes()])?);
            Ok(())
        })?;
        let mut neighbours = NeighbourArrays::default();
        let parts = neighbours.parts(array, self.array_bytes(), &degrees);
        parts.into_par_iter().try_for_each(|part| {
            ctx.check()?;
            fill_part(self, part)
        })?;
        Ok(neighbours)
    }

    fn random(&self, request: &RandomRequest, seed: u64, to: &mut [u8], ctx: &Context) -> Result<()> {
        positions_in(to.len(), self.array_bytes())?;
        let mut drawn = self.draw(request, seed)?;
        for chunk in to.chunks_mut(CHUNK * self.array_bytes()) {
            ctx.check()?;
            let arrays = chunk.chunks_exact_mut(self.array_bytes());
            arrays.zip(&mut drawn).for_each(|(array, position)| self.write(&position, array));
        }
        Ok(())
    }
}
