use super::events::Simulation;
use super::*;
use twistbase_puzzle::cube3::Cover;

/// A farm of which nothing is lost, and that costs no time but that of its items.
fn smooth(items: u64) -> FarmModel {
    FarmModel {
        items,
        item_seconds: 10.0,
        item_spread: 0.0,
        nodes: 3,
        tasks_per_node: 2,
        shard_seconds: 100.0,
        overhead_seconds: 0.0,
        stage_bytes: 0,
        node_failures_per_hour: 0.0,
        ..FarmModel::default()
    }
}

fn play(model: &FarmModel) -> Simulated {
    model.simulate(7).unwrap()
}

fn assert_near(found: f64, expected: f64, share: f64) {
    assert!((found - expected).abs() <= expected * share, "{found} is not {expected}");
}

/// What tasks take that are started in their order, each in the slot that is free first, and at most so many.
fn list_schedule(times: impl Iterator<Item = f64>, slots: usize) -> f64 {
    let mut free_at = vec![0.0_f64; slots];
    for time in times {
        let first = (0..slots).min_by(|&a, &b| free_at[a].total_cmp(&free_at[b])).unwrap();
        free_at[first] += time;
    }
    free_at.into_iter().fold(0.0, f64::max)
}

#[test]
fn small_farms_are_as_counted_by_hand() {
    // 30 items of 10 s in shards of 100 s are 3 tasks on 6 slots; 70 are 7, of which one waits.
    let one = play(&smooth(30));
    assert_eq!((one.shards, one.items_per_shard, one.tasks, one.wall_seconds), (3, 10, 3, 100.0));
    assert_eq!((one.core_seconds, one.work_seconds, one.lost), (300.0, 300.0, 0.0));
    let two = play(&smooth(70));
    assert_eq!((two.shards, two.wall_seconds, two.work_seconds), (7, 200.0, 700.0));
    // plan.json, items.txt, slurm.toml, a script and a note; a result and a log for each shard. When the second shard ends, the
    // first has a file, it has three, and the five others that run have two each.
    assert_eq!((two.files, two.arrays, two.folders, two.fullest_folder), (5 + 14, 1, 6, 14));
    assert_eq!((two.bytes, two.unfinished, two.fits), (70 * smooth(70).item_bytes, 0, true));
    // Two cores that are worth one and a half: shards have 15 items, and take 100 s.
    let cores = play(&FarmModel { cores: 2, efficiency: 0.75, ..smooth(30) });
    assert_eq!((cores.shards, cores.cores, cores.wall_seconds), (2, 12, 100.0));
    assert_eq!((cores.core_seconds, cores.work_seconds), (400.0, 300.0));
    // The overhead of each of two tasks, one after the other; at most one at a time.
    let paid = FarmModel { overhead_seconds: 5.0, throttle: Some(1), price: 3600.0, ..smooth(20) };
    let paid = play(&paid);
    assert_eq!((paid.wall_seconds, paid.core_seconds, paid.cost, paid.cores), (210.0, 210.0, 210.0, 1));
    // Three nodes copy a table at the same time, each task waits for that of its node.
    let staged = play(&FarmModel { stage_bytes: 50, server_bandwidth: 10.0, ..smooth(60) });
    assert_eq!((staged.wall_seconds, staged.staged_bytes, staged.work_seconds), (115.0, 150, 600.0));
    // After 55 s a task is cut: five items of its shard are stored each time.
    let cut = play(&FarmModel { time_limit: Some(55.0), ..smooth(10) });
    assert_eq!((cut.tasks, cut.resubmissions, cut.arrays), (2, 1, 2));
    assert_eq!((cut.wall_seconds, cut.lost), (105.0, 5.0 / 105.0));
}

#[test]
fn without_failures_farms_are_list_schedules() {
    for (items, nodes, throttle) in
        [(1, 1, None), (999, 5, None), (5000, 70, None), (5000, 70, Some(9)), (123, 1, None)]
    {
        let model = FarmModel { item_spread: 8.0, nodes, throttle, shard_seconds: 35.0, ..smooth(items) };
        let simulation = Simulation::new(&model, 3);
        let times: Vec<f64> = simulation.shards().iter().map(|shard| shard.items as f64 * shard.item_seconds).collect();
        let slots = (nodes * model.tasks_per_node).min(throttle.unwrap_or(u32::MAX)) as usize;
        let found = simulation.run();
        assert_near(found.wall_seconds, list_schedule(times.iter().copied(), slots), 1e-9);
        assert_near(found.work_seconds, times.iter().sum(), 1e-9);
        assert_near(found.core_seconds, found.work_seconds, 1e-9);
        assert_eq!((found.tasks, found.lost), (times.len() as u64, 0.0));
    }
}

#[test]
fn more_nodes_are_never_slower() {
    let model = FarmModel { item_spread: 9.0, overhead_seconds: 0.9, shard_seconds: 20.0, ..smooth(3000) };
    let times: Vec<f64> = (1..60).map(|nodes| play(&FarmModel { nodes, ..model.clone() }).wall_seconds).collect();
    assert!(times.is_sorted_by(|more, fewer| fewer <= more), "{times:?}");
}

#[test]
fn what_is_lost_is_as_expected() {
    // With journals half an item for each failure.
    let model = FarmModel {
        item_seconds: 600.0,
        nodes: 500,
        tasks_per_node: 1,
        shard_seconds: 36_000.0,
        node_failures_per_hour: 0.1,
        journal_seconds: 0.0,
        ..smooth(1_000_000)
    };
    let found = play(&model);
    assert_near(found.lost, 0.1 * 300.0 / 3600.0, 0.1);
    assert_near(found.work_seconds, 600e6, 1e-9);
    assert_near(found.core_seconds * (1.0 - found.lost), found.work_seconds, 1e-9);
    assert_eq!((found.resubmissions, found.unfinished), (0, 0));
    // Without journals a task of length T is begun again and again: of the rate r, it takes (e^rT - 1) / r on average.
    let model = FarmModel { journal_seconds: 1e9, shard_seconds: 18_000.0, ..model };
    let (rate, time) = (0.1 / 3600.0_f64, 18_000.0_f64);
    assert_near(play(&model).lost, 1.0 - rate * time / (rate * time).exp_m1(), 0.05);
}

#[test]
fn tasks_that_fail_are_submitted_again() {
    let model = FarmModel { task_failure: 0.25, nodes: 200, shard_seconds: 20.0, ..smooth(20_000) };
    let found = play(&model);
    // Of 10,000 shards a quarter fails, of these a quarter, and so on.
    assert_near(found.tasks as f64, 10_000.0 / 0.75, 0.03);
    assert!((5..20).contains(&found.resubmissions), "{found:?}");
    assert_near(found.work_seconds, 200_000.0, 1e-9);
    // A result and one log of each task; in each array a script and a note.
    assert_eq!(found.files, 3 + 10_000 + found.tasks + 2 * found.arrays);
    assert!(found.files_at_most >= found.files && found.fits, "{found:?}");
}

#[test]
fn a_seed_decides_all() {
    let model = FarmModel { item_spread: 5.0, task_failure: 0.1, node_failures_per_hour: 0.5, ..smooth(4000) };
    assert_eq!(model.simulate(1).unwrap(), model.simulate(1).unwrap());
    assert_ne!(model.simulate(1).unwrap(), model.simulate(2).unwrap());
}

#[test]
fn the_whole_proof_fits_into_a_file_system() {
    for items in [u64::from(twistbase_cosets::PUBLISHED_COVER), Cover::get().count().into()] {
        // Ten thousand cores, failures of every kind.
        let model =
            FarmModel { items, nodes: 625, node_failures_per_hour: 1e-3, task_failure: 0.01, ..FarmModel::default() };
        let found = play(&model);
        assert!(found.fits, "{:?}", found.reasons);
        assert_eq!(found.shards, MOST_SHARDS);
        assert!(found.files_at_most + found.folders < 100_000 && found.fullest_folder <= 10_000, "{found:?}");
        assert!(found.node_failures > 0 && found.resubmissions > 0, "{found:?}");
    }
}

#[test]
fn limits_that_are_broken_are_named() {
    let model = FarmModel { largest_array: 20_000, shard_seconds: 10.0, nodes: 100, files: 20_000, ..smooth(15_000) };
    let found = play(&model);
    assert!(!found.fits);
    // When the last 200 run, and one of them has its file beside its journal and its lock.
    let reasons =
        "30206 files and 20 folders exceed the limit of 20000; 15000 entries in a folder exceed the limit of 10000";
    assert_eq!((found.reasons.join("; ").as_str(), found.files_at_most), (reasons, 5 + 14_800 + 400 + 1 + 15_000));
    // Nodes fail before anything is done.
    let hopeless = FarmModel { node_failures_per_hour: 3600.0, node_return_seconds: 0.0, nodes: 1, ..smooth(10) };
    let hopeless = FarmModel { item_seconds: 100.0, shard_seconds: 1000.0, ..hopeless };
    let found = play(&hopeless);
    assert!((found.unfinished, found.fits) == (1, false) && found.reasons[0].contains("1 of 1 shards"), "{found:?}");
}

#[test]
fn every_reason_why_it_is_no_farm_is_told() {
    assert!(FarmModel::default().check().is_ok());
    let wrong = FarmModel {
        items: 0,
        item_seconds: f64::NAN,
        item_spread: -1.0,
        cores: 0,
        efficiency: 1.5,
        nodes: 0,
        shard_seconds: 0.0,
        server_bandwidth: 0.0,
        node_failures_per_hour: f64::INFINITY,
        task_failure: 1.0,
        throttle: Some(0),
        largest_array: 0,
        price: -1.0,
        ..FarmModel::default()
    };
    let Err(Error::Usage(text)) = wrong.simulate(0) else { panic!("accepted") };
    assert_eq!(text.split("; ").count(), 13, "{text}");
    let limited = FarmModel { time_limit: Some(10.0), overhead_seconds: 0.5, ..smooth(1) };
    let Err(Error::Usage(text)) = limited.check() else { panic!("accepted") };
    assert_eq!(text, "a time limit of 10 s is too short: the first item takes 10.5 s");
}
