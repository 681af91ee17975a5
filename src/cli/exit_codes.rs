//! Exit codes of the program besides 0 (done) and 1 (failed).

/// Exit code for a wrong command line or wrong settings.
pub(super) const USAGE_ERROR: i32 = 2;
/// Exit code after an interruption, by convention 128 + SIGINT.
pub(super) const INTERRUPTED: i32 = 130;

/// Exit codes of the program, for its help.
pub(super) const EXIT_CODES: &str =
    "Exit codes: 0 done, 1 failed, 2 the command line or the settings were wrong, 130 interrupted.";
