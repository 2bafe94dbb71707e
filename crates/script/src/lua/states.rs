//! States of Lua, kept for the next call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use mlua::{Function, Lua, LuaOptions, StdLib, Table, Value, VmState};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::failure::Trace;
use crate::{CallOptions, ErrorKind, ScriptError, ScriptLimits};

/// Most states that wait for a call. More calls than this at once make states of their own.
pub const STATES_IDLE_MAX: usize = 16;

/// Garbage beyond this is collected before the next call.
const GARBAGE_MAX_BYTES: usize = 256 << 10;
/// Interrupts come at every call and every turn of a loop. The clock is looked at every so many, the depth
/// of calls more often, because calls can go this much deeper in between.
const INTERRUPTS_PER_CLOCK: u32 = 128;
const INTERRUPTS_PER_DEPTH: u32 = 16;

/// States that calls take and put back.
#[derive(Default)]
pub struct LuaStates {
    idle: Mutex<Vec<State>>,
}

/// One state, made ready for calls.
pub(super) struct State {
    lua: Lua,
    control: Arc<Control>,
    /// What the state uses when no call does.
    base_bytes: usize,
    environment_mark: Table,
    array_mark: Table,
    protected_call: Function,
    handler: Function,
}

/// What the interrupt knows of the present call.
#[derive(Default)]
struct Control {
    call: Mutex<Option<Call>>,
    interrupts: AtomicU32,
    /// A limit was exceeded, and `call` says which.
    cut_off: AtomicBool,
}

struct Call {
    limits: ScriptLimits,
    ends_at: Instant,
    cancel: Option<CancellationToken>,
    cut_off: Option<ErrorKind>,
    trace: Option<Trace>,
}

impl LuaStates {
    #[must_use]
    pub fn new() -> Arc<LuaStates> {
        Arc::default()
    }

    pub(super) fn take(&self, options: &CallOptions) -> Result<State, ScriptError> {
        let idle = self.idle.lock().pop();
        let state = match idle {
            Some(state) => Ok(state),
            None => State::new(),
        };
        state.and_then(|state| state.begin(options).map(|()| state)).map_err(|error| {
            ScriptError::new(
                ErrorKind::Unavailable,
                format!("no state of Lua can be made: {error}"),
            )
        })
    }

    pub(super) fn put_back(&self, state: State) {
        let mut idle = self.idle.lock();
        if idle.len() < STATES_IDLE_MAX {
            idle.push(state);
        }
    }
}

impl State {
    fn new() -> mlua::Result<State> {
        let libraries = StdLib::COROUTINE
            | StdLib::TABLE
            | StdLib::STRING
            | StdLib::UTF8
            | StdLib::BIT
            | StdLib::MATH
            | StdLib::BUFFER
            | StdLib::VECTOR;
        let lua = Lua::new_with(libraries, LuaOptions::new())?;
        // The real globals: `sandbox` puts an environment in front of them that is not used here.
        let globals = lua.globals();
        let array_mark = lua.create_table()?;
        array_mark.raw_set("__metatable", false)?;
        array_mark.set_readonly(true);
        globals.raw_set("null", Value::NULL)?;
        globals.raw_set("array", array_function(&lua, &array_mark)?)?;
        lua.load(include_str!("sandbox.luau")).set_name("=sandbox").exec()?;
        let protected_call: Function = globals.raw_get("xpcall")?;
        // Each call has a `_G` of its own. One here would be found first, when the bytecode is loaded.
        globals.raw_remove("_G")?;

        let environment_mark = lua.create_table()?;
        environment_mark.raw_set("__index", &globals)?;
        environment_mark.raw_set("__metatable", false)?;
        environment_mark.set_readonly(true);
        lua.sandbox(true)?;

        let control = Arc::new(Control::default());
        let handler = {
            let control = control.clone();
            lua.create_function(move |lua, raised: Value| {
                control.note(Trace::of(lua));
                Ok(raised)
            })?
        };
        let interrupt = control.clone();
        lua.set_interrupt(move |lua| interrupt.look(lua));
        lua.gc_collect()?;
        lua.gc_collect()?;
        let base_bytes = lua.used_memory();
        Ok(State {
            lua,
            control,
            base_bytes,
            environment_mark,
            array_mark,
            protected_call,
            handler,
        })
    }

    /// Sets the limits of the next call.
    fn begin(&self, options: &CallOptions) -> mlua::Result<()> {
        self.lua.set_memory_limit(0)?;
        if self.lua.used_memory() > self.base_bytes + GARBAGE_MAX_BYTES {
            self.lua.gc_collect()?;
            self.lua.gc_collect()?;
        }
        self.control.begin(options);
        let limit = self.lua.used_memory().saturating_add(options.limits.memory_bytes);
        self.lua.set_memory_limit(limit).map(|_| ())
    }

    /// Globals for one call: those of the language to read, and its own to write.
    pub(super) fn environment(&self) -> mlua::Result<Table> {
        let environment = self.lua.create_table()?;
        environment.raw_set("_G", &environment)?;
        environment.set_metatable(Some(self.environment_mark.clone()))?;
        // What the compiler assumes of the library holds: it is read-only.
        environment.set_safeenv(true);
        Ok(environment)
    }

    pub(super) fn lua(&self) -> &Lua {
        &self.lua
    }

    /// The metatable of tables that are arrays even when they are empty.
    pub(super) fn array_mark(&self) -> &Table {
        &self.array_mark
    }

    pub(super) fn protected_call(&self) -> &Function {
        &self.protected_call
    }

    /// Notes where the script is when something is raised.
    pub(super) fn handler(&self) -> &Function {
        &self.handler
    }

    /// The limit that ended the call, if one did.
    pub(super) fn cut_off(&self) -> Option<ErrorKind> {
        self.control.call.lock().as_ref().and_then(|call| call.cut_off)
    }

    pub(super) fn limits(&self) -> ScriptLimits {
        self.control.call.lock().as_ref().map_or(ScriptLimits::DEFAULT, |call| call.limits)
    }

    pub(super) fn take_trace(&self) -> Option<Trace> {
        self.control.call.lock().as_mut().and_then(|call| call.trace.take())
    }
}

impl Control {
    fn begin(&self, options: &CallOptions) {
        self.interrupts.store(0, Ordering::Relaxed);
        self.cut_off.store(false, Ordering::Relaxed);
        *self.call.lock() = Some(Call {
            limits: options.limits,
            ends_at: Instant::now() + Duration::from_millis(options.limits.time_ms),
            cancel: options.cancel.clone(),
            cut_off: None,
            trace: None,
        });
    }

    fn note(&self, trace: Trace) {
        if let Some(call) = self.call.lock().as_mut() {
            call.trace = Some(trace);
        }
    }

    /// Raises once a limit is exceeded, and from then on every time: a script may catch what is raised, but
    /// gets no further than to the next interrupt.
    fn look(&self, lua: &Lua) -> mlua::Result<VmState> {
        let n = self.interrupts.fetch_add(1, Ordering::Relaxed);
        if n.is_multiple_of(INTERRUPTS_PER_DEPTH)
            && let Some(call) = self.call.lock().as_mut()
            && call.cut_off.is_none()
        {
            call.cut_off = if lua.inspect_stack(call.limits.recursion_max, |_| ()).is_some() {
                Some(ErrorKind::StackOverflow)
            } else if n.is_multiple_of(INTERRUPTS_PER_CLOCK) {
                call.clock()
            } else {
                None
            };
            self.cut_off.store(call.cut_off.is_some(), Ordering::Relaxed);
        }
        if self.cut_off.load(Ordering::Relaxed) {
            return Err(mlua::Error::runtime("limit"));
        }
        Ok(VmState::Continue)
    }
}

impl Call {
    fn clock(&self) -> Option<ErrorKind> {
        if Instant::now() >= self.ends_at {
            return Some(ErrorKind::TimedOut);
        }
        let cancelled = self.cancel.as_ref().is_some_and(CancellationToken::is_cancelled);
        cancelled.then_some(ErrorKind::Cancelled)
    }
}

/// `array(table)` says that a table is an array, even when it is empty; `array()` makes one.
fn array_function(lua: &Lua, mark: &Table) -> mlua::Result<Function> {
    let mark = mark.clone();
    lua.create_function(move |lua, value: Value| {
        let table = match value {
            Value::Table(table) if !table.is_readonly() => table,
            Value::Nil => lua.create_table()?,
            _ => {
                return Err(mlua::Error::runtime(
                    "`array` takes a table that can be changed, or nothing",
                ));
            }
        };
        table.set_metatable(Some(mark.clone()))?;
        Ok(table)
    })
}
