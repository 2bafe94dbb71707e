//! How the process ends: numbers that scripts can depend on.

/// The exit codes. They are never reused or renumbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Ok = 0,
    RunFailed = 1,
    Usage = 2,
    Cancelled = 3,
    TimedOut = 4,
    NotFound = 5,
    Refused = 6,
    Unreachable = 7,
    ServerError = 8,
    Local = 9,
    /// What a shell gives for a process that ended by Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    pub const ALL: [Exit; 11] = [
        Exit::Ok,
        Exit::RunFailed,
        Exit::Usage,
        Exit::Cancelled,
        Exit::TimedOut,
        Exit::NotFound,
        Exit::Refused,
        Exit::Unreachable,
        Exit::ServerError,
        Exit::Local,
        Exit::Interrupted,
    ];

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn about(self) -> &'static str {
        match self {
            Exit::Ok => "done; a run that was waited for completed",
            Exit::RunFailed => "the run failed",
            Exit::Usage => "the command line, an input or a setting is wrong; nothing was done",
            Exit::Cancelled => "the run was cancelled",
            Exit::TimedOut => "the time to wait was over; the run goes on",
            Exit::NotFound => "no such run, workflow, entry, schedule, token or problem code",
            Exit::Refused => {
                "the server refused, such as for a missing token or an input that does not fit"
            }
            Exit::Unreachable => "no server answers",
            Exit::ServerError => "the server failed, is busy, or is not a Stepwell server",
            Exit::Local => "a local file or store cannot be used, or a store is damaged",
            Exit::Interrupted => "Ctrl-C ended the watching; the run goes on",
        }
    }
}

/// The table of exit codes, for `--help`.
pub fn exit_codes() -> String {
    let mut text = String::from("Exit codes:\n");
    for exit in Exit::ALL {
        text.push_str(&format!("  {:>3}  {}\n", exit.code(), exit.about()));
    }
    text
}
