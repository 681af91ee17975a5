//! A player of games: another program, or an engine of ours in this process, spoken to in GTP alike.

use super::client::{Client, Failure, StartError, garbage};
use crate::engine::{Engine, EngineError, EngineOptions};
use crate::game::{Move, Player};
use crate::go::Size;
use crate::gtp::{SearchTotals, Session, SessionOptions};
use crate::table::{Census, TableMode};
use std::time::Duration;

/// Commands without which no game can be played.
const NEEDED: [&str; 5] = ["boardsize", "clear_board", "komi", "play", "genmove"];
/// Time for an answer that needs no thought. Programs with large networks load for a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to make a contestant.
#[derive(Clone, Debug)]
pub enum ContestantSpec {
    /// An engine of ours without a process in between.
    Own {
        /// The words that chose it, for records.
        description: String,
        /// The engine; size, rules, komi and seed are the match's.
        engine: Box<EngineOptions>,
        /// How long it thinks, when it resigns.
        session: SessionOptions,
    },
    /// A program that speaks GTP; `{seed}` in its command line stands for a number that differs from game
    /// to game.
    Program(String),
}

impl ContestantSpec {
    /// What it is called in records.
    #[must_use]
    pub fn description(&self) -> &str {
        match self {
            ContestantSpec::Own { description, .. } => description,
            ContestantSpec::Program(command) => command,
        }
    }

    /// Which engine of ours it is, whatever the words that chose it mean another day: the version of the program and
    /// the network. Builds of one version are not told apart.
    #[must_use]
    pub fn engine_identity(&self) -> Option<String> {
        let ContestantSpec::Own { engine, .. } = self else { return None };
        let identity = engine.network_identity();
        let network = if identity.is_empty() { "none" } else { &identity };
        Some(format!("tewari {}, network {network}", env!("CARGO_PKG_VERSION")))
    }

    /// Whether it leaves what it learns in a file.
    #[must_use]
    pub fn writes_to_file(&self) -> bool {
        let ContestantSpec::Own { engine, .. } = self else { return false };
        engine.table_file.as_ref().is_some_and(|file| file.mode == TableMode::ReadWrite)
    }

    /// Bytes that its table takes in this process.
    ///
    /// # Errors
    /// When its memory budget is impossible.
    pub fn table_bytes(&self) -> Result<u64, EngineError> {
        match self {
            ContestantSpec::Own { engine, .. } => Ok(engine.table_bytes()? as u64),
            ContestantSpec::Program(_) => Ok(0),
        }
    }
}

/// Why a contestant cannot take part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContestantError {
    /// The program.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The engine of ours.
    #[error("{description}: {error}")]
    Engine {
        /// Which.
        description: String,
        /// Why.
        error: EngineError,
    },
    /// It does not answer as it should.
    #[error("{description:?} cannot play: {failure}")]
    Unfit {
        /// Which.
        description: String,
        /// Why.
        failure: Failure,
    },
    /// The referee.
    #[error("{command:?} cannot be the referee: {reason}")]
    Referee {
        /// Its command line.
        command: String,
        /// What happened when it counted an empty board.
        reason: String,
    },
    /// It lacks a command.
    #[error("{description:?} cannot play: expected the command {command}, found {} others", known)]
    Lacks {
        /// Which.
        description: String,
        /// The command.
        command: &'static str,
        /// How many commands it has.
        known: usize,
    },
}

/// A contestant at the board.
pub struct Contestant {
    kind: Kind,
    /// Whether it can be made to forget, and so play another game.
    can_forget: bool,
    /// Whether an answer was missing or none: a late one would be taken for that to a later command.
    is_broken: bool,
}

enum Kind {
    Own(Box<Session>),
    Program(Client),
}

/// The setting of a game, as far as contestants must know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Board.
    pub size: Size,
    /// Komi in points.
    pub komi: f64,
    /// Time for each move, in whole seconds, if programs are to be told.
    pub time_per_move: Option<Duration>,
}

impl Contestant {
    /// Starts a contestant; an engine of ours has an empty table.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn start(spec: &ContestantSpec, seed: u64) -> Result<Contestant, ContestantError> {
        match spec {
            ContestantSpec::Own { description, engine, session } => {
                let mut options = (**engine).clone();
                options.parameters.seed = seed;
                let engine = Engine::new(options)
                    .map_err(|error| ContestantError::Engine { description: description.clone(), error })?;
                // A game that begins with the content of a file begins with a fresh copy of it.
                let can_forget = engine.options().table_file.is_none();
                let kind = Kind::Own(Box::new(Session::new(engine, session.clone())));
                Ok(Contestant { kind, can_forget, is_broken: false })
            }
            ContestantSpec::Program(command) => {
                let client = Client::start(&command.replace("{seed}", &(seed >> 33).to_string()))?;
                let kind = Kind::Program(client);
                let mut contestant = Contestant { kind, can_forget: false, is_broken: false };
                let can_seed = contestant.examine(command)?;
                // A command line without a seed names the same games in every process.
                if can_seed && !command.contains("{seed}") {
                    contestant.seed(seed).map_err(|failure| unfit(command, failure))?;
                }
                Ok(contestant)
            }
        }
    }

    /// Looks whether it has the commands it needs; returns whether it can be told a seed.
    fn examine(&mut self, description: &str) -> Result<bool, ContestantError> {
        let unfit = |failure| unfit(description, failure);
        self.ask("protocol_version", PATIENCE).map_err(unfit)?;
        let known = self.ask("list_commands", PATIENCE).map_err(unfit)?;
        let known: Vec<&str> = known.split_whitespace().collect();
        if let Some(command) = NEEDED.into_iter().find(|needed| !known.contains(needed)) {
            let description = description.to_owned();
            return Err(ContestantError::Lacks { description, command, known: known.len() });
        }
        self.can_forget = known.contains(&"clear_cache") && !description.contains("{seed}");
        Ok(known.contains(&"set_random_seed"))
    }

    /// Whether [`begin`](Contestant::begin) can start another game.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        !self.is_broken
    }

    /// Whether that game can begin with nothing remembered.
    #[must_use]
    pub fn can_forget(&self) -> bool {
        self.can_forget && self.can_go_on()
    }

    /// Forgets everything, the random numbers too.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn forget(&mut self, seed: u64) -> Result<(), Failure> {
        self.ask("clear_cache", PATIENCE)?;
        self.seed(seed)
    }

    /// Tells it where its random numbers begin, if it can be told.
    fn seed(&mut self, seed: u64) -> Result<(), Failure> {
        match self.ask(&format!("set_random_seed {}", seed >> 33), PATIENCE) {
            // Not every program can do that.
            Ok(_) | Err(Failure::Refused { .. }) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Sets up an empty board, and counts anew what its searches do.
    ///
    /// # Errors
    /// When it refuses, or does not answer.
    pub fn begin(&mut self, setting: &Setting) -> Result<(), Failure> {
        if let Kind::Own(session) = &mut self.kind {
            session.restart_totals();
        }
        let Setting { size, komi, time_per_move } = *setting;
        let boardsize = if size.columns() == size.rows() {
            format!("boardsize {}", size.columns())
        } else {
            format!("rectangular_boardsize {} {}", size.columns(), size.rows())
        };
        self.ask(&boardsize, PATIENCE)?;
        self.ask("clear_board", PATIENCE)?;
        self.ask(&format!("komi {komi}"), PATIENCE)?;
        if let (Some(time), Kind::Program(_)) = (time_per_move, &self.kind) {
            // Canadian overtime: one stone in each period. A program without clocks may refuse.
            match self.ask(&format!("time_settings 0 {} 1", time.as_secs()), PATIENCE) {
                Ok(_) | Err(Failure::Refused { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Tells it a move.
    ///
    /// # Errors
    /// When it refuses, or does not answer.
    pub fn play(&mut self, size: Size, player: Player, mv: Move) -> Result<(), Failure> {
        self.ask(&format!("play {} {}", letter(player), size.vertex(mv)), PATIENCE).map(|_| ())
    }

    /// Its move, which it has then played; `None` when it resigns.
    ///
    /// # Errors
    /// When it gives no move in time.
    pub fn generate_move(
        &mut self,
        size: Size,
        player: Player,
        timeout: Duration,
    ) -> Result<Option<Move>, Failure> {
        let command = format!("genmove {}", letter(player));
        let answer = self.ask(&command, timeout)?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(None);
        }
        let vertex = size.parse_vertex(&answer);
        vertex.map(Some).ok_or_else(|| garbage(&command, "a vertex of the board, pass or resign", &answer))
    }

    /// The answer to a command.
    ///
    /// # Errors
    /// Whatever went wrong.
    pub fn ask(&mut self, command: &str, timeout: Duration) -> Result<String, Failure> {
        let answer = match &mut self.kind {
            Kind::Program(client) => client.ask(command, timeout),
            Kind::Own(session) => match session.answer(command).map(|response| response.outcome) {
                Some(Ok(answer)) => Ok(answer),
                Some(Err(answer)) => Err(Failure::Refused { command: command.to_owned(), answer }),
                None => Err(garbage(command, "a command", command)),
            },
        };
        self.is_broken |= !matches!(answer, Ok(_) | Err(Failure::Refused { .. }));
        answer
    }

    /// What its searches did in this game, and what its table holds; `None` for a program, which is not asked.
    #[must_use]
    pub fn totals(&self) -> Option<(SearchTotals, Census)> {
        match &self.kind {
            Kind::Own(session) => Some((session.totals(), session.engine().table().census())),
            Kind::Program(_) => None,
        }
    }

    /// Lets a program end by itself.
    pub fn close(self) {
        if let Kind::Program(client) = self.kind {
            client.close();
        }
    }
}

/// The error for one that did not answer as it should.
pub(super) fn unfit(description: &str, failure: Failure) -> ContestantError {
    ContestantError::Unfit { description: description.to_owned(), failure }
}

fn letter(player: Player) -> char {
    match player {
        Player::Black => 'b',
        Player::White => 'w',
    }
}
