//! Exit codes of the program besides 0 (done) and 1 (failed).

/// Exit code for a wrong command line or wrong settings.
pub(super) const USAGE_ERROR: i32 = 2;
/// Exit code after an interruption, by convention 128 + SIGINT.
pub(super) const INTERRUPTED: i32 = 130;
