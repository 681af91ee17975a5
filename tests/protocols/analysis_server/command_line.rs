//! Settings as clients of KataGo write them on the command line.

use super::*;

/// Returns the visits of the root after a query without a number of visits.
fn visits(arguments: &[&str]) -> u64 {
    let mut server = Server::start(arguments);
    server.ask(&json!({"id": "q", "boardXSize": 9, "boardYSize": 9, "rules": "chinese", "moves": []}));
    server.answer()["rootInfo"]["visits"].as_u64().expect("visits")
}

#[test]
fn of_several_files_of_settings_each_overrides_those_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let first = file("first.cfg", "maxVisits = 90\nlogDir = logs\n");
    let second = file("second.cfg", "maxVisits = 40\nlogDir = logs\n");
    assert_eq!(visits(&["-config", &first, "-config", &second]), 40);
    assert_eq!(visits(&["-config", &second, "-config", &first]), 90);
    let overridden = ["-config", &first, "-override-config", "maxVisits=20", "-config", &second];
    assert_eq!(visits(&overridden), 20);
}

#[test]
fn empty_settings_are_left_out() {
    for settings in ["maxVisits=30,", ",maxVisits=30", "logDir=x, ,maxVisits=30 , "] {
        assert_eq!(visits(&["-override-config", settings]), 30, "{settings}");
    }
    assert_eq!(visits(&["-override-config", "", "-override-config", "maxVisits=30"]), 30);
}
