//! KataGo's extensions of GTP, for clients that use them.
//!
//! Source: KataGo docs/GTP_Extensions.md.

use super::gogui::{SessionParameter, UNLIMITED_COUNT, players_and_vertices, set, set_up_position};
use super::{Arguments, GtpError, Session, rows};
use crate::base::game::{Game, Move, Player};
use crate::engine::evaluation::{self, NetworkEvaluation};
use crate::go::{Position, Record};
use crate::records::sgf::rules;
use serde_json::{Map, Value, json};

/// KataGo's names of parameters, and the settings they stand for.
const PARAMETERS: [(&str, SessionParameter); 4] = [
    ("maxVisits", SessionParameter::Visits),
    ("maxPlayouts", SessionParameter::Simulations),
    ("maxTime", SessionParameter::Time),
    ("numSearchThreads", SessionParameter::Threads),
];

pub(super) fn list_params(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(PARAMETERS.map(|(name, _)| name).join(" "))
}

/// Returns the value of a parameter; for a limit that is not set, KataGo's value.
pub(super) fn get_param(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let parameter = find(&mut arguments)?;
    Ok(match parameter {
        // Without an exponent, which the value has in JSON.
        SessionParameter::Time => seconds(session).to_string(),
        _ => value(session, parameter).to_string(),
    })
}

/// Returns the values of all parameters as a JSON object.
pub(super) fn get_params(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let values = PARAMETERS.map(|(name, parameter)| (name.to_owned(), value(session, parameter)));
    Ok(Value::Object(Map::from_iter(values)).to_string())
}

fn value(session: &Session, parameter: SessionParameter) -> Value {
    let budget = session.options.decisions.budget;
    match parameter {
        SessionParameter::Visits => budget.visits.unwrap_or(UNLIMITED_COUNT).into(),
        SessionParameter::Simulations => budget.simulations.unwrap_or(UNLIMITED_COUNT).into(),
        SessionParameter::Time => seconds(session).into(),
        _ => session.engine.options().parameters.threads.into(),
    }
}

/// Returns the maximum seconds for a move, or KataGo's value for no limit.
fn seconds(session: &Session) -> f64 {
    const UNLIMITED: f64 = 1e20;
    session.options.decisions.budget.time.map_or(UNLIMITED, |time| time.as_secs_f64())
}

/// Returns the network or the evaluator in use as a JSON list of one object, with KataGo's fields; an empty list without
/// either. The version is that of the weights format.
pub(super) fn get_models(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let external = session.engine.options().external.as_ref();
    let model = match (external, session.engine.network()) {
        (Some(evaluator), _) => Some((evaluator.name().unwrap_or(evaluator.command()), 0)),
        (None, network) => {
            network.map(|network| network.architecture()).map(|it| (it.name.as_str(), it.version()))
        }
    };
    let object = |(name, version)| {
        json!({
            "name": name,
            "internalName": name,
            "maxBatchSize": 1,
            "usesHumanSLProfile": false,
            "version": version,
            "usingFP16": "false",
        })
    };
    Ok(Value::from_iter(model.map(object)).to_string())
}

/// `set_position COLOR VERTEX COLOR VERTEX …`: begins a game from these stones, Black to move; without stones, as
/// `clear_board`.
pub(super) fn set_position(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let size = session.size();
    let stones = players_and_vertices(&mut arguments, size)?;
    let start = set_up_position(size, session.terms, &stones, Player::Black)?;
    session.begin(Record::from_position(start)).map_err(GtpError::SizeFailed)?;
    Ok(String::new())
}

pub(super) fn set_param(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let setting = find(&mut arguments)?;
    let value = arguments.number("a number")?;
    // KataGo has a minimum of 1; without it 0 means no limit.
    if matches!(setting, SessionParameter::Visits | SessionParameter::Simulations) && value == 0.0 {
        return Err(GtpError::syntax("a whole number from 1 on", Some("0")));
    }
    set(session, setting, value)?;
    Ok(String::new())
}

fn find(arguments: &mut Arguments<'_>) -> Result<SessionParameter, GtpError> {
    const EXPECTED: &str = "maxVisits, maxPlayouts, maxTime or numSearchThreads";
    let name = arguments.word(EXPECTED)?;
    let found = PARAMETERS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, setting)| setting).ok_or_else(|| GtpError::syntax(EXPECTED, Some(name)))
}

/// Returns the rules as KataGo's JSON object.
pub(super) fn get_rules(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(rules::to_json(session.position().rules()).to_string())
}

/// Sets the rules by name or by KataGo's JSON object. The game continues, with moves that the new rules forbid, too.
pub(super) fn set_rules(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    let rules = rules::parse(arguments.rest())?;
    session.set_rules(rules, rules)?;
    Ok(String::new())
}

/// `kata-set-rule PART VALUE`: changes one part of the rules. The game continues, as after [`set_rules`].
pub(super) fn set_rule(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let part = arguments.word("a part of rules, such as ko")?;
    let value = arguments.word("its value, such as SIMPLE")?;
    let changed = |rules| rules::with_part(rules, part, value).map_err(GtpError::Rule);
    let (rules, later) = (changed(session.position().rules())?, changed(session.terms.rules)?);
    session.set_rules(rules, later)?;
    Ok(String::new())
}

/// `kata-raw-nn [COLOR] SYMMETRY`: returns the network's evaluation of the position under a symmetry of the board from
/// 0 to 7, or under `all`, from White's point of view.
pub(super) fn raw_nn(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    const EXPECTED: &str = "a colour or none, then a symmetry from 0 to 7 (on a rectangle to 3) or all";
    let network = session.engine.network().ok_or_else(|| match session.engine.options().external {
        Some(_) => GtpError::EvaluatorNotNetwork,
        None => GtpError::NoNetwork,
    })?;
    let mut word = arguments.word(EXPECTED)?;
    let mut player = session.position().to_play();
    if let Ok(Some(named)) = Arguments::new(word).optional_player() {
        player = named;
        word = arguments.word(EXPECTED)?;
    }
    let position = session.engine.root_for(player);
    let count = evaluation::symmetry_count(position.size());
    let symmetries = match word.parse() {
        _ if word == "all" => 0..count,
        Ok(number) if number < count => number..number + 1,
        _ => return Err(GtpError::syntax(EXPECTED, Some(word))),
    };
    let outputs = symmetries.map(|number| {
        format!(
            "symmetry {number}\n{}",
            raw_output(&evaluation::evaluate_under(network, &position, number), &position)
        )
    });
    Ok(outputs.collect::<Vec<_>>().join("\n"))
}

/// Returns the evaluation under one symmetry, a line for each number and each row of the board.
fn raw_output(evaluation: &NetworkEvaluation, position: &Position) -> String {
    let size = position.size();
    let black_wins = evaluation.black_winrate.unwrap_or(0.5);
    let komi = position.score_komi().points();
    let lead = komi - evaluation.black_score.unwrap_or(komi);
    let square = lead * lead + evaluation.score_deviation.unwrap_or(0.0).powi(2);
    let policy = |mv: Move| match position.check(mv) {
        Ok(()) => format!("{:.6}", evaluation.policy[mv.index()]),
        Err(_) => "NAN".to_owned(),
    };
    let owner = |mv: Move| {
        let for_black = evaluation.ownership.as_ref().map_or(0.0, |owners| owners[mv.index()]);
        format!("{:.6}", 0.0 - for_black)
    };
    [
        format!("whiteWin {:.6}", 1.0 - black_wins),
        format!("whiteLoss {black_wins:.6}"),
        "noResult 0.000000".to_owned(),
        format!("whiteLead {lead:.6}"),
        format!("whiteScoreSelfplay {lead:.6}"),
        format!("whiteScoreSelfplaySq {square:.6}"),
        format!("policy\n{}", rows(size, policy)),
        format!("policyPass {:.6}", evaluation.policy[size.pass().index()]),
        format!("whiteOwnership\n{}", rows(size, owner)),
    ]
    .join("\n")
}
