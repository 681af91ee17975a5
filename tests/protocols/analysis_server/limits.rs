//! Limits of a search by playouts, which KataGo counts without the visits of earlier searches.

use super::*;

/// Returns the visits of the root in the answer to a query.
fn visits(server: &mut Server, query: &Value) -> u64 {
    server.ask(query);
    let answer = server.answer_in_the_end();
    answer["rootInfo"]["visits"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

/// Returns a query without a number of visits.
fn without_visits(id: &str) -> Value {
    let mut query = query(id, 1);
    query.as_object_mut().expect("an object").remove("maxVisits");
    query
}

#[test]
fn playouts_are_counted_beside_the_visits_of_earlier_searches() {
    let mut server = Server::start(&[]);
    let playouts = with(without_visits("q"), "maxPlayouts", json!(30));
    let first = visits(&mut server, &playouts);
    assert!((30..60).contains(&first), "{first}");
    assert_eq!(visits(&mut server, &playouts), first + 30);
    let both = with(playouts.clone(), "maxVisits", json!(10));
    assert_eq!(visits(&mut server, &both), first + 30, "the visits suffice");
    let in_settings = with(without_visits("q"), "overrideSettings", json!({"maxPlayouts": "1200"}));
    let many = visits(&mut server, &in_settings);
    assert!(many >= first + 1230, "no other limit: {many}");
}

#[test]
fn playouts_of_the_settings_are_those_of_queries_without_their_own() {
    let mut server = Server::start(&["-override-config", "maxPlayouts=20"]);
    let first = visits(&mut server, &without_visits("q"));
    assert!((20..40).contains(&first), "{first}");
    let own = with(without_visits("q"), "maxPlayouts", json!(50));
    assert!(visits(&mut server, &own) >= first + 50);
}
