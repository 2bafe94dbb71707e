//! The table and the file.

use std::time::Instant;

use serde::Serialize;

use crate::Outcome;

/// One figure. `ratio` is value by `against`; `ok` says whether the goal is met, if there is one.
#[derive(Serialize)]
pub struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    against: Option<f64>,
    ratio: Option<f64>,
    goal: Option<String>,
    ok: Option<bool>,
}

pub struct Report {
    began: Instant,
    figures: Vec<Figure>,
}

/// What a ratio should be.
#[derive(Clone, Copy)]
pub enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

impl Report {
    pub fn new() -> Report {
        println!("{:<52} {:>14} {:<10} {:>8}  goal", "name", "value", "unit", "ratio");
        Report { began: Instant::now(), figures: Vec::new() }
    }

    pub fn plain(&mut self, name: &str, value: f64, unit: &'static str) {
        self.add(name, value, unit, None, None);
    }

    /// A figure that should itself be within the goal.
    pub fn judged(&mut self, name: &str, value: f64, unit: &'static str, goal: Goal) {
        let ok = goal.is_met(value);
        self.figures.push(Figure {
            name: name.to_owned(),
            value,
            unit,
            against: None,
            ratio: None,
            goal: Some(goal.said(unit)),
            ok: Some(ok),
        });
        self.print_last();
    }

    /// A figure beside another one of this run.
    pub fn beside(
        &mut self,
        name: &str,
        value: f64,
        unit: &'static str,
        against: f64,
        goal: Option<Goal>,
    ) {
        self.add(name, value, unit, Some(against), goal);
    }

    pub fn value(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    /// Writes the file. Goals that are missed are said, not failed: machines are noisy.
    pub fn finish(self) -> Outcome {
        std::fs::create_dir_all("target")?;
        std::fs::write("target/bench.json", serde_json::to_vec_pretty(&self.figures)?)?;
        let missed: Vec<&str> = self
            .figures
            .iter()
            .filter(|figure| figure.ok == Some(false))
            .map(|figure| figure.name.as_str())
            .collect();
        println!("\n{:.0} s; figures are in target/bench.json", self.began.elapsed().as_secs_f64());
        if missed.is_empty() {
            println!("every goal is met");
        } else {
            println!("goals missed: {}", missed.join(", "));
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        value: f64,
        unit: &'static str,
        against: Option<f64>,
        goal: Option<Goal>,
    ) {
        let ratio = against.map(|against| value / against);
        self.figures.push(Figure {
            name: name.to_owned(),
            value,
            unit,
            against,
            ratio,
            goal: goal.map(|goal| goal.said("times")),
            ok: goal.zip(ratio).map(|(goal, ratio)| goal.is_met(ratio)),
        });
        self.print_last();
    }

    fn print_last(&self) {
        let Some(figure) = self.figures.last() else { return };
        let ratio = figure.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let goal = figure.goal.as_deref().unwrap_or("");
        let ok = match figure.ok {
            Some(true) => "ok",
            Some(false) => "MISSED",
            None => "",
        };
        println!(
            "{:<52} {:>14} {:<10} {:>8}  {goal} {ok}",
            figure.name,
            readable(figure.value),
            figure.unit,
            ratio
        );
    }
}

impl Goal {
    fn is_met(self, value: f64) -> bool {
        match self {
            Goal::AtMost(most) => value <= most,
            Goal::AtLeast(least) => value >= least,
        }
    }

    fn said(self, unit: &str) -> String {
        match self {
            Goal::AtMost(most) => format!("at most {most} {unit}"),
            Goal::AtLeast(least) => format!("at least {least} {unit}"),
        }
    }
}

fn readable(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// The middle one.
pub fn median(values: &mut [f64]) -> f64 {
    percentile(values, 0.5)
}

pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let index = ((values.len() as f64 - 1.0) * share).round() as usize;
    values.get(index).copied().unwrap_or(f64::NAN)
}
