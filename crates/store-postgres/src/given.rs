//! What a transaction answers, and who is told.

use stepwell_journal::Epoch;
use stepwell_store::{DocumentError, Forgotten};

use crate::batch::Verdict;
use crate::kept::Learned;
use crate::lease::Share;
use crate::request::Request;

/// What a transaction answers if it is committed.
pub(crate) enum Given {
    Verdicts(Vec<Verdict>, Learned),
    Forgotten(Forgotten),
    Revisions(Result<Vec<u64>, DocumentError>),
    Epoch(Epoch),
    Share(Share),
}

/// Tells each caller what became of its request.
pub(crate) fn deliver(requests: Vec<Request>, given: Given) {
    let mut verdicts = Vec::new();
    let mut rest = Some(given);
    if let Some(Given::Verdicts(all, _)) =
        rest.take_if(|given| matches!(given, Given::Verdicts(..)))
    {
        verdicts = all;
    }
    let mut verdicts = verdicts.into_iter();
    for request in requests {
        // Whoever has stopped waiting need not be told; what was written is durable all the same.
        match (request, verdicts.next(), rest.take()) {
            (Request::Start { answer, .. }, Some(Verdict::Start(result)), _) => {
                drop(answer.send(result));
            }
            (Request::Commit { answer, .. }, Some(Verdict::Commit(result)), _) => {
                drop(answer.send(result));
            }
            (Request::Post { answer, .. }, Some(Verdict::Post(result)), _) => {
                drop(answer.send(result));
            }
            (Request::Import { answer, .. }, Some(Verdict::Import(is_new)), _) => {
                drop(answer.send(Ok(is_new)));
            }
            (Request::Forget { answer, .. }, _, Some(Given::Forgotten(forgotten))) => {
                drop(answer.send(Ok(forgotten)));
            }
            (Request::WriteDocuments { answer, .. }, _, Some(Given::Revisions(result))) => {
                drop(answer.send(result));
            }
            (Request::TakeOwnership { answer }, _, Some(Given::Epoch(epoch))) => {
                drop(answer.send(Ok(epoch)));
            }
            (
                Request::Beat { answer, .. } | Request::TakeShards { answer, .. },
                _,
                Some(Given::Share(share)),
            ) => drop(answer.send(Ok(share))),
            _ => unreachable!("each kind of request has its kind of answer"),
        }
    }
}
