//! Names, parameters, ranges.

use tewari::search::policy::{Preset, help};

#[test]
fn every_name_is_read_back_from_what_it_prints() {
    for name in Preset::names() {
        let preset: Preset = name.parse().unwrap();
        assert_eq!(preset.to_string(), name);
        assert!(help().contains(name));
    }
    for text in
        ["ucb1:c=1.5", "stego:mode=amaf,c=0.25", "lazarus:n=5,degrade=1,scale=0.5", "rave:equivalence=1000"]
    {
        assert_eq!(text.parse::<Preset>().unwrap().to_string(), text);
    }
    // A parameter with its default value is left out.
    assert_eq!("rave:equivalence=1500".parse::<Preset>().unwrap().to_string(), "rave");
}

#[test]
fn mistakes_are_answered_with_what_there_is() {
    for (text, expected) in [
        ("uct", "expected one of rave, puct, ucb1"),
        ("", "unknown policy"),
        ("ucb1:c=11", "c is \"11\", expected 0 to 10"),
        ("ucb1:c=-1", "expected 0 to 10"),
        ("ucb1:c=NaN", "expected 0 to 10"),
        ("ucb1:c", "expected key=value with a key of [c]"),
        ("ucb1:uctk=1", "with a key of [c], found \"uctk=1\""),
        ("stego:mode=all", "expected uct | amaf | alpha-amaf | rave"),
        ("stego:alpha=1.1", "expected 0 to 1"),
        ("lazarus:degrade=0.4", "expected 0.5 to 1"),
        ("lazarus:n=0", "expected 0.01 to"),
        ("rave:equivalence=0", "expected 1 to"),
        ("flat:c=1", "with a key of []"),
    ] {
        let error = text.parse::<Preset>().unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
