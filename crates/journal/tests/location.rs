//! Locations: two different paths never have the same text, whatever the names contain.

use proptest::collection::vec;
use proptest::prelude::*;
use stepwell_journal::arbitrary::{self, Segment};
use stepwell_journal::{Location, LocationError, NAME_BYTES_MAX, check_name};

fn path() -> impl Strategy<Value = Vec<Segment>> {
    let segment = prop_oneof![
        6 => arbitrary::name().prop_map(Segment::Name),
        2 => (0..20u64).prop_map(Segment::Iteration),
        1 => Just(Segment::Undo),
        1 => Just(Segment::Sending),
        1 => (0..20u64).prop_map(Segment::Note),
    ];
    vec(segment, 0..5)
}

fn at(path: &[Segment]) -> Location {
    path.iter().fold(Location::root(), |location, segment| segment.append(&location))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn two_different_paths_never_collide(a in path(), b in path()) {
        prop_assert_eq!(a == b, at(&a) == at(&b));
    }

    /// The names that look most like one another: only of the characters that mean something.
    #[test]
    fn names_of_special_characters_never_collide(
        a in vec("[/~ts0]{1,3}", 1..4),
        b in vec("[/~ts0]{1,3}", 1..4),
    ) {
        let named = |names: &[String]| {
            names.iter().fold(Location::root(), |at, name| at.named(name).unwrap())
        };
        prop_assert_eq!(a == b, named(&a) == named(&b));
    }

    #[test]
    fn a_name_comes_back_as_it_was_written(path in path(), name in arbitrary::name()) {
        let location = at(&path).named(&name).unwrap();
        prop_assert_eq!(location.name(), name);
        prop_assert!(!location.is_marker());
        prop_assert_eq!(location.iteration_number(), None);
        prop_assert_eq!(location.parent(), Some(at(&path)));
        prop_assert_eq!(location.depth(), at(&path).depth() + 1);
    }

    #[test]
    fn a_location_is_below_exactly_those_that_its_path_begins_with(a in path(), b in path()) {
        let is_below = a.len() > b.len() && a.starts_with(&b);
        prop_assert_eq!(at(&a).is_below(&at(&b)), is_below);
    }

    #[test]
    fn whatever_is_appended_to_a_path_stands_below_it(a in path(), more in path()) {
        let whole: Vec<Segment> = a.iter().chain(&more).cloned().collect();
        prop_assert_eq!(at(&whole).is_below(&at(&a)), !more.is_empty());
    }

    #[test]
    fn an_iteration_knows_its_number_and_its_loop(path in path(), n in any::<u64>(), name in arbitrary::name()) {
        let looped = at(&path).named("loop").unwrap();
        let iteration = looped.iteration(n);
        prop_assert!(iteration.is_marker());
        prop_assert_eq!(iteration.iteration_number(), Some(n));
        prop_assert_eq!(iteration.named(&name).unwrap().iteration_in(&looped), Some(n));
        prop_assert_eq!(looped.named(&name).unwrap().iteration_in(&looped), None);
    }

    #[test]
    fn text_is_read_as_the_location_it_was(path in path()) {
        prop_assert_eq!(Location::from_text(at(&path).as_str()), at(&path));
    }
}

#[test]
fn the_text_form_is_what_the_documents_say() {
    let root = Location::root();
    let inner = root.named("outer").unwrap().iteration(0).named("inner").unwrap();
    assert_eq!(inner.as_str(), "outer/~0/inner");
    assert_eq!(root.named("a/b").unwrap().as_str(), "a~sb");
    assert_eq!(root.named("a~b").unwrap().as_str(), "a~tb");
    assert_eq!(root.named("~undo").unwrap().as_str(), "~tundo");
    assert_eq!(root.named("pay").unwrap().undo().as_str(), "pay/~undo");
    assert_eq!(root.named("pay").unwrap().sending().as_str(), "pay/~ask");
    assert_eq!(root.note(3).as_str(), "~note3");
    assert_eq!(root.named("0").unwrap().as_str(), "0");
    assert_eq!(root.to_string(), "(the run itself)");
    assert_eq!(root.parent(), None);
}

#[test]
fn an_empty_name_is_refused() {
    assert_eq!(check_name(""), Err(LocationError::EmptyName));
    assert_eq!(Location::root().named(""), Err(LocationError::EmptyName));
}

#[test]
fn a_name_may_have_256_bytes_and_no_more() {
    assert_eq!(check_name(&"é".repeat(NAME_BYTES_MAX / 2)), Ok(()));
    let long = "é".repeat(NAME_BYTES_MAX / 2) + "x";
    let error = Location::root().named(&long).unwrap_err();
    let start = "é".repeat(32);
    assert_eq!(error, LocationError::NameTooLong { start, n_bytes: NAME_BYTES_MAX + 1 });
}

#[test]
fn nothing_may_be_named_deeper_than_64_levels() {
    let mut location = Location::root();
    for _ in 0..64 {
        location = location.named("x").unwrap();
    }
    assert_eq!(location.depth(), 64);
    let error = location.named("x").unwrap_err();
    assert_eq!(error, LocationError::TooDeep { location: location.clone() });
    // The undo handler of the deepest step still has its place.
    assert_eq!(location.undo().depth(), 65);
}
