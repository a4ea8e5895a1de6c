//! The cover and its cosets, described, and files of other covers.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::CosetDatabase;
use super::report::PUZZLE;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::{CosetOfH, FlipSliceClasses};
use twistbase_puzzle::cube3::notation::facelets::FACELETS;
use twistbase_puzzle::cube3::notation::parse_position;
use twistbase_puzzle::cube3::{Cover, CoverClasses, Cube, Metric};
use twistbase_solve::{CoverSearch, TableBytes, sequence_into};
use twistbase_store::{NewFile, read_whole};
use twistbase_tables::{self as tables, Definition};

/// Cosets of the published cover (Rokicki, Kociemba, Davidson and Dethridge, 2010).
pub const PUBLISHED_COVER: u32 = 55_882_296;

/// The coset of a number in the cover, or of a position or a sequence to one, in any notation.
///
/// # Errors
/// As [`find_representative`].
pub fn find_coset(text: &str) -> Result<CosetOfH> {
    find_representative(text).map(|representative| CosetOfH::of(&representative))
}

/// A position of the coset of a number in the cover, or the position that a text is or leads to, in any notation.
///
/// # Errors
/// [`Error::Usage`] if the cover has no such number, [`Error::Invalid`] if it is no position.
pub fn find_representative(text: &str) -> Result<Cube> {
    // Facelets may be digits, too.
    let is_number = (1..FACELETS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Ok(parse_position(text)?.position);
    }
    let cover = Cover::get();
    let coset = text.parse().ok().and_then(|number| cover.coset(number)).ok_or_else(|| {
        Error::Usage(format!("the cover has no coset {text}; its numbers are 0 to {}", cover.count() - 1))
    })?;
    Ok(coset.representative())
}

/// The cover, as JSON: `schema/json/coset-cover.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverReport {
    /// "cube3".
    pub puzzle: &'static str,
    /// Its identity.
    pub cover: &'static str,
    /// Its cosets.
    pub cosets: u32,
    /// Its classes of edge orientations and middle edges' places.
    pub classes: usize,
    /// All such classes.
    pub classes_in_all: usize,
    /// All cosets, up to the symmetries that keep the axis.
    pub cosets_in_all: u64,
    /// Cosets of the published cover.
    pub published: u32,
}

impl CoverReport {
    /// The cover of this program.
    pub fn get() -> Self {
        let cover = Cover::get();
        Self {
            puzzle: PUZZLE,
            cover: Cover::identity(),
            cosets: cover.count(),
            classes: cover.classes().len(),
            classes_in_all: FlipSliceClasses::COUNT,
            cosets_in_all: CosetOfH::COUNT,
            published: PUBLISHED_COVER,
        }
    }
}

/// A coset and its place in the cover, as JSON: `schema/json/coset-of-cover.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverCosetReport<'a> {
    /// "cube3".
    pub puzzle: &'static str,
    /// What was given.
    pub input: &'a str,
    /// The coset, as [`CosetOfH`] numbers it.
    pub coset: u32,
    /// Its number in the cover, if it is in it.
    pub number: Option<u32>,
    /// Cosets that are its images under the symmetries that keep the axis, itself among them.
    pub images: u32,
    /// Its distance from H.
    pub distance: usize,
    /// A shortest sequence into it, the same each time.
    pub sequence: String,
}

impl CosetDatabase {
    /// Describes cosets, each [given](find_coset) by a number in the cover or a position. Needs the table `phase1`.
    ///
    /// # Errors
    /// As [`TableBytes::open`]; those of [`find_coset`] and of `on`, which hears of each.
    pub fn describe(
        &self,
        inputs: &[String],
        ctx: &Context,
        on: &mut dyn FnMut(&CoverCosetReport<'_>) -> Result<()>,
    ) -> Result<()> {
        // A misspelt sequence is an error before a table is built.
        let cosets = inputs.iter().map(|input| find_coset(input)).collect::<Result<Vec<_>>>()?;
        self.provide_phase1(Metric::Htm, ctx)?;
        let layout = tables::phase_one(Metric::Htm).layout();
        let phase1 = TableBytes::open(&self.store, layout, self.cache, ctx)?;
        inputs.iter().zip(cosets).try_for_each(|(input, coset)| {
            let sequence = sequence_into(phase1.as_ref(), coset)?;
            on(&CoverCosetReport {
                puzzle: PUZZLE,
                input,
                coset: coset.number(),
                number: Cover::get().number(coset),
                images: coset.images(),
                distance: sequence.moves().len(),
                sequence: sequence.to_string(),
            })
        })
    }
}

/// A cover that was searched, as JSON: `schema/json/coset-cover-search.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoverSearchReport<'a> {
    /// "cube3".
    pub puzzle: &'static str,
    /// The file that holds it.
    pub file: &'a Path,
    /// Its identity.
    pub cover: String,
    /// Its cosets.
    pub cosets: u64,
    /// Its classes.
    pub classes: usize,
    /// Cosets of the published cover.
    pub published: u32,
    /// Steps of each search.
    pub steps: u64,
    /// Searches, of which the best was taken.
    pub starts: u32,
    /// What decided where they lead.
    pub seed: u64,
    /// Time that they took.
    pub seconds: f64,
}

/// Searches a cover with few cosets, and writes it to a file: a bit for each class of edge orientations and middle edges'
/// places.
///
/// # Errors
/// Those of [`CoverSearch::run`]; [`Error::Io`].
pub fn search_cover<'a>(search: &CoverSearch, file: &'a Path, ctx: &Context) -> Result<CoverSearchReport<'a>> {
    let started = Instant::now();
    let found = search.run(ctx)?;
    NewFile::write_whole(file, found.as_bytes())?;
    let CoverSearch { steps, starts, seed, .. } = *search;
    Ok(CoverSearchReport {
        puzzle: PUZZLE,
        file,
        cover: found.identity(),
        cosets: found.cosets(),
        classes: found.count(),
        published: PUBLISHED_COVER,
        steps,
        starts,
        seed,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Reads a file that [`search_cover`] wrote.
///
/// # Errors
/// [`Error::Io`]; [`Error::Usage`] if it is something else.
pub fn read_cover(path: &Path) -> Result<CoverClasses> {
    let bytes = read_whole(path).map_err(|source| Error::io("read", path, source))?;
    CoverClasses::from_bytes(&bytes).ok_or_else(|| Error::Usage(format!("{} is not a cover file", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_a_number_or_facelets() {
        let cover = Cover::get();
        for number in [0, 1000, cover.count() - 1] {
            assert_eq!(find_coset(&number.to_string()).ok().and_then(|coset| cover.number(coset)), Some(number));
        }
        for number in [cover.count().to_string(), "4294967296".to_owned()] {
            assert!(matches!(find_coset(&number), Err(Error::Usage(_))), "{number}");
        }
        let facelets: String = "123456".chars().flat_map(|digit| [digit; 9]).collect();
        for solved in ["", "U", &facelets] {
            assert_eq!(find_coset(solved).unwrap().number(), CosetOfH::of(&Cube::SOLVED).number(), "{solved}");
        }
        assert!(matches!(find_coset(&"1".repeat(54)), Err(Error::Invalid(_))));
    }
}
