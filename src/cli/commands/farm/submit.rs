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

Each array of at most a thousand shards is a script in the farm's folder jobs, submitted with
sbatch; what its tasks say is in logs. A task that is killed is not started again by Slurm,
but for the loss of its node: resubmit finds what is missing or damaged and neither runs nor
waits, and submits it with the options of last time. A file of options is TOML:

  account = \"puzzles\"
  partition = \"short\"            # also qos, constraint
  time = \"2:00:00\"
  memory = \"4G\"                  # a coset needs 3.5G
  cores = 2
  throttle = 500                  # tasks of an array that run at once
  notice = 120                    # seconds before the limit to stop in good order
  stage = \"$TMPDIR/twistbase\"    # copy tables to the node's own disk
  store = \"/shared/tables\"       # also program, checkpoint_every
  setup = [\"module load zstd\"]   # lines of shell
  sbatch = [\"--exclusive\"]       # further options";

/// Submit a farm to Slurm, or what is missing of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The farm
    #[arg(value_name = "DIR")]
    farm: PathBuf,

    /// Only show what would be submitted
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    slurm: SlurmArgs,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct SlurmArgs {
    /// File of options, in TOML; options given here come before it
    #[arg(long, value_name = "FILE")]
    slurm: Option<PathBuf>,

    /// Account that pays
    #[arg(long, value_name = "NAME")]
    account: Option<String>,

    /// Partition
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,

    /// Quality of service
    #[arg(long, value_name = "NAME")]
    qos: Option<String>,

    /// Features that nodes must have
    #[arg(long, value_name = "FEATURES")]
    constraint: Option<String>,

    /// Time limit of a task, as sbatch reads it
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// Memory of a task, as sbatch reads it
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// Cores of a task [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cores: Option<u32>,

    /// Tasks of an array that may run at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    throttle: Option<u32>,

    /// Seconds before the time limit when a task is asked to stop [default: 120]
    #[arg(long, value_name = "SECONDS")]
    notice: Option<u32>,

    /// Folder on the nodes' own disks to copy tables to
    #[arg(long, value_name = "FOLDER")]
    stage: Option<String>,

    /// How often a task keeps the state of the coset in hand, like 10m
    #[arg(long, value_name = "DURATION")]
    checkpoint_every: Option<String>,

    /// Program, as the nodes see it [default: this one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl SlurmArgs {
    /// What was given: here, then in the file.
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
    // A relative path would be another one on a node, and the program that makes the plan is the one that has to do it.
    let here = SlurmOptions {
        store: std::path::absolute(env.database()?.folder()).ok(),
        program: std::env::current_exe().ok(),
        ..SlurmOptions::default()
    };
    let options = args.slurm.options()?.or(here);
    let report = Farm::open(args.farm)?.submit(&options, args.dry_run, &env.context()?)?;
    tell(&report, env)
}

/// Submits what is missing of a farm.
pub fn run_again(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let options = args.slurm.options()?;
    let report = Farm::open(args.farm)?.resubmit(&options, args.dry_run, &env.context()?)?;
    tell(&report, env)
}

fn tell(report: &SubmitReport, env: &Environment) -> std::result::Result<(), Failure> {
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
        let [done, running, waiting] =
            [report.done, report.running, report.waiting].map(u64::from).map(format::grouped);
        out.line(format_args!("nothing to submit: {done} shards done, {running} running, {waiting} waiting"))?;
    }
    out.finish()
}
