//! TLS to PostgreSQL with rustls: `sslmode`, `sslrootcert`, `sslcert` and `sslkey` as libpq has them, but that the
//! system's authorities are asked where no file is named.
//!
//! | mode          | encrypted                          | the server's certificate                        |
//! |---------------|------------------------------------|-------------------------------------------------|
//! | `disable`     | never                              |                                                 |
//! | `allow`       | where the server refuses plain text | not looked at                                  |
//! | `prefer`      | where the server offers it         | not looked at                                   |
//! | `require`     | always                             | not looked at, unless `sslrootcert` is given    |
//! | `verify-ca`   | always                             | from a known authority                          |
//! | `verify-full` | always                             | from a known authority, and for this host       |

use deadpool_postgres::Connect;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_postgres::{AsyncMessage, Client, Config, Socket};

use super::tls_verifier::{AnyCertificate, CheckedAuthority};

/// Whether and how a connection is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

const MODES: [(TlsMode, &str); 6] = [
    (TlsMode::Disable, "disable"),
    (TlsMode::Allow, "allow"),
    (TlsMode::Prefer, "prefer"),
    (TlsMode::Require, "require"),
    (TlsMode::VerifyCa, "verify-ca"),
    (TlsMode::VerifyFull, "verify-full"),
];

impl TlsMode {
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        MODES.iter().find(|(_, known)| *known == word).map(|(mode, _)| *mode).ok_or_else(|| {
            let known = MODES.map(|(_, known)| known).join(", ");
            format!("`sslmode={word}`: it is one of {known}")
        })
    }

    pub(super) fn as_str(self) -> &'static str {
        MODES.iter().find(|(mode, _)| *mode == self).map_or("", |(_, word)| word)
    }

    /// Whether nothing is ever sent in clear.
    pub(super) fn always_encrypts(self) -> bool {
        matches!(self, Self::Require | Self::VerifyCa | Self::VerifyFull)
    }
}

/// What a URL says about TLS.
#[derive(Clone)]
pub(super) struct TlsSettings {
    pub(super) mode: TlsMode,
    /// A file of authorities, or `system`.
    pub(super) root_certificates: Option<String>,
    /// The client's own certificate, where the server asks for one.
    pub(super) certificate: Option<String>,
    pub(super) key: Option<String>,
    /// Whether TLS begins without asking the server first.
    pub(super) is_direct: bool,
}

/// The word for the authorities that the system trusts.
const SYSTEM_ROOTS: &str = "system";

impl TlsSettings {
    /// Refuses settings that contradict each other.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.certificate.is_some() != self.key.is_some() {
            return Err("`sslcert` and `sslkey`: one needs the other".to_owned());
        }
        // Anybody can have a certificate from a public authority, so without the name it proves nothing.
        let is_system = self.root_certificates.as_deref() == Some(SYSTEM_ROOTS);
        if is_system && !matches!(self.mode, TlsMode::VerifyFull | TlsMode::Disable) {
            return Err(format!("`sslrootcert=system` needs `sslmode=verify-full`, not `{}`", self.mode.as_str()));
        }
        Ok(())
    }

    /// What makes connections in this way.
    pub(super) fn build_connector(&self) -> Result<TlsConnector, String> {
        let config = if self.mode == TlsMode::Disable { None } else { Some(Arc::new(self.build_config()?)) };
        Ok(TlsConnector { mode: self.mode, config })
    }

    fn build_config(&self) -> Result<ClientConfig, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS cannot be used: {error}"))?
            .dangerous();
        let checks_authority = matches!(self.mode, TlsMode::VerifyCa | TlsMode::VerifyFull);
        let builder = if checks_authority || (self.mode == TlsMode::Require && self.root_certificates.is_some()) {
            let authorities = self.load_authorities()?;
            let is_full = self.mode == TlsMode::VerifyFull;
            let verifier = CheckedAuthority::new(authorities, provider, is_full)?;
            builder.with_custom_certificate_verifier(Arc::new(verifier))
        } else {
            builder.with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        };
        let mut config = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                let chain = load_certificates("sslcert", certificate)?;
                let key = PrivateKeyDer::from_pem_file(key).map_err(|error| format!("`sslkey={key}`: {error}"))?;
                builder.with_client_auth_cert(chain, key).map_err(|error| format!("`sslcert`: {error}"))?
            }
            _ => builder.with_no_client_auth(),
        };
        if self.is_direct {
            config.alpn_protocols = vec![b"postgresql".to_vec()];
        }
        Ok(config)
    }

    fn load_authorities(&self) -> Result<Vec<CertificateDer<'static>>, String> {
        match self.root_certificates.as_deref() {
            Some(file) if file != SYSTEM_ROOTS => load_certificates("sslrootcert", file),
            _ => {
                let found = rustls_native_certs::load_native_certs();
                if found.certs.is_empty() {
                    let hint = "hint: `sslrootcert=FILE` names a file of authorities";
                    return Err(format!("the system has no certificates of authorities\n{hint}"));
                }
                Ok(found.certs)
            }
        }
    }
}

fn load_certificates(option: &str, file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let refused = |error: rustls::pki_types::pem::Error| format!("`{option}={file}`: {error}");
    let read: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(refused)?.collect();
    let read = read.map_err(refused)?;
    if read.is_empty() { Err(format!("`{option}={file}`: it holds no certificate")) } else { Ok(read) }
}

/// The authorities as rustls looks them up. Those it cannot read are left out: systems ship some that are odd.
pub(super) fn root_store(authorities: &[CertificateDer<'static>]) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities.iter().cloned());
    roots
}

/// Makes connections, with the attempts that a mode allows.
#[derive(Clone)]
pub(super) struct TlsConnector {
    mode: TlsMode,
    config: Option<Arc<ClientConfig>>,
}

type ConnectFuture<'a> =
    Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), tokio_postgres::Error>> + Send + 'a>>;

impl Connect for TlsConnector {
    fn connect(&self, config: &Config) -> ConnectFuture<'_> {
        let config = config.clone();
        Box::pin(async move { self.connect_with(&config, None).await })
    }
}

impl TlsConnector {
    /// Makes a connection that tells of notices.
    pub(super) async fn connect_listening(
        &self,
        config: &Config,
        noticed: Arc<Notify>,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        self.connect_with(config, Some(noticed)).await
    }

    async fn connect_with(
        &self,
        config: &Config,
        noticed: Option<Arc<Notify>>,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let (first, second) = match self.mode {
            TlsMode::Disable => (SslMode::Disable, None),
            TlsMode::Allow => (SslMode::Disable, Some(SslMode::Require)),
            TlsMode::Prefer => (SslMode::Prefer, Some(SslMode::Disable)),
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => (SslMode::Require, None),
        };
        let failed = match self.attempt(config, first, noticed.clone()).await {
            Ok(connected) => return Ok(connected),
            Err(failed) => failed,
        };
        match second.filter(|_| may_pass_otherwise(&failed)) {
            // What went wrong first is what the user has to know: the second way was only tried for want of it.
            Some(second) => self.attempt(config, second, noticed).await.map_err(|_| failed),
            None => Err(failed),
        }
    }

    async fn attempt(
        &self,
        config: &Config,
        mode: SslMode,
        noticed: Option<Arc<Notify>>,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let mut config = config.clone();
        config.ssl_mode(mode);
        let (client, mut connection) = config.connect(self.clone()).await?;
        let task = tokio::spawn(async move {
            while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                match (message, &noticed) {
                    (Ok(AsyncMessage::Notification(_)), Some(noticed)) => noticed.notify_one(),
                    (Ok(_), _) => {}
                    (Err(error), _) => {
                        tracing::warn!(%error, "a connection to PostgreSQL was lost");
                        return;
                    }
                }
            }
        });
        Ok((client, task))
    }
}

/// Whether a connection that failed may succeed with TLS where it had none, or without where it had: a wrong password
/// does not, nor does a server that is not there.
fn may_pass_otherwise(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => code.code() == "28000",
        None => error.to_string().contains("TLS"),
    }
}

impl MakeTlsConnect<Socket> for TlsConnector {
    type Stream = TlsSocket;
    type TlsConnect = TlsHandshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<TlsHandshake, io::Error> {
        let name = ServerName::try_from(domain.to_owned()).map_err(io::Error::other)?;
        Ok(TlsHandshake { config: self.config.clone(), name })
    }
}

/// What is needed to secure one socket.
pub(super) struct TlsHandshake {
    config: Option<Arc<ClientConfig>>,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for TlsHandshake {
    type Stream = TlsSocket;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TlsSocket>> + Send + Sync>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let config = self.config.ok_or_else(|| io::Error::other("`sslmode=disable`"))?;
            let connector = tokio_rustls::TlsConnector::from(config);
            Ok(TlsSocket(Box::new(connector.connect(self.name, socket).await?)))
        })
    }
}

/// A socket whose bytes are encrypted.
pub(super) struct TlsSocket(Box<tokio_rustls::client::TlsStream<Socket>>);

impl tokio_postgres::tls::TlsStream for TlsSocket {
    fn channel_binding(&self) -> ChannelBinding {
        // It would need the hash that the server's certificate was signed with; `verify-full` proves the same.
        ChannelBinding::none()
    }
}

impl AsyncRead for TlsSocket {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncWrite for TlsSocket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
