//! Many positions of a table against its answers one at a time, and against its entries as they are stored.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use twistbase::database::{Answer, BriefAnswer, Detail, ManyPositions, Prepared};
use twistbase::error::Fault;
use twistbase::export::{Column, ExportFormat, ExportRequest, RecordRequest, Sample, Selection};
use twistbase::query::MiddleGoal;
use twistbase::store::Entries;
use twistbase::{BuildRequest, Context, Database, Error, Metric, Question, QuestionMetric, RandomRequest, Result};

use super::{SMALL, arrays, levels, numbers, random_texts, refs, table};
use crate::support::CUBE3;

fn cube3() -> Database {
    Database::open(CUBE3.as_path()).unwrap()
}

/// A table, its puzzle, the member of an answer that tells its distances or bounds, and which positions it knows.
struct Subject {
    name: &'static str,
    puzzle: &'static str,
    member: &'static str,
    metric: Option<Metric>,
    in_h: bool,
}

const SUBJECTS: [Subject; 6] = [
    Subject { name: "cube2", puzzle: "cube2", member: "distance", metric: None, in_h: false },
    Subject { name: "cube2-qtm", puzzle: "cube2", member: "distance", metric: Some(Metric::Qtm), in_h: false },
    Subject { name: "square1-corners", puzzle: "square1-corners", member: "distance", metric: None, in_h: false },
    Subject { name: "phase1", puzzle: "cube3", member: "to_h", metric: None, in_h: false },
    Subject { name: "phase1-qtm", puzzle: "cube3", member: "to_h", metric: None, in_h: false },
    Subject { name: "phase2", puzzle: "cube3", member: "bound_in_h", metric: None, in_h: true },
];

impl Subject {
    fn database(&self) -> Database {
        if self.puzzle == "cube3" { cube3() } else { SMALL.clone() }
    }

    fn texts(&self, count: usize) -> Vec<String> {
        random_texts(self.puzzle, &RandomRequest { in_h: self.in_h, ..RandomRequest::default() }, 21, count)
    }

    fn prepared(&self, detail: Detail) -> Box<dyn Prepared> {
        let chosen = (self.puzzle == "cube3").then(|| table(self.name));
        let question = Question { detail, metric: self.metric.map(Into::into), table: chosen, ..Question::default() };
        self.database().puzzle(self.puzzle).unwrap().prepare(&question, &Context::silent()).unwrap()
    }

    fn answers(&self, texts: &[String]) -> Vec<Value> {
        let (ctx, prepared) = (Context::silent(), self.prepared(Detail::Full));
        let answer = |text: &String| serde_json::to_value(prepared.query(text, &ctx).unwrap()).unwrap();
        texts.iter().map(answer).collect()
    }
}

#[test]
fn tables_tell_of_many_positions_what_they_answer_of_one() {
    let ctx = Context::silent();
    for subject in SUBJECTS {
        let (texts, table) = (subject.texts(300), subject.database().table_arrays(table(subject.name), &ctx).unwrap());
        let answers = subject.answers(&texts);
        let expected: Vec<u8> = answers.iter().map(|answer| answer[subject.member].as_u64().unwrap() as u8).collect();
        let array: Vec<u8> = texts.iter().flat_map(|text| numbers(subject.puzzle, text)).collect();
        let mut indices = vec![0; texts.len()];
        table.indices(ManyPositions::Arrays(&array), &mut indices, &ctx).unwrap();
        let texts = refs(&texts);
        let forms = [ManyPositions::Texts(&texts), ManyPositions::Arrays(&array), ManyPositions::Indices(&indices)];
        for form in forms {
            assert_eq!(levels(&table, form, texts.len()).unwrap(), expected, "{}", subject.name);
            let mut found = vec![0; texts.len()];
            table.indices(form, &mut found, &ctx).unwrap();
            assert_eq!(found, indices, "{}", subject.name);
        }
        if subject.puzzle != "cube3" {
            assert!(answers.iter().map(|answer| answer["index"].as_u64().unwrap()).eq(indices.iter().copied()));
        }
        // The positions of entries are as far as these are.
        let mut positions = vec![0; array.len()];
        table.positions(&indices, &mut positions, &ctx).unwrap();
        assert_eq!(levels(&table, ManyPositions::Arrays(&positions), texts.len()).unwrap(), expected);
        if subject.puzzle == "cube2" {
            assert_eq!(positions, array);
        }
    }
}

/// Asks about all of some texts at once, in full and in brief, and about one after the other.
fn check_many(prepared: &dyn Prepared, texts: &[String], name: &str) {
    let ctx = Context::silent();
    let refused = |input: &str, error: Error| format!("{input}: {error:?}");
    let whole = |input: &str, answer: Result<Answer>| match answer {
        Ok(answer) => serde_json::to_string(&answer).unwrap(),
        Err(error) => refused(input, error),
    };
    let brief = |input: &str, answer: Result<BriefAnswer>| match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => refused(input, error),
    };
    let one = |input: &String| prepared.query(input, &ctx);
    let expected: Vec<String> = texts.iter().map(|input| whole(input, one(input))).collect();
    let expected_in_brief = texts.iter().map(|input| brief(input, one(input).map(|answer| answer.brief())));
    let (mut found, mut found_in_brief) = (Vec::new(), Vec::new());
    prepared.query_many(&refs(texts), &ctx, &mut |input, answer| found.push(whole(input, answer)));
    assert_eq!(found, expected, "{name}");
    assert!(found.iter().any(|answer| answer.starts_with("nonsense: ")));
    prepared.query_many_briefly(&refs(texts), &ctx, &mut |input, answer| found_in_brief.push(brief(input, answer)));
    assert_eq!(found_in_brief, expected_in_brief.collect::<Vec<_>>(), "{name}");
}

/// Some texts of which some are no position, and one that is in H stands beside others.
fn among_others(mut texts: Vec<String>) -> Vec<String> {
    texts.extend(["nonsense", "", "wca:", "index:-1", "(1,0)/(1,0)/", "R"].map(str::to_owned));
    texts.rotate_left(50);
    texts
}

#[test]
fn many_questions_have_the_answers_of_each() {
    for subject in SUBJECTS {
        for detail in [Detail::Brief, Detail::Full] {
            check_many(&*subject.prepared(detail), &among_others(subject.texts(100)), subject.name);
        }
    }
}

#[test]
fn many_questions_about_the_middle_layer_and_all_tables_have_the_answers_of_each() {
    let (ctx, brief) = (Context::silent(), Question { detail: Detail::Brief, ..Question::default() });
    let square1 = SMALL.puzzle("square1-corners").unwrap();
    let mut texts = random_texts("square1-corners", &RandomRequest::default(), 4, 200);
    let symbols = ["", "-", "/"].iter().cycle();
    texts.iter_mut().zip(symbols).for_each(|(text, symbol)| text.push_str(symbol));
    let texts = among_others(texts);
    for question in [
        Question { middle: Some(MiddleGoal::Square), ..brief.clone() },
        Question { metric: Some(QuestionMetric::Wca), ..brief.clone() },
    ] {
        check_many(&*square1.prepare(&question, &ctx).unwrap(), &texts, "square1-corners");
    }
    // Of the tables that have been built, none being named.
    let in_h = random_texts("cube3", &RandomRequest { in_h: true, ..RandomRequest::default() }, 5, 60);
    let texts = among_others([random_texts("cube3", &RandomRequest::default(), 5, 60), in_h].concat());
    check_many(&*cube3().puzzle("cube3").unwrap().prepare(&brief, &ctx).unwrap(), &texts, "cube3");
}

#[test]
fn entries_are_what_is_stored() {
    let ctx = Context::silent();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for name in ["cube2", "cube2-qtm", "square1-corners"] {
        let arrays = SMALL.table_arrays(table(name), &ctx).unwrap();
        let stored = SMALL.store().table(table(name).definition().layout()).unwrap();
        let row_entries = stored.layout().row_entries();
        let indices: Vec<u64> = (0..5000).map(|_| rng.random_range(0..arrays.entries())).collect();
        let told = levels(&arrays, ManyPositions::Indices(&indices), indices.len()).unwrap();
        for (index, told) in indices.iter().zip(told) {
            let value = stored.get((index / row_entries) as u32, index % row_entries).unwrap();
            assert_eq!(told, value, "{name}, {index}");
        }
    }
    // All of them at once are the distribution.
    let table = SMALL.table_arrays(table("square1-corners"), &ctx).unwrap();
    let indices: Vec<u64> = (0..table.entries()).collect();
    let mut counts = [0; 9];
    for distance in levels(&table, ManyPositions::Indices(&indices), indices.len()).unwrap() {
        counts[usize::from(distance)] += 1;
    }
    let stats = SMALL.stats(table.table()).unwrap();
    let stats = serde_json::to_value(&stats).unwrap();
    let expected = stats["levels"].as_array().unwrap().iter().map(|level| level["entries"].as_u64().unwrap());
    assert!(expected.eq(counts));
}

#[test]
fn a_table_that_is_built_to_a_depth_tells_what_it_knows_and_is_followed() {
    const DEPTH: u8 = 6;
    let ctx = Context::silent();
    for name in ["cube2", "square1-corners"] {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let missing = database.table_arrays(table(name), &ctx).unwrap_err();
        assert!(matches!(missing, Error::Data(error) if error.fault == Fault::Missing));
        let to_depth = BuildRequest { depth: Some(DEPTH), ..BuildRequest::default() };
        database.build(table(name), &to_depth, &ctx).unwrap();
        let (bounded, whole) =
            (database.table_arrays(table(name), &ctx).unwrap(), SMALL.table_arrays(table(name), &ctx));
        let whole = whole.unwrap();
        assert_eq!((bounded.depth(), whole.depth()), (Some(DEPTH), None));
        let indices: Vec<u64> = (0..whole.entries()).step_by(101).collect();
        let expected = levels(&whole, ManyPositions::Indices(&indices), indices.len()).unwrap();
        let known = |&(_, &distance): &(&u64, &u8)| distance <= DEPTH;
        let (near, distances): (Vec<u64>, Vec<u8>) = indices.iter().zip(&expected).filter(known).unzip();
        assert!(!near.is_empty() && near.len() < indices.len());
        assert_eq!(levels(&bounded, ManyPositions::Indices(&near), near.len()).unwrap(), distances);
        // The first that is farther is named, in whatever form it is given.
        let first = expected.iter().position(|&distance| distance > DEPTH).unwrap();
        let mut positions = vec![0; indices.len() * bounded.width()];
        bounded.positions(&indices, &mut positions, &ctx).unwrap();
        for form in [ManyPositions::Indices(&indices), ManyPositions::Arrays(&positions)] {
            let Err(Error::Element { number, error }) = levels(&bounded, form, indices.len()) else {
                panic!("all told")
            };
            assert_eq!(number, first, "{name}");
            assert!(matches!(*error, Error::Data(error) if error.fault == Fault::Bounded));
            let mut found = vec![0; indices.len()];
            bounded.indices(form, &mut found, &ctx).unwrap();
        }
        database.build(table(name), &BuildRequest::default(), &ctx).unwrap();
        let followed = database.clone().table_arrays(table(name), &ctx).unwrap();
        assert_eq!(levels(&followed, ManyPositions::Indices(&indices), indices.len()).unwrap(), expected);
        assert_eq!(bounded.depth(), Some(DEPTH));
    }
}

/// Entries of a pruning table: their bounds, and those that stand for nothing.
#[test]
#[ignore = "long suite: a pruning table, and the exact distances in H"]
fn the_larger_tables_of_the_cube_tell_what_they_answer() {
    let ctx = Context::silent();
    let tables = ["nx-eo1-ep1-htm", "phase2-exact"].map(|name| table(name).definition());
    let database = Database::open(crate::support::cube3::CUBE3.with(&tables).dir().unwrap()).unwrap();
    for (name, member, in_h) in [("nx-eo1-ep1-htm", "nx", false), ("phase2-exact", "distance_in_h", true)] {
        let many = database.table_arrays(table(name), &ctx).unwrap();
        let texts = random_texts("cube3", &RandomRequest { in_h, ..RandomRequest::default() }, 4, 2000);
        let question = Question { table: Some(table(name)), ..Question::default() };
        let prepared = database.puzzle("cube3").unwrap().prepare(&question, &ctx).unwrap();
        let told = levels(&many, ManyPositions::Texts(&refs(&texts)), texts.len()).unwrap();
        for (text, told) in texts.iter().zip(told) {
            let answer = serde_json::to_value(prepared.query(text, &ctx).unwrap()).unwrap();
            assert_eq!(answer[member], told, "{name}: {text}");
        }
    }
    let pruning = database.table_arrays(table("nx-eo1-ep1-htm"), &ctx).unwrap();
    // Of a block of 64 entries the last two are the least of the others.
    for (index, stands) in [(61, true), (62, false), (63, false), (64, true)] {
        let told = levels(&pruning, ManyPositions::Indices(&[0, index]), 2);
        let is_refused = matches!(&told, Err(Error::Element { number: 1, error }) if error.to_string().contains("stands for no position"));
        assert!(told.is_ok() == stands && is_refused != stands, "{index}: {told:?}");
    }
}

#[test]
fn what_is_selected_are_the_records_of_an_export() {
    let (ctx, folder) = (Context::silent(), tempfile::tempdir().unwrap());
    SMALL.table_arrays(table("square1-corners"), &ctx).unwrap();
    let all = Selection { rows: Some(vec![3..=5]), ..Selection::default() };
    let some = Selection { levels: Some(vec![4..=4]), ..all.clone() };
    let sample = |of: &Selection, count, seed| Selection { sample: Some(Sample { count, seed }), ..of.clone() };
    let selections =
        [sample(&Selection::default(), 500, 7), sample(&some, 200, 1), sample(&some, 0, 1), some.clone(), all];
    for (number, selection) in selections.iter().enumerate() {
        let selected = SMALL.select(table("square1-corners"), selection, &ctx).unwrap();
        let records =
            RecordRequest { columns: vec![Column::Index], selection: selection.clone(), ..RecordRequest::default() };
        let request = ExportRequest { records, format: ExportFormat::Csv, zstd: false };
        let file = folder.path().join(format!("{number}.csv"));
        SMALL.export(table("square1-corners"), &request, None, &file, false, &ctx).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        let exported: Vec<u64> = text.lines().skip(1).map(|line| line.parse().unwrap()).collect();
        assert_eq!(selected, exported);
        assert!(selected.is_sorted() && selection.sample.is_none_or(|sample| sample.count == selected.len() as u64));
    }
    let too_many = sample(&some, 10_000_000, 0);
    assert!(matches!(SMALL.select(table("square1-corners"), &too_many, &ctx), Err(Error::Usage(_))));
}

#[test]
fn the_opened_table_is_kept_and_shared() {
    let ctx = Context::silent();
    let one = SMALL.table_arrays(table("cube2"), &ctx).unwrap();
    assert!(std::sync::Arc::ptr_eq(&one, &SMALL.clone().table_arrays(table("cube2"), &ctx).unwrap()));
    assert_eq!((one.entries(), one.width(), one.has_distances()), (3_674_160, arrays("cube2").width(), true));
}
