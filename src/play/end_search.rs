//! The end of a search that a person waits for.

use crate::search::SearchSnapshot;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A flag that ends the running search once it is set; `None`: searches cannot be ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndSearch(pub Option<&'static AtomicBool>);

impl EndSearch {
    /// Clears the flag. Called before the person is told that a search begins: an interrupt after the message counts.
    pub(super) fn clear(self) {
        self.0.inspect(|flag| flag.store(false, Relaxed));
    }

    /// Returns the progress callback of a search.
    pub(super) fn progress(self) -> impl FnMut(&SearchSnapshot<'_>) -> bool {
        move |_| !self.0.is_some_and(|flag| flag.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::super::console::Console;
    use super::super::go::{GoGame, GoGameSettings};
    use super::*;
    use crate::base::game::Player;
    use crate::base::memory::MemoryBudget;
    use crate::engine::{Engine, EngineOptions};
    use crate::go::drawing::BoardStyle;
    use crate::search::Limits;
    use std::io;
    use std::time::{Duration, Instant};

    static FLAG: AtomicBool = AtomicBool::new(false);

    /// A console of a person who interrupts the first search as soon as it is announced, and then leaves.
    struct Impatient;

    impl Console for Impatient {
        fn show(&mut self, _game: &str) -> io::Result<()> {
            Ok(())
        }

        fn say(&mut self, _text: &str) -> io::Result<()> {
            Ok(())
        }

        fn wait(&mut self, _game: &str, _text: &str) -> io::Result<()> {
            FLAG.store(true, Relaxed);
            Ok(())
        }

        fn ask(&mut self) -> io::Result<Option<String>> {
            Ok(None)
        }

        fn close(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_interrupt_right_after_the_announcement_ends_the_search() {
        let options = EngineOptions {
            networks: None,
            memory: MemoryBudget::Table(1 << 20),
            ..EngineOptions::default()
        };
        let end_search = EndSearch(Some(&FLAG));
        let time = Duration::from_secs(600);
        let setting = GoGameSettings {
            human: Player::White,
            limits: Limits { time: Some(time), ..Limits::default() },
            level: None,
            style: BoardStyle::Plain,
            end_search,
        };
        let mut game = GoGame::new(Engine::new(options).expect("an engine"), setting);
        let started = Instant::now();
        super::super::converse(&mut game, Player::White, end_search, &mut Impatient).expect("a conversation");
        assert!(started.elapsed() < time / 2, "{:?}", started.elapsed());
    }
}
