//! What came of the days, as a table.

use super::checks::{Check, Counts, Outcome};
use super::known::Host;

/// A day that was played to its end.
pub(super) struct Day {
    pub(super) host: &'static Host,
    pub(super) checks: Vec<Check>,
    pub(super) counts: Counts,
    pub(super) seconds: f64,
}

pub(super) fn print(days: &[anyhow::Result<Day>]) {
    for day in days {
        match day {
            Err(error) => println!("failed: {error:#}"),
            Ok(day) => {
                println!("\n{} {}, {:.0} s {:?}", day.host.title, day.host.version, day.seconds, day.counts);
                for check in &day.checks {
                    match &check.outcome {
                        Outcome::Held => println!("  held    {}", check.name),
                        Outcome::Failed(wrong) => {
                            println!("  FAILED  {}: {}", check.name, wrong.chars().take(600).collect::<String>())
                        }
                        Outcome::NotThere(why) => println!("  –       {}: {why}", check.name),
                    }
                }
            }
        }
    }
}
