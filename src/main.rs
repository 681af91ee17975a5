//! scratch
use tewari::go::*;
use tewari::game::*;
use tewari::search::*;
use tewari::table::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let size: Size = a[1].parse().unwrap();
    let komi = Komi::from_points(a[2].parse().unwrap()).unwrap();
    let sims: u64 = a[3].parse().unwrap();
    let rules: Rules = a.get(4).map(|s| s.parse().unwrap()).unwrap_or(Rules::CHINESE);
    let bytes: usize = a.get(5).map(|s| s.parse().unwrap()).unwrap_or(256<<20);
    let pos = Position::new(size, rules, komi);
    let table = Table::new(Shape{moves: pos.move_count(), policy_words: false}, bytes).unwrap();
    let search = Search { table: &table, policy: policy::Rave::default(), parameters: SearchParameters::default() };
    let r = search.run(&pos, Limits{simulations: Some(sims), ..Default::default()}, &mut |_| true);
    println!("{} sims {:.3}s {:.0}/s depth {:.1}", r.simulations, r.elapsed.as_secs_f64(), r.simulations as f64/r.elapsed.as_secs_f64(), r.mean_depth);
    println!("{:?}\n{:?}\n{:?}", r.root, r.counters, r.census);
    for m in r.moves.iter().take(6) { println!("{} n {} v {} val {:.3} {:?} pv {}", size.vertex(m.mv), m.edge_visits, m.visits, m.value.as_f64(), m.proven, m.pv.iter().map(|&m| size.vertex(m)).collect::<Vec<_>>().join(" ")); }
}
