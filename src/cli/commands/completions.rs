//! `twistbase completions`: scripts that make shells complete commands.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase completions bash > ~/.local/share/bash-completion/completions/twistbase
  twistbase completions zsh > ~/.zfunc/_twistbase
  twistbase completions fish > ~/.config/fish/completions/twistbase.fish";

/// Print a script that completes commands, options and tables in a shell
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Shell
    shell: Shell,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    // Not straight to standard output: clap_complete panics when that fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "twistbase", &mut script);
    let mut out = env.output();
    out.bytes(&script)?;
    out.finish()
}
