//! Checks of a program's conformance to GTP, as far as controllers depend on it.
//!
//! Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2",
//! <https://www.lysator.liu.se/~gunnar/gtp/>; the section numbers are its.

use super::client::{GtpClient, GtpFailure};
use crate::base::child_process::StartError;
use crate::base::game::Player;
use crate::go::{Komi, Record, Rules, Size};
use std::time::Duration;

/// Timeout for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Duration of a live analysis before the next command.
const ANALYSIS_TIME: Duration = Duration::from_millis(300);

/// The outcome of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The program conforms to the specification.
    Passed,
    /// The program deviates: the expected and the found behaviour.
    Failed(String),
    /// The program lacks an optional command.
    Skipped,
}

/// A requirement of the protocol.
struct Check {
    name: &'static str,
    /// The command under test, if it is optional.
    command: Option<&'static str>,
    run: fn(&mut TestedProgram) -> Result<(), String>,
}

const CHECKS: [Check; 20] = [
    Check { name: "protocol_version is 2 (6.3.1)", command: None, run: version_is_two },
    Check { name: "all required commands exist (6.2)", command: None, run: has_required_commands },
    Check { name: "list_commands and known_command agree (6.3.1)", command: None, run: lists_agree },
    Check { name: "ids are repeated, in errors too (2.4)", command: None, run: ids_are_repeated },
    Check { name: "empty lines and comments have no answer (3.1)", command: None, run: comments_are_silent },
    Check {
        name: "tabs count as spaces, control characters are ignored (3.1)",
        command: None,
        run: characters_are_cleaned,
    },
    Check { name: "unknown commands are errors (3.3)", command: None, run: unknown_is_an_error },
    Check { name: "unacceptable sizes are refused (6.3.2)", command: None, run: sizes_are_refused },
    Check { name: "komi takes numbers only (6.3.2)", command: None, run: komi_takes_numbers },
    Check {
        name: "colours and points are read in either case (2.11)",
        command: None,
        run: case_does_not_matter,
    },
    Check {
        name: "illegal moves are refused and change nothing (6.3.3)",
        command: None,
        run: illegal_is_refused,
    },
    Check {
        name: "genmove plays legal moves for either colour (6.3.3)",
        command: None,
        run: genmove_is_legal,
    },
    Check {
        name: "undo takes back one move, and fails without one (6.3.3)",
        command: Some("undo"),
        run: undo_takes_back,
    },
    Check { name: "handicap is checked (6.3.2)", command: Some("fixed_handicap"), run: handicap_is_checked },
    Check { name: "times are accepted (6.3.4)", command: Some("time_settings"), run: times_are_accepted },
    Check { name: "final_score has its form (6.3.4)", command: Some("final_score"), run: score_has_its_form },
    Check {
        name: "showboard begins with a line end (6.3.6)",
        command: Some("showboard"),
        run: board_begins_below,
    },
    Check {
        name: "a missing file cannot be loaded (6.3.5)",
        command: Some("loadsgf"),
        run: missing_file_is_refused,
    },
    Check { name: "lz-analyze ends with the next line", command: Some("lz-analyze"), run: analysis_ends },
    Check {
        name: "quit is answered, and the program ends with its input (6.3.1)",
        command: None,
        run: ends_when_told,
    },
];

/// A conversation with the program under test.
struct TestedProgram {
    command: String,
    client: GtpClient,
    commands: Vec<String>,
}

/// Checks the program that `command` starts, anew for each check, and passes each name and outcome to `report`.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn check(command: &str, report: &mut dyn FnMut(&str, &CheckOutcome)) -> Result<(), StartError> {
    for check in &CHECKS {
        let mut program = TestedProgram {
            command: command.to_owned(),
            client: GtpClient::start(command)?,
            commands: Vec::new(),
        };
        let listed = program.ask("list_commands").unwrap_or_default();
        program.commands = listed.lines().map(|line| line.trim().to_owned()).collect();
        let outcome = match check.command {
            Some(command) if !program.commands.iter().any(|known| known == command) => CheckOutcome::Skipped,
            _ => (check.run)(&mut program).map_or_else(CheckOutcome::Failed, |()| CheckOutcome::Passed),
        };
        report(check.name, &outcome);
    }
    Ok(())
}

impl TestedProgram {
    /// Returns the answer unchanged, with status and id.
    fn raw(&mut self, line: &str) -> Result<String, String> {
        self.client.ask_raw(line, ANSWER_TIMEOUT).map_err(|failure| failure.to_string())
    }

    /// Returns the result of a command.
    fn ask(&mut self, line: &str) -> Result<String, String> {
        self.client.ask(line, ANSWER_TIMEOUT).map_err(|failure| failure.to_string())
    }

    /// Sends a command and expects an error that begins with `beginning`.
    fn refused(&mut self, line: &str, beginning: &str) -> Result<(), String> {
        match self.client.ask(line, ANSWER_TIMEOUT) {
            Err(GtpFailure::Refused { answer, .. }) if answer.starts_with(beginning) => Ok(()),
            Err(GtpFailure::Refused { answer, .. }) => {
                Err(format!("{line:?}: expected the error {beginning:?}, found {answer:?}"))
            }
            Ok(answer) => {
                Err(format!("{line:?}: expected the error {beginning:?}, found the result {answer:?}"))
            }
            Err(other) => Err(other.to_string()),
        }
    }

    fn has(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }
}

fn expect(found: &str, expected: &str, what: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}")) }
}

fn version_is_two(program: &mut TestedProgram) -> Result<(), String> {
    let version = program.ask("protocol_version")?;
    expect(&version, "2", "protocol_version")
}

fn has_required_commands(program: &mut TestedProgram) -> Result<(), String> {
    const REQUIRED: [&str; 11] = [
        "protocol_version",
        "name",
        "version",
        "known_command",
        "list_commands",
        "quit",
        "boardsize",
        "clear_board",
        "komi",
        "play",
        "genmove",
    ];
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|command| !program.has(command)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("list_commands lacks {}", missing.join(", "))) }
}

fn lists_agree(program: &mut TestedProgram) -> Result<(), String> {
    for command in program.commands.clone() {
        let known = program.ask(&format!("known_command {command}"))?;
        expect(&known, "true", &format!("known_command {command}"))?;
    }
    let known = program.ask("known_command no_such_command")?;
    expect(&known, "false", "known_command no_such_command")
}

fn ids_are_repeated(program: &mut TestedProgram) -> Result<(), String> {
    for (line, beginning) in [("7 name", "=7 "), ("0 name", "=0 "), ("2147483647 name", "=2147483647 ")] {
        let answer = program.raw(line)?;
        if !answer.starts_with(beginning) {
            return Err(format!("{line:?}: expected {beginning:?}…, found {answer:?}"));
        }
    }
    for line in ["8 no_such_command", "8 play x y", "8 boardsize x"] {
        let answer = program.raw(line)?;
        if !answer.starts_with("?8 ") {
            return Err(format!("{line:?}: expected \"?8 \"…, found {answer:?}"));
        }
    }
    Ok(())
}

fn comments_are_silent(program: &mut TestedProgram) -> Result<(), String> {
    let answer = program.raw("\n   \n# a comment\n\t\n9 name # another")?;
    if answer.starts_with("=9 ") {
        Ok(())
    } else {
        Err(format!("expected the answer 9 alone, found {answer:?}"))
    }
}

fn characters_are_cleaned(program: &mut TestedProgram) -> Result<(), String> {
    let answer = program.raw("10\tna\u{7}me\r")?;
    if answer.starts_with("=10 ") {
        Ok(())
    } else {
        Err(format!("expected a name with id 10, found {answer:?}"))
    }
}

fn unknown_is_an_error(program: &mut TestedProgram) -> Result<(), String> {
    program.refused("no_such_command", "unknown command")
}

fn sizes_are_refused(program: &mut TestedProgram) -> Result<(), String> {
    program.refused("boardsize 1000", "unacceptable size")?;
    program.refused("boardsize 0", "unacceptable size")?;
    program.refused("boardsize", "syntax error")?;
    program.ask("boardsize 9")?;
    program.ask("clear_board").map(drop)
}

fn komi_takes_numbers(program: &mut TestedProgram) -> Result<(), String> {
    for komi in ["6.5", "0", "-3.5", "7"] {
        program.ask(&format!("komi {komi}"))?;
    }
    program.refused("komi much", "syntax error")
}

fn case_does_not_matter(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 9")?;
    program.ask("clear_board")?;
    for line in ["play b d4", "play WHITE E5", "play Black j9", "play w PASS"] {
        program.ask(line)?;
    }
    Ok(())
}

fn illegal_is_refused(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 9")?;
    program.ask("clear_board")?;
    program.ask("play b D4")?;
    program.refused("play w D4", "illegal move")?;
    program.refused("play w I5", "")?;
    program.refused("play w K1", "")?;
    program.refused("play green D5", "")?;
    // The same colour twice is legal, and the refused moves have left no stone.
    program.ask("play b E4")?;
    program.ask("play w D5").map(drop)
}

fn genmove_is_legal(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 5")?;
    program.ask("clear_board")?;
    program.ask("komi 0.5")?;
    let size = Size::new(5, 5).map_err(|error| error.to_string())?;
    let mut record = Record::new(size, Rules { suicide: true, ..Rules::CHINESE }, Komi(1));
    for player in [Player::Black, Player::Black, Player::White, Player::Black, Player::White] {
        let answer = program.ask(&format!("genmove {player}"))?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(());
        }
        let mv = size
            .parse_vertex(&answer)
            .ok_or_else(|| format!("genmove: expected a point, found {answer:?}"))?;
        record.play(player, mv).map_err(|reason| format!("genmove {player} answered {answer}: {reason}"))?;
    }
    Ok(())
}

fn undo_takes_back(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 9")?;
    program.ask("clear_board")?;
    program.refused("undo", "cannot undo")?;
    program.ask("play b D4")?;
    program.ask("play w E5")?;
    program.ask("undo")?;
    program.ask("undo")?;
    program.ask("play w D4")?;
    program.ask("undo")?;
    program.refused("undo", "cannot undo")
}

fn handicap_is_checked(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 9")?;
    program.ask("clear_board")?;
    program.refused("fixed_handicap 10", "invalid handicap")?;
    let stones = program.ask("fixed_handicap 4")?;
    if stones.split_whitespace().count() != 4 {
        return Err(format!("fixed_handicap 4: expected four points, found {stones:?}"));
    }
    program.refused("fixed_handicap 4", "board not empty")
}

fn times_are_accepted(program: &mut TestedProgram) -> Result<(), String> {
    for line in ["time_settings 0 1 0", "time_settings 600 60 25", "time_settings 300 0 0"] {
        program.ask(line)?;
    }
    program.ask("time_left b 299 0").map(drop)
}

fn score_has_its_form(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 5")?;
    program.ask("clear_board")?;
    program.ask("komi 0.5")?;
    for line in ["play b C3", "play w pass", "play b pass"] {
        program.ask(line)?;
    }
    let score = program.ask("final_score")?;
    let margin = score.strip_prefix("B+").or_else(|| score.strip_prefix("W+"));
    let has_form = score == "0" || margin.is_some_and(|margin| margin.parse::<f64>().is_ok());
    if has_form { Ok(()) } else { Err(format!("expected a score such as B+2.5, found {score:?}")) }
}

fn board_begins_below(program: &mut TestedProgram) -> Result<(), String> {
    let answer = program.raw("showboard")?;
    let first = answer.lines().next().unwrap_or_default();
    if first.trim() == "=" { Ok(()) } else { Err(format!("expected a first line \"=\", found {first:?}")) }
}

fn missing_file_is_refused(program: &mut TestedProgram) -> Result<(), String> {
    program.refused("loadsgf /no/such/file.sgf", "cannot load file")
}

fn analysis_ends(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("boardsize 9")?;
    program.ask("clear_board")?;
    program.client.send("5 lz-analyze b 5").map_err(|failure| failure.to_string())?;
    std::thread::sleep(ANALYSIS_TIME);
    let analysis = program.raw("6 name")?;
    if !analysis.starts_with("=5") || !analysis.contains("info move ") {
        return Err(format!("expected =5 and lines of analysis, found {analysis:?}"));
    }
    let name = program.client.next_answer("6 name", ANSWER_TIMEOUT).map_err(|failure| failure.to_string())?;
    if name.starts_with("=6 ") { Ok(()) } else { Err(format!("expected =6 and a name, found {name:?}")) }
}

fn ends_when_told(program: &mut TestedProgram) -> Result<(), String> {
    program.ask("quit")?;
    if !program.client.has_ended() {
        return Err("expected the program to end after quit, found it running".to_owned());
    }
    program.client = GtpClient::start(&program.command).map_err(|error| error.to_string())?;
    program.ask("name")?;
    program.client.end_input();
    if program.client.has_ended() {
        Ok(())
    } else {
        Err("expected the program to end with its input, found it running".to_owned())
    }
}
