//! Errors of the command line as text.

/// Returns the error, clap's tip and a hint at `--help`, in one line.
pub(super) fn message_with_hint(error: &clap::Error) -> String {
    format!("{}; try --help", message(error))
}

/// Returns the error and clap's tip in one line, without the usage that follows.
pub(super) fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    // The tip to pass a misspelt option as a value does not help.
    let is_left_out = |part: &&str| {
        ["Usage:", "For more information", "tip: to pass '"]
            .iter()
            .any(|start| part.trim_start().starts_with(start))
    };
    let parts = text.split("\n\n").filter(|part| !is_left_out(part));
    let parts: Vec<String> =
        parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    in_words(parts.join("; "))
}

/// Replaces the errors of the standard library's parsers of numbers.
fn in_words(text: String) -> String {
    let is_negative = text
        .split_once("invalid value '-")
        .is_some_and(|(_, value)| value.starts_with(|first: char| first.is_ascii_digit()));
    let whole = if is_negative { "expected a number of at least 0" } else { "expected a whole number" };
    [
        ("number would be zero for non-zero type", "expected at least 1"),
        ("invalid digit found in string", whole),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("number too large to fit in target type", "expected a smaller number"),
        ("number too small to fit in target type", "expected a larger number"),
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
    ]
    .into_iter()
    .fold(text, |text, (found, words)| text.replace(found, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line::program;

    #[test]
    fn mistakes_are_in_words_and_have_no_tip_that_does_not_help() {
        for (line, expected) in [
            ("analyze game.sgf --level 3", "unexpected argument '--level' found"),
            ("analyze game.sgf --move x", "invalid value 'x' for '--move <N>': expected a whole number"),
            ("analyze --passes 1.5", "invalid value '1.5' for '--passes <N>': expected a whole number"),
            (
                "analyze --simulations=-1",
                "invalid value '-1' for '--simulations <N>': expected a number of at least 0",
            ),
            (
                "gtp --seed 99999999999999999999",
                "invalid value '99999999999999999999' for '--seed <SEED>': expected a smaller number",
            ),
            ("gtp --levl 3", "unexpected argument '--levl' found; tip: a similar argument exists: '--level'"),
        ] {
            let words = std::iter::once("tewari").chain(line.split(' '));
            let error = program().try_get_matches_from(words).expect_err(line);
            assert_eq!(message(&error), expected);
        }
    }
}
