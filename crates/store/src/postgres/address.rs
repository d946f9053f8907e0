//! `ServerAddress`: a database URL taken apart into what the driver reads, how the connection is secured (`tls.rs`)
//! and what proves the right to a tenant (`tenant_access.rs`). The driver refuses options that it does not know, so
//! ours are taken out before it reads the rest.

use super::failure::error_of;
use super::tenant_access::TenantAccess;
use super::tls::{TlsMode, TlsSettings};
use crate::{Error, Result};
use std::fmt::Write as _;
use std::net::IpAddr;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};

/// Where a database is and how to reach it.
pub(super) struct ServerAddress {
    pub(super) driver: Config,
    pub(super) tls: TlsSettings,
    /// `None` where the URL says nothing about tenants, as the owner's does.
    pub(super) access: Option<TenantAccess>,
    /// Whether passwords and messages may cross a network in clear.
    pub(super) is_exposed: bool,
}

/// The options of a URL that are ours, in their order.
#[derive(Default)]
struct OwnOptions(Vec<(String, String)>);

const OWN_OPTIONS: [&str; 6] = ["sslmode", "sslrootcert", "sslcert", "sslkey", "tenant_secret", "tenant_key"];

impl ServerAddress {
    /// Reads a URL, and refuses one that asks for what we cannot do.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let (rest, options) = take_own_options(url);
        let mut driver: Config =
            rest.parse().map_err(|error| error_of("the PostgreSQL database".to_owned(), &error))?;
        let refused = |reason: String| Error::Unavailable { database: name_of(&driver), reason };
        let access = match (options.find("tenant_secret"), options.find("tenant_key")) {
            (None, None) => None,
            (Some(secret), None) => Some(TenantAccess::from_secret(secret).map_err(refused)?),
            (None, Some(key)) => Some(TenantAccess::from_key(key).map_err(refused)?),
            (Some(_), Some(_)) => return Err(refused("`tenant_secret` and `tenant_key`: give one of them".to_owned())),
        };
        let mode = options.find("sslmode").map(TlsMode::parse).transpose().map_err(refused)?;
        let is_local = is_local(&driver);
        let tls = TlsSettings {
            // The driver's own default would fall back to plain text without a word, wherever the server is.
            mode: mode.unwrap_or(if is_local { TlsMode::Prefer } else { TlsMode::Require }),
            root_certificates: options.find("sslrootcert").map(str::to_owned),
            certificate: options.find("sslcert").map(str::to_owned),
            key: options.find("sslkey").map(str::to_owned),
            is_direct: driver.get_ssl_negotiation() == SslNegotiation::Direct,
        };
        tls.check().map_err(refused)?;
        // Over a Unix socket no other machine listens in, and servers offer no TLS there.
        let only_sockets = driver.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        let tls = if only_sockets { TlsSettings { mode: TlsMode::Disable, ..tls } } else { tls };
        driver.ssl_mode(if tls.mode == TlsMode::Disable { SslMode::Disable } else { SslMode::Require });
        let is_exposed = !is_local && !tls.mode.always_encrypts();
        Ok(Self { driver, tls, access, is_exposed })
    }
}

impl OwnOptions {
    /// The value of an option; the last one counts, as in the driver.
    fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a piece of the address is one of ours, which is then kept here.
    fn take(&mut self, piece: &str, decode: impl Fn(&str) -> String) -> bool {
        let Some((name, value)) = piece.split_once('=') else { return false };
        let is_own = OWN_OPTIONS.contains(&name);
        if is_own {
            self.0.push((name.to_owned(), decode(value)));
        }
        is_own
    }
}

/// The address without our options, and these.
fn take_own_options(url: &str) -> (String, OwnOptions) {
    let mut own = OwnOptions::default();
    if url.contains("://") {
        let Some((place, query)) = url.split_once('?') else { return (url.to_owned(), own) };
        let rest: Vec<&str> = query.split('&').filter(|piece| !own.take(piece, percent_decode)).collect();
        let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
        return (format!("{place}{query}"), own);
    }
    let unquote = |value: &str| value.trim_matches('\'').to_owned();
    let rest: Vec<&str> = url.split(' ').filter(|piece| !own.take(piece, unquote)).collect();
    (rest.join(" "), own)
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = (first == b'%').then(|| behind.get(..2)).flatten();
        let escaped = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether everything that is sent stays on this machine.
fn is_local(driver: &Config) -> bool {
    // An address given beside a name is where the driver connects to; the name is for certificates then.
    let addresses = driver.get_hostaddrs();
    if !addresses.is_empty() {
        return addresses.iter().all(IpAddr::is_loopback);
    }
    driver.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
    })
}

/// Host, port and database, and nothing secret.
pub(super) fn name_of(config: &Config) -> String {
    let mut name = "postgres://".to_owned();
    for (number, host) in config.get_hosts().iter().enumerate() {
        let port = config.get_ports().get(number).or_else(|| config.get_ports().first()).unwrap_or(&5432);
        let comma = if number == 0 { "" } else { "," };
        match host {
            Host::Tcp(host) => write!(name, "{comma}{host}:{port}"),
            Host::Unix(path) => write!(name, "{comma}{}:{port}", path.display()),
        }
        .expect("writing to a string cannot fail");
    }
    // Errors and logs show this name, so the password of the URL must not be in it.
    name + "/" + config.get_dbname().or_else(|| config.get_user()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> ServerAddress {
        ServerAddress::parse(url).expect("the URL is good")
    }

    fn check(url: &str, name: &str) {
        assert_eq!(name_of(&parse(url).driver), name);
    }

    #[test]
    fn a_name_says_where_and_hides_the_password() {
        check("postgres://app:s3cret@db.example:6000/team", "postgres://db.example:6000/team");
        check("postgres://app:s3cret@localhost", "postgres://localhost:5432/app");
        check("host=a,b port=1,2 user=u password=s3cret dbname=d", "postgres://a:1,b:2/d");
        check("postgres://u@/d?host=/run/postgresql", "postgres:///run/postgresql:5432/d");
    }

    #[test]
    fn what_no_build_can_do_is_said() {
        let refused = |url: &str| ServerAddress::parse(url).err().expect("the URL is bad").to_string();
        assert_eq!(
            refused("postgres://u:s3cret@db/d?sslmode=full"),
            "cannot use postgres://db:5432/d: `sslmode=full`: it is one of disable, allow, prefer, require, \
             verify-ca, verify-full"
        );
        assert_eq!(
            refused("postgres://u:s3cret@db:port/d"),
            "cannot use the PostgreSQL database: invalid connection string: invalid value for option `port`"
        );
        let both = format!("postgres://u@db/d?tenant_key={0}&tenant_secret={0}", "ab".repeat(32));
        assert!(refused(&both).ends_with("give one of them"), "{}", refused(&both));
        assert!(refused("postgres://u@db/d?tenant_key=s3cret").ends_with("`tenant_key` has 64 hexadecimal digits"));
    }

    /// What is sent to another machine is encrypted unless the user says otherwise.
    #[test]
    fn the_mode_depends_on_where_the_server_is() {
        let local = ["postgres://localhost/d", "postgres://127.0.0.1/d", "postgres://[::1]/d"];
        assert!(local.iter().all(|url| parse(url).tls.mode == TlsMode::Prefer));
        let far = ["postgres://db/d", "postgres://10.0.0.1/d", "host=localhost,db user=u", "postgres://localhost.x/d"];
        assert!(far.iter().all(|url| parse(url).tls.mode == TlsMode::Require));
        assert_eq!(parse("postgres://db/d?hostaddr=127.0.0.1").tls.mode, TlsMode::Prefer);
        assert_eq!(parse("postgres://localhost/d?hostaddr=10.0.0.1").tls.mode, TlsMode::Require);
        for (word, mode) in [("disable", TlsMode::Disable), ("allow", TlsMode::Allow), ("prefer", TlsMode::Prefer)] {
            assert_eq!(parse(&format!("postgres://db/d?sslmode={word}")).tls.mode, mode);
        }
        assert_eq!(parse("postgres://u@/d?host=/run/postgresql&sslmode=verify-full").tls.mode, TlsMode::Disable);
        assert_eq!(parse("host=db user=u sslmode=verify-ca").tls.mode, TlsMode::VerifyCa);
        for (url, is_exposed) in [
            ("postgres://db/d", false),
            ("postgres://db/d?sslmode=prefer", true),
            ("postgres://db/d?sslmode=disable", true),
            ("postgres://localhost/d?sslmode=disable", false),
            ("postgres://u@/d?host=/run/postgresql", false),
        ] {
            assert_eq!(parse(url).is_exposed, is_exposed, "{url}");
        }
    }

    #[test]
    fn our_options_are_taken_out_and_the_rest_is_left() {
        let url = "postgres://u@db/d?sslrootcert=%2Fa%20b%2Fca.pem&connect_timeout=3&sslmode=verify-full";
        let address = parse(url);
        assert_eq!(address.tls.root_certificates.as_deref(), Some("/a b/ca.pem"));
        assert_eq!(address.tls.mode, TlsMode::VerifyFull);
        assert_eq!(address.driver.get_connect_timeout().map(std::time::Duration::as_secs), Some(3));
        assert!(address.access.is_none());
    }
}
