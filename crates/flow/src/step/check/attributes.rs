//! The rules about attributes.

use serde_json::Value;

use super::{
    ATTRIBUTES_MAX, Action, Attribute, AttributeName, BTreeMap, Check, Code, Collect, Language,
    MetaKey, Path, ValueType, attribute_problem, is_argument_name, text_problem,
};
use crate::limits::{ATTRIBUTE_NAME_BYTES_MAX, DEADLINE_MS_MAX};
use crate::read::kind_of;
use crate::step::{Input, Mapping};

impl Check<'_> {
    pub(super) fn attributes(&mut self) {
        let step = self.step;
        let at = Path::root().field("attributes");
        self.count(&at, step.attributes.len(), ATTRIBUTES_MAX);
        for (name, attribute) in &step.attributes {
            let at = at.field(name.as_str());
            self.name(&at, attribute_problem(name.as_str()));
            self.attribute(&at, attribute);
            if let Some(input) = attribute.input() {
                self.input(&at, input);
            }
            if let Some(mapping) = attribute.mapping() {
                self.mapping(&at.field("mapping"), mapping);
            }
        }
    }

    fn attribute(&mut self, at: &Path, attribute: &Attribute) {
        match attribute {
            Attribute::Required(_) | Attribute::Output { .. } => {}
            Attribute::Optional { input, default, deadline_ms } => {
                if let Some(default) = default {
                    let kind = if input.collect.is_list() { ValueType::Array } else { input.kind };
                    self.json(&at.field("default"), default, kind);
                }
                if let Some(deadline_ms) = deadline_ms {
                    self.range(&at.field("deadline_ms"), *deadline_ms, 0, DEADLINE_MS_MAX);
                }
            }
            Attribute::Const { kind, value } => self.json(&at.field("value"), value, *kind),
            Attribute::Meta { kind, key } => {
                if !matches!(kind, ValueType::String | ValueType::Any) {
                    let message = format!("`{}` is a string: say so, or nothing", key.as_str());
                    self.add(&at.field("type"), Code::BadValue, message);
                }
                if *key == MetaKey::WebhookUrl && !matches!(self.step.action, Action::Async(_)) {
                    let message = "only steps of type async have a webhook";
                    self.add(&at.field("key"), Code::NotForType, message);
                }
            }
        }
    }

    /// JSON text of a type.
    fn json(&mut self, at: &Path, text: &str, kind: ValueType) {
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) => {
                let quoted = Value::from(text).to_string();
                let hint = Value::from(quoted.as_str());
                let message = format!("{quoted} holds no JSON; for a text, write {hint}");
                return self.add(at, Code::BadValue, message);
            }
        };
        if !kind.accepts(&value) {
            let message =
                format!("this is {} and the type is {}: {text}", kind_of(&value), kind.as_str());
            self.add(at, Code::BadValue, message);
        }
    }

    fn input(&mut self, at: &Path, input: &Input) {
        let may_be_array = matches!(input.kind, ValueType::Array | ValueType::Any);
        let collect = input.collect.as_str();
        if input.collect.is_list() && !may_be_array {
            let message = format!(
                "`{collect}` gives the step a list: declare the type `array`, not `{}`",
                input.kind.as_str()
            );
            self.add(&at.field("collect"), Code::BadCollect, message);
        } else if input.for_each && !may_be_array {
            let message = format!(
                "`for_each` goes over an array: declare the type `array`, not `{}`",
                input.kind.as_str()
            );
            self.add(&at.field("for_each"), Code::BadForEach, message);
        }
        if input.for_each && input.collect == Collect::None {
            let message = "`collect: none` leaves nothing to go over: remove one of them";
            self.add(&at.field("for_each"), Code::BadForEach, message);
        }
        if let Some(matches) = &input.matches {
            self.source(matches, &at.field("match"));
        }
    }

    fn mapping(&mut self, at: &Path, mapping: &Mapping) {
        if mapping.name.is_none() && mapping.script.is_none() {
            self.add(at, Code::BadMapping, "give it a `name`, a `script` or both");
        }
        if let Some(name) = &mapping.name {
            // What a flow step sees is an attribute of its own flow.
            let problem = if self.step.child_flow().is_some() {
                attribute_problem(name)
            } else {
                text_problem(name, ATTRIBUTE_NAME_BYTES_MAX)
            };
            self.name(&at.field("name"), problem);
        }
        if let Some(script) = &mapping.script {
            self.source(script, &at.field("script"));
        }
    }

    /// No two inputs are seen as one, no two outputs read from one place, and scripts can name theirs.
    pub(super) fn argument_names(&mut self) {
        let step = self.step;
        let is_scripted = |name: &AttributeName| {
            step.attributes[name].mapping().is_some_and(|mapping| mapping.script.is_some())
        };
        self.unique(step.arguments(), "the step sees `{other}` as `{name}` already");
        let plain = step.answers().filter(|(name, _)| !is_scripted(name));
        self.unique(plain, "`{other}` reads `{name}` of the answer already");

        let languages = [self.script_language(), step.predicate.as_ref().map(|it| it.language)];
        for (name, argument) in step.arguments() {
            let refusing =
                languages.into_iter().flatten().find(|it| !is_argument_name(*it, argument));
            if let Some(language) = refusing {
                let better = argument.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
                let advice = match step.attributes[name].input() {
                    Some(_) => format!("add the mapping \"arg_{better}\""),
                    None => "rename it".to_owned(),
                };
                let message = format!(
                    "`{argument}` cannot be the name of an argument in {}: {advice}",
                    language.as_str(),
                );
                let at = Path::root().field("attributes").field(name.as_str());
                self.add(&at, Code::BadIdentifier, message);
            }
        }
    }

    fn unique<'n>(
        &mut self,
        names: impl Iterator<Item = (&'n AttributeName, &'n str)>,
        message: &str,
    ) {
        let mut taken: BTreeMap<&str, &AttributeName> = BTreeMap::new();
        for (attribute, name) in names {
            if let Some(other) = taken.get(name) {
                let message = message.replace("{other}", other.as_str()).replace("{name}", name);
                let at = Path::root().field("attributes").field(attribute.as_str());
                self.add(&at, Code::DuplicateName, message);
            } else {
                taken.insert(name, attribute);
            }
        }
    }

    fn script_language(&self) -> Option<Language> {
        match &self.step.action {
            Action::Script(script) => Some(script.language),
            Action::Sync(_) | Action::Async(_) | Action::Flow(_) => None,
        }
    }
}
