//! Comments are plain technical English, as far as a list of words can tell.

use crate::sources::{Source, sources_in};

/// Words that no summary begins with: a summary is a noun phrase or a verb phrase.
const QUESTIONS: &[&str] =
    &["What", "Whether", "How", "Who", "Whose", "Whom", "Where", "Which", "Why", "When", "If"];

/// Phrases that no comment contains.
const BANNED: &[&str] = &[
    "so many",
    "for so long",
    "whose",
    "nobody",
    "what it brings",
    "what becomes",
    "what is left of",
    "who is",
    "is thought about",
    "thinks of",
    "knows of",
    "opinion",
    "words of its own",
    "by and by",
];

/// The text of a line that is a comment alone.
fn comment(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("//")?;
    Some(rest.trim_start_matches(['/', '!']).trim())
}

/// Returns the violations in the comments of a file.
fn violations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = comment(line) else {
            is_inside = false;
            continue;
        };
        let first = comment.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        if !is_inside && QUESTIONS.contains(&first) {
            found.push(format!("{}: a comment begins with {first}: {comment}", number + 1));
        }
        let words = format!(" {} ", comment.to_lowercase().replace(|c: char| !c.is_alphabetic(), " "));
        let banned = BANNED.iter().filter(|phrase| words.contains(&format!(" {phrase} ")));
        found.extend(banned.map(|phrase| format!("{}: {phrase:?}: {comment}", number + 1)));
        is_inside = true;
    }
    found
}

#[test]
fn comments_are_plain_english() {
    let mut wrong = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for Source { name, text } in
            sources_in(folder).iter().filter(|source| source.name != "house/prose.rs")
        {
            wrong.extend(violations(text).into_iter().map(|what| format!("{folder}/{name}:{what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_check_finds_questions_and_banned_phrases() {
    for text in [
        "/// What one game is.",
        "//! How it works.",
        "// Whose stone it is.",
        "/// The chain, whose liberty it is.",
    ] {
        assert!(!violations(text).is_empty(), "{text}");
    }
    assert!(violations("/// The stone.\n/// What follows is no summary.").is_empty());
    assert!(violations("let what = 1; // What a line of code has is no summary.").is_empty());
}
