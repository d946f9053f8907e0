//! Charts as SVG: bars of a share, days as columns, a strip of the parts of a whole. Figures in a chart are also in words,
//! since not everybody sees it.

use super::elements::{count, group_thousands, items, text};
use maud::{Markup, html};
use serde_json::Value;

/// How wide a chart is drawn; the window scales it.
const WIDTH: usize = 720;

/// A part of a strip: how much of it, how it is coloured, what it is, and where it leads.
pub(super) struct StripPart {
    pub(super) size: f64,
    pub(super) class: &'static str,
    pub(super) title: String,
    pub(super) address: Option<String>,
}

/// One bar of a share between 0 and 1.
pub(super) fn share_bar(share: f64, class: &'static str) -> Markup {
    let width = (share.clamp(0.0, 1.0) * 100.0).max(if share > 0.0 { 1.0 } else { 0.0 });
    html! {
        svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect class=(class) width=(format!("{width:.2}")) height="6" {}
        }
    }
}

/// The parts of a whole, side by side in their order.
pub(super) fn strip(name: &str, parts: &[StripPart]) -> Markup {
    let whole: f64 = parts.iter().map(|part| part.size).sum::<f64>().max(1.0);
    let starts = parts.iter().scan(0.0, |at, part| {
        let start = *at;
        *at += part.size;
        Some(start / whole * 1000.0)
    });
    html! {
        p.hidden { (model::show_name(name)) }
        svg.bar.strip viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true" {
            @for (part, start) in parts.iter().zip(starts) {
                @let drawn = html! {
                    rect class=(part.class) x=(format!("{start:.2}")) width=(format!("{:.2}", part.size / whole * 1000.0)) height="24" {
                        title { (model::show_name(&part.title)) }
                    }
                };
                @match &part.address {
                    // The places are in the page below as well, so the strip is no second row of stops for the keyboard.
                    Some(address) => a href=(address) tabindex="-1" { (drawn) },
                    None => (drawn),
                }
            }
        }
    }
}

const CHART_HEIGHT: f64 = 150.0;
const LABEL_HEIGHT: f64 = 22.0;
const LEFT_EDGE: f64 = 52.0;

/// Tokens avoided by day as columns; what cost more than it spared hangs below the line.
pub(super) fn day_chart(reply: &Value) -> Markup {
    let days = items(&reply["totals"]);
    let avoided = |day: &Value| day["tokens_avoided"].as_f64().unwrap_or_default();
    let highest = days.iter().map(avoided).fold(0.0, f64::max);
    let lowest = days.iter().map(avoided).fold(0.0, f64::min);
    let span = (highest - lowest).max(1.0);
    let height_of = |tokens: f64| (highest - tokens) / span * CHART_HEIGHT;
    let zero = height_of(0.0);
    let step = (WIDTH as f64 - LEFT_EDGE) / days.len().max(7) as f64;
    let labelled = days.len().div_ceil(8).max(1);
    html! {
        svg.chart role="img" preserveAspectRatio="xMinYMid meet" aria-label=(day_chart_words(days)) viewBox=(format!("0 -8 {WIDTH} {}", CHART_HEIGHT + LABEL_HEIGHT + 8.0)) {
            @for tokens in [highest, lowest] {
                @if tokens != 0.0 {
                    line.grid x1=(LEFT_EDGE) x2=(WIDTH) y1=(format!("{:.1}", height_of(tokens))) y2=(format!("{:.1}", height_of(tokens))) {}
                    text x=(LEFT_EDGE - 8.0) y=(format!("{:.1}", height_of(tokens) + 4.0)) text-anchor="end" { (short_number(tokens)) }
                }
            }
            line.axis x1=(LEFT_EDGE) x2=(WIDTH) y1=(format!("{zero:.1}")) y2=(format!("{zero:.1}")) {}
            text x=(LEFT_EDGE - 8.0) y=(format!("{:.1}", zero + 4.0)) text-anchor="end" { "0" }
            @for (at, day) in days.iter().enumerate() {
                @let left = LEFT_EDGE + step * at as f64;
                @let is_gain = avoided(day) >= 0.0;
                @let height = (avoided(day).abs() / span * CHART_HEIGHT).max(1.0);
                rect class=(if is_gain { "gain" } else { "loss" }) rx="2" x=(format!("{:.1}", left + step * 0.15)) width=(format!("{:.1}", (step * 0.7).min(48.0)))
                    y=(format!("{:.1}", if is_gain { zero - height } else { zero })) height=(format!("{height:.1}")) {
                    title { (text(&day["key"])) ": " (count(&day["tokens_avoided"])) " tokens" }
                }
                @if at % labelled == 0 {
                    text x=(format!("{:.1}", left + step * 0.15)) y=(CHART_HEIGHT + LABEL_HEIGHT - 5.0) { (text(&day["key"]).get(5..).unwrap_or_default()) }
                }
            }
        }
    }
}

fn day_chart_words(days: &[Value]) -> String {
    let total: i64 = days.iter().filter_map(|day| day["tokens_avoided"].as_i64()).sum();
    format!("Tokens avoided by day: {} over {} days", group_thousands(total), days.len())
}

/// A number in at most five letters, for an axis.
pub(super) fn short_number(number: f64) -> String {
    let sign = if number < 0.0 { "−" } else { "" };
    match number.abs() {
        size if size >= 999_500.0 => format!("{sign}{:.1} M", size / 1_000_000.0),
        size if size >= 9_950.0 => format!("{sign}{:.0} k", size / 1_000.0),
        size if size >= 1_000.0 => format!("{sign}{:.1} k", size / 1_000.0),
        size => format!("{sign}{size:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_of_an_axis_are_short() {
        let shown = [0.0, 999.0, 1_000.0, 9_949.0, 12_345.0, 999_600.0, -2_500_000.0].map(short_number);
        assert_eq!(shown, ["0", "999", "1.0 k", "9.9 k", "12 k", "1.0 M", "−2.5 M"]);
    }

    #[test]
    fn days_that_cost_hang_below_the_line() {
        let day = |key: &str, tokens: i64| json!({ "key": key, "tokens_avoided": tokens });
        let drawn = day_chart(&json!({ "totals": [day("2026-03-01", 100), day("2026-03-02", -50)] })).into_string();
        assert!(drawn.contains(r#"class="gain" rx="2""#) && drawn.contains(r#"class="loss" rx="2""#), "{drawn}");
        // A third of the height is below the line: 50 of 150.
        assert!(drawn.contains(r#"y="100.0" height="50.0""#), "{drawn}");
    }

    #[test]
    fn the_parts_of_a_strip_fill_it() {
        let part = |size| StripPart { size, class: "fold", title: "<b>".to_owned(), address: None };
        let drawn = strip("whole", &[part(1.0), part(3.0)]).into_string();
        assert!(
            drawn.contains(r#"x="0.00" width="250.00""#) && drawn.contains(r#"x="250.00" width="750.00""#),
            "{drawn}"
        );
        assert!(!drawn.contains("<b>"), "{drawn}");
    }
}
