//! What goes over the wire: requests, which refuse unknown fields, and responses.
//!
//! These types are a promise to strangers. They are apart from the engine's own, so that those can change.

mod cluster;
mod events;
mod graphs;
mod run;
mod runs;
mod schedules;
mod sequence;
mod steps;
mod time;
mod tokens;
mod workflows;

pub use cluster::{ClusterView, NodeView, ShardView};
pub use events::{EventPage, JournalEvent};
pub use graphs::{
    CompleteRef, GraphCheck, GraphProblem, PlaceRef, ProposalList, ProposalView, RecordCall,
    RecordPreset, RecordedCallView, RecordedInputView, RecordedStepView, RecordingList,
    RecordingView, RefCandidate, RefCompletions, SaveRecording, StartRecording, ToolListView,
    ToolServerList, ToolServerView, ToolView,
};
pub(crate) use run::{Around, entry_whole, tree};
pub use run::{
    ChildView, ENTRIES_MAX, EntryView, MessageView, RunDetail, VALUE_SHOWN_BYTES_MAX, WaitView,
};
pub use runs::{
    Accepted, AnswerView, CancelRun, CountBucket, CountsOverTime, LogLineView, LogLines, Replay,
    ReplayInto, ResumeRun, RunList, RunOutcomeView, RunSummary, SendMessage, StartRun, StartedRun,
};
pub use schedules::{CatchUp, Overlap, PutSchedule, ScheduleList, ScheduleView, UpcomingTimes};
pub use sequence::StepRecords;
pub use steps::{
    CatalogEventPage, CatalogEventView, FlowEventPage, FlowEventView, HealthView, LostProviderView,
    PlanView, PlanWish, StartFlow, StepChanged, StepGraph, StepList, StepView,
};
pub use time::Timestamp;
pub use tokens::{
    CreateToken, CreatedToken, NamespaceList, NamespaceView, Scope, TokenList, TokenView,
};
pub use workflows::{FailedFile, FileProblem, ServerInfo, WorkflowList, WorkflowView};
