//! Examples of commands and of a settings file, for `--help` and the manual. They are built only for a request for help.

use super::exit_codes::EXIT_CODES;
use super::{review, suite};
use clap::Command;

/// Examples of each command by its path; a few commands need none.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "",
        "\
  tewari analyze game.sgf                     win rates and best moves of a game
  tewari review game.sgf -o game.html         where the game was lost, as a web page
  tewari play go --size 9                     a game in the terminal
  tewari gtp --time 5                         for GoGui, Sabaki, Lizzie and servers
  tewari config gtp                           the value and source of every option",
    ),
    (
        "gtp",
        "\
  tewari gtp --time 5                         five seconds a move
  tewari gtp --memory 1GiB --threads 2 --ponder
  tewari gtp --table game.tewari              keeps the search results in a file
  tewari gtp --simulations 1000 --seed 1      plays the same moves each time",
    ),
    (
        "analyze",
        "\
  tewari analyze game.sgf                     every position of the game
  tewari analyze game.sgf --move -1           the last position
  tewari analyze game.sgf --move 40 --format json --ownership
  tewari analyze game.sgf --passes 2 --direction both --simulations 5000
  tewari analyze --size 3x3 --komi 8.5        proves the empty board",
    ),
    (
        "review",
        "\
  tewari review game.sgf                      where the game was lost, in the terminal
  tewari review game.sgf -o game.html         as a web page
  tewari review games/ --format sgf -o reviewed/
                                              the records of a folder, with comments and variations
  tewari review games/ --format sgf -o part1/ --shard 1/8 --table part1.tewari
                                              an eighth of them; then tewari join and table merge
  tewari review game.sgf --simulations 5000 --save game.review -o game.html
  tewari review --from game.review --thresholds 3,8,15
                                              again, with other thresholds, without searching",
    ),
    (
        "analysis",
        "\
  tewari analysis --threads 2 --memory 1GiB
  tewari analysis -model M -config C -analysis-threads 2
                                              as KaTrain calls KataGo
  tewari --config settings.toml analysis      settings of this program; after the command
                                              --config is KataGo's option",
    ),
    (
        "bench",
        "\
  tewari bench                                signature and speed
  tewari bench --policy ucb1                  with another policy
  tewari bench --playouts                     playouts alone
  tewari bench --machine                      how many threads and how much memory to use here",
    ),
    (
        "match",
        "\
  tewari match --black self --white \"self:--policy ucb1\" --games 40 --out games
  tewari match --black self --white \"self:--policy ucb1\" --games 40 \\
    --out games --resume
  tewari match --black self --white \"gnugo --mode gtp --seed {seed}\" \\
    --referee \"gnugo --mode gtp\"
  tewari match --black self --white \"self:--threads 2\" --time 1 \\
    --concurrency 1 --sprt 0,100 --games 1000
  tewari match --player a=self --player b=\"self:--policy stego\" \\
    --player c=\"self:--policy ucb1\"",
    ),
    (
        "sweep",
        "\
  tewari sweep --table-size 4KiB,16KiB,64KiB --simulations 200 --out sweep
  tewari sweep --table-size 16KiB,64KiB --replacement visits,always --games 20
  tewari sweep --table-size 4KiB,64KiB,1MiB --positions games.sgf --out moves
  tewari sweep --rows sweep/sweep.csv --out charts",
    ),
    (
        "suite",
        "\
  tewari suite tests.jsonl --out before.jsonl
  tewari suite tests.jsonl --policy ucb1 --compare before.jsonl
  tewari suite tests.jsonl --tier easy --simulations 5000",
    ),
    (
        "join",
        "\
  tewari match --black self --white \"self:--policy ucb1\" --games 40 \\
    --out part1 --shard 1/2
  tewari match --black self --white \"self:--policy ucb1\" --games 40 \\
    --out part2 --shard 2/2
  tewari join games part1 part2               the same as one run with --out games",
    ),
    (
        "gtp-check",
        "\
  tewari gtp-check \"gnugo --mode gtp\"
  tewari gtp-check \"tewari gtp\"",
    ),
    ("table create", "  tewari table create game.tewari --size 19 --memory 1GiB"),
    ("table info", "  tewari table info game.tewari --format json"),
    ("table verify", "  tewari table verify game.tewari\n  tewari table verify game.tewari --repair"),
    ("table snapshot", "  tewari table snapshot game.tewari -o copy.tewari"),
    ("table merge", "  tewari table merge mine.tewari friend.tewari --base old.tewari -o both.tewari"),
    ("table resize", "  tewari table resize game.tewari --table-size 256MiB"),
    ("table clear", "  tewari table clear game.tewari"),
    ("table dump", "  tewari table dump game.tewari --game game.sgf --move 20 -o lines.sgf"),
    (
        "table learn",
        "\
  tewari table learn game.sgf --table game.tewari --evaluator-name kata1-b18
  tewari table learn games/ --table game.tewari --evaluator-name kata1-b18
  tewari review game.sgf --table game.tewari \\
    --evaluator \"katago analysis -model kata1-b18.bin.gz\"
                                              uses the analyses learned",
    ),
    ("network info", "  tewari network info"),
    ("network eval", "  tewari network eval game.sgf --move 40"),
    (
        "selfplay",
        "\
  tewari selfplay --out games --games 2000 --size 9,13
  tewari selfplay --out games --games 4000    continues in the same folder",
    ),
    (
        "play go",
        "\
  tewari play go
  tewari play go --size 13 --colour white --time 5",
    ),
    ("play tictactoe", "  tewari play tictactoe --colour white"),
    (
        "config",
        "\
  tewari config                               every option of every command
  tewari config gtp                           options of gtp
  tewari config gtp --threads 4               with options as typed
  tewari config --config other.toml",
    ),
    (
        "manual",
        "\
  tewari manual ~/.local                      then: man tewari
  tewari manual --force /usr/local            again, for all users",
    ),
    (
        "completions",
        "\
  tewari completions bash                     to standard output
  tewari completions powershell",
    ),
];

/// Description of the settings file.
const SETTINGS: &str = "\
A settings file has a table for each command, with the long names of its options as keys:

  [default]            # for gtp, analyze, review, analysis and play go
  threads = 2
  memory = \"1GiB\"

  [gtp]                # overrides [default]
  ponder = true

  [sweep]
  table-size = [\"64KiB\", \"1MiB\"]

  [play.go]
  size = 13

The command line overrides the file: --ponder=false turns off a flag that the file turns on.";

/// Places of the settings file.
const PLACE: &str = "\
Settings: tewari/config.toml in $XDG_CONFIG_HOME or ~/.config, or the file of --config or TEWARI_CONFIG (none: no file).";

/// Adds examples to the help of a program.
pub(super) fn explain(program: Command) -> Command {
    // The options of `gtp`, which are accepted without a subcommand too, are in its own help only.
    let program = program.mut_args(|option| {
        let is_own = option.is_global_set();
        option.hide(!is_own)
    });
    explain_below(program, "")
}

fn explain_below(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    // A changed subcommand moves to the end; the order stays since all are changed.
    for name in names {
        let path = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command = command.mut_subcommand(&name, |below| explain_below(below, &path));
    }
    let Some(text) = around(path) else { return command };
    let command = command.after_help(text.clone());
    let Some((_, details)) = details(path) else { return command };
    command.after_long_help(format!("{text}\n\n{}", details.trim_end()))
}

/// Returns the heading and text of the fields in the files of the command at `path`.
fn details(path: &str) -> Option<(&'static str, String)> {
    match path {
        "review" => Some(("TABLES", review::columns_in_words())),
        "suite" => Some(("TESTS", suite::TEST_FIELDS.to_owned())),
        _ => None,
    }
}

/// Returns the text after the options in the help of the command at `path`.
fn around(path: &str) -> Option<String> {
    let examples = format!("Examples:\n{}", examples(path)?);
    Some(match path {
        "" => format!("{examples}\n\n{PLACE}\n{EXIT_CODES}"),
        "config" => format!("{examples}\n\n{SETTINGS}\n\n{PLACE}"),
        _ => examples,
    })
}

/// Returns the headings and texts after the options in the manual page of the command at `path`.
pub(super) fn sections(path: &str) -> Vec<(&'static str, String)> {
    let mut sections = Vec::new();
    if let Some(examples) = examples(path) {
        sections.push(("EXAMPLES", examples));
    }
    match path {
        "" => sections.extend([
            ("FILES", PLACE.to_owned()),
            ("SETTINGS", SETTINGS.to_owned()),
            ("EXIT STATUS", EXIT_CODES.to_owned()),
        ]),
        "config" => sections.push(("SETTINGS", format!("{SETTINGS}\n\n{PLACE}"))),
        _ => sections.extend(details(path)),
    }
    sections
}

/// Returns the examples of the command at `path`, such as `table info`, one a line.
fn examples(path: &str) -> Option<String> {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == path)?;
    // The line continuation that begins a text drops the spaces of its first line.
    Some(format!("  {}", text.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{command_line::program, command_tree};

    #[test]
    fn every_example_is_accepted_by_the_program() {
        for (name, _) in EXAMPLES {
            // A command goes on in the next line after a backslash.
            let text = examples(name).unwrap_or_default().replace(" \\\n   ", "");
            for line in text.lines().filter(|line| line.starts_with("  tewari ")) {
                let typed = line.trim().split("  ").next().unwrap_or_default();
                let words = shlex::split(typed).unwrap_or_else(|| panic!("{typed}"));
                let words = words.into_iter().map(Into::into).collect();
                let mut words = crate::cli::command_line::with_long_options(words);
                // The parser of settings removes `--config FILE`.
                if let Some(index) = words.iter().position(|word| word == "--config") {
                    words.drain(index..index + 2);
                }
                if let Err(error) = program().try_get_matches_from(words) {
                    panic!("{name}: {typed}: {error}");
                }
            }
        }
    }

    #[test]
    fn no_example_is_wrapped_in_a_terminal_of_eighty_columns() {
        /// The column of the explanations.
        const EXPLANATIONS: &str = "                                              ";
        for (name, _) in EXAMPLES {
            for line in examples(name).unwrap_or_default().lines() {
                let is_explanation = line.starts_with(EXPLANATIONS);
                let command = line.trim().split("   ").next().unwrap_or_default();
                let is_command = line.starts_with("  tewari ") || line.starts_with("    --");
                assert!(is_command || is_explanation, "{name}: {line}");
                let end = line.find(command).unwrap_or_default() + command.len();
                assert!(is_explanation || end <= 80, "{name}: {line}");
                assert!(line.chars().count() <= 100, "{name}: {line}");
            }
        }
    }

    #[test]
    fn every_example_is_of_a_command() {
        let program = program();
        let names: Vec<String> =
            command_tree::leaves(&program, "").into_iter().map(|(path, _)| path.replace('.', " ")).collect();
        for (name, _) in EXAMPLES.iter().skip(1) {
            assert!(names.iter().any(|other| other == name), "{name} is none of {names:?}");
        }
    }

    #[test]
    fn an_explained_program_is_a_sound_one_and_says_how_long_it_thinks() {
        let mut program = explain(program());
        program.clone().debug_assert();
        let gtp = program.find_subcommand_mut("gtp").expect("gtp").render_long_help().to_string();
        assert!(gtp.contains("Default: 1 s a move"), "{gtp}");
        let names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert_eq!(&names[..3], ["gtp", "analyze", "review"]);
    }
}
