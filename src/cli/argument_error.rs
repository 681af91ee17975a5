//! Errors of the command line as text.

/// Returns the error, clap's tip and a hint at `--help`, in one line.
pub(super) fn message_with_hint(error: &clap::Error) -> String {
    format!("{}; try --help", message(error))
}

/// Returns the error and clap's tip in one line, without the usage that follows.
pub(super) fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let is_usage = |part: &&str| part.starts_with("Usage:") || part.starts_with("For more information");
    let parts = text.split("\n\n").filter(|part| !is_usage(part));
    let parts: Vec<String> =
        parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    parts.join("; ").replace("number would be zero for non-zero type", "expected at least 1")
}
