//! Journals as people read them. Tests, the command line and the console use the same words.

use std::fmt::Write;

use crate::{Event, EventKind, Failure, Json, Message, Note, UnixMillis};

/// The longest value that is shown whole.
const VALUE_CHARS_MAX: usize = 120;

/// One line per event.
pub fn render_journal<'a>(events: impl IntoIterator<Item = &'a Event>) -> String {
    let mut text = String::new();
    for event in events {
        let _ = writeln!(text, "{}", render_event(event));
    }
    text
}

/// `#3 StepSucceeded reserve attempt=1 {"hold":7}`
pub fn render_event(event: &Event) -> String {
    let mut line = format!("{} {}", event.seq, event.kind.name());
    if let Some(location) = event.kind.location() {
        let _ = write!(line, " {location}");
    }
    write_details(&mut line, &event.kind);
    one_line(line)
}

/// Names and messages may hold anything; none of it may look like a line of its own.
fn one_line(line: String) -> String {
    if !line.contains(char::is_control) {
        return line;
    }
    let mut text = String::with_capacity(line.len() + 8);
    for c in line.chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

fn write_details(line: &mut String, kind: &EventKind) {
    let _ = match kind {
        EventKind::RunStarted(started) => {
            let _ = write!(line, " {} {}", started.workflow, short(&started.input));
            if let Some(parent) = &started.parent {
                let _ = write!(line, " parent={}", parent.location);
            }
            write_deadline(line, started.deadline_at)
        }
        EventKind::AttemptStarted { attempt, .. } => write!(line, " attempt={attempt}"),
        EventKind::AttemptFailed { attempt, failure, retry_at, .. } => {
            write!(line, " attempt={attempt} retry_at={retry_at} {}", said(failure))
        }
        EventKind::StepSucceeded { attempt, value, .. } => {
            write!(line, " attempt={attempt} {}", short(value))
        }
        EventKind::StepFailed { failure, .. } => {
            write!(line, " attempts={} {}", failure.attempts, said(failure))
        }
        EventKind::StepSkipped { reason, .. } => write!(line, " {reason:?}"),
        EventKind::TimerSet { fire_at, .. } => write!(line, " fire_at={fire_at}"),
        EventKind::ListenStarted { names, deadline_at, .. } => {
            let _ = write!(line, " for={names:?}");
            write_deadline(line, *deadline_at)
        }
        EventKind::MessageReceived(message) => write_message(line, message),
        EventKind::MessageTaken { ids, .. } => write!(line, " n={}", ids.len()),
        EventKind::MessageAnswered { body, .. } => write!(line, " {}", short(body)),
        EventKind::AnswerReceived { answer: outcome, .. }
        | EventKind::ChildEnded { outcome, .. } => match outcome {
            Ok(value) => write!(line, " {}", short(value)),
            Err(failure) => write!(line, " {}", said(failure)),
        },
        EventKind::BlockStarted { kind, .. } => write!(line, " {kind}"),
        EventKind::BranchEnded { failure, .. } => match failure {
            Some(failure) => write!(line, " {}", said(failure)),
            None => Ok(()),
        },
        EventKind::BlockEnded { failure, winner, .. } => match (failure, winner) {
            (Some(failure), _) => write!(line, " {}", said(failure)),
            (None, Some(winner)) => write!(line, " winner={winner}"),
            (None, None) => Ok(()),
        },
        EventKind::LoopAdvanced { iteration, state, trimmed_before, .. } => {
            let _ = write!(line, " iteration={iteration} {}", short(state));
            if *trimmed_before > 0 {
                let _ = write!(line, " trimmed_before={trimmed_before}");
            }
            Ok(())
        }
        EventKind::ChildStarted { workflow, input, .. } => {
            write!(line, " {workflow} {}", short(input))
        }
        EventKind::VersionChosen { version, .. } => write!(line, " {version}"),
        EventKind::Noted { note, .. } => match note {
            Note::Described { text } => write!(line, " description={text:?}"),
            Note::LabelSet { key, value } => write!(line, " label {key}={value}"),
            Note::Fact { name, value } => write!(line, " {name}={}", short(value)),
        },
        EventKind::UndoStarted { failure } | EventKind::RunFailed { failure } => {
            write!(line, " {failure}")
        }
        EventKind::CancelRequested { reason } | EventKind::RunCancelled { reason } => {
            write!(line, " {reason:?}")
        }
        EventKind::DeadlinePassed { deadline_at } => write_deadline(line, Some(*deadline_at)),
        EventKind::RunResumed { voids, reason, deadline_at } => {
            let _ = write!(line, " {reason:?}");
            for void in voids {
                let _ = write!(line, " void={}..{}", void.first, void.last);
            }
            write_deadline(line, *deadline_at)
        }
        EventKind::RunCompleted { output } => write!(line, " {}", short(output)),
        EventKind::TimerFired { .. }
        | EventKind::ListenTimedOut { .. }
        | EventKind::CheckpointSet { .. } => Ok(()),
    };
}

fn write_deadline(line: &mut String, deadline_at: Option<UnixMillis>) -> std::fmt::Result {
    match deadline_at {
        Some(at) => write!(line, " deadline_at={at}"),
        None => Ok(()),
    }
}

fn write_message(line: &mut String, message: &Message) -> std::fmt::Result {
    write!(line, " {} {}", message.name, short(&message.body))?;
    if let Some(key) = &message.key {
        write!(line, " key={key}")?;
    }
    if message.reply.is_some() {
        line.push_str(" wants an answer");
    }
    Ok(())
}

fn said(failure: &Failure) -> String {
    format!("{}: {}", failure.kind, failure.message)
}

fn short(value: &Json) -> String {
    let text = value.as_str();
    if text.chars().count() <= VALUE_CHARS_MAX {
        return text.to_owned();
    }
    let start: String = text.chars().take(VALUE_CHARS_MAX).collect();
    format!("{start}… ({} bytes)", text.len())
}
