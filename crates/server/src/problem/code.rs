//! Every kind of problem: its code, status, title and page.

use axum::http::StatusCode;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $status:ident, $title:literal;)+) => {
        /// The kinds of problem that the API knows. Codes are never reused or renamed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)+ }
            }

            pub fn status(self) -> StatusCode {
                match self { $(Code::$name => StatusCode::$status,)+ }
            }

            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)+ }
            }

            /// What it means and what to do, for people.
            pub fn page(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc, "\n",)+),)+ }
            }
        }
    };
}

codes! {
    /// The request cannot be understood: a query parameter, header, path or field of the body is missing,
    /// unknown or has a value that it cannot have. `errors` lists each with its path. Nothing was done.
    InvalidRequest = "invalid_request", BAD_REQUEST, "The request is not valid";
    /// The body is not JSON. `detail` says at which line and column it stops making sense.
    InvalidJson = "invalid_json", BAD_REQUEST, "The body is not JSON";
    /// The body has to be sent as `Content-Type: application/json`.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body is not declared as JSON";
    /// The body is larger than the server takes. The bound is the setting `limits.body_bytes_max`.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// Arrays and objects in the body lie deeper in one another than `limits.json_depth_max`.
    NestedTooDeep = "nested_too_deep", BAD_REQUEST, "The body is nested too deep";
    /// There is nothing at this path. `GET /api/docs` lists what there is.
    UnknownRoute = "unknown_route", NOT_FOUND, "There is nothing here";
    /// The path exists, but not with this method. The header `Allow` lists those that do.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The method is not allowed here";
    /// The server wants an access token: `Authorization: Bearer ...`. `stepwell token create` makes one.
    TokenRequired = "token_required", UNAUTHORIZED, "An access token is required";
    /// The token is unknown, revoked or expired.
    InvalidToken = "invalid_token", UNAUTHORIZED, "The access token is not valid";
    /// The token is valid, but its scope does not include this. Scopes are `read`, `launch` and `admin`; each includes
    /// the ones before it.
    ScopeTooSmall = "scope_too_small", FORBIDDEN, "The access token may not do this";
    /// The token belongs to another namespace than the one that the header `Stepwell-Namespace` asks for.
    NamespaceForbidden = "namespace_forbidden", FORBIDDEN, "The access token is for another namespace";
    /// A page of another site sent this request, or it came by a host name that the server does not answer to. Set
    /// `access.origins` or `access.hosts` if that is intended.
    OriginForbidden = "origin_forbidden", FORBIDDEN, "The request comes from elsewhere";
    /// No workflow of this name is registered in this namespace. `stepwell workflow list` shows those that are.
    UnknownWorkflow = "unknown_workflow", NOT_FOUND, "There is no such workflow";
    /// No run of this id exists in this namespace. It may have been removed when its retention ended.
    UnknownRun = "unknown_run", NOT_FOUND, "There is no such run";
    /// The run has no entry at this location.
    UnknownEntry = "unknown_entry", NOT_FOUND, "There is no such entry";
    /// No schedule of this name exists in this namespace.
    UnknownSchedule = "unknown_schedule", NOT_FOUND, "There is no such schedule";
    /// No token of this name exists in this namespace.
    UnknownToken = "unknown_token", NOT_FOUND, "There is no such token";
    /// No step of this id is in the catalog of this namespace. `stepwell step list` shows those that are.
    UnknownStep = "unknown_step", NOT_FOUND, "There is no such step";
    /// The definition of a step, or a change of the catalog with it, makes no sense. `errors` lists every place, with a
    /// code that docs/reference/flow-steps.md explains. Nothing was changed.
    InvalidStep = "invalid_step", UNPROCESSABLE_ENTITY, "The step cannot be taken";
    /// The catalog has another definition under this id. Update the step, or use another id.
    StepExists = "step_exists", CONFLICT, "The step exists already";
    /// The step is a goal of a flow step, and cannot be removed while it is. Change or remove that step first.
    StepInUse = "step_in_use", CONFLICT, "The step is in use";
    /// No plan can be made for these goals with this initial state. `errors` lists every place. Nothing was created.
    InvalidGoals = "invalid_goals", UNPROCESSABLE_ENTITY, "There is no plan for these goals";
    /// The plan for these goals can be looked at with `POST /api/plans`, but not run: something is missing that no step
    /// provides, or a goal is blocked. `errors` says what. Nothing was created.
    FlowCannotRun = "flow_cannot_run", UNPROCESSABLE_ENTITY, "The goals cannot be reached";
    /// The run is no flow, so it has no events of one. Look at its journal instead.
    NoFlow = "no_flow", CONFLICT, "The run is no flow";
    /// No work item waits for an answer at this address. The address of a webhook is valid as long as its run is kept.
    UnknownWebhook = "unknown_webhook", NOT_FOUND, "There is no such webhook";
    /// The work item was answered before, with something else. The first answer counts; the same answer may be sent any
    /// number of times.
    WebhookAnswered = "webhook_answered", CONFLICT, "The webhook was answered otherwise";
    /// The input does not fit the workflow's schema. `errors` lists every place that doesn't. Nothing was created.
    InvalidInput = "invalid_input", UNPROCESSABLE_ENTITY, "The input does not fit the workflow";
    /// The graph is not valid. `errors` lists everything that is wrong, each with its field and its step; nothing was
    /// saved. docs/reference/graph.md explains the format, `GET /api/schemas/graph` is its JSON Schema.
    InvalidGraph = "invalid_graph", UNPROCESSABLE_ENTITY, "The graph is not valid";
    /// No upstream MCP server has this tool, or several have it and the request does not say which one it means.
    /// `stepwell mcp servers` shows the servers and their tools.
    UnknownTool = "unknown_tool", NOT_FOUND, "There is no such tool";
    /// The upstream MCP server of a tool cannot be reached. `stepwell mcp servers` says why.
    ToolUnavailable = "tool_unavailable", BAD_GATEWAY, "The tool cannot be reached";
    /// The recording did not do as asked: a ref that leads nowhere, a step that others refer to, a recording that is
    /// finished. `detail` says which. Nothing was recorded.
    RecordingRefused = "recording_refused", CONFLICT, "The recording refused";
    /// A value is larger than the engine takes; `detail` names the limit.
    ValueTooLarge = "value_too_large", UNPROCESSABLE_ENTITY, "A value is too large";
    /// A run with this id exists. Ids are never reused; an idempotency key is the way to ask for "the same run".
    RunExists = "run_exists", CONFLICT, "The run exists already";
    /// A token, schedule or workflow of this name exists.
    NameTaken = "name_taken", CONFLICT, "The name is taken";
    /// The run has ended, so it takes no messages and cannot be cancelled.
    RunEnded = "run_ended", CONFLICT, "The run has ended";
    /// The run has not ended, so it cannot be resumed, replayed in place or removed. Cancel it first, or wait.
    RunNotEnded = "run_not_ended", CONFLICT, "The run has not ended";
    /// The run completed, so there is nothing to resume. Replay it from one of its entries instead.
    RunCompleted = "run_completed", CONFLICT, "The run completed";
    /// The run's steps were undone, so it cannot go on. Start a new run, or replay from an entry before the failure.
    RunRolledBack = "run_rolled_back", CONFLICT, "The run was rolled back";
    /// The run is a child of another that is still kept; it goes when its parent goes.
    RunHasParent = "run_has_parent", CONFLICT, "The run belongs to another";
    /// Somebody else changed the same thing at the same time. Look at it, and try again.
    Changed = "changed", CONFLICT, "It was changed by somebody else";
    /// The run had not ended when the time of `timeout_ms` was over. It goes on; wait again.
    WaitTimedOut = "wait_timed_out", REQUEST_TIMEOUT, "The run has not ended yet";
    /// The run had not answered the message in time. The message is delivered; ask again with the same key to get the
    /// answer.
    AnswerTimedOut = "answer_timed_out", REQUEST_TIMEOUT, "The run has not answered yet";
    /// The run ended without answering the message.
    Unanswered = "unanswered", CONFLICT, "The run gave no answer";
    /// The updates after this `Last-Event-ID` are not kept any more, or come from before a restart. Read what you need
    /// anew, and subscribe without it.
    UpdatesGone = "updates_gone", GONE, "The updates are gone";
    /// The engine failed on this run and left it alone. The server's log says why.
    RunQuarantined = "run_quarantined", CONFLICT, "The run is in quarantine";
    /// The run's journal makes no sense. `stepwell store check` tells what is damaged.
    RunDamaged = "run_damaged", INTERNAL_SERVER_ERROR, "The run's journal is damaged";
    /// The store did not answer, or refused to write. What was asked for may have happened all the same: look, or ask
    /// again with the same idempotency key.
    StoreUnavailable = "store_unavailable", SERVICE_UNAVAILABLE, "The store is unavailable";
    /// The server is going down, or lost its store to another. Try again in a moment.
    ShuttingDown = "shutting_down", SERVICE_UNAVAILABLE, "The server is shutting down";
    /// More requests are under way than the server takes. Try again in a moment.
    TooBusy = "too_busy", SERVICE_UNAVAILABLE, "The server is busy";
    /// A fault of the server. Its log says more, under the request's id.
    Internal = "internal", INTERNAL_SERVER_ERROR, "The server failed";
}

impl Code {
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}
