//! Parses the HTTP header `Retry-After` of a vendor's answer, in seconds or as a date, into a duration.
//!
//! A date is measured against the answer's own date, so that a wrong clock on this side changes nothing.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        // Fractions are accepted, though the standard knows only whole seconds.
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let then = httpdate::parse_http_date(text).ok()?;
    // The vendor's own clock: a wrong one on this machine would make the pause endless or none.
    let now = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
    Some(then.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn check(retry: &str, date: Option<&str>, expected: Option<Duration>) {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(retry).expect("a header"));
        date.map(|date| headers.insert(DATE, HeaderValue::from_str(date).expect("a header")));
        assert_eq!(retry_after(&headers), expected, "{retry} {date:?}");
    }

    #[test]
    fn seconds_and_dates_are_read_and_nonsense_is_nothing() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        check("7", date, Some(Duration::from_secs(7)));
        check(" 0.5 ", None, Some(Duration::from_millis(500)));
        check("Sun, 06 Nov 1994 08:50:37 GMT", date, Some(Duration::from_mins(1)));
        check("Sun, 06 Nov 1994 08:49:00 GMT", date, Some(Duration::ZERO));
        check("Sun, 06 Nov 1994 08:50:37 GMT", None, None);
        for nonsense in ["", "-1", "soon", "NaN", "inf", "1e300"] {
            check(nonsense, date, None);
        }
    }
}
