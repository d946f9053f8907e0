//! The page of the ledger: tokens that agents did not have to read, signed, and what models cost; by operation, by day
//! and by session, with the newest entries.

use crate::http::dashboard::elements::{count, empty_note, items, moment, name, text, tile};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let by_operation = source.ask_part("value", json!({ "by": "operation", "all": true, "entries": 20 })).await;
    let by_day = source.ask_part("value", json!({ "by": "day", "all": true, "days": 30 })).await;
    let by_session = source.ask_part("value", json!({ "by": "session", "all": true })).await;
    let body = html! {
        (by_operation.render(|reply| html! {
            (total_tiles(&reply["total"]))
            section { h2 { "By operation" } (totals_table(reply, "Operation")) }
            section { h2 { "Newest entries" } (entry_table(items(&reply["entries"]))) }
        }))
        section { h2 { "By day, the last 30" } (by_day.render(day_chart)) }
        section { h2 { "By session" } (by_session.render(|reply| totals_table(reply, "Session"))) }
    };
    Ok(source.finish(NavItem::Value, "Value", &body))
}

fn total_tiles(total: &Value) -> Markup {
    html! {
        section.tiles aria-label="Total" {
            (tile("Tokens avoided", &count(&total["tokens_avoided"]), "net: what was added for our sake is subtracted"))
            (tile("Tokens shown", &count(&total["tokens_out"]), "of our texts, to agents"))
            (tile("Models cost", &format!("${:.4}", total["dollars"].as_f64().unwrap_or_default()), "calls that Epitome itself made"))
        }
    }
}

fn totals_table(reply: &Value, heading: &str) -> Markup {
    let totals = items(&reply["totals"]);
    html! {
        @if totals.is_empty() {
            (empty_note("The ledger has no entry yet: it fills when an agent works with Epitome.", None))
        } @else {
            div.scroll {
                table {
                    thead { tr { th { (heading) } th.number { "Entries" } th.number { "Shown" } th.number { "Avoided" } } }
                    tbody {
                        @for total in totals {
                            tr {
                                td.wide { @if text(&total["key"]).is_empty() { span.quiet { "none named" } } @else { (name(&total["key"])) } }
                                td.number { (count(&total["entries"])) }
                                td.number { (count(&total["tokens_out"])) }
                                td.number { (count(&total["tokens_avoided"])) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn entry_table(entries: &[Value]) -> Markup {
    html! {
        @if entries.is_empty() {
            (empty_note("No entry yet.", None))
        } @else {
            div.scroll {
                table {
                    thead { tr { th { "When" } th { "Operation" } th { "Formula" } th { "Session" } th.number { "Avoided" } } }
                    tbody {
                        @for entry in entries {
                            tr {
                                td { (moment(&entry["at"])) }
                                td { (name(&entry["operation"])) }
                                td { code { (name(&entry["formula"])) } }
                                td.wide { (name(&entry["session"])) }
                                td.number { (count(&entry["tokens_avoided"])) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Height of the chart's half above the line, and width of a day with its gap.
const HALF_HEIGHT: f64 = 60.0;
const DAY_WIDTH: usize = 22;

/// Tokens avoided by day as bars; what cost more than it spared hangs below the line.
fn day_chart(reply: &Value) -> Markup {
    let days = items(&reply["totals"]);
    let avoided = |day: &Value| day["tokens_avoided"].as_f64().unwrap_or_default();
    let largest = days.iter().map(|day| avoided(day).abs()).fold(1.0, f64::max);
    let width = days.len().max(1) * DAY_WIDTH;
    html! {
        @if days.is_empty() {
            (empty_note("No day has an entry yet.", None))
        } @else {
            svg.chart role="img" aria-label="Tokens avoided by day" viewBox=(format!("0 0 {width} {}", HALF_HEIGHT * 2.0)) {
                line.axis x1="0" x2=(width) y1=(HALF_HEIGHT) y2=(HALF_HEIGHT) {}
                @for (at, day) in days.iter().enumerate() {
                    @let height = avoided(day).abs() / largest * (HALF_HEIGHT - 4.0);
                    @let is_gain = avoided(day) >= 0.0;
                    rect class=(if is_gain { "gain" } else { "loss" }) x=(at * DAY_WIDTH + 3) width=(DAY_WIDTH - 6)
                        y=(format!("{:.1}", if is_gain { HALF_HEIGHT - height } else { HALF_HEIGHT })) height=(format!("{:.1}", height.max(1.0))) {
                        title { (text(&day["key"])) ": " (count(&day["tokens_avoided"])) " tokens" }
                    }
                }
            }
        }
    }
}
