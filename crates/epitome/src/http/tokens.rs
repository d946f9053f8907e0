//! Makes the bearer tokens of the HTTP server and loads those it accepts, from files of the state directory. The first
//! token lies in the file `token`, readable by its owner only, and belongs to the configured tenant. Of further ones,
//! each for a named tenant, only the hash is kept, in `tokens.toml`. Requests are checked in `auth`.

mod private_file;

pub(crate) use private_file::shell_quote;

use crate::config::Config;
use crate::errors::{AppError, ErrorClass};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A shorter one could be guessed; ours have 64 characters.
const MIN_TOKEN_LENGTH: usize = 32;

/// The tokens of one installation, in its state directory.
pub(crate) struct TokenFiles {
    state: PathBuf,
}

/// A token that is accepted, by its hash, and the tenant it speaks for.
#[derive(Debug)]
pub(super) struct AcceptedToken {
    pub(super) tenant: String,
    /// Who shows it; empty where it may be anybody of the tenant.
    pub(super) member: String,
    // Comparing two of these takes the same time whatever they hold.
    pub(super) hash: blake3::Hash,
}

impl TokenFiles {
    pub(crate) fn new(state: &Path) -> Self {
        Self { state: state.to_owned() }
    }

    /// Where the token of the configured tenant lies.
    pub(crate) fn token_path(&self) -> PathBuf {
        self.state.join("token")
    }

    fn list_path(&self) -> PathBuf {
        self.state.join("tokens.toml")
    }

    /// The token of the configured tenant, made when there is none yet.
    pub(crate) fn configured_token(&self) -> Result<String, AppError> {
        let path = self.token_path();
        if let Some(text) = private_file::read_private(&path)? {
            return check_token(text.trim(), &path);
        }
        let token = random_token()?;
        let written = fs::create_dir_all(&self.state)
            .and_then(|()| tempfile::NamedTempFile::new_in(&self.state))
            .and_then(|mut file| file.write_all(format!("{token}\n").as_bytes()).map(|()| file));
        // Never overwritten: a running server knows the token that is there.
        match written.map_err(|error| private_file::disk_error("write the token", &error))?.persist_noclobber(&path) {
            Ok(_) => Ok(token),
            // Another process was faster; its token is as good.
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                check_token(private_file::read_private(&path)?.unwrap_or_default().trim(), &path)
            }
            Err(error) => Err(private_file::disk_error("write the token", &error.error)),
        }
    }

    /// Makes another token for `tenant`, or for a member of it. It is not kept, only its hash is.
    pub(crate) fn add_token(&self, tenant: &str, member: &str, config: &Config) -> Result<String, AppError> {
        check_tenant(tenant, config)?;
        let path = self.list_path();
        // The list is read first: one that is broken, or open to other users, must not grow.
        self.read_list()?;
        let token = random_token()?;
        let blake3 = hash_token(&token).to_string();
        let entry = TokenEntry { tenant: tenant.to_owned(), member: member.trim().to_owned(), blake3 };
        let list = TokenList { token: vec![entry] };
        let text = toml::to_string(&list).map_err(|error| {
            AppError::new(ErrorClass::Internal, "internal", format!("cannot write a token: {error}"))
        })?;
        fs::create_dir_all(&self.state)
            .and_then(|()| private_file::append_to(&path))
            // One write, so that two processes that add at once keep both entries whole; on a line of its own, even
            // after a last line that was left open by hand.
            .and_then(|mut file| file.write_all(format!("\n{text}").as_bytes()))
            .map_err(|error| private_file::disk_error("write the token", &error))?;
        Ok(token)
    }

    /// Every token that is accepted.
    pub(super) fn accepted_tokens(&self, config: &Config) -> Result<Vec<AcceptedToken>, AppError> {
        let own = AcceptedToken {
            tenant: config.database.tenant.clone(),
            member: config.memory.author.clone(),
            hash: hash_token(&self.configured_token()?),
        };
        let mut accepted = vec![own];
        for entry in self.read_list()? {
            check_tenant(&entry.tenant, config)?;
            let hash = blake3::Hash::from_hex(&entry.blake3).map_err(|error| {
                let tenant = &entry.tenant;
                let path = self.list_path();
                list_error(format!("cannot read a token of tenant `{tenant}` in {}: {error}", path.display()))
            })?;
            // A store of one person has no members.
            let is_shared = config.database.url.postgres_url().is_some();
            let member = if is_shared { entry.member } else { config.memory.author.clone() };
            accepted.push(AcceptedToken { tenant: entry.tenant, member, hash });
        }
        Ok(accepted)
    }

    fn read_list(&self) -> Result<Vec<TokenEntry>, AppError> {
        let path = self.list_path();
        let Some(text) = private_file::read_private(&path)? else { return Ok(Vec::new()) };
        let list: TokenList = toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            list_error(format!("cannot read {}:{line}: {}", path.display(), error.message()))
        })?;
        Ok(list.token)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct TokenList {
    #[serde(default)]
    token: Vec<TokenEntry>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct TokenEntry {
    tenant: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    member: String,
    blake3: String,
}

/// A tenant that the configured store can keep apart from the others.
fn check_tenant(tenant: &str, config: &Config) -> Result<(), AppError> {
    if tenant.trim().is_empty() {
        return Err(AppError::new(
            ErrorClass::Usage,
            "invalid_tenant",
            "cannot make a token for a tenant without a name",
        ));
    }
    let only = &config.database.tenant;
    // Rows of the embedded database have no tenant, so two tenants would see each other's conversations.
    if config.database.url.postgres_url().is_none() && tenant != only {
        let message = format!("cannot serve tenant `{tenant}`: the embedded database holds one tenant only, `{only}`");
        let hint = "set database.url to a PostgreSQL server to serve several";
        return Err(AppError::new(ErrorClass::Usage, "one_tenant", message).with_hint(hint));
    }
    Ok(())
}

/// The stored digest of a token, which is compared.
pub(super) fn hash_token(token: &str) -> blake3::Hash {
    blake3::hash(token.as_bytes())
}

/// 256 bits from the operating system, as text.
pub(super) fn random_token() -> Result<String, AppError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        AppError::new(ErrorClass::Unavailable, "randomness", format!("cannot make a token: no random bytes: {error}"))
    })?;
    Ok(blake3::Hash::from_bytes(bytes).to_string())
}

fn check_token(token: &str, path: &Path) -> Result<String, AppError> {
    if token.len() < MIN_TOKEN_LENGTH {
        let message =
            format!("cannot use the token in {}: it has less than {MIN_TOKEN_LENGTH} characters", path.display());
        let hint = "delete the file; the next `epitome serve` makes a new token";
        return Err(AppError::new(ErrorClass::NotAuthorised, "weak_token", message).with_hint(hint));
    }
    Ok(token.to_owned())
}

fn list_error(message: String) -> AppError {
    AppError::new(ErrorClass::Usage, "token_list", message)
        .with_hint("correct the file, or delete it and make its tokens anew with `epitome serve token --tenant NAME`")
}
