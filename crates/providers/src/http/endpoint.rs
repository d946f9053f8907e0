//! `VendorEndpoint`, the HTTP client of one vendor at one address with one key: sends a JSON body, returns a JSON body
//! or a typed failure.
//!
//! The client is made at the first call, not at start: it loads the system's certificates, and most runs of the
//! program never ask a vendor anything.

use std::error::Error as _;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response, redirect};
use serde_json::Value;

use super::address::{Address, AddressError};
use super::resolver::CheckedResolver;
use super::retry_after::retry_after;
use crate::key::{ApiKey, KeyOrigin};
use crate::refusal::VendorRefusal;
use crate::{FailureCost, ProviderError, ProviderFailure, Result, Vendor};

/// Where a vendor is, and what lets us in.
#[derive(Debug, Clone)]
pub struct VendorConnection {
    /// Its checked address.
    pub address: Address,
    /// The key, for vendors that want one.
    pub key: Option<ApiKey>,
}

#[derive(Debug)]
pub(crate) struct VendorEndpoint {
    vendor: Vendor,
    model: String,
    connection: VendorConnection,
    client: OnceLock<Client>,
}

/// One request.
pub(crate) struct EndpointCall<'a> {
    pub(crate) path: &'a str,
    /// How the key is handed over: the header, and what stands before the key in it.
    pub(crate) key_header: (&'static str, &'static str),
    /// Other headers the vendor wants.
    pub(crate) headers: &'a [(&'static str, &'static str)],
    /// Absent where something is only looked up.
    pub(crate) body: Option<Value>,
    pub(crate) deadline: Duration,
    /// The longest answer that can be one.
    pub(crate) longest: usize,
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For what costs nothing, and its longest answer: gateways list hundreds of models with their descriptions.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
const LONGEST_LIST: usize = 4 << 20;
/// Enough of a failed answer to sort it.
const LONGEST_REFUSAL: usize = 64 << 10;

impl VendorEndpoint {
    pub(crate) fn new(vendor: Vendor, model: &str, connection: VendorConnection) -> Self {
        Self { vendor, model: model.to_owned(), connection, client: OnceLock::new() }
    }

    /// Sends one request and waits for its whole answer. Nothing is sent twice.
    pub(crate) async fn send_call(&self, call: EndpointCall<'_>) -> Result<Value> {
        let deadline = call.deadline;
        let timed_out = |_| Err(self.build_error(ProviderFailure::TimedOut { after: deadline }, FailureCost::Unknown));
        let answer = tokio::time::timeout(deadline, self.exchange_json(call)).await.unwrap_or_else(timed_out)?;
        // Some gateways report an error in the body of a success.
        match VendorRefusal::in_success(&answer) {
            Some(refusal) => Err(self.refusal_error(&refusal)),
            None => Ok(answer),
        }
    }

    /// Looks something up that costs nothing.
    pub(crate) async fn fetch_json(
        &self,
        path: &str,
        key_header: (&'static str, &'static str),
        headers: &[(&'static str, &'static str)],
    ) -> Result<Value> {
        self.send_call(EndpointCall {
            path,
            key_header,
            headers,
            body: None,
            deadline: LIST_TIMEOUT,
            longest: LONGEST_LIST,
        })
        .await
        // A list of models is free, whatever went wrong.
        .map_err(|error| ProviderError { spent: FailureCost::Nothing, ..error })
    }

    /// An error of this vendor.
    pub(crate) fn build_error(&self, failure: ProviderFailure, spent: FailureCost) -> ProviderError {
        ProviderError { vendor: self.vendor, failure, spent }
    }

    /// A success that cannot be used; the vendor that sent it may charge for it.
    pub(crate) fn malformed_error(&self, reason: impl Into<String>) -> ProviderError {
        self.build_error(ProviderFailure::Malformed { reason: reason.into() }, FailureCost::Unknown)
    }

    async fn exchange_json(&self, call: EndpointCall<'_>) -> Result<Value> {
        let mut request = match &call.body {
            Some(body) => {
                let body = serde_json::to_vec(body).expect("a JSON value can be written");
                self.http_client()?
                    .post(self.connection.address.join_path(call.path))
                    .header(CONTENT_TYPE, "application/json")
                    .body(body)
            }
            None => self.http_client()?.get(self.connection.address.join_path(call.path)),
        };
        for (name, value) in call.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.connection.key {
            let (name, before) = call.key_header;
            request = request.header(name, sensitive_header(before, key));
        }
        let response = request.send().await.map_err(|error| self.transport_error(&error))?;
        let status = response.status();
        if !status.is_success() {
            let retry_after = retry_after(response.headers());
            // Only as much as is needed to sort the refusal: a body may be an endless page of a proxy.
            let body = read_body(response, LONGEST_REFUSAL).await.unwrap_or_default();
            let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
            return Err(self.refusal_error(&VendorRefusal::new(status.as_u16(), retry_after, &body)));
        }
        let is_json = |kind: &HeaderValue| kind.to_str().is_ok_and(|kind| kind.to_ascii_lowercase().contains("json"));
        // A captive portal or a proxy answers with HTML and status 200.
        if !response.headers().get(CONTENT_TYPE).is_none_or(is_json) {
            return Err(self.malformed_error("it is not JSON by its content type"));
        }
        let body = read_body(response, call.longest).await.map_err(|broken| match broken {
            BodyError::TooLong => self.malformed_error(format!("it is longer than {} KiB", call.longest >> 10)),
            BodyError::Off => {
                self.build_error(ProviderFailure::Unreachable { reason: "the connection broke" }, FailureCost::Unknown)
            }
        })?;
        serde_json::from_slice(&body).map_err(|_| self.malformed_error("it is not JSON"))
    }

    fn refusal_error(&self, refusal: &VendorRefusal) -> ProviderError {
        let origin = self.connection.key.as_ref().map_or(&KeyOrigin::Missing, ApiKey::origin);
        self.build_error(refusal.to_failure(&self.model, origin), refusal.failure_cost())
    }

    /// What kept a request from being answered at all.
    fn transport_error(&self, error: &reqwest::Error) -> ProviderError {
        let mut cause = error.source();
        let mut names = false;
        let mut certificate = false;
        while let Some(next) = cause {
            // Our own resolver refused the address, which is a matter of settings and not of the network.
            if let Some(AddressError { reason }) = next.downcast_ref() {
                return self.build_error(ProviderFailure::Forbidden { reason }, FailureCost::Nothing);
            }
            let text = next.to_string();
            names |= text.contains("dns error");
            certificate |= text.contains("certificate");
            cause = next.source();
        }
        let reason = match error {
            _ if names => "its name cannot be resolved",
            _ if certificate => "its certificate is not trusted",
            error if error.is_connect() => "no connection",
            _ => "the connection broke",
        };
        // Without a connection nothing was sent; after that, the vendor may have received and charged the request.
        let spent = if error.is_connect() { FailureCost::Nothing } else { FailureCost::Unknown };
        self.build_error(ProviderFailure::Unreachable { reason }, spent)
    }

    fn http_client(&self) -> Result<&Client> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // Fails where another client of this process has installed the same provider already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("epitome/", env!("CARGO_PKG_VERSION")))
            // A redirect or a proxy would lead the key to an address that was never checked.
            .redirect(redirect::Policy::none())
            // A request that is repeated below us could be charged twice without our knowing.
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .dns_resolver(CheckedResolver { reach: self.connection.address.reach() })
            .build()
            .map_err(|_| {
                self.build_error(
                    ProviderFailure::Unreachable { reason: "this machine has no certificates" },
                    FailureCost::Nothing,
                )
            })?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// The header that carries a key, marked so that nothing on the way prints it.
fn sensitive_header(before: &str, key: &ApiKey) -> HeaderValue {
    let text = format!("{before}{}", key.secret().expose());
    let mut value = HeaderValue::from_str(&text).expect("a key is checked to fit into a header");
    value.set_sensitive(true);
    value
}

enum BodyError {
    TooLong,
    Off,
}

async fn read_body(mut response: Response, longest: usize) -> Result<Vec<u8>, BodyError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| BodyError::Off)? {
        if bytes.len() + chunk.len() > longest {
            return Err(BodyError::TooLong);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
