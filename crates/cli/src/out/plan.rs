//! A plan as a tree: goals at the top, below each step what it gets from whom.

use std::collections::BTreeSet;

use serde_json::Value;
use stepwell_server::api::PlanView;

use super::{Paint, Style, clean};

/// The plan for people.
pub fn plan_text(view: &PlanView, style: Style) -> String {
    let mut tree = Tree { plan: &view.plan, style, shown: BTreeSet::new(), text: String::new() };
    for goal in view.plan["goals"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        tree.step(goal, "", None, true);
    }
    let mut text = tree.text;
    for kind in ["satisfied", "missing", "blocked"] {
        let steps = view.plan["excluded"][kind].as_object().into_iter().flatten();
        for (step, why) in steps {
            let reason = why["reason"].as_str().unwrap_or_default();
            let line = format!("left out: {} ({kind}: {})", clean(step), clean(reason));
            text.push_str(&format!("{}\n", style.paint(Paint::Dim, &line)));
        }
    }
    for obstacle in &view.obstacles {
        text.push_str(&format!("{}\n", style.paint(Paint::Bad, &clean(obstacle))));
    }
    text
}

struct Tree<'a> {
    plan: &'a Value,
    style: Style,
    /// Steps whose inputs are shown already; again they would be the same.
    shown: BTreeSet<&'a str>,
    text: String,
}

impl<'a> Tree<'a> {
    /// One step, `for` the attribute that it provides, and below it what it needs.
    fn step(&mut self, id: &'a str, indent: &str, gives: Option<&str>, is_last: bool) {
        let step = &self.plan["steps"][id];
        let for_what = gives.map(|it| format!("{} <- ", clean(it))).unwrap_or_default();
        let name = self.style.paint(Paint::Bold, &clean(id));
        let kind = match step["type"].as_str() {
            Some(kind) => format!(" ({})", clean(kind)),
            None => " (not run)".to_owned(),
        };
        let is_new = self.shown.insert(id);
        let again = if is_new || step.is_null() { "" } else { ", as above" };
        let branch = match (gives.is_some(), is_last) {
            (false, _) => "",
            (true, true) => "└─ ",
            (true, false) => "├─ ",
        };
        self.text.push_str(&format!("{indent}{branch}{for_what}{name}{kind}{again}\n"));
        if !is_new {
            return;
        }
        let below = match (gives.is_some(), is_last) {
            (false, _) => indent.to_owned(),
            (true, true) => format!("{indent}   "),
            (true, false) => format!("{indent}│  "),
        };
        self.inputs(step, &below);
    }

    fn inputs(&mut self, step: &'a Value, indent: &str) {
        let plan = self.plan;
        let attributes = step["attributes"].as_object().into_iter().flatten();
        let inputs =
            attributes.filter(|(_, it)| it["role"] == "required" || it["role"] == "optional");
        let mut lines: Vec<(&str, Option<&'a str>)> = Vec::new();
        for (name, _) in inputs {
            let providers = plan["attributes"][name]["providers"].as_array();
            let providers: Vec<&'a str> =
                providers.into_iter().flatten().filter_map(Value::as_str).collect();
            match providers.is_empty() {
                true => lines.push((name, None)),
                false => lines.extend(providers.into_iter().map(|it| (name.as_str(), Some(it)))),
            }
        }
        let n_lines = lines.len();
        for (n, (name, provider)) in lines.into_iter().enumerate() {
            let is_last = n + 1 == n_lines;
            match provider {
                Some(provider) => self.step(provider, indent, Some(name), is_last),
                None => {
                    let branch = if is_last { "└─ " } else { "├─ " };
                    let is_missing =
                        plan["required"].as_array().into_iter().flatten().any(|it| it == name);
                    let (paint, what) = match is_missing {
                        true => (Paint::Bad, "required in --init"),
                        false => (Paint::Dim, "given, or left out"),
                    };
                    let what = self.style.paint(paint, what);
                    self.text.push_str(&format!("{indent}{branch}{} <- {what}\n", clean(name)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plan_is_a_tree_from_the_goals_down() {
        let attributes = |needs: &[&str], gives: &str| {
            let mut all: serde_json::Map<String, Value> = needs
                .iter()
                .map(|name| ((*name).to_owned(), json!({"role": "required"})))
                .collect();
            all.insert(gives.to_owned(), json!({"role": "output"}));
            Value::Object(all)
        };
        let plan = json!({
            "goals": ["send"],
            "steps": {
                "send": {"id": "send", "type": "sync", "attributes": attributes(&["email", "text"], "id")},
                "fetch": {"id": "fetch", "type": "script", "attributes": attributes(&["user"], "email")},
                "write": {"id": "write", "type": "script", "attributes": attributes(&["email", "topic"], "text")},
            },
            "attributes": {
                "email": {"providers": ["fetch"], "consumers": ["send", "write"]},
                "text": {"providers": ["write"], "consumers": ["send"]},
                "user": {"providers": [], "consumers": ["fetch"]},
                "topic": {"providers": [], "consumers": ["write"]},
            },
            "required": ["topic"],
            "excluded": {"satisfied": {}, "missing": {"other": {"attributes": ["x"], "reason": "nobody provides `x`"}}, "blocked": {}},
        });
        let view =
            PlanView { plan, can_run: false, obstacles: vec!["`topic` is needed".to_owned()] };
        expect![[r#"
            send (sync)
            ├─ email <- fetch (script)
            │  └─ user <- given, or left out
            └─ text <- write (script)
               ├─ email <- fetch (script), as above
               └─ topic <- required in --init
            left out: other (missing: nobody provides `x`)
            `topic` is needed
        "#]]
        .assert_eq(&plan_text(&view, Style::PLAIN));
    }
}
