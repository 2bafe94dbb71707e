//! Every bound of this crate, with its number and its name.

/// The most upstream servers of one configuration.
pub const SERVERS_MAX: usize = 200;
/// The longest name of an upstream server, in bytes.
pub const SERVER_NAME_BYTES_MAX: usize = 64;
/// How long a server may take from its start to its list of tools, unless its configuration says otherwise.
pub const CONNECT_TIMEOUT_MS: u64 = 60_000;
/// The longest that a configuration may let it take.
pub const CONNECT_TIMEOUT_MS_MAX: u64 = 600_000;
/// How long a server that could not be reached is left alone while nobody asks for it by name.
pub const RETRY_AFTER_MS: u64 = 30_000;
/// How often a quiet connection is asked whether it still works.
pub const PING_EVERY_MS: u64 = 30_000;
/// How long it has to answer that.
pub const PING_TIMEOUT_MS: u64 = 10_000;
/// How long the end of a connection may take.
pub const CLOSE_TIMEOUT_MS: u64 = 5_000;
/// The most tools of one server; a server that lists more is refused.
pub const TOOLS_MAX: usize = 2_000;
/// The most pages that a list of tools may have.
pub const TOOL_PAGES_MAX: usize = 200;
/// How many lines that a server last wrote to its standard error are kept.
pub const STDERR_LINES_KEPT: usize = 20;
/// The longest such line, in bytes; longer ones are cut.
pub const STDERR_LINE_BYTES_MAX: usize = 1_000;

/// The most steps of one recording.
pub const RECORDED_STEPS_MAX: usize = 1_000;
/// The most named inputs of one recording.
pub const RECORDED_INPUTS_MAX: usize = 100;
/// How long one call of a recording may take unless the caller says otherwise.
pub const RECORDED_CALL_MS: u64 = 60_000;
/// The longest that a caller may let it take.
pub const RECORDED_CALL_MS_MAX: u64 = 600_000;
/// The most refs that are proposed at a time.
pub const PROPOSALS_MAX: usize = 200;
/// The shortest text that is taken for more than chance when it equals an earlier output, in characters.
pub const PROPOSED_TEXT_CHARS_MIN: usize = 3;
/// The most values of one output that literals are compared with.
pub const PROPOSED_VALUES_MAX: usize = 20_000;
