//! Laws about posts.

use std::sync::Arc;

use stepwell_journal::{Json, Location, MessageId, ReplyTo, RunStatus};
use stepwell_store::{Commit, InboxItem, Inboxed, PostError, Posted, Store};
use uuid::Uuid;

use crate::kit::{
    Owner, START, cancel, completed, failure, inbox_id, json, message, post, run_id, step,
};

pub async fn an_inbox_keeps_the_order_of_its_posts(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start(2).await;
    for id in [5, 3, 9, 1] {
        assert_eq!(owner.store.post(message(1, id)).await.unwrap(), Posted::Accepted);
    }
    assert_eq!(owner.inbox(1).await, [5, 3, 9, 1].map(inbox_id));
    assert!(owner.inbox(2).await.is_empty());
}

pub async fn an_item_is_accepted_once(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start(2).await;
    assert_eq!(owner.store.post(message(1, 1)).await.unwrap(), Posted::Accepted);
    let other = post(1, 1, InboxItem::Wake);
    assert_eq!(owner.store.post(other).await.unwrap(), Posted::Duplicate);
    assert_eq!(owner.load(1).await.inbox.len(), 1);
    assert!(matches!(owner.load(1).await.inbox[0].item, InboxItem::Message { .. }));
    // The same id in another run's inbox is another item.
    assert_eq!(owner.store.post(message(2, 1)).await.unwrap(), Posted::Accepted);
}

pub async fn every_kind_of_item_comes_back_as_it_was(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let location = Location::from_text("a/~1/b");
    let id = |n| MessageId(Uuid::from_u128(n));
    let message = |n, reply| InboxItem::Message {
        id: id(n),
        name: "ünïcödé \0 name".to_owned(),
        body: json(r#"{"a": [1, "x"]}"#),
        key: (n == 1).then(|| "key".to_owned()),
        reply,
    };
    let items = [
        message(1, None),
        message(2, Some(ReplyTo::Caller)),
        message(3, Some(ReplyTo::Run { run: run_id(9), location: location.clone() })),
        InboxItem::Cancel { reason: "enough".to_owned() },
        InboxItem::ChildEnded {
            location: location.clone(),
            child: run_id(7),
            outcome: Ok(Json::null()),
        },
        InboxItem::ChildEnded {
            location: location.clone(),
            child: run_id(8),
            outcome: Err(failure().at(&location)),
        },
        InboxItem::Answer { location: location.clone(), answer: Ok(json("[]")) },
        InboxItem::Answer { location, answer: Err(failure()) },
        InboxItem::Wake,
    ];
    let mut expected = Vec::new();
    for (item, n) in items.into_iter().zip(1..) {
        owner.post(post(1, n, item.clone())).await;
        expected.push(Inboxed { id: inbox_id(n), at: START, item });
    }
    assert_eq!(owner.load(1).await.inbox, expected);
}

pub async fn a_taken_item_is_gone_and_the_others_stay(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    for id in 1..=4 {
        owner.post(message(1, id)).await;
    }
    let taken = vec![inbox_id(3), inbox_id(1)];
    owner.store.commit(Commit { taken, ..owner.commit_of(1, vec![step(1)]) }).await.unwrap();
    assert_eq!(owner.inbox(1).await, [2, 4].map(inbox_id));
}

pub async fn a_run_takes_only_from_its_own_inbox(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start(2).await;
    owner.post(message(2, 1)).await;
    let taken = vec![inbox_id(1)];
    owner.store.commit(Commit { taken, ..owner.commit_of(1, vec![step(1)]) }).await.unwrap();
    assert_eq!(owner.inbox(2).await, [inbox_id(1)]);
}

pub async fn a_post_to_an_unknown_run_is_refused(store: Arc<dyn Store>) {
    let error = store.post(message(1, 1)).await.unwrap_err();
    assert!(matches!(error, PostError::UnknownRun { run } if run == run_id(1)), "{error}");
}

pub async fn a_post_to_an_ended_run_is_refused(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![completed(1)]).await;
    for post in [message(1, 1), cancel(1, 2)] {
        let error = owner.store.post(post).await.unwrap_err();
        let PostError::RunEnded { run, status } = error else { panic!("{error}") };
        assert_eq!((run, status), (run_id(1), RunStatus::Completed));
    }
    assert!(owner.inbox(1).await.is_empty());
    assert!(!owner.row(1).await.cancelling);
}
