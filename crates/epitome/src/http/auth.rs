//! Authenticates HTTP requests: the bearer token decides the tenant, and each tenant has an engine of its own. Loopback
//! is no protection: every process and every web page of the machine can reach it, so a token is required there too.
//! MCP sessions live in the tenant's own router: a session id of one tenant means nothing to another.

use super::call_events::CallEvents;
use super::refusal::HttpRefusal;
use super::tokens::{self, TokenFiles};
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use axum::Router;
use axum::http::{HeaderMap, header};
use std::sync::Arc;

/// What the requests of one tenant work with; those of a member that tokens name by themselves.
pub(super) struct TenantState {
    name: String,
    /// Whose what is kept now is.
    member: String,
    pub(super) app: Arc<App>,
    /// The MCP door, under its full path.
    pub(super) mcp: Router,
    /// Those who listen to its calls.
    pub(super) events: CallEvents,
}

impl TenantState {
    pub(super) fn new(name: &str, app: Arc<App>, mcp: Router) -> Arc<Self> {
        let member = app.config.memory.author.clone();
        Arc::new(Self { name: name.to_owned(), member, app, mcp, events: CallEvents::default() })
    }
}

/// All tenants, each opened once, and the tokens that lead to them.
pub(super) struct TenantRegistry {
    configured: Arc<TenantState>,
    by_token: Vec<(blake3::Hash, Arc<TenantState>)>,
}

impl TenantRegistry {
    /// Opens the store for every tenant that has a token.
    pub(super) fn open_all(app: &Arc<App>, mcp: impl Fn(Arc<App>) -> Router) -> Result<Self, AppError> {
        let accepted = TokenFiles::new(&app.directories.state).accepted_tokens(&app.config)?;
        let tenant = |name: &str, app: Arc<App>| TenantState::new(name, Arc::clone(&app), mcp(app));
        let configured = tenant(&app.config.database.tenant, Arc::clone(app));
        let mut by_token: Vec<(blake3::Hash, Arc<TenantState>)> = Vec::new();
        for token in accepted {
            // Two tokens of one tenant share its engine: two engines would each keep their own index in memory. Those of
            // members have one each, because what each is told is not the same.
            let known = by_token.iter().map(|(_, tenant)| tenant).chain([&configured]);
            let found =
                known.filter(|known| known.name == token.tenant && known.member == token.member).map(Arc::clone).next();
            let found = match found {
                Some(found) => found,
                None => tenant(&token.tenant, Arc::new(app.for_tenant(&token.tenant, &token.member)?)),
            };
            by_token.push((token.hash, found));
        }
        Ok(Self { configured, by_token })
    }

    /// The tenant that the configuration names.
    pub(super) fn configured_tenant(&self) -> &Arc<TenantState> {
        &self.configured
    }

    /// Each tenant's own, some perhaps twice.
    pub(super) fn tenant_apps(&self) -> impl Iterator<Item = &Arc<App>> {
        self.by_token.iter().map(|(_, tenant)| tenant).chain([&self.configured]).map(|tenant| &tenant.app)
    }

    /// The tenant whose token the request carries.
    pub(super) fn find_tenant(&self, headers: &HeaderMap) -> Result<&Arc<TenantState>, HttpRefusal> {
        let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, token) = value.and_then(|value| value.split_once(' ')).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(not_authorised("the request carries no bearer token"));
        }
        self.find_by_token(token).ok_or_else(|| not_authorised("the bearer token is not one of this server's"))
    }

    /// The tenant that a token speaks for.
    pub(super) fn find_by_token(&self, token: &str) -> Option<&Arc<TenantState>> {
        // Only hashes are compared, so the list in memory holds no token.
        let asked = tokens::hash_token(token.trim());
        // All hashes are compared, so that the time taken does not tell which one came near.
        self.by_token.iter().fold(None, |found, (hash, tenant)| if *hash == asked { Some(tenant) } else { found })
    }
}

fn not_authorised(message: &str) -> HttpRefusal {
    let hint = "send the header `Authorization: Bearer TOKEN`; `epitome serve token` prints the token";
    HttpRefusal::from(AppError::new(ErrorClass::NotAuthorised, "not_authorised", message).with_hint(hint))
}
