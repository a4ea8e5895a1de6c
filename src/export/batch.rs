//! Records of an export, column by column.

use super::columns::Column;

/// Texts, concatenated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// All of them.
    pub(super) text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

impl Texts {
    /// Ends the text that was appended to [`Texts::text`].
    pub(super) fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.end();
    }

    /// All of them, one behind the other, and where each ends.
    pub fn into_parts(self) -> (String, Vec<usize>) {
        (self.text, self.ends)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The range of text number `at`.
    pub(super) fn range(&self, at: usize) -> std::ops::Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[at]
    }

    pub(super) fn get(&self, at: usize) -> &str {
        &self.text[self.range(at)]
    }
}

/// The fields of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fields {
    /// Whole numbers, none negative.
    Long(Vec<u64>),
    /// See [`Fields::Long`].
    Word(Vec<u32>),
    /// See [`Fields::Long`].
    Byte(Vec<u8>),
    /// A text for each record.
    Text(Texts),
    /// Texts, and for each record where its last one ends.
    Texts(Texts, Vec<usize>),
}

/// Some records, with as many fields in each column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordBatch {
    /// How many.
    pub records: usize,
    /// The columns, in the order in which they are written.
    pub columns: Vec<(Column, Fields)>,
}

/// A field.
pub(super) enum Field<'a> {
    Number(u64),
    Text(&'a str),
    Texts(&'a Texts, std::ops::Range<usize>),
}

impl Fields {
    pub(super) fn get(&self, record: usize) -> Field<'_> {
        match self {
            Self::Long(numbers) => Field::Number(numbers[record]),
            Self::Word(numbers) => Field::Number(numbers[record].into()),
            Self::Byte(numbers) => Field::Number(numbers[record].into()),
            Self::Text(texts) => Field::Text(texts.get(record)),
            Self::Texts(texts, ends) => {
                Field::Texts(texts, record.checked_sub(1).map_or(0, |before| ends[before])..ends[record])
            }
        }
    }
}
