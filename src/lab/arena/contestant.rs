//! A player of games: another program, or a built-in engine in this process. Both are controlled by GTP commands.

use super::client::{GtpClient, GtpFailure, garbage};
use crate::base::child_process::StartError;
use crate::base::game::{Move, Player};
use crate::engine::{Engine, EngineError, EngineOptions};
use crate::go::Size;
use crate::protocols::gtp::{SearchTotals, Session, SessionOptions};
use crate::table::{Census, TableMode};
use std::time::Duration;

/// Commands that are required to play a game.
const REQUIRED_COMMANDS: [&str; 5] = ["boardsize", "clear_board", "komi", "play", "genmove"];
/// Timeout for commands other than `genmove`; programs load large networks meanwhile.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Settings from which a contestant is made.
#[derive(Clone, Debug)]
pub enum ContestantSpec {
    /// A built-in engine in this process.
    BuiltIn {
        /// The options that selected it, for records.
        description: String,
        /// The engine; the match sets size, rules, komi and seed.
        engine: Box<EngineOptions>,
        /// The budget of a move, and the resignation threshold.
        session: SessionOptions,
    },
    /// A program that speaks GTP, by its command line; `{seed}` in it stands for a number that differs from game to
    /// game.
    Program(String),
}

impl ContestantSpec {
    /// Returns the name used in records.
    #[must_use]
    pub fn description(&self) -> &str {
        match self {
            ContestantSpec::BuiltIn { description, .. } => description,
            ContestantSpec::Program(command) => command,
        }
    }

    /// Returns the program version and the network of a built-in engine, since the same description can select
    /// another engine later. Builds of one version are not distinguished. `None` for a program.
    #[must_use]
    pub fn engine_identity(&self) -> Option<String> {
        let ContestantSpec::BuiltIn { engine, .. } = self else { return None };
        let identity = engine.network_identity();
        let network = if identity.is_empty() { "none" } else { &identity };
        Some(format!("tewari {}, network {network}", env!("CARGO_PKG_VERSION")))
    }

    /// Returns true if the contestant writes to a table file.
    #[must_use]
    pub fn writes_to_file(&self) -> bool {
        let ContestantSpec::BuiltIn { engine, .. } = self else { return false };
        engine.table_file.as_ref().is_some_and(|file| file.mode == TableMode::ReadWrite)
    }

    /// Returns the bytes of its table in this process.
    ///
    /// # Errors
    /// Returns an error if its memory budget is impossible.
    pub fn table_bytes(&self) -> Result<u64, EngineError> {
        match self {
            ContestantSpec::BuiltIn { engine, .. } => Ok(engine.table_bytes()? as u64),
            ContestantSpec::Program(_) => Ok(0),
        }
    }
}

/// A reason for which a contestant cannot take part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContestantError {
    /// The program does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The built-in engine cannot be made.
    #[error("{description}: {error}")]
    Engine {
        /// The contestant.
        description: String,
        /// The error of the engine.
        error: EngineError,
    },
    /// The program does not answer as it should.
    #[error("{description:?} cannot play: {failure}")]
    BadAnswer {
        /// The contestant.
        description: String,
        /// The failure.
        failure: GtpFailure,
    },
    /// The program cannot serve as the referee.
    #[error("{command:?} cannot be the referee: {reason}")]
    Referee {
        /// Its command line.
        command: String,
        /// The failure to count an empty board.
        reason: String,
    },
    /// The program lacks a required command.
    #[error("{description:?} cannot play: it lacks the GTP command {command} (it has {} others)", known)]
    Lacks {
        /// The contestant.
        description: String,
        /// The missing command.
        command: &'static str,
        /// The number of commands that it has.
        known: usize,
    },
}

/// A running contestant.
pub struct Contestant {
    kind: ContestantKind,
    /// True if `clear_cache` resets the contestant for another game.
    can_reset: bool,
    /// True after a missing or unreadable answer: a late one would be taken for the answer to a later command.
    is_broken: bool,
}

enum ContestantKind {
    BuiltIn(Box<Session>),
    Program(GtpClient),
}

/// The settings of a game that contestants are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameSettings {
    /// Board size.
    pub size: Size,
    /// Komi in points.
    pub komi: f64,
    /// Time for each move, in whole seconds, if it is sent to programs.
    pub time_per_move: Option<Duration>,
}

impl Contestant {
    /// Starts a contestant; a built-in engine has an empty table, or the content of its table file.
    ///
    /// # Errors
    /// Returns an error if it cannot be started.
    pub fn start(spec: &ContestantSpec, seed: u64) -> Result<Contestant, ContestantError> {
        match spec {
            ContestantSpec::BuiltIn { description, engine, session } => {
                let mut options = (**engine).clone();
                options.parameters.seed = seed;
                let engine = Engine::new(options)
                    .map_err(|error| ContestantError::Engine { description: description.clone(), error })?;
                // A game that begins with the content of a table file needs a fresh copy of it.
                let can_reset = engine.options().table_file.is_none();
                let kind = ContestantKind::BuiltIn(Box::new(Session::new(engine, session.clone())));
                Ok(Contestant { kind, can_reset, is_broken: false })
            }
            ContestantSpec::Program(command) => {
                let client = GtpClient::start(&command.replace("{seed}", &(seed >> 33).to_string()))?;
                let kind = ContestantKind::Program(client);
                let mut contestant = Contestant { kind, can_reset: false, is_broken: false };
                let can_seed = contestant.examine(command)?;
                // A program without `{seed}` on its command line would play the same games in every process.
                if can_seed && !command.contains("{seed}") {
                    contestant.seed(seed).map_err(|failure| bad_answer(command, failure))?;
                }
                Ok(contestant)
            }
        }
    }

    /// Checks for the required commands; returns true if the program has `set_random_seed`.
    fn examine(&mut self, description: &str) -> Result<bool, ContestantError> {
        let bad_answer = |failure| bad_answer(description, failure);
        self.ask("protocol_version", ANSWER_TIMEOUT).map_err(bad_answer)?;
        let known = self.ask("list_commands", ANSWER_TIMEOUT).map_err(bad_answer)?;
        let known: Vec<&str> = known.split_whitespace().collect();
        if let Some(command) = REQUIRED_COMMANDS.into_iter().find(|needed| !known.contains(needed)) {
            let description = description.to_owned();
            return Err(ContestantError::Lacks { description, command, known: known.len() });
        }
        self.can_reset = known.contains(&"clear_cache") && !description.contains("{seed}");
        Ok(known.contains(&"set_random_seed"))
    }

    /// Returns true if [`begin`](Contestant::begin) can start another game.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        !self.is_broken
    }

    /// Returns true if the next game can begin without memory of earlier ones.
    #[must_use]
    pub fn can_reset(&self) -> bool {
        self.can_reset && self.can_go_on()
    }

    /// Clears the table and sets the seed of random numbers.
    ///
    /// # Errors
    /// Returns an error if it does not answer.
    pub fn reset(&mut self, seed: u64) -> Result<(), GtpFailure> {
        self.ask("clear_cache", ANSWER_TIMEOUT)?;
        self.seed(seed)
    }

    /// Sets the seed of random numbers, if the program supports it.
    fn seed(&mut self, seed: u64) -> Result<(), GtpFailure> {
        match self.ask(&format!("set_random_seed {}", seed >> 33), ANSWER_TIMEOUT) {
            // Programs without the command refuse it.
            Ok(_) | Err(GtpFailure::Refused { .. }) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Sets up an empty board and resets the totals of the searches.
    ///
    /// # Errors
    /// Returns an error if it refuses or does not answer.
    pub fn begin(&mut self, setting: &GameSettings) -> Result<(), GtpFailure> {
        if let ContestantKind::BuiltIn(session) = &mut self.kind {
            session.restart_totals();
        }
        let GameSettings { size, komi, time_per_move } = *setting;
        let boardsize = if size.columns() == size.rows() {
            format!("boardsize {}", size.columns())
        } else {
            format!("rectangular_boardsize {} {}", size.columns(), size.rows())
        };
        self.ask(&boardsize, ANSWER_TIMEOUT)?;
        self.ask("clear_board", ANSWER_TIMEOUT)?;
        self.ask(&format!("komi {komi}"), ANSWER_TIMEOUT)?;
        if let (Some(time), ContestantKind::Program(_)) = (time_per_move, &self.kind) {
            // Canadian overtime: one stone in each period. A program without clocks may refuse.
            match self.ask(&format!("time_settings 0 {} 1", time.as_secs()), ANSWER_TIMEOUT) {
                Ok(_) | Err(GtpFailure::Refused { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Sends a move.
    ///
    /// # Errors
    /// Returns an error if it refuses or does not answer.
    pub fn play(&mut self, size: Size, player: Player, mv: Move) -> Result<(), GtpFailure> {
        self.ask(
            &format!("play {} {}", player.letter().to_ascii_lowercase(), size.vertex(mv)),
            ANSWER_TIMEOUT,
        )
        .map(|_| ())
    }

    /// Requests a move, which it has then played; `None` if it resigns.
    ///
    /// # Errors
    /// Returns an error if it gives no move in time.
    pub fn generate_move(
        &mut self,
        size: Size,
        player: Player,
        timeout: Duration,
    ) -> Result<Option<Move>, GtpFailure> {
        let command = format!("genmove {}", player.letter().to_ascii_lowercase());
        let answer = self.ask(&command, timeout)?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(None);
        }
        let vertex = size.parse_vertex(&answer);
        vertex.map(Some).ok_or_else(|| garbage(&command, "a vertex of the board, pass or resign", &answer))
    }

    /// Sends a command and returns the answer.
    ///
    /// # Errors
    /// Returns an error if the answer is an error, missing or unusable.
    pub fn ask(&mut self, command: &str, timeout: Duration) -> Result<String, GtpFailure> {
        let answer = match &mut self.kind {
            ContestantKind::Program(client) => client.ask(command, timeout),
            ContestantKind::BuiltIn(session) => {
                match session.answer(command).map(|response| response.outcome) {
                    Some(Ok(answer)) => Ok(answer),
                    Some(Err(answer)) => Err(GtpFailure::Refused { command: command.to_owned(), answer }),
                    None => Err(garbage(command, "a command", command)),
                }
            }
        };
        self.is_broken |= !matches!(answer, Ok(_) | Err(GtpFailure::Refused { .. }));
        answer
    }

    /// Returns the totals of its searches in this game and the census of its table; `None` for a program.
    #[must_use]
    pub fn totals(&self) -> Option<(SearchTotals, Census)> {
        match &self.kind {
            ContestantKind::BuiltIn(session) => Some((session.totals(), session.engine().table().census())),
            ContestantKind::Program(_) => None,
        }
    }

    /// Lets a program end by itself.
    pub fn close(self) {
        if let ContestantKind::Program(client) = self.kind {
            client.close();
        }
    }
}

/// Returns the error for a contestant that failed a command.
pub(super) fn bad_answer(description: &str, failure: GtpFailure) -> ContestantError {
    ContestantError::BadAnswer { description: description.to_owned(), failure }
}
