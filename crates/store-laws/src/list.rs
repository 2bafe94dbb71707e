//! The list of all laws.

/// One test per law for a store that `$make`, an async function, makes: it gives a
/// [`Fresh`](crate::Fresh). The calling crate needs tokio with its macros.
#[macro_export]
macro_rules! store_laws {
    ($make:path) => {
        $crate::each_law! { $make;
            starts:
                a_started_run_has_its_first_event_and_a_pending_row
                a_run_id_is_used_once
                an_idempotency_key_gives_the_first_run
                a_key_that_was_seen_says_whether_the_input_is_the_same
                an_idempotency_key_belongs_to_one_workflow_of_one_namespace
                a_run_may_begin_as_a_copy_of_a_journal
                a_run_with_a_date_waits_for_it
                an_unknown_run_is_nothing,
            commits:
                events_come_back_in_order
                ownership_only_grows
                a_commit_of_an_older_epoch_writes_nothing
                a_misplaced_commit_writes_nothing
                events_with_wrong_numbers_are_refused
                a_commit_to_an_unknown_run_is_refused
                a_commit_is_seen_whole
                posts_and_starts_that_cannot_be_do_not_stop_a_commit
                a_commit_without_events_changes_the_rest
                an_outcome_ends_the_run
                an_ended_run_takes_no_more_events
                an_ended_run_may_be_resumed
                a_run_with_a_cancel_in_its_inbox_ends_in_no_other_way
                a_commit_that_takes_the_cancel_may_end_the_run
                a_run_is_cancelling_from_the_accepted_cancel_to_its_end
                a_row_change_replaces_what_was_there,
            compaction:
                a_journal_is_read_in_pages
                compaction_replaces_what_came_before
                a_journal_with_gaps_is_read_in_pages
                compaction_may_drop_the_latest_event
                compaction_happens_again_and_again
                a_refused_compaction_removes_nothing,
            inbox:
                an_inbox_keeps_the_order_of_its_posts
                an_item_is_accepted_once
                every_kind_of_item_comes_back_as_it_was
                a_taken_item_is_gone_and_the_others_stay
                a_run_takes_only_from_its_own_inbox
                a_post_to_an_unknown_run_is_refused
                a_post_to_an_ended_run_is_refused,
            queries:
                a_query_without_filters_lists_all_runs_newest_first
                runs_of_the_same_moment_are_listed_by_id
                each_filter_finds_its_runs
                filters_hold_together
                a_cursor_stays_right_while_runs_come_and_change
                a_cursor_works_with_filters
                a_query_can_list_the_oldest_first
                a_page_has_a_bound
                a_listed_row_is_as_new_as_the_journal
                runs_are_counted_by_status
                runs_are_counted_with_every_filter
                the_tally_has_every_workflow_of_every_namespace,
            searches:
                an_input_field_is_found_by_its_value
                an_input_field_is_found_by_a_path_through_arrays
                a_run_is_found_by_the_beginning_of_its_id
                runs_are_found_by_a_piece_of_text
                runs_are_found_by_their_end_and_their_last_update,
            schedule:
                due_runs_come_earliest_first
                a_date_holds_until_it_is_replaced
                an_ended_run_is_never_due
                runnable_lists_what_an_owner_must_take_up
                an_ended_run_with_a_full_inbox_is_not_runnable
                runnable_runs_come_in_pages_by_id,
            logs:
                log_lines_come_back_in_order_and_whole
                logs_come_in_pages
                a_log_is_followed_from_its_end
                logs_are_filtered_by_level
                logs_are_filtered_by_location_and_what_stands_below,
            forgetting:
                nothing_knows_of_a_forgotten_run
                a_forgotten_run_takes_nothing_more
                only_ended_runs_are_forgotten
                what_ended_first_is_forgotten_first
                each_filter_of_a_forget_holds
                a_tree_is_forgotten_root_first
                a_child_whose_parent_was_never_there_is_forgotten
                a_run_that_is_named_is_forgotten_or_it_is_said_why
                a_call_forgets_no_more_than_its_bound
                a_forgotten_id_may_be_used_again
                runs_are_forgotten_while_others_are_written
                a_run_is_resumed_or_forgotten_and_never_both,
            documents:
                a_document_comes_back_as_it_was_written
                a_document_is_replaced_and_removed
                revisions_only_grow_also_across_a_removal
                a_document_that_is_not_as_expected_stops_the_whole_call
                documents_of_other_kinds_and_namespaces_are_others
                documents_come_in_pages_by_namespace_and_key
                pages_stay_right_while_documents_come_and_go
                documents_are_found_by_the_beginning_of_their_keys
                odd_names_of_documents_are_only_names
                what_a_call_writes_has_bounds
                a_page_of_documents_has_bounds
                of_writes_that_race_for_one_revision_one_is_written,
            values:
                big_values_come_back_whole
                odd_names_are_only_names
                dates_may_be_at_the_end_of_time
                a_long_journal_comes_back_whole
                a_check_counts_everything_and_finds_nothing_wrong
                a_check_finds_a_journal_that_makes_no_sense
                a_closed_store_says_so
                a_label_may_change_on_every_commit,
            races:
                of_starts_that_race_with_one_key_one_creates_the_run
                of_starts_that_race_for_one_id_one_creates_the_run
                of_commits_that_race_for_one_place_one_is_written
                of_posts_that_race_with_one_id_one_is_accepted
                five_hundred_runs_commit_side_by_side
                an_accepted_cancel_and_another_outcome_never_both_happen
                a_loaded_run_is_of_one_moment
        }
    };
}

/// One test per law for a store that outlives its process. `$open`, an async function, opens or
/// creates it at a path.
#[macro_export]
macro_rules! persistent_store_laws {
    ($open:path) => {
        $crate::each_persistent_law! { $open;
            runs_and_their_rows_are_there_after_reopening
            inboxes_and_cancels_are_there_after_reopening
            idempotency_keys_hold_after_reopening
            an_owner_of_before_is_fenced_after_reopening
            compacted_journals_and_logs_are_there_after_reopening
            documents_and_their_revisions_are_there_after_reopening
            forgotten_runs_stay_forgotten_after_reopening
            many_journals_are_there_after_each_of_many_reopenings
        }
    };
}

/// One test per law for a store that one process at a time has open. `$open` is as above.
#[macro_export]
macro_rules! exclusive_store_laws {
    ($open:path) => {
        $crate::each_persistent_law! { $open;
            a_store_is_open_once
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! each_law {
    ($make:path; $($module:ident: $($law:ident)+),+) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                let fresh: $crate::Fresh = $make().await;
                $crate::$module::$law(fresh.store()).await;
            }
        )+)+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! each_persistent_law {
    ($open:path; $($law:ident)+) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                $crate::persistence::$law($crate::persistence::Place::new($open)).await;
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_law_is_in_the_list() {
        let list = include_str!("list.rs");
        let modules = [
            include_str!("starts.rs"),
            include_str!("commits.rs"),
            include_str!("compaction.rs"),
            include_str!("inbox.rs"),
            include_str!("queries.rs"),
            include_str!("searches.rs"),
            include_str!("schedule.rs"),
            include_str!("logs.rs"),
            include_str!("forgetting.rs"),
            include_str!("documents.rs"),
            include_str!("values.rs"),
            include_str!("races.rs"),
            include_str!("persistence.rs"),
        ];
        for line in modules.iter().flat_map(|module| module.lines()) {
            if let Some(rest) = line.strip_prefix("pub async fn ") {
                let law = rest.split(['(', '<']).next().unwrap();
                assert!(
                    list.lines().any(|listed| listed.trim().trim_end_matches(',') == law),
                    "{law}"
                );
            }
        }
    }
}
