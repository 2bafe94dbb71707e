//! The names of a flow's entries. Whoever reads a flow's journal finds its parts by them.

use sha2::{Digest, Sha256};
use stepwell_journal::NAME_BYTES_MAX;

use crate::names::{AttributeName, StepId};

pub(crate) fn predicate(step: &StepId) -> String {
    fitting(format!("{step} predicate"))
}

pub(crate) fn matching(
    step: &StepId,
    attribute: &AttributeName,
    provider: Option<&StepId>,
) -> String {
    let provider = provider.map_or("the initial state", StepId::as_str);
    fitting(format!("{step} matches {attribute} of {provider}"))
}

pub(crate) fn deadline(step: &StepId, attribute: &AttributeName) -> String {
    fitting(format!("{step} waits for {attribute}"))
}

/// The message that a webhook becomes.
pub fn webhook_message(step: &str, place: usize) -> String {
    format!("webhook/{step}/{place}")
}

/// Long names are cut, and told apart by a hash.
fn fitting(name: String) -> String {
    if name.len() <= NAME_BYTES_MAX {
        return name;
    }
    let hash = Sha256::digest(name.as_bytes());
    let hash: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    // Ids and names of attributes are ASCII, so every place is a character's edge.
    let start = name.get(..NAME_BYTES_MAX - hash.len() - 1).unwrap_or_default();
    format!("{start}#{hash}")
}

/// What an entry in the block of a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// An attempt at a work item, or its child run.
    Work {
        attempt: u64,
    },
    Predicate,
    Memo,
    /// What a child flow is started with.
    Inputs,
    Call {
        attempt: u64,
    },
    Webhook {
        attempt: u64,
    },
    Outputs,
    /// The wait after this attempt.
    Wait {
        attempt: u64,
    },
}

impl Part {
    pub fn of(self, place: usize) -> String {
        match self {
            Part::Work { attempt: 1 } => place.to_string(),
            Part::Work { attempt } => format!("{place} #{attempt}"),
            Part::Predicate => format!("{place} predicate"),
            Part::Memo => format!("{place} memo"),
            Part::Inputs => format!("{place} inputs"),
            Part::Call { attempt: 1 } => format!("{place} call"),
            Part::Call { attempt } => format!("{place} call #{attempt}"),
            Part::Webhook { attempt: 1 } => format!("{place} webhook"),
            Part::Webhook { attempt } => format!("{place} webhook #{attempt}"),
            Part::Outputs => format!("{place} outputs"),
            Part::Wait { attempt } => format!("{place} wait {attempt}"),
        }
    }

    /// The work item and the part that a name stands for.
    pub fn parse(name: &str) -> Option<(usize, Part)> {
        let mut words = name.split(' ');
        let place = words.next()?.parse().ok()?;
        let attempt = |word: Option<&str>| match word {
            None => Some(1),
            Some(word) => word.strip_prefix('#')?.parse().ok(),
        };
        let part = match words.next() {
            None => Part::Work { attempt: 1 },
            Some("predicate") => Part::Predicate,
            Some("memo") => Part::Memo,
            Some("inputs") => Part::Inputs,
            Some("outputs") => Part::Outputs,
            Some("call") => Part::Call { attempt: attempt(words.next())? },
            Some("webhook") => Part::Webhook { attempt: attempt(words.next())? },
            Some("wait") => Part::Wait { attempt: words.next()?.parse().ok()? },
            again => Part::Work { attempt: attempt(again)? },
        };
        Some((place, part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_again_by_their_names() {
        let of = |attempt| {
            [
                Part::Work { attempt },
                Part::Call { attempt },
                Part::Webhook { attempt },
                Part::Wait { attempt },
            ]
        };
        let others = [Part::Predicate, Part::Memo, Part::Inputs, Part::Outputs];
        for part in of(1).into_iter().chain(of(2)).chain(others) {
            for place in [0, 17] {
                assert_eq!(Part::parse(&part.of(place)), Some((place, part)));
            }
        }
        for name in ["", "x", "1 other", "1 #x", "1 wait"] {
            assert_eq!(Part::parse(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_are_too_long_are_cut_and_stay_different() {
        let long = |end: &str| StepId::from(format!("{}{end}", "s".repeat(127)).as_str());
        let attribute = AttributeName::from("a".repeat(128).as_str());
        let name = |end| matching(&long("x"), &attribute, Some(&long(end)));
        assert_eq!(name("a").len(), NAME_BYTES_MAX);
        assert_ne!(name("a"), name("b"));
        assert_eq!(deadline(&"s".into(), &"a".into()), "s waits for a");
    }
}
