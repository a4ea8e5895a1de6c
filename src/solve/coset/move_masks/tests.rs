use super::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use twistbase_levelset::{self as levelset, Options};
use twistbase_puzzle::cube3::{Metric, random_walk};
use twistbase_query::cube3::{Cosets, FaceTurnTable};
use twistbase_store::{FlatTable, RowLevels};
use twistbase_tables::{self as tables, Definition};

/// The bytes of `phase1`.
pub(in crate::coset) fn phase1() -> Vec<u8> {
    let options = Options { kernel: levelset::Kernel::detect(), memory: 1 << 30, scratch: Some(std::env::temp_dir()) };
    let mut phase1 = Vec::new();
    let mut keep = |_: u32, row: &[u8], _: &RowLevels| {
        phase1.extend_from_slice(row);
        Ok(())
    };
    let levels = tables::phase_one(Metric::Htm).generate(tables::BuildDepth::WHOLE, &options, &Context::silent());
    levels.unwrap().for_each_row(&mut keep).unwrap();
    phase1
}

/// Against walks through the cube and the distances that `phase1` tells of where they come by.
#[test]
#[ignore = "long suite: all cosets up to distance 8"]
fn what_is_known_of_cosets_is_what_their_neighbours_tell() {
    let (table, phase1) = (tables::phase_one(Metric::Htm), phase1());
    let move_masks = MoveMaskTable::new(&phase1, &Context::silent()).unwrap();
    let distances = Cosets::over(table, FlatTable::new(*table.layout(), &phase1).unwrap());
    let moves = CosetMoves::get();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut known = [0; 13];
    for walk in 0..4000 {
        let (_, position) = random_walk(&mut rng, Metric::Htm, walk % 14);
        let distance = distances.distance(&position).unwrap().moves();
        let (number, symmetry) = moves.index(moves.coset(&position));
        let found = move_masks.find(number);
        assert_eq!(found.is_some(), distance <= MoveMaskTable::FARTHEST, "{distance}");
        let Some(MoveMasks { distance: told, nearer, same }) = found else { continue };
        assert_eq!(told, distance);
        let [nearer, same] = [nearer, same].map(|mask| moves.mask_back(symmetry, mask));
        for step in distances.moves(&position).unwrap() {
            let [nearer, same] = [nearer, same].map(|mask| mask >> step.turn.index() & 1 == 1);
            let change = step.change.expect("of a complete table");
            assert_eq!((nearer, same), (change < 0, change == 0), "{}", step.turn);
        }
        known[usize::from(distance)] += 1;
    }
    assert!(known[..=usize::from(MoveMaskTable::FARTHEST)].iter().all(|&count| count > 0), "{known:?}");
}
