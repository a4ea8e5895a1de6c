//! Records of an export, column by column.

use super::columns::Column;

/// Texts, concatenated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// All of them.
    pub text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Texts {
    /// Ends the text that was appended to [`Texts::text`].
    pub fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.end();
    }

    /// All of them, and where each ends.
    #[cfg(feature = "arrow")]
    pub fn into_parts(self) -> (String, Vec<usize>) {
        (self.text, self.ends)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The range of text number `at`.
    pub fn range(&self, at: usize) -> std::ops::Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[at]
    }

    pub fn get(&self, at: usize) -> &str {
        &self.text[self.range(at)]
    }
}

/// The fields of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fields {
    Long(Vec<u64>),
    Word(Vec<u32>),
    Byte(Vec<u8>),
    Text(Texts),
    /// Texts, and for each record where its last one ends.
    Texts(Texts, Vec<usize>),
}

/// Some records, with as many fields in each column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RecordBatch {
    pub records: usize,
    pub columns: Vec<(Column, Fields)>,
}

/// A field.
pub(super) enum Field<'a> {
    Number(u64),
    Text(&'a str),
    Texts(&'a Texts, std::ops::Range<usize>),
}

impl Fields {
    pub fn get(&self, record: usize) -> Field<'_> {
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
