//! One JavaScript engine, which runs one call after another, each as if it were the first.
//!
//! ```text
//! new ──> blank ──load──> loaded ──call──> used ──renew──> loaded
//!           ^                                │
//!           └────────── another program ─────┘
//! ```
//!
//! An engine is set up once (globals, natives), an image of it is taken, a program's modules are loaded,
//! another image is taken. After each call the second image is put back, or the first if the next call
//! is of another program. So nothing of a call is left for the next, however it ended, and nothing that
//! QuickJS might have got wrong at a limit lives on.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use parking_lot::Mutex;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Error, Function, JsLifetime, Module, Object, Runtime, Value};

use super::arena::{Arena, ArenaAllocator, Image};
use super::call::{Call, Target};
use super::drive::{Drive, End};
use super::library::DRIVER;
use super::natives::{SharedState, natives};
use super::outcome::{INDESCRIBABLE, out_of_memory, outcome, verdict_error};
use super::prelude;
use super::program::{Program, ProgramId};
use super::state::{CallEvent, CallState, EventSender};
use super::turns::{Turn, Turns};
use super::watch::{CallControl, Watch};
use crate::{ErrorKind, ScriptError, ScriptLimits};

/// The most that [`ScriptLimits::stack_bytes`] can give a script; threads have twice as much.
pub(super) const STACK_BYTES_MAX: usize = 4 << 20;

/// Blocks of memory come in sizes, and a grown array leaves its old place behind: the arena is this much
/// larger than what may be in use at a time.
const ARENA_FACTOR: usize = 3;
const ARENA_BYTES_MIN: usize = 32 << 20;

/// An engine that was used further than this beyond its image is given up, not kept with the memory it
/// took.
const KEPT_BYTES_MAX: usize = 8 << 20;

/// Cycles are looked for when so much was allocated beyond the image.
const GARBAGE_BYTES: usize = 4 << 20;

/// What an engine has loaded. Where time is fixed it is so while loading, too, and the image differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RealmKey {
    pub(super) program: ProgramId,
    pub(super) is_fixed: bool,
}

pub(super) struct Realm {
    context: Context,
    arena: Arc<Arena>,
    memory_bytes_max: usize,
    state: SharedState,
    watch: Arc<Watch>,
    blank: Image,
    loaded: Option<(RealmKey, Image)>,
}

/// Everything that Rust keeps of the engine's values between calls. It is there before the first image
/// is taken and stays until the engine is freed.
#[derive(JsLifetime)]
struct Bridge<'js> {
    object: Object<'js>,
    _natives: Object<'js>,
}

/// A call as the thread that runs it gets it.
pub(super) struct Assignment<'a> {
    pub(super) program: &'a Arc<Program>,
    pub(super) call: &'a Call,
    pub(super) control: &'a Arc<CallControl>,
    pub(super) runtime: Option<tokio::runtime::Handle>,
}

impl Assignment<'_> {
    pub(super) fn key(&self) -> RealmKey {
        let is_fixed = self.call.grants.fixed.is_some();
        RealmKey { program: self.program.id(), is_fixed }
    }
}

impl Realm {
    /// An engine for calls that use up to `memory_bytes_max`.
    pub(super) fn new(memory_bytes_max: usize, turns: Arc<Turns>) -> Result<Realm, ScriptError> {
        let n_bytes = memory_bytes_max.saturating_mul(ARENA_FACTOR).saturating_add(ARENA_BYTES_MIN);
        let arena = Arena::new(n_bytes)
            .ok_or_else(|| unavailable("the system has no memory for another engine"))?;
        let state: SharedState = Arc::new(Mutex::new(CallState::idle()));
        let watch = Arc::new(Watch::new(turns));
        let context = set_up(&arena, &state, &watch)
            .map_err(|error| unavailable(&format!("an engine could not be set up: {error}")))?;
        #[expect(unsafe_code, reason = "see SAFETY")]
        // SAFETY: `set_up` has returned, and nothing runs the engine.
        let blank = unsafe { arena.image() };
        Ok(Realm { context, arena, memory_bytes_max, state, watch, blank, loaded: None })
    }

    pub(super) fn key(&self) -> Option<RealmKey> {
        self.loaded.as_ref().map(|(key, _)| *key)
    }

    pub(super) fn memory_bytes_max(&self) -> usize {
        self.memory_bytes_max
    }

    /// Runs a call. Afterwards the engine must be [renewed](Self::renew).
    pub(super) fn run(
        &mut self,
        assignment: &Assignment<'_>,
        turn: &mut Turn<'_>,
    ) -> Result<Option<serde_json::Value>, ScriptError> {
        self.watch.begin(assignment.control.clone(), assignment.call.limits.time_ms, turn);
        let result = self.answer(assignment);
        self.watch.end(turn);
        result
    }

    fn answer(
        &mut self,
        assignment: &Assignment<'_>,
    ) -> Result<Option<serde_json::Value>, ScriptError> {
        let (events, receiver) = EventSender::new();
        assignment.control.begin(events.clone(), self.arena.clone());
        // Also when a bug of ours panics below.
        let _grants = Grants(self.state.clone());
        if let Some(verdict) = self.watch.verdict() {
            return Err(verdict_error(verdict, &assignment.call.limits));
        }
        if self.key() != Some(assignment.key()) {
            self.load(assignment, &events, &receiver)?;
        }
        let Assignment { program, call, runtime, .. } = assignment;
        *self.state.lock() =
            CallState::calling((*program).clone(), call.grants.clone(), runtime.clone(), events);
        let image_bytes = self.loaded.as_ref().map_or(0, |(_, image)| image.n_bytes());
        self.set_limits(&call.limits, image_bytes);
        let end = self.drive(&receiver, |drive| {
            let (kind, name) = match &call.target {
                Target::Export(name) => ("export", name),
                Target::Driver(name) => ("driver", name),
                Target::JsonSchema(name) => ("json_schema", name),
                Target::Validate(name) => ("validate", name),
            };
            let starts: Object = drive.bridge.get("starts")?;
            starts.get::<_, Function>(kind)?.call((name.as_str(), call.args_text()))
        });
        self.outcome(end, program, &call.limits)
    }

    /// Makes the engine what it was before the call. `false` if it is better dropped.
    pub(super) fn renew(&mut self) -> bool {
        let image = self.loaded.as_ref().map_or(&self.blank, |(_, image)| image);
        if self.arena.used_bytes() > image.n_bytes() + KEPT_BYTES_MAX {
            return false;
        }
        self.put_back(image);
        true
    }

    fn load(
        &mut self,
        assignment: &Assignment<'_>,
        events: &EventSender,
        receiver: &Receiver<CallEvent>,
    ) -> Result<(), ScriptError> {
        let Assignment { program, call, .. } = assignment;
        self.loaded = None;
        self.put_back(&self.blank);
        *self.state.lock() = CallState::loading((*program).clone(), &call.grants, events.clone());
        self.set_limits(&call.limits, self.blank.n_bytes());
        let end = self.drive(receiver, |drive| {
            let driver = program.library().has_driver().then_some(DRIVER);
            drive.call("load", (program.entry(), driver))
        });
        self.outcome(end, program, &call.limits)?;
        #[expect(unsafe_code, reason = "see SAFETY")]
        // SAFETY: `drive` has returned, so nothing runs the engine.
        let image = unsafe { self.arena.image() };
        self.loaded = Some((assignment.key(), image));
        Ok(())
    }

    /// `image` is one of this realm's.
    fn put_back(&self, image: &Image) {
        #[expect(unsafe_code, reason = "see SAFETY")]
        // SAFETY: this realm owns the only handle to its context, so nothing runs the engine while we
        // are here. Values that Rust holds between calls are those of the `Bridge`, which were there,
        // with the same counts, when either image was taken: all others live and die inside `drive`,
        // whose closure's signature keeps them there.
        unsafe {
            self.arena.restore(image);
        }
    }

    /// Beyond what the image takes, the script has all that it was granted.
    fn set_limits(&self, limits: &ScriptLimits, image_bytes: usize) {
        let runtime = self.context.runtime();
        self.arena.set_limit(limits.memory_bytes);
        runtime.set_max_stack_size(limits.stack_bytes.clamp(1, STACK_BYTES_MAX));
        runtime.set_gc_threshold(image_bytes + GARBAGE_BYTES.min(limits.memory_bytes / 4));
    }

    fn drive(
        &self,
        events: &Receiver<CallEvent>,
        start: impl for<'a, 'js> FnOnce(&Drive<'a, 'js>) -> rquickjs::Result<()>,
    ) -> End {
        self.context.with(|ctx| {
            let Some(bridge) = ctx.userdata::<Bridge<'_>>() else { return End::NeverSettled };
            let (state, watch) = (&self.state, &*self.watch);
            Drive { ctx: &ctx, bridge: &bridge.object, state, watch, events }.run(start)
        })
    }

    fn outcome(
        &self,
        end: End,
        program: &Program,
        limits: &ScriptLimits,
    ) -> Result<Option<serde_json::Value>, ScriptError> {
        let result = outcome(end, program, limits);
        if let Err(error) = &result
            && (error.kind == ErrorKind::NeverSettled || is_speechless(error))
        {
            // Without memory, a script cannot even say that it has none: QuickJS throws null then, or
            // there is none to describe what was thrown.
            let image_bytes =
                self.loaded.as_ref().map_or(&self.blank, |(_, image)| image).n_bytes();
            if self.arena.used_bytes() - image_bytes > limits.memory_bytes / 4 * 3 {
                return Err(out_of_memory(limits));
            }
        }
        result
    }
}

/// What is left of an error for which there was no memory.
const SPEECHLESS: &[&str] = &["null", "[uninitialized]", INDESCRIBABLE];

fn is_speechless(error: &ScriptError) -> bool {
    let is_value = error.thrown.as_ref().is_none_or(|thrown| thrown.name.is_empty());
    is_value && SPEECHLESS.contains(&error.message.as_str())
}

impl Drop for Realm {
    fn drop(&mut self) {
        // QuickJS ends the process if a value is left when it frees a runtime, and a script that hit a
        // limit in the midst of something may have left one. The blank engine has none.
        self.put_back(&self.blank);
    }
}

/// Forgets what the call was granted.
struct Grants(SharedState);

impl Drop for Grants {
    fn drop(&mut self) {
        *self.0.lock() = CallState::idle();
    }
}

fn set_up(
    arena: &Arc<Arena>,
    state: &SharedState,
    watch: &Arc<Watch>,
) -> rquickjs::Result<Context> {
    let runtime = Runtime::new_with_alloc(ArenaAllocator(arena.clone()))?;
    runtime.set_max_stack_size(STACK_BYTES_MAX);
    runtime.set_loader(ProgramModules(state.clone()), ProgramModules(state.clone()));
    let context = Context::full(&runtime)?;
    context.with(|ctx| {
        let natives = natives(&ctx, state)?;
        let main: Object = Module::import(&ctx, prelude::MAIN)?.finish()?;
        let object: Object = main.get::<_, Function>("install")?.call((natives.clone(),))?;
        while ctx.execute_pending_job() {}
        ctx.store_userdata(Bridge { object, _natives: natives }).map_err(|_| Error::Unknown)?;
        Ok::<_, Error>(())
    })?;
    let (watch, memory) = (watch.clone(), arena.clone());
    runtime.set_interrupt_handler(Some(Box::new(move || {
        let is_over = watch.is_over();
        if is_over {
            memory.lift();
        }
        is_over
    })));
    let state = state.clone();
    runtime.set_host_promise_rejection_tracker(Some(Box::new(
        move |ctx, promise, reason, heard| {
            if let Err(error) = note_rejection(&ctx, promise, reason, heard) {
                debug_assert!(matches!(error, Error::Exception), "{error}");
                ctx.catch();
            }
            state.lock().has_unheard |= !heard;
        },
    )));
    Ok(context)
}

fn note_rejection<'js>(
    ctx: &Ctx<'js>,
    promise: Value<'js>,
    reason: Value<'js>,
    heard: bool,
) -> rquickjs::Result<()> {
    let Some(bridge) = ctx.userdata::<Bridge<'_>>() else { return Ok(()) };
    bridge.object.get::<_, Function>("rejection")?.call((promise, reason, heard))
}

fn unavailable(message: &str) -> ScriptError {
    ScriptError::new(ErrorKind::Unavailable, message)
}

/// Modules of the program that is loaded now, and those of the prelude.
struct ProgramModules(SharedState);

impl Resolver for ProgramModules {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        let program = self.0.lock().program.clone();
        match program {
            Some(program) => program
                .resolve(base, name)
                .map_err(|message| Error::new_resolving_message(base, name, message)),
            None => Ok(name.to_owned()),
        }
    }
}

impl Loader for ProgramModules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        let program = self.0.lock().program.clone();
        if let Some(program) = program {
            return program.load(ctx, name);
        }
        let module = prelude::modules().get(name).ok_or_else(|| Error::new_loading(name))?;
        let bytecode = module.bytecode();
        bytecode.map_err(|error| Error::new_loading_message(name, error.to_string()))?.load(ctx)
    }
}
