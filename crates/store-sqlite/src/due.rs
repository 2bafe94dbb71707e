//! Requests on their way through a batch: judged, written, and answered when the batch is on disk.

use stepwell_journal::Epoch;
use stepwell_store::{
    CommitError, DocumentError, PostError, Posted, StartError, Started, StoreError, WhyKept,
};

use crate::batch::Batch;
use crate::fault::Fault;
use crate::queue::{Answer, Request};

/// An answer that is due when its batch is on disk.
pub(crate) enum Due {
    Start(Answer<Started, StartError>, Result<Started, StartError>),
    Commit(Answer<(), CommitError>, Result<(), CommitError>),
    Post(Answer<Posted, PostError>, Result<Posted, PostError>),
    Documents(Answer<Vec<u64>, DocumentError>, Result<Vec<u64>, DocumentError>),
    Forget(Answer<Vec<Result<(), WhyKept>>, StoreError>, Vec<Result<(), WhyKept>>),
    Own(Answer<Epoch, StoreError>, Epoch),
    Limited(Answer<(), StoreError>),
}

/// Writes one request into the batch, or gives it back if the store fails.
pub(crate) fn judge(
    batch: &mut Batch<'_>,
    request: Request,
    due: &mut Vec<Due>,
) -> Result<(), (Fault, Request)> {
    match request {
        Request::Start { start, answer } => match batch.start(&start) {
            Ok(result) => due.push(Due::Start(answer, result)),
            Err(fault) => return Err((fault, Request::Start { start, answer })),
        },
        Request::Commit { commit, answer } => match batch.commit(&commit) {
            Ok(result) => due.push(Due::Commit(answer, result)),
            Err(fault) => return Err((fault, Request::Commit { commit, answer })),
        },
        Request::Post { post, answer } => match batch.post(&post) {
            Ok(result) => due.push(Due::Post(answer, result)),
            Err(fault) => return Err((fault, Request::Post { post, answer })),
        },
        Request::Documents { writes, answer } => match batch.write_documents(&writes) {
            Ok(result) => due.push(Due::Documents(answer, result)),
            Err(fault) => return Err((fault, Request::Documents { writes, answer })),
        },
        Request::Forget { forget, runs, answer } => match batch.forget(&forget, &runs) {
            Ok(results) => due.push(Due::Forget(answer, results)),
            Err(fault) => return Err((fault, Request::Forget { forget, runs, answer })),
        },
        Request::TakeOwnership { answer } => match batch.take_ownership() {
            Ok(epoch) => due.push(Due::Own(answer, epoch)),
            Err(fault) => return Err((fault, Request::TakeOwnership { answer })),
        },
        Request::LimitPages { n_pages, answer } => {
            match batch.connection.pragma_update(None, "max_page_count", n_pages) {
                Ok(()) => due.push(Due::Limited(answer)),
                Err(error) => {
                    return Err((error.into(), Request::LimitPages { n_pages, answer }));
                }
            }
        }
    }
    Ok(())
}

impl Due {
    /// A caller who no longer waits does not change what was written.
    pub fn send(self) {
        match self {
            Due::Start(answer, result) => drop(answer.send(result)),
            Due::Commit(answer, result) => drop(answer.send(result)),
            Due::Post(answer, result) => drop(answer.send(result)),
            Due::Documents(answer, result) => drop(answer.send(result)),
            Due::Forget(answer, results) => drop(answer.send(Ok(results))),
            Due::Own(answer, epoch) => drop(answer.send(Ok(epoch))),
            Due::Limited(answer) => drop(answer.send(Ok(()))),
        }
    }

    pub fn fail(self, fault: &Fault, store: &str) {
        let error = fault.clone().into_error(store);
        match self {
            Due::Start(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Commit(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Post(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Documents(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Forget(answer, _) => drop(answer.send(Err(error))),
            Due::Own(answer, _) => drop(answer.send(Err(error))),
            Due::Limited(answer) => drop(answer.send(Err(error))),
        }
    }
}

pub(crate) fn fail(request: Request, fault: &Fault, store: &str) {
    let error = fault.clone().into_error(store);
    match request {
        Request::Start { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::Commit { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::Post { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::Documents { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::Forget { answer, .. } => drop(answer.send(Err(error))),
        Request::TakeOwnership { answer } => drop(answer.send(Err(error))),
        Request::LimitPages { answer, .. } => drop(answer.send(Err(error))),
    }
}
