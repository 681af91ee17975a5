//! KataGo's commands for parameters, models and positions.

use super::*;
use serde_json::{Value, json};

fn answer_as_json(session: &mut Session, line: &str) -> Value {
    let answer = ask(session, line);
    serde_json::from_str(answer.trim_start_matches("= ")).unwrap_or_else(|error| panic!("{answer}: {error}"))
}

#[test]
fn all_parameters_are_told_in_one_object() {
    let mut session = session(5);
    tell(&mut session, &["kata-set-param maxVisits 7", "kata-set-param maxTime 2.5"]);
    let told = answer_as_json(&mut session, "kata-get-params");
    assert_eq!(told, json!({"maxVisits": 7, "maxPlayouts": 30, "maxTime": 2.5, "numSearchThreads": 1}));
    let names = ask(&mut session, "kata-list-params");
    assert_eq!(names.trim_start_matches("= ").split(' ').count(), told.as_object().unwrap().len());
    for name in ["maxVisits", "maxPlayouts"] {
        let refused = ask(&mut session, &format!("kata-set-param {name} 0"));
        assert!(refused.starts_with("? ") && refused.contains("from 1 on"), "{refused}");
    }
    assert_eq!(answer_as_json(&mut session, "kata-get-params"), told);
    tell(&mut session, &["kata-set-param maxTime 0"]);
    assert_eq!(answer_as_json(&mut session, "kata-get-params")["maxTime"], json!(1e20));
}

#[test]
fn the_model_is_that_of_the_board_and_none_without_a_network() {
    let mut session = session(5);
    let models = answer_as_json(&mut session, "kata-get-models");
    let [small] = models.as_array().unwrap().as_slice() else { panic!("{models}") };
    assert!(small["name"].as_str().is_some_and(|name| !name.is_empty()), "{small}");
    for (key, value) in [
        ("internalName", &small["name"]),
        ("maxBatchSize", &json!(1)),
        ("usesHumanSLProfile", &json!(false)),
        ("usingFP16", &json!("false")),
    ] {
        assert_eq!(&small[key], value, "{key}");
    }
    assert!(small["version"].is_u64(), "{small}");
    tell(&mut session, &["boardsize 19"]);
    assert_ne!(answer_as_json(&mut session, "kata-get-models")[0]["name"], small["name"]);
    let mut without = session_of(EngineOptions { networks: None, ..engine_options(5) }, options(30));
    assert_eq!(ask(&mut without, "kata-get-models"), "= []");
}

#[test]
fn a_position_is_set_as_a_new_game_without_history() {
    let mut session = session(5);
    tell(&mut session, &["komi 5.5", "play b A1", "play w B2", "set_position b C3 white d4 B e5"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= C3 E5");
    assert_eq!(ask(&mut session, "list_stones w"), "= D4");
    assert!(ask(&mut session, "showboard").contains("Black (X) to play after 0 moves"));
    assert_eq!(ask(&mut session, "get_komi"), "= 5.5");
    refuse(&mut session, "undo", "? cannot undo");
    tell(&mut session, &["genmove b", "undo", "set_position"]);
    for list in ["list_stones b", "list_stones w"] {
        assert_eq!(ask(&mut session, list), "=");
    }
}

#[test]
fn an_impossible_position_is_refused_and_the_game_stays() {
    let mut session = session(5);
    tell(&mut session, &["play b C3", "play w D4"]);
    for (arguments, expected) in [
        ("b A1 w", "? invalid color or coordinate"),
        ("b", "? invalid color or coordinate"),
        ("red A1", "? invalid color or coordinate"),
        ("b F1", "? invalid color or coordinate"),
        ("b pass", "? bad vertex list: pass: "),
        ("b A1 w A1", "? bad vertex list: A1: the point is occupied"),
        ("b A1 b B2 b A1", "? bad vertex list: A1: the point is occupied"),
        ("w A1 b A2 b B1", "? bad vertex list: A1: "),
    ] {
        refuse(&mut session, &format!("set_position {arguments}"), expected);
    }
    assert_eq!(session.engine().record().move_count(), 2);
}
