//! Checks the `Host` and `Origin` headers of HTTP requests against allow lists, and adds security headers to every
//! reply. A web page can make a browser connect to loopback, either openly (with its `Origin`) or under a name that it
//! has pointed at 127.0.0.1 (DNS rebinding; the name is then in `Host`). Neither is on the lists. There is no CORS: a
//! page of ours is served from our own origin, and no other page has business here.

use super::refusal::HttpRefusal;
use crate::config::schema::ServerConfig as Settings;
use crate::errors::{AppError, ErrorClass};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use std::net::SocketAddr;

/// Names under which we answer, and origins that may call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestGuard {
    /// `host:port`, or `host` for any port.
    hosts: Vec<String>,
    /// `scheme://host:port`, the port always written.
    origins: Vec<String>,
}

impl RequestGuard {
    /// Our own address, and what the configuration adds.
    pub(super) fn new(address: SocketAddr, settings: &Settings) -> Result<Self, AppError> {
        let own = own_names(address).into_iter().map(|name| format!("{name}:{}", address.port()));
        let own: Vec<String> = own.collect();
        let origins = own.iter().map(|host| Ok(format!("http://{host}")));
        let added = settings.allowed_origins.iter().map(|text| {
            parse_origin(text).ok_or_else(|| {
                let message = format!("cannot use `{text}` of server.allowed_origins: it is not a web origin");
                AppError::new(ErrorClass::Usage, "configuration", message)
                    .with_hint("write it as https://app.example.com")
            })
        });
        let origins = origins.chain(added).collect::<Result<_, _>>()?;
        let added = settings.allowed_hosts.iter().map(|host| host.trim().to_ascii_lowercase());
        Ok(Self { hosts: own.into_iter().chain(added).collect(), origins })
    }

    /// Passes a request that was sent to one of our names, from no web page or from one of our own.
    pub(super) fn check_request(&self, request: &Request) -> Result<(), HttpRefusal> {
        // A request line may name a host too, and then it counts more than the header.
        let line = request.uri().authority().map(|authority| Some(authority.as_str()));
        let header = single_header(request.headers(), header::HOST);
        for host in line.into_iter().chain([header]) {
            // A missing host is refused as well: every client of HTTP/1.1 sends one.
            if !host.is_some_and(|host| self.has_host(host)) {
                let shown = host.unwrap_or_default();
                let message = format!("cannot answer for host `{shown}`: it is not one of this server's names");
                return Err(HttpRefusal::new(StatusCode::FORBIDDEN, "host_not_allowed", message)
                    .with_hint("if the name is yours, add it to server.allowed_hosts"));
            }
        }
        // Programs send no origin; a page of another site makes its browser send one.
        if request.headers().contains_key(header::ORIGIN) {
            let asked = single_header(request.headers(), header::ORIGIN).unwrap_or_default();
            if !parse_origin(asked).is_some_and(|origin| self.origins.contains(&origin)) {
                let message = format!("cannot answer a page of origin `{asked}`: it is not an allowed one");
                return Err(HttpRefusal::new(StatusCode::FORBIDDEN, "origin_not_allowed", message)
                    .with_hint("if the page is yours, add its origin to server.allowed_origins"));
            }
        }
        Ok(())
    }

    fn has_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let (name, port) = split_port(&host);
        let full = format!("{name}:{}", port.unwrap_or("80"));
        self.hosts.iter().any(|allowed| *allowed == full || *allowed == name)
    }

    /// The names for the MCP SDK, which checks them a second time; without ports, which it would not fill in.
    pub(super) fn host_names(&self) -> Vec<String> {
        self.hosts.iter().map(|host| split_port(host).0.to_owned()).collect()
    }

    /// The origins for the MCP SDK.
    pub(super) fn allowed_origins(&self) -> Vec<String> {
        self.origins.clone()
    }
}

/// Headers of every reply: no guessing of types, and no copies of code or conversations in a cache.
pub(super) fn set_security_headers(headers: &mut HeaderMap) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

fn own_names(address: SocketAddr) -> Vec<String> {
    let mut names = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec();
    let own = match address.ip() {
        std::net::IpAddr::V4(ip) => ip.to_string(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
    };
    // With 0.0.0.0 the server has no single address that could be its name.
    if !address.ip().is_unspecified() && !names.contains(&own) {
        names.push(own);
    }
    names
}

/// The one value of a header; two are as bad as none.
fn single_header(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        // Two values are how a request is smuggled past a proxy that checks only the first.
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Host and port of an authority; the colons of a bare IPv6 address are no port.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// A web origin as `scheme://host:port`.
fn parse_origin(text: &str) -> Option<String> {
    let uri: Uri = text.trim().parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let host = uri.host()?.to_ascii_lowercase();
    // An origin has no path and no user; an address with one of them is no origin.
    let is_bare = uri.path() == "/" && uri.query().is_none() && !uri.authority()?.as_str().contains('@');
    let default = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    is_bare.then(|| format!("{scheme}://{host}:{}", uri.port_u16().unwrap_or(default)))
}

#[cfg(test)]
mod tests;
