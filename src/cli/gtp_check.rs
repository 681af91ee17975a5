//! `tewari gtp-check`.

use crate::arena::gtp_check::{Verdict, check};
use anyhow::{Result, bail};
use clap::Args;

#[derive(Args)]
pub(super) struct Arguments {
    /// The program's command line, in quotes, for example "gnugo --mode gtp".
    #[arg(value_name = "CMD")]
    command: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let (mut checks, mut failed) = (0, 0);
    check(&arguments.command, &mut |name, verdict| {
        checks += usize::from(*verdict != Verdict::Skipped);
        match verdict {
            Verdict::Passed => println!("passed   {name}"),
            Verdict::Skipped => println!("skipped  {name}: it does not have the command"),
            Verdict::Failed(why) => {
                failed += 1;
                println!("FAILED   {name}: {why}");
            }
        }
    })?;
    if failed > 0 {
        bail!("{failed} of {checks} checks failed");
    }
    println!("all {checks} checks passed");
    Ok(())
}
