//! `farm submit` and `farm resubmit`: shards to Slurm.

use std::path::PathBuf;

use twistbase_core::error::{Error, Result};
use twistbase_farm::{Farm, SlurmOptions, SubmitReport};

use crate::arguments::duration;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase farm submit proof --account puzzles --time 2:00:00 --memory 4G --cores 2
  twistbase farm submit proof --slurm site.toml --dry-run
  twistbase farm resubmit proof --time 4:00:00

Submits arrays of at most a thousand shards with sbatch. Scripts are in the folder
jobs of the farm, output in logs. Slurm restarts a task only if its node fails.
resubmit finds missing and damaged shards that neither run nor wait, and submits them
with the options of the last time. A file of options:

  account = \"puzzles\"
  partition = \"short\"            # also qos, constraint
  time = \"2:00:00\"
  memory = \"4G\"                  # a coset needs 3.5G
  cores = 2
  throttle = 500                  # running tasks per array
  notice = 120                    # seconds from the warning to the time limit
  stage = \"$TMPDIR/twistbase\"    # copy tables to the node's own disk
  store = \"/shared/tables\"       # also program, checkpoint_every
  setup = [\"module load zstd\"]   # lines of shell
  sbatch = [\"--exclusive\"]       # further options";

/// Submit the shards of a farm to Slurm
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Folder of the farm
    #[arg(value_name = "DIR")]
    farm: PathBuf,

    /// Print the scripts; submit nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    slurm: SlurmArgs,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct SlurmArgs {
    /// TOML file of options; options on the command line win
    #[arg(long, value_name = "FILE")]
    slurm: Option<PathBuf>,

    /// Account
    #[arg(long, value_name = "NAME")]
    account: Option<String>,

    /// Partition
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,

    /// Quality of service
    #[arg(long, value_name = "NAME")]
    qos: Option<String>,

    /// Required features of nodes
    #[arg(long, value_name = "FEATURES")]
    constraint: Option<String>,

    /// Time limit per task, in sbatch's format
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// Memory per task, in sbatch's format
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// Cores per task [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cores: Option<u32>,

    /// Limit of running tasks per array
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    throttle: Option<u32>,

    /// Warn tasks SECONDS before the time limit [default: 120]
    #[arg(long, value_name = "SECONDS")]
    notice: Option<u32>,

    /// Folder on the nodes' own disks for copies of tables
    #[arg(long, value_name = "FOLDER")]
    stage: Option<String>,

    /// Time between checkpoints of a coset, like 10m
    #[arg(long, value_name = "DURATION")]
    checkpoint_every: Option<String>,

    /// Path of twistbase on the nodes [default: this one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl SlurmArgs {
    /// Options of the command line, then those of the file.
    fn options(self) -> Result<SlurmOptions> {
        let file = self.slurm.as_deref().map(SlurmOptions::read).transpose()?.unwrap_or_default();
        let given = SlurmOptions {
            account: self.account,
            partition: self.partition,
            qos: self.qos,
            constraint: self.constraint,
            time: self.time,
            memory: self.memory,
            cores: self.cores,
            throttle: self.throttle,
            notice: self.notice,
            stage: self.stage,
            checkpoint_every: self.checkpoint_every,
            program: self.program,
            ..SlurmOptions::default()
        };
        let options = given.or(file);
        // Each task would refuse it.
        if let Some(every) = &options.checkpoint_every {
            duration(every).map_err(|error| Error::Usage(format!("checkpoint every {every:?}: {error}")))?;
        }
        Ok(options)
    }
}

/// Submits a farm.
pub fn run(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    // A relative path would be another one on a node. The program that made the plan must run it.
    let here = SlurmOptions {
        store: std::path::absolute(env.database()?.store().dir_for("a farm")?).ok(),
        program: std::env::current_exe().ok(),
        ..SlurmOptions::default()
    };
    let options = args.slurm.options()?.or(here);
    let report = Farm::open(args.farm)?.submit(&options, args.dry_run, &env.context())?;
    print(&report, env)
}

/// Submits missing and damaged shards.
pub fn run_again(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let options = args.slurm.options()?;
    let report = Farm::open(args.farm)?.resubmit(&options, args.dry_run, &env.context())?;
    print(&report, env)
}

fn print(report: &SubmitReport, env: &Environment) -> std::result::Result<(), Failure> {
    let mut out = env.output();
    if env.json() {
        out.json(report)?;
        return out.finish();
    }
    for array in &report.arrays {
        let shards = format::counted(array.shards, "shard");
        match (&array.job, &array.text) {
            (Some(job), _) => out.line(format_args!("job {job}: {shards} from {} on", array.first))?,
            (None, Some(text)) => {
                out.line(format_args!("# {}: {shards} from {} on", array.script.display(), array.first))?;
                out.bytes(text.as_bytes())?;
            }
            (None, None) => {}
        }
    }
    if report.arrays.is_empty() {
        let done = format::counted(report.done, "shard");
        let [running, waiting] = [report.running, report.waiting].map(u64::from).map(format::grouped);
        out.line(format_args!("nothing to submit: {done} done, {running} running, {waiting} waiting"))?;
    }
    out.finish()
}
