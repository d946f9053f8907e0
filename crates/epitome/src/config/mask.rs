//! Masks passwords of database URLs in any text that is shown: any text, not only a whole URL, because a line of a
//! malformed file is shown too.

/// `postgres://user:secret@host` becomes `postgres://user:***@host`; a `password=` parameter is hidden as well.
///
/// An address is taken to reach to the end of the text or to the next `://`: ending it at a quote or a space would
/// show what follows one in a password. Too much hidden is a nuisance, too little is a leak.
pub(crate) fn mask_passwords(text: &str) -> String {
    let mut pieces = text.split("://");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for address in pieces {
        shown.push_str("://");
        shown.push_str(&mask_parameters(&mask_userinfo(address)));
    }
    shown
}

/// The text shown in place of a hidden value.
pub(crate) const REDACTED_TEXT: &str = "***";

// A password with a bare `/` or `@` is not a proper address, but it is a password: when nothing before the first `/`
// looks like a user, everything up to the last `@` is taken for one.
fn mask_userinfo(address: &str) -> String {
    let authority = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    // Without an `@` before the path, one behind it may still end a password that contains a slash.
    let Some(at) = authority.rfind('@').or_else(|| address.rfind('@')) else { return address.to_owned() };
    match address[..at].split_once(':') {
        Some((user, _)) => format!("{user}:{REDACTED_TEXT}{}", &address[at..]),
        None => address.to_owned(),
    }
}

fn mask_parameters(address: &str) -> String {
    let Some((place, parameters)) = address.split_once('?') else { return address.to_owned() };
    let parameters = parameters.split('&').map(|parameter| match parameter.split_once('=') {
        // `sslpassword` and others end with the same word; the other two open tenants.
        Some((name, _)) if name.ends_with("password") || ["tenant_secret", "tenant_key"].contains(&name) => {
            format!("{name}={REDACTED_TEXT}")
        }
        _ => parameter.to_owned(),
    });
    format!("{place}?{}", parameters.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_never_show_and_the_rest_does() {
        let rows = [
            ("", ""),
            ("postgres://host/db", "postgres://host/db"),
            ("postgres://ada@host/db", "postgres://ada@host/db"),
            ("postgres://ada:s3cret@host:5432/db", "postgres://ada:***@host:5432/db"),
            ("postgres://:s3cret@host", "postgres://:***@host"),
            ("postgres://ada:s3@cr:et@host/db?a=b@c", "postgres://ada:***@host/db?a=b@c"),
            ("postgres://ada:s3/cr?et@host/db", "postgres://ada:***@host/db"),
            ("postgres://host:5432/db?mode=a@b", "postgres://host:***@b"),
            ("postgres://host/db?password=s3cret&a=b", "postgres://host/db?password=***&a=b"),
            ("postgres://ada:two words\"quoted@host", "postgres://ada:***@host"),
            ("postgres://host/db?a=b&sslpassword=s3cret", "postgres://host/db?a=b&sslpassword=***"),
            (
                "postgres://host/db?tenant_secret=5e&tenant_key=5e",
                "postgres://host/db?tenant_secret=***&tenant_key=***",
            ),
            ("url = \"postgres://a:b@c/d # x", "url = \"postgres://a:***@c/d # x"),
            ("['http://a:b@c', 'http://d:e@f']", "['http://a:***@c', 'http://d:***@f']"),
        ];
        for (text, expected) in rows {
            assert_eq!(mask_passwords(text), expected, "{text}");
        }
    }
}
