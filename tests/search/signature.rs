//! The signature of the search: the number of simulations for fixed positions.

use crate::common::program;

/// Path of the expected numbers: without a network, and with the embedded one.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/signature");

/// Runs `tewari bench`; returns the nodes of its last line.
fn nodes(arguments: &[&str]) -> u64 {
    let output = program().arg("bench").args(arguments).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let last = text.lines().last().expect("a line");
    let words: Vec<&str> = last.split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else {
        panic!("expected \"<nodes> nodes <nps> nps\", found {last:?}");
    };
    assert!(speed.parse::<u64>().is_ok_and(|speed| speed > 0), "{last:?}");
    nodes.parse().expect("a number of nodes")
}

#[test]
fn the_bench_takes_as_many_nodes_as_ever() {
    let expected = std::fs::read_to_string(FILE).expect("tests/data/signature");
    let found = format!("{}\n{}", nodes(&["--network", "none"]), nodes(&[]));
    assert_eq!(
        found,
        expected.trim(),
        "the search behaves differently: if that is meant, run `cargo run --release -- bench --network none` and the \
         same without --network, write the numbers of nodes of their last lines to tests/data/signature, and say in \
         the commit why they changed"
    );
}

#[test]
fn the_bench_takes_the_same_nodes_again_in_tables_that_replace_nothing() {
    assert_eq!(nodes(&["--table-size", "128MiB"]), nodes(&["--table-size", "256MiB"]));
}
