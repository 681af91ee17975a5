//! The commands of a person besides moves.

use std::path::PathBuf;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlayCommand {
    Help,
    Undo,
    Hint,
    Estimate,
    Score,
    Save { path: PathBuf, is_forced: bool },
    Load { path: PathBuf },
    New,
    Resign,
    Quit,
}

/// The commands as listed for the person.
pub(super) const COMMANDS: [&str; 10] =
    ["undo", "hint", "estimate", "score", "save FILE", "load FILE", "resign", "new", "help", "quit"];

const FORCE: &str = "--force";

/// Letters of a mistyped command for each edit allowed between it and the command suggested.
const LETTERS_PER_EDIT: usize = 3;

/// Parses a command; `None` if the line begins with no command. The error states the missing or superfluous argument.
pub(super) fn parse(line: &str) -> Option<Result<PlayCommand, String>> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (name, rest) = (name.to_lowercase(), rest.trim());
    let word = match name.as_str() {
        "" | "help" | "?" => PlayCommand::Help,
        "undo" | "u" => PlayCommand::Undo,
        "hint" => PlayCommand::Hint,
        "estimate" => PlayCommand::Estimate,
        "score" => PlayCommand::Score,
        "new" => PlayCommand::New,
        "resign" => PlayCommand::Resign,
        "quit" | "exit" | "q" => PlayCommand::Quit,
        "save" => return Some(save(rest)),
        "load" if rest.is_empty() => {
            return Some(Err("load needs the name of a file: type load game.sgf".to_owned()));
        }
        "load" => return Some(Ok(PlayCommand::Load { path: rest.into() })),
        _ => return None,
    };
    Some(if rest.is_empty() { Ok(word) } else { Err(format!("{name} takes no argument: type {name}")) })
}

fn save(rest: &str) -> Result<PlayCommand, String> {
    let forced = rest.strip_suffix(FORCE).filter(|path| path.is_empty() || path.ends_with(' '));
    let path = forced.unwrap_or(rest).trim_end();
    if path.is_empty() {
        return Err(format!(
            "save needs the name of a file: type save game.sgf, or save game.sgf {FORCE} to overwrite one"
        ));
    }
    Ok(PlayCommand::Save { path: path.into(), is_forced: forced.is_some() })
}

/// Returns advice on a line that is neither a command nor a move.
pub(super) fn correction(line: &str, notation: &str) -> String {
    let typed = line.split_whitespace().next().unwrap_or_default().to_lowercase();
    let names = COMMANDS.iter().filter_map(|word| word.split(' ').next()).chain(["pass"]);
    let distance = |name: &str| strsim::osa_distance(name, &typed);
    let is_near = |name: &&str| distance(name) <= (typed.len() / LETTERS_PER_EDIT).max(1);
    match names.filter(is_near).min_by_key(|name| distance(name)) {
        Some(meant) if notation.contains("pass") || meant != "pass" => {
            format!(
                "{line:?} is neither a move nor a command: type {meant} if you mean that, or help for all commands."
            )
        }
        _ => format!("{line:?} is not a move; moves are {notation}. Type help for all commands."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_may_have_spaces_in_their_names_and_are_overwritten_by_force_alone() {
        let save = |path: &str, is_forced| Some(Ok(PlayCommand::Save { path: path.into(), is_forced }));
        assert_eq!(parse("save my game.sgf"), save("my game.sgf", false));
        assert_eq!(parse("Save Game.sgf  --force"), save("Game.sgf", true));
        assert_eq!(parse("save a--force"), save("a--force", false));
        for unfinished in ["save", "save --force", "load"] {
            assert!(
                matches!(parse(unfinished), Some(Err(told)) if told.contains("game.sgf")),
                "{unfinished}"
            );
        }
    }

    #[test]
    fn words_stand_alone_and_moves_are_none() {
        assert_eq!(parse("UNDO"), Some(Ok(PlayCommand::Undo)));
        assert_eq!(parse("undo 3"), Some(Err("undo takes no argument: type undo".to_owned())));
        assert_eq!((parse("D4"), parse("pass")), (None, None));
    }

    #[test]
    fn a_mistyped_word_is_told_with_what_to_type() {
        for (typed, meant) in [("undoo", "undo"), ("hnit", "hint"), ("qiut", "quit"), ("estimte", "estimate")]
        {
            assert!(correction(typed, "points").contains(&format!("type {meant} ")), "{typed}");
        }
        assert!(correction("pas", "points such as D4, or pass").contains("type pass "));
        assert!(correction("Z9", "points").starts_with("\"Z9\" is not a move; moves are points."));
        assert!(correction("pas", "cells").contains("moves are cells"));
    }
}
