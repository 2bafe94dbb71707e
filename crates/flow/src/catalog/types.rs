//! Which types steps declare for an attribute, and whether they agree.

use super::index::Index;
use crate::names::AttributeName;
use crate::problem::{Code, Path, Problem, list};
use crate::step::{Attribute, StepDefinition, ValueType};

/// The types that a declaration allows. Two declarations agree if one type is in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeSet(u8);

pub(crate) struct Declaration {
    pub attribute: AttributeName,
    pub types: TypeSet,
    pub path: Path,
}

impl TypeSet {
    const ALL: &[ValueType] = &[
        ValueType::String,
        ValueType::Number,
        ValueType::Boolean,
        ValueType::Object,
        ValueType::Array,
        ValueType::Null,
    ];

    fn of(kinds: &[ValueType]) -> TypeSet {
        let is_in = |kind| kinds.contains(&ValueType::Any) || kinds.contains(kind);
        let bits = (0..).zip(Self::ALL).filter(|(_, kind)| is_in(kind));
        TypeSet(bits.map(|(bit, _)| 1 << bit).sum())
    }

    pub fn agrees(self, other: TypeSet) -> bool {
        self.0 & other.0 != 0
    }

    /// The one type that is left, or any.
    pub fn kind(self) -> ValueType {
        let kind = (0..).zip(Self::ALL).find(|(bit, _)| self.0 == 1 << bit);
        kind.map_or(ValueType::Any, |(_, kind)| *kind)
    }

    fn text(self) -> String {
        let kinds = (0..).zip(Self::ALL).filter(|(bit, _)| self.0 & 1 << bit != 0);
        let kinds: Vec<&str> = kinds.map(|(_, kind)| kind.as_str()).collect();
        kinds.join(" or ")
    }
}

/// What a step says about the types of attributes, its own and those of the flow it runs. Constants
/// and metadata are no attributes of the flow.
pub(crate) fn declarations(step: &StepDefinition) -> Vec<Declaration> {
    let at = Path::root().field("attributes");
    let mut declared = Vec::new();
    for (name, attribute) in &step.attributes {
        let types = match attribute {
            Attribute::Const { .. } | Attribute::Meta { .. } => continue,
            // A step that fans out gives one value if there is one work item, else an array of them.
            Attribute::Output { kind, .. } if step.fans_out() => {
                TypeSet::of(&[*kind, ValueType::Array])
            }
            // The list is made for the step; what its elements are is up to the providers.
            Attribute::Required(input) | Attribute::Optional { input, .. }
                if input.collect.is_list() =>
            {
                TypeSet::of(&[ValueType::Any])
            }
            _ => TypeSet::of(&[attribute.kind()]),
        };
        let path = at.field(name.as_str()).field("type");
        declared.push(Declaration { attribute: name.clone(), types, path });
    }
    declared.extend(child_declarations(step));
    declared
}

/// A renamed input or output of a flow step is an attribute of its flow, of the same type.
fn child_declarations(step: &StepDefinition) -> Vec<Declaration> {
    if step.child_flow().is_none() {
        return Vec::new();
    }
    let at = Path::root().field("attributes");
    let names = step.arguments().chain(step.answers());
    names
        .filter(|(name, inner)| name.as_str() != *inner)
        .filter_map(|(name, inner)| {
            let attribute = &step.attributes[name];
            let is_mapped = attribute.mapping().is_some_and(|mapping| mapping.script.is_some());
            let is_changed =
                attribute.input().is_some_and(|it| it.for_each || it.collect.is_list());
            let fans_out = attribute.is_output() && step.fans_out();
            (!is_mapped && !is_changed && !fans_out).then(|| Declaration {
                attribute: AttributeName::from(inner),
                types: TypeSet::of(&[attribute.kind()]),
                path: at.field(name.as_str()).field("type"),
            })
        })
        .collect()
}

/// The attributes for which a step of the index disagrees with another, and with whom.
pub(crate) fn clashes(index: &Index, step: &StepDefinition) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Declaration { attribute, types, path } in declarations(step) {
        let Some(place) = index.find_attribute(attribute.as_str()) else { continue };
        let declared = &index.uses_of(place).types;
        for other in declared.keys().filter(|other| !other.agrees(types)) {
            // Only now that it is known that there is somebody, all are looked through.
            let steps: Vec<_> = index
                .entries()
                .filter(|(_, entry)| {
                    let of_entry = declarations(&entry.step);
                    of_entry.iter().any(|it| it.attribute == attribute && it.types == *other)
                })
                .map(|(_, entry)| &entry.step.id)
                .collect();
            let message = format!(
                "`{attribute}` has the type {} here and {} in {}: an attribute has one type in all \
                 steps",
                types.text(),
                other.text(),
                list(steps.iter()),
            );
            problems.push(path.problem(Code::TypeClash, message));
        }
    }
    problems
}
