//! `tewari manual` and `tewari completions`: manual pages and shell completions.

use super::help;
use anyhow::{Context, Result, ensure};
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Paths of the completions below a prefix.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/tewari"),
    (Shell::Zsh, "share/zsh/site-functions/_tewari"),
    (Shell::Fish, "share/fish/vendor_completions.d/tewari.fish"),
];
/// Folder of the manual pages below a prefix.
const PAGES: &str = "share/man/man1";

#[derive(Args)]
pub(super) struct ManualArguments {
    /// Folder to install below, such as ~/.local or /usr/local: pages go to share/man/man1, completions to the folders
    /// in share that bash, zsh and fish read.
    prefix: PathBuf,
    /// Replace existing files.
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
pub(super) struct CompletionArguments {
    /// The shell to print completions for.
    shell: Shell,
}

/// Installs the manual pages and completions of `program`.
pub(super) fn run(arguments: &ManualArguments, program: Command) -> Result<()> {
    let pages = pages(program.clone())?;
    let pages = pages.into_iter().map(|(name, text)| (Path::new(PAGES).join(name), text));
    let completions =
        COMPLETIONS.map(|(shell, path)| (PathBuf::from(path), completions(shell, program.clone())));
    let files: Vec<(PathBuf, Vec<u8>)> = pages.chain(completions).collect();
    for (path, _) in &files {
        let path = arguments.prefix.join(path);
        ensure!(
            arguments.force || !path.exists(),
            "{}: expected no such file, found one: --force replaces it",
            path.display()
        );
    }
    for (path, text) in &files {
        let path = arguments.prefix.join(path);
        let named = || format!("cannot write {}", path.display());
        std::fs::create_dir_all(path.parent().unwrap_or(&path)).with_context(named)?;
        std::fs::write(&path, text).with_context(named)?;
    }
    let pages = files.len() - COMPLETIONS.len();
    let prefix = arguments.prefix.display();
    writeln!(
        std::io::stdout(),
        "{prefix}: {pages} pages in {PAGES} (`man tewari`), completions for bash, zsh and fish in share"
    )
    .context("cannot write output")
}

/// Prints the completions of `program` for a shell.
pub(super) fn print_completions(arguments: &CompletionArguments, program: Command) -> Result<()> {
    std::io::stdout().write_all(&completions(arguments.shell, program)).context("cannot write output")
}

fn completions(shell: Shell, mut program: Command) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program, "tewari", &mut text);
    text
}

/// Returns the names and texts of all pages, one for each command.
fn pages(program: Command) -> Result<Vec<(String, Vec<u8>)>> {
    let mut program = help::explain(program).disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, "", &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, path: &str, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let man = Man::new(command.clone().mut_args(with_long_help))
        .source(concat!("tewari ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    for (heading, lines) in help::sections(path) {
        let mut section = Roff::new();
        section.control("SH", [heading]);
        section.control("nf", []);
        for line in lines.lines() {
            section.text([roman(line)]);
        }
        section.control("fi", []);
        section.to_writer(&mut text)?;
    }
    pages.push((man.get_filename(), text));
    for below in command.get_subcommands() {
        add_pages(below, format!("{path} {}", below.get_name()).trim(), pages)?;
    }
    Ok(())
}

/// Shows an option that the short help hides: the manual has all options.
fn with_long_help(option: Arg) -> Arg {
    let help = option.get_help().filter(|_| option.is_hide_short_help_set()).cloned();
    match help {
        Some(help) => option.hide_short_help(false).long_help(help),
        None => option,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line::program;

    #[test]
    fn every_command_has_a_page_with_its_options_and_examples() {
        let pages = pages(program()).expect("pages");
        let page = |name: &str| {
            let (_, text) =
                pages.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("no {name}"));
            String::from_utf8(text.clone()).expect("UTF-8")
        };
        assert!(page("tewari.1").contains("TEWARI_CONFIG"));
        assert!(page("tewari-gtp.1").contains("EXAMPLES"));
        assert!(page("tewari-gtp.1").contains("ponder"));
        assert!(page("tewari-table-merge.1").contains("tewari table merge"));
        assert!(pages.len() > 25, "{}", pages.len());
    }

    #[test]
    fn completions_know_all_commands() {
        for (shell, _) in COMPLETIONS {
            let text = String::from_utf8(completions(shell, program())).expect("UTF-8");
            for name in ["analyze", "gtp-check", "ponder"] {
                assert!(text.contains(name), "{shell}: {name}");
            }
        }
    }
}
