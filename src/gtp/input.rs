//! What the controller says, read by a thread of its own, so that a search can look whether there is more.

use super::protocol::{self, Line};
use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

/// Lines read ahead at most: each may be as long as [`protocol::LONGEST_LINE`].
const READ_AHEAD: usize = 2;

/// A line, or the end of the input.
type Next = io::Result<Option<Line>>;

/// The lines of a conversation.
pub(super) struct Input {
    /// `None` where lines are given one by one, and each search is the last thing that anyone waits for.
    lines: Option<Receiver<Next>>,
    /// What was received and not yet taken.
    waiting: Option<Next>,
    /// Lines taken so far.
    taken: u64,
    /// Number of the last line that said `# interrupt`, from 1.
    interrupt: Arc<AtomicU64>,
    /// Whether nobody reads the answers any more.
    abandoned: Arc<AtomicBool>,
}

impl Input {
    /// No lines at all.
    pub(super) fn none() -> Input {
        Input { lines: None, waiting: None, taken: 0, interrupt: Arc::default(), abandoned: Arc::default() }
    }

    /// The lines of `source`. `abandoned` may be set at any time, when nobody reads the answers any more.
    pub(super) fn reading(mut source: impl BufRead + Send + 'static, abandoned: Arc<AtomicBool>) -> Input {
        let (sender, lines) = sync_channel(READ_AHEAD);
        let interrupt = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&interrupt);
        std::thread::spawn(move || {
            for number in 1.. {
                let next = protocol::read_line(&mut source);
                if let Ok(Some(line)) = &next
                    && protocol::is_interrupt(&line.text)
                {
                    told.store(number, Relaxed);
                }
                let is_last = !matches!(next, Ok(Some(_)));
                if sender.send(next).is_err() || is_last {
                    break;
                }
            }
        });
        Input { lines: Some(lines), waiting: None, taken: 0, interrupt, abandoned }
    }

    /// The next line, waited for; `None` at the end of the input.
    ///
    /// # Errors
    /// When reading fails.
    pub(super) fn next(&mut self) -> Next {
        self.wait();
        self.taken += 1;
        self.waiting.take().unwrap_or(Ok(None))
    }

    /// Waits until there is more: a line, or the end.
    pub(super) fn wait(&mut self) {
        if self.waiting.is_none()
            && let Some(lines) = &self.lines
        {
            self.waiting = Some(lines.recv().unwrap_or(Ok(None)));
        }
    }

    /// Whether something has come after the line that was taken last: another line, the end, or the news that nobody
    /// listens.
    pub(super) fn has_more(&mut self) -> bool {
        if self.waiting.is_none() {
            self.waiting = match self.lines.as_ref().map(Receiver::try_recv) {
                Some(Ok(next)) => Some(next),
                Some(Err(TryRecvError::Empty)) => None,
                Some(Err(TryRecvError::Disconnected)) | None => Some(Ok(None)),
            };
        }
        self.waiting.is_some() || self.is_abandoned()
    }

    /// Whether the controller wants the answer to the line that was taken last at once, or nobody wants it any more.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Relaxed) > self.taken || self.is_abandoned()
    }

    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Relaxed)
    }
}
