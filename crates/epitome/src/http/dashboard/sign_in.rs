//! Signs browsers in: a one-time code (from the link that `epitome dashboard` opens) or the token becomes a session with
//! a cookie. Codes and sessions live in memory only, and only their hashes do, so a restart ends all of them.

use super::layout;
use crate::errors::AppError;
use crate::http::HttpState;
use crate::http::auth::TenantState;
use crate::http::tokens::{hash_token, random_token};
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::html;
use serde::Deserialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the link of a terminal can be used.
const CODE_LIFETIME: Duration = Duration::from_mins(2);

/// How long a browser that asks for nothing stays signed in.
const SESSION_LIFETIME: Duration = Duration::from_hours(12);

/// More browsers than this on one server are none that a person opened; the oldest goes.
const MAX_SESSIONS: usize = 64;

/// Codes that wait, and sessions that are open.
pub(in crate::http) struct BrowserSessions {
    /// A cookie is sent to every port of a host, so its name has ours in it.
    cookie_name: String,
    codes: Mutex<Vec<TimedKey>>,
    sessions: Mutex<Vec<TimedKey>>,
}

/// The hash of a secret, whose it is, and until when it counts.
struct TimedKey {
    hash: blake3::Hash,
    tenant: Arc<TenantState>,
    ends: Instant,
}

impl BrowserSessions {
    pub(in crate::http) fn new(port: u16) -> Self {
        Self { cookie_name: format!("epitome_ui_{port}"), codes: Mutex::default(), sessions: Mutex::default() }
    }

    /// A new one-time code for a tenant.
    pub(in crate::http) fn issue_code(&self, tenant: &Arc<TenantState>) -> Result<String, AppError> {
        issue_key(&self.codes, tenant, CODE_LIFETIME)
    }

    /// The tenant whose session the cookie of a request names.
    pub(in crate::http) fn find_tenant(&self, headers: &HeaderMap) -> Option<Arc<TenantState>> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let value = cookies.flat_map(|line| line.split(';')).find_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            (name == self.cookie_name).then_some(value)
        })?;
        let asked = hash_token(value);
        let now = Instant::now();
        let mut sessions = lock_keys(&self.sessions);
        sessions.retain(|session| session.ends > now);
        // All are compared, so that the time taken does not tell which one came near.
        let found = sessions
            .iter_mut()
            .fold(None, |found, session| if session.hash == asked { Some(session) } else { found })?;
        found.ends = now + SESSION_LIFETIME;
        Some(Arc::clone(&found.tenant))
    }

    /// Takes a code, which counts once.
    fn redeem_code(&self, code: &str) -> Option<Arc<TenantState>> {
        let asked = hash_token(code);
        let now = Instant::now();
        let mut codes = lock_keys(&self.codes);
        codes.retain(|code| code.ends > now);
        let at = codes.iter().position(|code| code.hash == asked)?;
        Some(codes.swap_remove(at).tenant)
    }

    /// Opens a session and answers with its cookie and the first page.
    fn open_session(&self, tenant: &Arc<TenantState>) -> Response {
        let secret = match issue_key(&self.sessions, tenant, SESSION_LIFETIME) {
            Ok(secret) => secret,
            Err(problem) => return super::page_source::PageProblem(problem).into_response(),
        };
        let mut sessions = lock_keys(&self.sessions);
        let surplus = sessions.len().saturating_sub(MAX_SESSIONS);
        sessions.drain(..surplus);
        drop(sessions);
        let cookie = format!("{}={secret}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name);
        let mut response = Redirect::to("/").into_response();
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

fn issue_key(keys: &Mutex<Vec<TimedKey>>, tenant: &Arc<TenantState>, lifetime: Duration) -> Result<String, AppError> {
    let secret = random_token()?;
    let key = TimedKey { hash: hash_token(&secret), tenant: Arc::clone(tenant), ends: Instant::now() + lifetime };
    lock_keys(keys).push(key);
    Ok(secret)
}

fn lock_keys(keys: &Mutex<Vec<TimedKey>>) -> std::sync::MutexGuard<'_, Vec<TimedKey>> {
    // The list is whole between any two changes, so a panic leaves nothing half written.
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Deserialize)]
pub(super) struct LinkQuery {
    #[serde(default)]
    code: String,
}

/// Signs in with the code of a link.
pub(super) async fn enter_by_link(State(server): State<Arc<HttpState>>, Query(link): Query<LinkQuery>) -> Response {
    match server.browsers.redeem_code(&link.code) {
        Some(tenant) => server.browsers.open_session(&tenant),
        None => sign_in_page(Some("This link was used before or is too old. `epitome dashboard` makes a new one.")),
    }
}

#[derive(Deserialize)]
pub(super) struct TokenForm {
    #[serde(default)]
    token: String,
}

/// Signs in with the token that a person pasted.
pub(super) async fn enter_by_token(State(server): State<Arc<HttpState>>, Form(form): Form<TokenForm>) -> Response {
    match server.tenants.find_by_token(&form.token) {
        Some(tenant) => server.browsers.open_session(tenant),
        None => sign_in_page(Some("This is not a token of this server. `epitome serve token` prints it.")),
    }
}

/// The page of a browser that has no session.
pub(super) fn sign_in_page(problem: Option<&str>) -> Response {
    let body = html! {
        p { "This page shows what agents and people said and which code they read, so it opens with a key only." }
        @if let Some(problem) = problem { div.problem role="alert" { p { (problem) } } }
        p { "The quickest way in: run " code { "epitome dashboard" } " in a terminal, which opens a link that works once." }
        form method="post" action=(super::SIGN_IN_PATH) {
            label for="token" { "Or paste the token, which " code { "epitome serve token" } " prints" }
            input #token name="token" type="password" autocomplete="off" required;
            button type="submit" { "Open" }
        }
    };
    let page = layout::render_bare_page("Epitome", &body);
    (StatusCode::UNAUTHORIZED, Html(page.into_string())).into_response()
}
