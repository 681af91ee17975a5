//! One search by several ranks, here threads with channels between them: the promises that do not depend on MPI.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tewari::base::game::{Game, Outcome};
use tewari::base::memory::MemoryBudget;
use tewari::engine::ranks::{Link, Ranks, serve};
use tewari::engine::{Engine, EngineError, EngineOptions, TableFile};
use tewari::go::{Komi, Rules, Size};
use tewari::search::policy::Preset;
use tewari::search::{Limits, Report, SearchSnapshot};
use tewari::table::{MergeError, Table, TableMode};

/// An engine with followers in threads of their own.
struct Job {
    engine: Option<Engine>,
    followers: Vec<JoinHandle<Result<(), EngineError>>>,
    lines: Arc<Mutex<Vec<String>>>,
}

fn size(side: usize) -> Size {
    Size::new(side, side).expect("a size")
}

fn options(side: usize) -> EngineOptions {
    EngineOptions { size: size(side), memory: MemoryBudget::Table(16 << 20), ..EngineOptions::default() }
}

/// Starts `ranks` ranks with options by rank, and the engine of the first.
fn start(
    ranks: usize,
    options: impl Fn(usize) -> EngineOptions + Clone + Send + 'static,
) -> (Job, Option<EngineError>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let mut links = Link::in_process(ranks).into_iter();
    let first = links.next().expect("a link");
    let follow = |(rank, link): (usize, Link)| {
        let options = options.clone();
        std::thread::spawn(move || {
            let make = |size, _: Rules, _: Komi| {
                let own = options(rank);
                EngineOptions { size: if own.size.points() > 25 { size } else { own.size }, ..own }
            };
            serve(Arc::new(Ranks::new(link, |_| {})), &make)
        })
    };
    let followers = (1..).zip(links).map(follow).collect();
    let sink = Arc::clone(&lines);
    let ranks = Ranks::new(first, move |line| sink.lock().expect("lines").push(line.to_owned()));
    let made = Engine::new(EngineOptions { ranks: Some(Arc::new(ranks)), ..options(0) });
    let (engine, error) = match made {
        Ok(engine) => (Some(engine), None),
        Err(error) => (None, Some(error)),
    };
    (Job { engine, followers, lines }, error)
}

impl Job {
    fn new(ranks: usize, options: impl Fn(usize) -> EngineOptions + Clone + Send + 'static) -> Job {
        let (job, error) = start(ranks, options);
        assert_eq!(error, None);
        job
    }

    fn engine(&mut self) -> &mut Engine {
        self.engine.as_mut().expect("an engine")
    }

    fn search(&mut self, limits: Limits) -> Report {
        let engine = self.engine();
        let to_play = engine.position().to_play();
        engine.search(to_play, limits, &mut |_| true).expect("a report")
    }

    /// Returns the simulations of each rank in the last search, from the lines for the user.
    fn simulations(&mut self) -> Vec<u64> {
        let lines = std::mem::take(&mut *self.lines.lock().expect("lines"));
        let number = |(rank, line): (usize, &String)| {
            let rest = line.strip_prefix(&format!("rank {rank}: ")).expect("the rank");
            rest.split(' ').next().and_then(|it| it.parse().ok()).expect("a number")
        };
        lines.iter().enumerate().map(number).collect()
    }

    /// Ends all ranks.
    fn end(mut self) {
        self.engine = None;
        for follower in self.followers {
            assert_eq!(follower.join().expect("no panic"), Ok(()));
        }
    }
}

fn simulations(number: u64) -> Limits {
    Limits { simulations: Some(number), ..Limits::default() }
}

#[test]
fn the_simulations_of_all_ranks_are_one_search() {
    for ranks in [2, 3] {
        let mut job = Job::new(ranks, |_| options(9));
        let report = job.search(simulations(1_501));
        let by_rank = job.simulations();
        assert_eq!((by_rank.len(), by_rank.iter().sum::<u64>()), (ranks, 1_501));
        assert!(by_rank.iter().all(|part| *part >= 1_501 / ranks as u64), "{by_rank:?}");
        assert_eq!((report.simulations, report.root.visits), (1_501, 1_501));
        let by_moves: u64 = report.moves.iter().map(|mv| mv.edge_visits).sum();
        assert!(by_moves >= 1_499, "the root gets its page at the first visits: {by_moves}");
        let best = report.best().expect("a move").mv;
        job.engine().record_mut().play(report.root.to_play, best).expect("legal");
        let position = job.engine().position().clone();
        let before = job.engine().look_up(position);
        let limits = Limits { visits: Some(before.root.visits + 500), ..Limits::default() };
        assert_eq!(job.search(limits).root.visits, before.root.visits + 500);
        assert_eq!(job.simulations().iter().sum::<u64>(), 500);
        job.end();
    }
}

#[test]
fn time_and_interruption_end_all_ranks() {
    let mut job = Job::new(2, |_| options(9));
    let limits = Limits { time: Some(Duration::from_millis(400)), ..Limits::default() };
    let started = Instant::now();
    let report = job.search(limits);
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    assert_eq!(job.simulations().iter().sum::<u64>(), report.root.visits);
    for limits in [Limits::default(), simulations(100_000_000)] {
        let (started, engine) = (Instant::now(), job.engine());
        let to_play = engine.position().to_play();
        let mut watch = |_: &SearchSnapshot<'_>| started.elapsed() < Duration::from_millis(200);
        engine.search(to_play, limits, &mut watch).expect("a report");
        assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
        assert!(job.simulations().iter().all(|part| *part > 0));
    }
    job.end();
}

#[test]
fn ranks_follow_another_board_and_an_emptied_table() {
    let mut job = Job::new(2, |_| options(9));
    job.search(simulations(200));
    job.engine().clear_table();
    assert_eq!(job.search(simulations(300)).root.visits, 300);
    job.engine().new_game(size(7)).expect("a board");
    assert_eq!(job.search(simulations(250)).root.visits, 250);
    let mut allowed = vec![false; 50];
    allowed[3] = true;
    job.engine().set_root_moves(Some(allowed));
    let report = job.search(simulations(100));
    assert_eq!((report.root.visits, report.moves.len()), (100, 1));
    job.engine().set_root_moves(None);
    job.end();
}

#[test]
fn ranks_prove_together_what_one_proves() {
    let of_3x2 = || EngineOptions {
        size: Size::new(3, 2).expect("a size"),
        komi: Komi(1),
        networks: None,
        ..options(9)
    };
    let mut alone = Engine::new(of_3x2()).expect("an engine");
    let to_play = alone.position().to_play();
    let expected = alone.search(to_play, simulations(1_000_000), &mut |_| true).expect("a report");
    let mut job = Job::new(2, move |_| of_3x2());
    let report = job.search(simulations(1_000_000));
    assert!(report.root.proven.is_some_and(|it| it != Outcome::Draw), "{:?}", report.root);
    assert_eq!((report.root.proven, report.root.bounds), (expected.root.proven, expected.root.bounds));
    assert!(report.simulations < 1_000_000);
    job.end();
}

#[test]
fn a_rank_with_another_game_is_refused_in_one_line() {
    type Change = fn(EngineOptions) -> EngineOptions;
    let changes: [(&str, Change); 4] = [
        ("board", |it| EngineOptions { size: size(5), ..it }),
        ("rules", |it| EngineOptions { rules: "japanese".parse().expect("rules"), ..it }),
        ("network", |it| EngineOptions { networks: None, ..it }),
        ("komi", |it| EngineOptions { komi: Komi(3), ..it }),
    ];
    for (name, change) in changes {
        let of_rank = move |rank| if rank == 2 { change(options(9)) } else { options(9) };
        let (job, error) = start(3, of_rank);
        let text = error.expect("an error").to_string();
        assert!(text.starts_with(&format!("rank 2 has another {name} than rank 0: expected ")), "{text}");
        assert!(!text.contains('\n'));
        job.end();
    }
    let stateful: Preset = "ucb-improved".parse().expect("a policy");
    let (job, error) = start(2, move |_| EngineOptions { policy: stateful, networks: None, ..options(9) });
    assert!(error.expect("an error").to_string().contains("ucb-improved"));
    job.end();
}

#[test]
fn the_files_of_ranks_are_known_to_share_their_samples() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |rank: usize| folder.path().join(format!("go-rank{rank}.tewari"));
    let paths = [path(0), path(1)];
    let in_file = {
        let paths = paths.clone();
        move |rank: usize| {
            let file = TableFile {
                path: paths[rank].clone(),
                board: size(9),
                mode: TableMode::ReadWrite,
                is_limited: true,
                sync: None,
            };
            EngineOptions { table_file: Some(file), memory: MemoryBudget::Table(2 << 20), ..options(9) }
        }
    };
    for session in 1..=2 {
        let mut job = Job::new(2, in_file.clone());
        assert_eq!(job.search(simulations(400)).root.visits, 400 * session, "the same files go on");
        job.end();
    }
    let tables = paths.map(|path| Table::open(&path, TableMode::ReadOnly, None).expect("a table"));
    for table in &tables {
        let found = table.scan(&mut |_| {});
        assert_eq!((found.faults, found.most_visits), (0, 800), "{:?}", found.described);
    }
    let merged = folder.path().join("merged.tewari");
    let sources = [&tables[0], &tables[1]];
    let outcome = Table::merge(&merged, &sources, None, 2 << 20, false, &mut |_, _| true).map(|_| ());
    assert!(matches!(outcome, Err(MergeError::CommonOrigin { .. })), "{outcome:?}");
}
