//! The game that a table file was made for, and the game to search in it.

use super::options::EngineArguments;
use crate::engine::{EngineOptions, TableFile, TableGameSettings};
use crate::go::{Komi, Rules, Size};
use crate::records::sgf::{ChosenTerms, DefaultTerms, GameRecord, customary_komi};
use crate::table::{Table, TableIdentity, TableMode};
use std::path::Path;

/// Board, rules and komi that a table file was made for; `None` if they cannot be read.
pub(super) struct TableGame {
    name: String,
    size: Option<Size>,
    setting: TableGameSettings,
}

/// Board, rules and komi of a game, from the command line, the table, or by default.
pub(super) struct ChosenGame {
    pub(super) size: Size,
    pub(super) rules: Rules,
    pub(super) komi: Komi,
}

impl TableGame {
    /// Returns the game of an engine's table file, if it exists and can be opened; the engine reports the error of one
    /// that cannot.
    pub(super) fn of(engine: &EngineArguments) -> Option<TableGame> {
        TableGame::at(engine.table_path()?)
    }

    /// Returns the game of the file that an engine's searches of a record use: that of the record's board.
    pub(super) fn of_record(engine: &EngineArguments, record: &GameRecord) -> Option<TableGame> {
        let path = engine.table_path()?;
        let game = TableGame::at(path)?;
        let board = Size::new(usize::from(record.columns), usize::from(record.rows)).ok();
        match (game.size, board) {
            (Some(made_for), Some(board)) if made_for != board => {
                TableGame::at(&TableFile::path_beside(path, board))
            }
            _ => Some(game),
        }
    }

    /// Returns the game of a table file, if it exists and can be opened.
    pub(super) fn at(path: &Path) -> Option<TableGame> {
        if !path.exists() {
            return None;
        }
        let table = Table::open(path, TableMode::ReadOnly, None).ok()?;
        Some(TableGame::new(path, table.identity()?))
    }

    fn new(path: &Path, identity: &TableIdentity) -> TableGame {
        let setting = TableGameSettings::read(&identity.game_settings);
        TableGame { name: path.display().to_string(), size: size(identity), setting }
    }

    /// Gives the table file of `options` the board that it was made for, so that another board has a file beside it.
    pub(super) fn keep_board_of_file(options: &mut EngineOptions) {
        if let Some(file) = &mut options.table_file
            && let Some(board) = TableGame::at(&file.path).and_then(|game| game.size)
        {
            file.board = board;
        }
    }

    /// Returns the board that the table was made for.
    pub(super) fn size(&self) -> Option<Size> {
        self.size
    }

    /// Returns the rules and komi to use if nothing else names them.
    pub(super) fn otherwise(&self) -> DefaultTerms {
        otherwise(&self.setting)
    }

    /// Returns a warning if the table was made for other rules or another komi: both are part of every key.
    pub(super) fn mismatch(&self, rules: Rules, komi: Komi) -> Option<String> {
        let TableGameSettings { rules: made_for_rules, komi: made_for_komi, .. } = self.setting;
        let (made_for_rules, made_for_komi) = (made_for_rules?, made_for_komi?);
        ((made_for_rules, made_for_komi) != (rules, komi)).then(|| {
            format!(
                "{}: the table was made for rules {made_for_rules} and komi {made_for_komi}; this search uses rules {rules} and komi {komi} and shares no results with it",
                self.name
            )
        })
    }
}

/// Chooses a game: given values first, then those that the table was made for, then the defaults.
pub(super) fn choose_game(
    table: Option<&TableGame>,
    size: Option<Size>,
    given: ChosenTerms,
    default_size: Size,
) -> ChosenGame {
    let otherwise = table.map_or_else(DefaultTerms::default, TableGame::otherwise);
    let rules = given.rules.unwrap_or(otherwise.rules);
    let komi = if rules.scoring == otherwise.rules.scoring { otherwise.komi } else { customary_komi(rules) };
    ChosenGame {
        size: size.or(table.and_then(|table| table.size)).unwrap_or(default_size),
        rules,
        komi: given.komi.unwrap_or(komi),
    }
}

/// Returns the board that a table was made for.
pub(super) fn size(identity: &TableIdentity) -> Option<Size> {
    identity.game.strip_prefix("go ")?.parse().ok()
}

/// Returns the rules and komi that a table was made for, or the defaults if they cannot be read.
pub(super) fn otherwise(setting: &TableGameSettings) -> DefaultTerms {
    let default = DefaultTerms::default();
    DefaultTerms { rules: setting.rules.unwrap_or(default.rules), komi: setting.komi.unwrap_or(default.komi) }
}
