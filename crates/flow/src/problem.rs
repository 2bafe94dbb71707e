//! What is wrong with a definition, a change of the catalog, or a request: all of it at once.

use std::fmt;

use serde::{Serialize, Serializer};

/// One thing that is wrong: where, what, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// A JSON Pointer (RFC 6901) into what was sent; empty for all of it.
    pub path: String,
    pub code: Code,
    pub message: String,
}

/// Everything that is wrong, in the order in which it was found. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems(Vec<Problem>);

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// What kind of problem it is. The texts are stable: programs may rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$name),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)+
                }
            }
        }
    };
}

codes! {
    /// The text is no JSON.
    InvalidJson = "invalid_json",
    /// More bytes than allowed.
    TooLarge = "too_large",
    /// The same field twice in one object.
    DuplicateField = "duplicate_field",
    /// A field that does not exist.
    UnknownField = "unknown_field",
    /// A field that must be there is not.
    MissingField = "missing_field",
    /// Another kind of JSON value than the field takes.
    WrongType = "wrong_type",
    /// A text that is none of the allowed ones.
    UnknownValue = "unknown_value",
    /// A name that is empty or has characters that names cannot have.
    BadName = "bad_name",
    /// A text that is empty or longer than allowed.
    BadLength = "bad_length",
    /// More entries than allowed.
    TooMany = "too_many",
    /// A number outside its bounds.
    OutOfRange = "out_of_range",
    /// A field that attributes of this role do not have.
    NotForRole = "not_for_role",
    /// A field that steps of this type do not have.
    NotForType = "not_for_type",
    /// A default or constant that is no JSON text of the declared type.
    BadValue = "bad_value",
    /// `for_each` on an input that cannot be an array.
    BadForEach = "bad_for_each",
    /// `collect` that does not fit the input.
    BadCollect = "bad_collect",
    /// A mapping that says nothing, or contradicts another.
    BadMapping = "bad_mapping",
    /// Two things under one name.
    DuplicateName = "duplicate_name",
    /// A name that the language of a script cannot have for an argument.
    BadIdentifier = "bad_identifier",
    /// A URL that cannot be called.
    BadUrl = "bad_url",
    /// A placeholder of a URL that cannot be filled in.
    BadPlaceholder = "bad_placeholder",
    /// A step that cannot be memoized.
    BadMemo = "bad_memo",
    /// A script that does not compile.
    ScriptError = "script_error",
    /// The catalog has another definition under this id.
    StepExists = "step_exists",
    /// The catalog has no step of this id.
    StepUnknown = "step_unknown",
    /// Two steps declare different types for one attribute.
    TypeClash = "type_clash",
    /// A step needs what comes, in the end, from itself.
    AttributeCycle = "attribute_cycle",
    /// A flow step has itself, in the end, in its own flow.
    FlowCycle = "flow_cycle",
    /// A list of goals without a goal.
    NoGoals = "no_goals",
    /// A goal that is no step of the catalog.
    GoalUnknown = "goal_unknown",
    /// The step is a goal of a flow step.
    GoalInUse = "goal_in_use",
    /// The catalog has as many steps as it may have.
    CatalogFull = "catalog_full",
    /// A value of the initial state is not of the attribute's type.
    InitType = "init_type",
    /// The initial state lacks what the goals need.
    InitMissing = "init_missing",
    /// A goal that cannot run, whatever the initial state adds.
    GoalBlocked = "goal_blocked",
    /// The plan has more steps than a plan may have.
    PlanTooLarge = "plan_too_large",
}

impl Problems {
    /// `Ok(value)` if nothing is wrong.
    pub(crate) fn or<T>(problems: Vec<Problem>, value: T) -> Result<T, Problems> {
        if problems.is_empty() { Ok(value) } else { Err(Problems(problems)) }
    }

    pub fn as_slice(&self) -> &[Problem] {
        &self.0
    }

    pub fn into_vec(self) -> Vec<Problem> {
        self.0
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(vec![problem])
    }
}

impl std::error::Error for Problems {}

/// One problem a line.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            let end_of_last = if n == 0 { "" } else { "\n" };
            write!(f, "{end_of_last}{problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { path, code, message } = self;
        if path.is_empty() {
            write!(f, "{code}: {message}")
        } else {
            write!(f, "{path}: {code}: {message}")
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A place in a JSON document, on the way to becoming a problem's path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path(String);

impl Path {
    pub fn root() -> Path {
        Path::default()
    }

    pub fn field(&self, name: &str) -> Path {
        Path(format!("{}/{}", self.0, name.replace('~', "~0").replace('/', "~1")))
    }

    pub fn item(&self, index: usize) -> Path {
        Path(format!("{}/{index}", self.0))
    }

    pub fn problem(&self, code: Code, message: impl Into<String>) -> Problem {
        Problem { path: self.0.clone(), code, message: message.into() }
    }

    /// A problem of a part, seen from the whole in which the part stands here.
    pub fn before(&self, problem: Problem) -> Problem {
        Problem { path: format!("{}{}", self.0, problem.path), ..problem }
    }
}

/// `a`, `b` and 3 more: at most as many names as a person reads.
pub(crate) fn list(names: impl ExactSizeIterator<Item = impl fmt::Display>) -> String {
    const SHOWN_MAX: usize = 5;
    let n_names = names.len();
    let shown: Vec<String> = names.take(SHOWN_MAX).map(|name| format!("`{name}`")).collect();
    match (shown.as_slice(), n_names.saturating_sub(SHOWN_MAX)) {
        ([], _) => "none".to_owned(),
        ([one], _) => one.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (shown, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The names nearest to one that does not exist, for `did you mean`.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const SUGGESTIONS_MAX: usize = 3;
    let name = name.to_lowercase();
    // A third of the letters may be wrong; more is another name.
    let distance_max = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .filter(|known| known.len().abs_diff(name.len()) <= distance_max * 4)
        .map(|known| (strsim::osa_distance(&name, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= distance_max && *distance < name.len())
        .collect();
    near.sort_unstable();
    near.truncate(SUGGESTIONS_MAX);
    near.into_iter().map(|(_, known)| known).collect()
}

/// `; did you mean ...?`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = nearest(name, known);
    if near.is_empty() {
        return String::new();
    }
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", near.join(" or "))
}
