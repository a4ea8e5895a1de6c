//! Files of scrambles with their distances to goals: Parquet, CSV or JSON Lines, a column for each goal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use super::format::{ExportFormat, parquet_properties};
use super::partial_file::refuse_existing;
use twistbase_core::error::{Error, Result};
use twistbase_store::NewFile;

/// Records of a row group of Parquet.
const GROUP: usize = 1 << 17;

/// The column of the scrambles.
const SCRAMBLE: &str = "scramble";

/// A file that distances are appended to. It has its name when it is finished; if it never is, it is removed.
pub struct DistanceFile {
    path: PathBuf,
    goals: Vec<String>,
    output: Output,
    records: u64,
}

/// What takes records.
enum Output {
    Csv(Box<csv::Writer<NewFile>>),
    Jsonl(NewFile),
    Parquet(Box<Grouped>),
}

/// A Parquet file, and the records of the next row group.
struct Grouped {
    writer: SerializedFileWriter<NewFile>,
    scrambles: Vec<ByteArray>,
    /// For each goal, the distances that there are, and for each record whether there is one.
    distances: Vec<(Vec<i32>, Vec<i16>)>,
}

impl std::fmt::Debug for DistanceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DistanceFile").field("path", &self.path).field("goals", &self.goals).finish_non_exhaustive()
    }
}

impl DistanceFile {
    /// Begins a file of the format of its ending, with a column for each goal; `:` and `-` in their names become `_`.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown ending, or if the file is there already, unless `force` is set; [`Error::Io`].
    pub fn create(path: &Path, goals: &[String], force: bool) -> Result<Self> {
        let (format, zstd) = ExportFormat::of_file(path, None).map_err(|_| {
            let file = path.display();
            Error::Usage(format!("{file} has no known extension: name the file .parquet, .csv or .jsonl"))
        })?;
        if zstd {
            return Err(Error::Usage(format!("{}: distances are not compressed: leave out .zst", path.display())));
        }
        refuse_existing(path, force)?;
        let goals: Vec<String> = goals.iter().map(|goal| goal.replace([':', '-'], "_")).collect();
        let failed = |source| Error::io("write", path, source);
        let file = NewFile::create(path)?;
        let output = match format {
            ExportFormat::Csv => {
                let mut writer = csv::Writer::from_writer(file);
                let columns = [SCRAMBLE].into_iter().chain(goals.iter().map(String::as_str));
                writer.write_record(columns).map_err(|error| failed(error.into()))?;
                Output::Csv(Box::new(writer))
            }
            ExportFormat::Jsonl => Output::Jsonl(file),
            ExportFormat::Parquet => {
                let columns: String =
                    goals.iter().map(|goal| format!("optional int32 {goal} (INTEGER(8,false));")).collect();
                let schema = format!("message twistbase {{ required binary {SCRAMBLE} (UTF8); {columns} }}");
                let writer = parse_message_type(&schema).and_then(|schema| {
                    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(parquet_properties()?))
                });
                let writer = writer.map_err(|error| failed(io::Error::other(error)))?;
                let distances = vec![Default::default(); goals.len()];
                Output::Parquet(Box::new(Grouped { writer, scrambles: Vec::new(), distances }))
            }
        };
        Ok(Self { path: path.to_owned(), goals, output, records: 0 })
    }

    /// Appends a scramble with its distance to each goal, in the order of the goals; `None` where its moves do not lead to it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn append(&mut self, scramble: &str, distances: &[Option<u8>]) -> Result<()> {
        self.records += 1;
        let text = |distance: &Option<u8>, none: &str| distance.map_or_else(|| none.to_owned(), |it| it.to_string());
        let written = match &mut self.output {
            Output::Csv(writer) => {
                let fields =
                    [scramble.to_owned()].into_iter().chain(distances.iter().map(|distance| text(distance, "")));
                writer.write_record(fields).map_err(io::Error::from)
            }
            Output::Jsonl(file) => {
                // In the order of the goals, which a map of JSON would sort.
                let members = self.goals.iter().zip(distances);
                let members = members.map(|(goal, distance)| format!(",\"{goal}\":{}", text(distance, "null")));
                let scramble = serde_json::Value::from(scramble);
                writeln!(file, "{{\"{SCRAMBLE}\":{scramble}{}}}", members.collect::<String>())
            }
            Output::Parquet(grouped) => grouped.append(scramble, distances).map_err(io::Error::other),
        };
        written.map_err(|source| Error::io("write", &self.path, source))
    }

    /// Ends the file, which then has its name. Returns its records and bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(self) -> Result<(u64, u64)> {
        let failed = |source| Error::io("write", &self.path, source);
        let file = match self.output {
            Output::Csv(writer) => writer.into_inner().map_err(|error| failed(error.into_error()))?,
            Output::Jsonl(file) => file,
            Output::Parquet(mut grouped) => {
                let written = grouped.write_group().and_then(|()| grouped.writer.into_inner());
                written.map_err(|error| failed(io::Error::other(error)))?
            }
        };
        file.publish()?;
        Ok((self.records, self.path.metadata().map_err(failed)?.len()))
    }
}

impl Grouped {
    fn append(&mut self, scramble: &str, distances: &[Option<u8>]) -> Result<(), ParquetError> {
        self.scrambles.push(scramble.as_bytes().to_vec().into());
        for ((numbers, levels), distance) in self.distances.iter_mut().zip(distances) {
            numbers.extend(distance.map(i32::from));
            levels.push(distance.is_some().into());
        }
        if self.scrambles.len() < GROUP { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.scrambles.is_empty() {
            return Ok(());
        }
        let missing = || ParquetError::General("a column is missing".to_owned());
        let mut group = self.writer.next_row_group()?;
        let mut column = group.next_column()?.ok_or_else(missing)?;
        column.typed::<ByteArrayType>().write_batch(&std::mem::take(&mut self.scrambles), None, None)?;
        column.close()?;
        for (numbers, levels) in &mut self.distances {
            let mut column = group.next_column()?.ok_or_else(missing)?;
            column.typed::<Int32Type>().write_batch(numbers, Some(levels), None)?;
            column.close()?;
            (*numbers, *levels) = Default::default();
        }
        group.close().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use ::parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    const RECORDS: [(&str, [Option<u8>; 2]); 3] =
        [("R U", [Some(0), Some(12)]), ("a \"b\", c", [None, Some(3)]), ("", [Some(7), None])];

    fn written(name: &str) -> (PathBuf, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut file = DistanceFile::create(&path, &["cross:any".to_owned(), "eo-line".to_owned()], false).unwrap();
        RECORDS.iter().for_each(|(scramble, distances)| file.append(scramble, distances).unwrap());
        assert!(!path.exists());
        let (records, bytes) = file.finish().unwrap();
        assert_eq!((records, bytes), (3, path.metadata().unwrap().len()));
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        (path, folder)
    }

    #[test]
    fn text_is_written_as_its_format_wants() {
        let csv = "scramble,cross_any,eo_line\nR U,0,12\n\"a \"\"b\"\", c\",,3\n,7,\n";
        let (path, _folder) = written("a.csv");
        assert_eq!(fs::read_to_string(path).unwrap(), csv);
        let (path, _folder) = written("a.jsonl");
        let lines = fs::read_to_string(path).unwrap();
        assert_eq!(lines.lines().nth(1), Some(r#"{"scramble":"a \"b\", c","cross_any":null,"eo_line":3}"#));
    }

    #[test]
    fn parquet_has_a_column_for_each_goal() {
        let (path, _folder) = written("a.parquet");
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(rows[1], r#"{scramble: "a "b", c", cross_any: null, eo_line: 3}"#);
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn a_file_that_is_not_finished_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let goals = ["eo".to_owned()];
        drop(DistanceFile::create(&path, &goals, false).unwrap());
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        fs::write(&path, "x").unwrap();
        assert!(DistanceFile::create(&path, &goals, false).is_err());
        drop(DistanceFile::create(&path, &goals, true).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "x");
        for name in ["a.xlsx", "a.csv.zst"] {
            assert!(matches!(DistanceFile::create(&folder.path().join(name), &goals, false), Err(Error::Usage(_))));
        }
    }
}
