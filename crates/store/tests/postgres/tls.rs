//! Integration tests of TLS to PostgreSQL: a real server with a certificate from an authority made here, under every
//! `sslmode`.

use fs_err as fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use store::postgres::{AppRole, PostgresStore};
use store::{Error, MemoryStore as _};
use tempfile::TempDir;
use testkit::postgres::PostgresCluster;

/// An authority, a certificate of it for `localhost` only, another authority, and a client's certificate.
struct TestAuthority {
    folder: TempDir,
}

impl TestAuthority {
    fn new() -> Self {
        let folder = TempDir::with_prefix("epitome-tls-").expect("the temporary directory is writable");
        // The server may be another user, and reads the certificate from here.
        fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        let script = "set -e
            authority() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj \"/CN=$1\" \\
              -keyout $1.key -out $1.pem; }
            signed() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj \"/CN=$1\" -keyout $1.key -out $1.csr
              printf \"subjectAltName=DNS:localhost\\nbasicConstraints=CA:FALSE\\n\" > ext
              openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out $1.pem; }
            authority ca; authority other; signed server; signed epitome_app
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \\
              -addext subjectAltName=DNS:localhost -keyout own.key -out own.pem";
        let made =
            Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().expect("there is a shell");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self { folder }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A server with one of the certificates; `access` is its `pg_hba.conf`.
    fn start_server(&self, certificate: &str, access: &str) -> PostgresCluster {
        let key = self.folder.path().join(format!("{certificate}.key"));
        give_to_server(self.folder.path(), &key);
        let settings = format!(
            "ssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'\nssl_ca_file = '{}'\n",
            self.file(&format!("{certificate}.pem")),
            key.display(),
            self.file("ca.pem")
        );
        PostgresCluster::start_configured(&settings, access)
    }
}

/// The server refuses a key that others could read, so it must own it.
fn give_to_server(folder: &Path, key: &Path) {
    use std::os::unix::fs::MetadataExt as _;
    fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    if fs::metadata(folder).is_ok_and(|metadata| metadata.uid() == 0) {
        std::os::unix::fs::chown(key, Some(65534), Some(65534)).expect("root may give files away");
    }
}

/// Both ways in, without a password.
const OPEN: &str = "host all all 127.0.0.1/32 trust\n";

/// A database that is ready, and the URL of the application at `localhost` with options put to it.
async fn ready_url(cluster: &PostgresCluster) -> impl Fn(&str) -> String {
    let admin = format!("{}?sslmode=require", cluster.url());
    let ready = PostgresStore::init(&admin, &AppRole::default()).await.expect("makes it ready over TLS");
    let (place, query) = ready.url.split_once('?').expect("it has options");
    let secret = query.split('&').find(|option| option.starts_with("tenant_secret=")).expect("it has a secret");
    let url = format!("{}?{secret}", place.replacen("127.0.0.1", "localhost", 1));
    move |options: &str| if options.is_empty() { url.clone() } else { format!("{url}&{options}") }
}

/// Whether the connection of a store is encrypted, as the server sees it, or why there is none.
async fn connect(cluster: &PostgresCluster, url: &str) -> Result<bool, String> {
    let store = PostgresStore::connect(url, 1).await.map_err(|error| {
        let Error::Unavailable { reason, .. } = error else { panic!("{error:?}") };
        reason
    })?;
    store.memory_totals().await.expect("reads");
    // The newest one: a connection of the store before may not have ended yet.
    let sql = "SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.usename = 'epitome_app'
               ORDER BY a.backend_start DESC LIMIT 1";
    Ok(crate::server::connect(cluster.url()).await.query_one(sql, &[]).await.expect("asks").get(0))
}

#[tokio::test]
async fn every_mode_does_what_libpq_says() {
    let authority = TestAuthority::new();
    let cluster = authority.start_server("server", OPEN);
    let url = ready_url(&cluster).await;
    let ours = format!("sslrootcert={}", authority.file("ca.pem"));
    let others = format!("sslrootcert={}", authority.file("other.pem"));
    for (options, encrypted) in [
        ("sslmode=disable", false),
        ("sslmode=allow", false),
        ("sslmode=prefer", true),
        ("", true),
        ("sslmode=require", true),
        (&format!("sslmode=verify-ca&{ours}"), true),
        (&format!("sslmode=verify-full&{ours}"), true),
    ] {
        assert_eq!(connect(&cluster, &url(options)).await, Ok(encrypted), "{options}");
    }
    // The certificate is for `localhost`, not for the address.
    let by_address = |options: &str| url(options).replacen("localhost", "127.0.0.1", 1);
    assert_eq!(connect(&cluster, &by_address(&format!("sslmode=verify-ca&{ours}"))).await, Ok(true));
    let refused =
        connect(&cluster, &by_address(&format!("sslmode=verify-full&{ours}"))).await.expect_err("another name");
    assert!(refused.contains("invalid peer certificate"), "{refused}");
    // Another authority, and the system's, do not know it; a file turns `require` into `verify-ca`.
    for options in [
        format!("sslmode=verify-ca&{others}"),
        format!("sslmode=verify-full&{others}"),
        format!("sslmode=require&{others}"),
        "sslmode=verify-full".to_owned(),
        "sslmode=verify-full&sslrootcert=system".to_owned(),
    ] {
        let refused = connect(&cluster, &url(&options)).await.expect_err(&options);
        assert!(refused.contains("invalid peer certificate: UnknownIssuer\nhint: `sslrootcert=FILE`"), "{refused}");
    }
    let refused = connect(&cluster, &url("sslmode=verify-ca&sslrootcert=/nowhere.pem")).await.expect_err("no file");
    assert!(refused.starts_with("`sslrootcert=/nowhere.pem`: "), "{refused}");
    let refused = connect(&cluster, &url("sslmode=require&sslrootcert=system")).await.expect_err("too weak");
    assert_eq!(refused, "`sslrootcert=system` needs `sslmode=verify-full`, not `require`");
}

#[tokio::test]
async fn a_server_that_demands_tls_and_certificates_gets_them() {
    let authority = TestAuthority::new();
    let access = "host all postgres 127.0.0.1/32 trust\nhostssl all epitome_app 127.0.0.1/32 cert\n";
    let cluster = authority.start_server("server", access);
    let url = ready_url(&cluster).await;
    let own = format!("sslcert={}&sslkey={}", authority.file("epitome_app.pem"), authority.file("epitome_app.key"));
    assert_eq!(connect(&cluster, &url(&own)).await, Ok(true));
    // Plain text is refused by the server, so `allow` comes back with TLS.
    assert_eq!(connect(&cluster, &url(&format!("sslmode=allow&{own}"))).await, Ok(true));
    let plain = connect(&cluster, &url("sslmode=disable")).await.expect_err("it wants TLS");
    assert!(plain.contains("no pg_hba.conf entry"), "{plain}");
    connect(&cluster, &url("sslmode=require")).await.expect_err("it wants a certificate");
    let half = connect(&cluster, &url(&format!("sslcert={}", authority.file("ca.pem")))).await.expect_err("no key");
    assert_eq!(half, "`sslcert` and `sslkey`: one needs the other");
}

/// One certificate that is its own authority, as many small servers have.
#[tokio::test]
async fn a_certificate_that_signed_itself_can_be_named() {
    let authority = TestAuthority::new();
    let cluster = authority.start_server("own", OPEN);
    let url = ready_url(&cluster).await;
    let own = format!("sslmode=verify-full&sslrootcert={}", authority.file("own.pem"));
    assert_eq!(connect(&cluster, &url(&own)).await, Ok(true));
    let refused = connect(&cluster, &url(&own).replacen("localhost", "127.0.0.1", 1)).await.expect_err("another name");
    assert!(refused.contains("invalid peer certificate"), "{refused}");
}

#[tokio::test]
async fn plain_text_goes_to_no_other_machine_unasked() {
    let cluster = PostgresCluster::start_configured("", OPEN);
    let ready = PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready");
    // An address given beside a name is where the driver connects to; the name is what the user wrote.
    let far = ready.url.replacen("127.0.0.1", "db.example", 1) + "&hostaddr=127.0.0.1";
    assert_eq!(connect_only(&far).await, Ok(()), "the address is loopback");
    let asked = ready.url.clone() + "&sslmode=require";
    let refused = connect_only(&asked).await.expect_err("the server has no TLS");
    let wanted = "error performing TLS handshake: server does not support TLS\n\
                  hint: messages would cross the network in clear; switch TLS on in the server, or add \
                  `sslmode=disable` to the URL where the network is trusted";
    assert_eq!(refused, wanted);
}

async fn connect_only(url: &str) -> Result<(), String> {
    PostgresStore::connect(url, 1).await.map(drop).map_err(|error| {
        let Error::Unavailable { reason, .. } = error else { panic!("{error:?}") };
        reason
    })
}
