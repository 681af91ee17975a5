//! Analyses by other programs in a game record, stored in an engine's table.

use super::analysis::positions::positions_of;
use crate::base::game::Game;
use crate::base::recorded_analysis::RecordedAnalysis;
use crate::engine::{Engine, EngineError, ImportOutcome};
use crate::go::Record;
use crate::records::analyses::{self, is_katago_comment, is_readable_version};
use crate::records::sgf::{
    AnalysisProperty, GameRecord, Node, RecordMove, RecordTurn, ReplayError, StoredAnalysis, Terms,
};
use std::collections::BTreeMap;

/// The result of learning from one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedGame {
    /// Number of positions stored.
    pub positions: usize,
    /// Their visits.
    pub visits: u64,
    /// Number of positions stored, by program.
    pub programs: BTreeMap<AnalysisProgram, usize>,
    /// Number of positions that had as many visits already.
    pub known: usize,
    /// Numbers of analyses that were not stored, by reason.
    pub left_out: BTreeMap<LeftOut, usize>,
    /// Number of analyses that cannot be read.
    pub unreadable: usize,
    /// The first of them, with its place.
    pub first_unreadable: Option<String>,
}

/// A program that stores analyses in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnalysisProgram {
    /// KaTrain.
    Katrain,
    /// Lizzie, or LizzieYzy in Lizzie's property.
    Lizzie,
    /// LizzieYzy.
    LizzieYzy,
}

impl AnalysisProgram {
    /// Returns the program's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AnalysisProgram::Katrain => "KaTrain",
            AnalysisProgram::Lizzie => "Lizzie",
            AnalysisProgram::LizzieYzy => "LizzieYzy",
        }
    }

    fn of(property: AnalysisProperty) -> Option<AnalysisProgram> {
        match property {
            AnalysisProperty::Katrain => Some(AnalysisProgram::Katrain),
            AnalysisProperty::Lizzie => Some(AnalysisProgram::Lizzie),
            AnalysisProperty::LizzieYzy => Some(AnalysisProgram::LizzieYzy),
            AnalysisProperty::KatrainVersion | AnalysisProperty::SecondEngine => None,
        }
    }
}

/// A reason for which an analysis is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// A comment of KataGo's own games.
    KatagoComment,
    /// An analysis by a second engine.
    SecondEngine,
    /// An analysis without moves and policy.
    NoMoves,
    /// An analysis with the other player to move.
    OtherPlayer,
    /// An analysis from before stones were set up.
    BeforeSetup,
    /// An analysis with visits of an illegal move.
    IllegalMove,
    /// An analysis of the end of the game.
    Ended,
    /// An analysis for which the table has no room.
    NoRoom,
}

impl LeftOut {
    /// Returns the reason in words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            LeftOut::KatagoComment => {
                "KataGo's comments on its own games name no moves, so that no search could go on from them"
            }
            LeftOut::SecondEngine => "LZ2 and LZOP2 are of a second engine",
            LeftOut::NoMoves => {
                "the analyses have neither moves nor a policy, so that no search could go on from them"
            }
            LeftOut::OtherPlayer => "the other player is to move in the record",
            LeftOut::BeforeSetup => "stones were set up after the analysed position",
            LeftOut::IllegalMove => "a move of the analysis is illegal in the record's position",
            LeftOut::Ended => "the game has ended by two passes",
            LeftOut::NoRoom => "the table has no room",
        }
    }
}

/// A failure to learn from a game.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// A record that cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A failure of the engine, such as a table for another board size.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A version of KaTrain's format that cannot be read.
    #[error(
        "KaTrain's analyses have the version KTV[{found}]: expected at most {}; update this program",
        analyses::KATRAIN_FORMAT
    )]
    Version {
        /// The version in the record.
        found: String,
    },
}

/// Returns true if a record's main line has properties or comments of the kinds that [`learn`] reads or counts.
#[must_use]
pub fn has_analyses(record: &GameRecord) -> bool {
    record.nodes.iter().any(|node| {
        node.analyses().iter().any(|it| it.property != AnalysisProperty::KatrainVersion)
            || node.comment().is_some_and(is_katago_comment)
    })
}

/// Stores the analyses in the main line of a record in the engine's table. Returns the error at which the record or its
/// replay ended, if there is one, beside the result up to there.
pub fn learn(engine: &mut Engine, record: &GameRecord, terms: &Terms) -> (LearnedGame, Option<LearnError>) {
    let mut learned = LearnedGame::default();
    let error = learn_into(&mut learned, engine, record, terms).err();
    (learned, error)
}

fn learn_into(
    learned: &mut LearnedGame,
    engine: &mut Engine,
    record: &GameRecord,
    terms: &Terms,
) -> Result<(), LearnError> {
    let version = record
        .nodes
        .iter()
        .flat_map(Node::analyses)
        .find(|it| it.property == AnalysisProperty::KatrainVersion);
    let version = version.and_then(|it| it.values.first());
    if let Some(found) = version.filter(|version| !is_readable_version(version)) {
        return Err(LearnError::Version { found: found.chars().take(20).collect() });
    }
    let keys = engine.options().keys;
    let mut nodes = record.nodes.iter().enumerate().peekable();
    let mut moves = 0;
    for (number, step) in positions_of(record, None, terms, keys)?.enumerate() {
        let step = step?;
        if number == 0 {
            engine.set_record(Record::from_position(step.position.clone()))?;
        }
        // A node's analysis is of the position after its moves.
        while let Some((index, node)) = nodes.next_if(|(_, node)| moves + readable_moves(node) <= step.turn) {
            moves += readable_moves(node);
            learned.add_node(engine, &step, index, node);
        }
    }
    Ok(())
}

fn readable_moves(node: &Node) -> usize {
    node.moves.iter().filter(|(_, place)| !matches!(place, RecordMove::Unreadable(_))).count()
}

impl LearnedGame {
    /// Returns the number of analyses found.
    #[must_use]
    pub fn analyses(&self) -> usize {
        self.positions + self.known + self.unreadable + self.left_out.values().sum::<usize>()
    }

    fn leave_out(&mut self, reason: LeftOut) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Stores the analysis of a node; of several the one with the most visits, of equals that of LizzieYzy, which has more
    /// numbers.
    fn add_node(&mut self, engine: &mut Engine, step: &RecordTurn, index: usize, node: &Node) {
        if node.comment().is_some_and(is_katago_comment) {
            self.leave_out(LeftOut::KatagoComment);
        }
        let mut best: Option<(AnalysisProgram, RecordedAnalysis)> = None;
        for stored in node.analyses() {
            if stored.property == AnalysisProperty::SecondEngine {
                self.leave_out(LeftOut::SecondEngine);
            }
            let Some((program, analysis)) = self.read(stored, step) else { continue };
            let is_better = |(other, found): &(AnalysisProgram, RecordedAnalysis)| {
                (found.visits, *other) < (analysis.visits, program)
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((program, analysis));
            }
        }
        let Some((program, analysis)) = best else { return };
        // Setup in a later node before the next move.
        if step.set_up.is_some_and(|set_up| set_up > index) {
            return self.leave_out(LeftOut::BeforeSetup);
        }
        self.store(engine, step, program, &analysis);
    }

    /// Reads an analysis; `None` if it cannot be read or is none.
    fn read(
        &mut self,
        stored: &StoredAnalysis,
        step: &RecordTurn,
    ) -> Option<(AnalysisProgram, RecordedAnalysis)> {
        let program = AnalysisProgram::of(stored.property)?;
        let to_play = step.played.map_or(step.position.to_play(), |(player, _)| player.other());
        match analyses::read(stored, step.position.size(), to_play)? {
            Ok(analysis) => Some((program, analysis)),
            Err(error) => {
                self.unreadable += 1;
                let (name, turn, at) = (program.name(), step.turn, stored.at);
                self.first_unreadable.get_or_insert_with(|| {
                    format!("{at}, after move {turn}: an analysis of {name}: {error}")
                });
                None
            }
        }
    }

    fn store(
        &mut self,
        engine: &mut Engine,
        step: &RecordTurn,
        program: AnalysisProgram,
        analysis: &RecordedAnalysis,
    ) {
        if analysis.to_play != step.position.to_play() {
            return self.leave_out(LeftOut::OtherPlayer);
        }
        if step.position.passes() >= 2 {
            return self.leave_out(LeftOut::Ended);
        }
        match engine.import(step.position.clone(), analysis) {
            ImportOutcome::Stored { visits } => {
                self.positions += 1;
                self.visits += u64::from(visits);
                *self.programs.entry(program).or_default() += 1;
            }
            ImportOutcome::Known => self.known += 1,
            ImportOutcome::NoMoves => self.leave_out(LeftOut::NoMoves),
            ImportOutcome::IllegalMove(_) => self.leave_out(LeftOut::IllegalMove),
            ImportOutcome::NoRoom => self.leave_out(LeftOut::NoRoom),
        }
    }
}
