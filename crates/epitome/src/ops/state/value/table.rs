//! The text of the `value` operation: a headline, tables that fit eighty columns, and CSV.

use super::sums::ValueSums;
use super::{ValueReply, ValueReturns, ValueTotal};
use model::show_name;

/// The widest key that is shown whole.
const KEY_WIDTH: usize = 28;

/// A number with separators, as people read it.
pub(super) fn grouped(number: i64) -> String {
    let text = crate::ops::group_digits(number.unsigned_abs());
    if number < 0 { format!("-{text}") } else { text }
}

/// An amount of dollars with its sign in front.
pub(super) fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    let amount = amount.abs();
    if amount > 0.0 && amount < 0.01 { format!("{sign}${amount:.4}") } else { format!("{sign}${amount:.2}") }
}

fn short_key(key: &str) -> String {
    let key = if key.is_empty() { "-" } else { key };
    let shown = show_name(key);
    if shown.chars().count() <= KEY_WIDTH {
        return shown.into_owned();
    }
    let beginning: String = shown.chars().take(KEY_WIDTH - 1).collect();
    format!("{beginning}…")
}

pub(super) fn headline(reply: &ValueReply) -> String {
    let total = &reply.total;
    let net = total.tokens_avoided;
    let verdict = if net < 0 { "cost" } else { "spared" };
    let mut text = format!(
        "{verdict} {} tokens, {} at the price of {}: measured, net of schemas, injections and readings again\n",
        grouped(net.abs()),
        dollars(total.dollars_avoided.abs()),
        show_name(&reply.price.model),
    );
    if total.estimated_tokens_avoided != 0 {
        let estimated = grouped(total.estimated_tokens_avoided);
        text.push_str(&format!("about {estimated} more by estimate (value --formulas), in none of these sums\n"));
    }
    text.push_str(&format!("calls of agents: {}", grouped(total.calls as i64)));
    if reply.own_calls > 0 {
        text.push_str(&format!("; your own commands: {}", grouped(reply.own_calls as i64)));
    }
    text.push('\n');
    if let Some(before) = &reply.before {
        let (now, then) = (total.tokens_avoided, before.tokens_avoided);
        text.push_str(&format!(
            "the days before: {} tokens in {} calls ({}{})\n",
            grouped(then),
            grouped(before.calls as i64),
            if now >= then { "+" } else { "" },
            grouped(now - then),
        ));
    }
    text
}

fn row(key: &str, sums: &ValueSums) -> String {
    format!(
        "{:<KEY_WIDTH$} {:>7} {:>11} {:>12} {:>11} {:>9}\n",
        short_key(key),
        grouped(sums.calls as i64),
        grouped(sums.tokens_shown),
        grouped(sums.tokens_avoided),
        dollars(sums.dollars_avoided),
        dollars(sums.dollars),
    )
}

fn heading(by: &str) -> String {
    format!("{by:<KEY_WIDTH$} {:>7} {:>11} {:>12} {:>11} {:>9}\n", "calls", "shown", "net avoided", "worth", "models")
}

pub(super) fn totals_table(by: &str, totals: &[ValueTotal], total: &ValueSums) -> String {
    let mut text = heading(by);
    for ValueTotal { key, sums, .. } in totals {
        text.push_str(&row(key, sums));
    }
    text.push_str(&row("total", total));
    text
}

pub(super) fn returns_table(returns: &ValueReturns) -> String {
    let mut text = String::new();
    for (by, rows) in [("agent", &returns.agents), ("project", &returns.projects)] {
        text.push_str(&heading(by));
        for ValueTotal { key, sums, .. } in rows {
            text.push_str(&row(key, sums));
        }
        text.push('\n');
    }
    text.push_str(&format!(
        "spared {}, less schemas and instructions {}, injections {}, readings again {}: {} tokens\n\
         worth {}, less what models cost {}: {}\n",
        grouped(returns.spared_tokens),
        grouped(returns.schema_tokens),
        grouped(returns.injected_tokens),
        grouped(returns.reread_tokens),
        grouped(returns.net_tokens),
        dollars(returns.dollars_avoided),
        dollars(returns.dollars_spent),
        dollars(returns.net_dollars),
    ));
    text
}

/// A table that spreadsheets read.
pub(super) fn totals_csv(by: &str, totals: &[ValueTotal]) -> String {
    let mut text = format!(
        "{by},calls,bytes_shown,tokens_shown,bytes_avoided,tokens_avoided,dollars_avoided,estimated_bytes_avoided,\
         estimated_tokens_avoided,tokens_in,tokens_out,cache_read,cache_write,dollars\n"
    );
    for ValueTotal { key, sums, .. } in totals {
        let ValueSums { calls, bytes_shown, tokens_shown, bytes_avoided, tokens_avoided, .. } = sums;
        let ValueSums { dollars_avoided, estimated_bytes_avoided, estimated_tokens_avoided, .. } = sums;
        let ValueSums { tokens_in, tokens_out, cache_read, cache_write, dollars, .. } = sums;
        text.push_str(&format!(
            "{},{calls},{bytes_shown},{tokens_shown},{bytes_avoided},{tokens_avoided},{dollars_avoided:.6},\
             {estimated_bytes_avoided},{estimated_tokens_avoided},{tokens_in},{tokens_out},{cache_read},{cache_write},\
             {dollars:.6}\n",
            csv_field(key),
        ));
    }
    text
}

/// A field of CSV. A key may be the name of a session that somebody else chose: a spreadsheet must not run it.
fn csv_field(text: &str) -> String {
    let text = show_name(text);
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.into_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, expected) in
            [(0, "0"), (12, "12"), (999, "999"), (1_000, "1,000"), (-12_345, "-12,345"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn a_field_of_csv_is_no_formula_and_no_two_fields() {
        for (text, expected) in
            [("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("=1+1", "'=1+1")]
        {
            assert_eq!(csv_field(text), expected);
        }
    }
}
