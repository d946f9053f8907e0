//! Classifies error responses of vendors: maps an HTTP status and the words of an error body to a `ProviderFailure`
//! and its cost.
//!
//! Vendors put different troubles under one status (400 is a prompt too long, an empty account or a mistake of ours),
//! so the body's words decide where they are known. They sort the failure and go no further.

use std::time::Duration;

use serde_json::Value;

use crate::key::KeyOrigin;
use crate::{FailureCost, ProviderFailure};

/// An answer that is an error.
#[derive(Debug)]
pub(crate) struct VendorRefusal {
    status: u16,
    retry_after: Option<Duration>,
    /// The vendor's names for the failure, and what it says to people; lower case.
    codes: Vec<String>,
    message: String,
}

impl VendorRefusal {
    pub(crate) fn new(status: u16, retry_after: Option<Duration>, body: &Value) -> Self {
        let error = body.get("error").unwrap_or(body);
        let named = ["type", "code", "status"].into_iter().filter_map(|name| error.get(name)?.as_str());
        let message = error.get("message").unwrap_or(error).as_str().unwrap_or_default();
        // Gateways put the status of the vendor behind them into the body of a success.
        let inner = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        Self {
            status: if status < 300 { inner.unwrap_or(status) } else { status },
            retry_after,
            codes: named.map(str::to_lowercase).collect(),
            message: message.to_lowercase(),
        }
    }

    /// An error in the body of what calls itself a success.
    pub(crate) fn in_success(body: &Value) -> Option<Self> {
        let error = body.get("error").filter(|error| !error.is_null())?;
        Some(Self::new(200, None, &serde_json::json!({ "error": error })))
    }

    /// The failure of a call that asked for `model` with a key from `key`.
    pub(crate) fn to_failure(&self, model: &str, key: &KeyOrigin) -> ProviderFailure {
        let Self { status, retry_after, .. } = *self;
        // Words come before the status: 400 is a prompt that is too long, an empty account or a mistake of ours.
        match self.by_words().or_else(|| by_status(status)) {
            Some(RefusalKind::Key) => ProviderFailure::Unauthorised { key: key.clone() },
            Some(RefusalKind::Credit) => ProviderFailure::OutOfCredit,
            Some(RefusalKind::Model) => ProviderFailure::WrongModel { model: model.to_owned() },
            Some(RefusalKind::Long) => ProviderFailure::TooLarge,
            Some(RefusalKind::Content) => ProviderFailure::Refused,
            Some(RefusalKind::Rate) => ProviderFailure::RateLimited { retry_after },
            Some(RefusalKind::Load) => ProviderFailure::Overloaded { retry_after },
            Some(RefusalKind::Redirect) => {
                ProviderFailure::Forbidden { reason: "it redirects, and redirects are not followed" }
            }
            None if status < 300 => {
                ProviderFailure::Malformed { reason: "it reports an error we do not know".to_owned() }
            }
            None => ProviderFailure::Rejected { status },
        }
    }

    /// A vendor that says no has not begun; a gateway that gave up waiting, or a success status with an error inside,
    /// may have.
    pub(crate) fn failure_cost(&self) -> FailureCost {
        if matches!(self.status, 0..=299 | 408 | 504 | 524) { FailureCost::Unknown } else { FailureCost::Nothing }
    }

    fn by_words(&self) -> Option<RefusalKind> {
        let in_codes = |words: &[&str]| self.codes.iter().any(|code| words.contains(&code.as_str()));
        let in_message = |words: &[&str]| words.iter().any(|word| self.message.contains(word));
        let known: [(RefusalKind, &[&str], &[&str]); 7] = [
            (
                RefusalKind::Credit,
                &["insufficient_quota", "billing_error", "billing_hard_limit_reached", "credits_required"],
                &["credit balance is too low", "insufficient credits", "exceeded your current quota"],
            ),
            (
                RefusalKind::Long,
                &[
                    "context_length_exceeded",
                    "request_too_large",
                    "string_above_max_length",
                    "exceed_context_size_error",
                ],
                &[
                    "prompt is too long",
                    "maximum context length",
                    "exceeds the context",
                    "exceed context",
                    "context window",
                    "input length exceeds",
                    "input is too long",
                    "too many tokens",
                ],
            ),
            (RefusalKind::Model, &["model_not_found", "not_found_error"], &[]),
            (
                RefusalKind::Content,
                &["content_policy_violation", "content_filter", "moderation_blocked", "invalid_prompt"],
                &["content filtering policy"],
            ),
            (
                RefusalKind::Key,
                &["authentication_error", "permission_error", "invalid_api_key", "invalid_authentication_error"],
                &[],
            ),
            (RefusalKind::Rate, &["rate_limit_error", "rate_limit_exceeded"], &[]),
            (RefusalKind::Load, &["overloaded_error", "api_error", "server_error", "timeout_error"], &[]),
        ];
        // The order counts: an empty account is often reported as a rate limit as well.
        known.into_iter().find(|(_, codes, words)| in_codes(codes) || in_message(words)).map(|(trouble, ..)| trouble)
    }
}

#[derive(Clone, Copy)]
enum RefusalKind {
    Key,
    Credit,
    Model,
    Long,
    Content,
    Rate,
    Load,
    Redirect,
}

fn by_status(status: u16) -> Option<RefusalKind> {
    Some(match status {
        300..=399 => RefusalKind::Redirect,
        401 | 403 => RefusalKind::Key,
        402 => RefusalKind::Credit,
        404 => RefusalKind::Model,
        413 => RefusalKind::Long,
        429 => RefusalKind::Rate,
        408 | 500.. => RefusalKind::Load,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(status: u16, body: &Value, expected: &ProviderFailure, spent: FailureCost) {
        let refusal = VendorRefusal::new(status, None, body);
        assert_eq!(refusal.to_failure("m", &KeyOrigin::Missing), *expected, "{status} {body}");
        assert_eq!(refusal.failure_cost(), spent, "{status} {body}");
    }

    #[test]
    fn the_words_of_a_body_are_more_than_its_status() {
        let key = KeyOrigin::Missing;
        let model = "m".to_owned();
        let overloaded = ProviderFailure::Overloaded { retry_after: None };
        let limited = ProviderFailure::RateLimited { retry_after: None };
        let nothing = FailureCost::Nothing;
        check(401, &Value::Null, &ProviderFailure::Unauthorised { key: key.clone() }, nothing);
        check(403, &json!({"error": {"type": "permission_error"}}), &ProviderFailure::Unauthorised { key }, nothing);
        check(402, &json!({}), &ProviderFailure::OutOfCredit, nothing);
        check(
            404,
            &json!({"error": "model \"m\" not found"}),
            &ProviderFailure::WrongModel { model: model.clone() },
            nothing,
        );
        check(400, &json!({"error": {"code": "model_not_found"}}), &ProviderFailure::WrongModel { model }, nothing);
        check(413, &json!("no"), &ProviderFailure::TooLarge, nothing);
        check(400, &json!({"error": {"message": "Prompt is too long: 9 > 8"}}), &ProviderFailure::TooLarge, nothing);
        check(
            400,
            &json!({"error": {"message": "Your credit balance is too low"}}),
            &ProviderFailure::OutOfCredit,
            nothing,
        );
        check(429, &json!({"error": {"code": "insufficient_quota"}}), &ProviderFailure::OutOfCredit, nothing);
        check(429, &json!([]), &limited, nothing);
        check(400, &json!({"error": {"code": "content_filter"}}), &ProviderFailure::Refused, nothing);
        check(422, &json!({}), &ProviderFailure::Rejected { status: 422 }, nothing);
        for status in [500, 502, 503, 529] {
            check(status, &json!({"type": "error", "error": {"type": "overloaded_error"}}), &overloaded, nothing);
        }
        for status in [408, 504, 524] {
            check(status, &Value::Null, &overloaded, FailureCost::Unknown);
        }
        let redirect = ProviderFailure::Forbidden { reason: "it redirects, and redirects are not followed" };
        check(307, &Value::Null, &redirect, nothing);
    }

    #[test]
    fn a_success_with_an_error_inside_is_a_failure_that_may_have_cost() {
        let failure = |body: &Value| {
            let refusal = VendorRefusal::in_success(body)?;
            Some((refusal.to_failure("m", &KeyOrigin::Missing), refusal.failure_cost()))
        };
        assert_eq!(failure(&json!({"error": null})), None);
        assert_eq!(
            failure(&json!({"error": {"code": 429, "message": "slow down"}})),
            Some((ProviderFailure::RateLimited { retry_after: None }, FailureCost::Nothing)),
        );
        assert_eq!(
            failure(&json!({"error": {"message": "odd"}})),
            Some((
                ProviderFailure::Malformed { reason: "it reports an error we do not know".to_owned() },
                FailureCost::Unknown
            )),
        );
    }
}
