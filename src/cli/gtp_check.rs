//! `tewari gtp-check`: checks of a program's GTP.

use super::print::print_line;
use crate::lab::arena::gtp_check::{CheckOutcome, check};
use anyhow::{Result, bail};
use clap::Args;

#[derive(Args)]
pub(super) struct GtpCheckArguments {
    /// The program's command line, in quotes, for example "gnugo --mode gtp".
    #[arg(value_name = "CMD")]
    command: String,
}

pub(super) fn run(arguments: &GtpCheckArguments) -> Result<()> {
    let (mut checks, mut failed, mut printed) = (0, 0, Ok(()));
    check(&arguments.command, &mut |name, outcome| {
        checks += usize::from(*outcome != CheckOutcome::Skipped);
        failed += usize::from(matches!(outcome, CheckOutcome::Failed(_)));
        let line = match outcome {
            CheckOutcome::Passed => format!("passed   {name}"),
            CheckOutcome::Skipped => format!("skipped  {name}: it does not have the command"),
            CheckOutcome::Failed(why) => format!("FAILED   {name}: {why}"),
        };
        if printed.is_ok() {
            printed = print_line(line);
        }
    })?;
    printed?;
    if failed > 0 {
        bail!("{failed} of {checks} checks failed");
    }
    print_line(format_args!("all {checks} checks passed"))
}
