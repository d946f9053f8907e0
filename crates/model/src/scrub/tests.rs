//! Unit and property tests of `Scrubber` on realistic texts: tokens, private keys, passwords in URLs, JSON, user
//! rules, idempotence.

use super::*;
use proptest::prelude::*;

fn scrubber() -> Scrubber {
    Scrubber::new(ScrubKey::new([7; 32]), &[])
}

/// Scrubs `text` and shows hashes as `#`.
fn shown(scrubber: &Scrubber, text: &str) -> String {
    let (clean, found) = scrubber.scrub_text(text);
    found.iter().fold(clean.into_owned(), |text, found| {
        let placeholder = found.placeholder.as_str();
        let short = format!("{}#]", &placeholder[..placeholder.len() - 9]);
        text.replace(placeholder, &short)
    })
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shown(&scrubber(), text), expected);
}

/// In two pieces, so that no other scanner takes this file for a leak.
const GITHUB: &str = concat!("gh", "p_1x3Vq9ZtK7mB2cD8eF4gH6jL0nP5rS1uW3yA");

#[test]
fn a_token_is_replaced_wherever_it_stands() {
    for (before, after) in [
        ("", ""),
        ("token: ", "."),
        ("https://x:", "@github.com"),
        (r#"{"a":"line\n"#, r#"\nmore"}"#),
        (r#"{"a":"{\"b\":\"x\\n"#, r#"\"}"}"#),
        ("\u{1b}[32m", "\u{1b}[0m"),
        ("key%3D", "&x=1"),
        ("export GH=", "\r\n"),
    ] {
        check(&format!("{before}{GITHUB}{after}"), &format!("{before}[secret:github-pat:#]{after}"));
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "",
        "the key to success is a token of appreciation",
        "let token = self.next_token1;",
        "api_key = os.environ[\"API_KEY\"]",
        "password: ${DB_PASSWORD}",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "postgres://user:$PASSWORD@localhost/db",
        r#"{"usage":{"input_tokens":12345678901,"cache_key":"user-session-v2"}}"#,
        "START = \"-----BEGIN RSA PRIVATE KEY-----\"\nEND = \"-----END RSA PRIVATE KEY-----\"",
        "items.sort(); s.isTrailingSpaceSensitive=a.value",
        "basic_auth = AuthenticationMiddleware",
        "USERNAME_PASSWORD: 0x02,",
        "fn only_the_pat_policy_can_reach_the_pat() {",
        "kind: Secret\nmetadata:\n  name: shop\n---\nkind: ConfigMap\ndata:\n  mode: \"true\"\n",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    ] {
        assert!(matches!(scrubber().scrub(text.as_bytes()).bytes, Cow::Borrowed(_)), "{}", shown(&scrubber(), text));
    }
}

#[test]
fn an_image_is_not_searched_for_tokens() {
    let bytes = "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(10);
    let text = format!("data:image/png;base64,{bytes}/AKIA2B3C4D5E6F7G2H3J+{bytes}");
    assert!(scrubber().scrub(text.as_bytes()).found.is_empty());
    check("https://example.org/AKIA2B3C4D5E6F7G2H3J", "https://example.org/[secret:aws-access-key-id:#]");
}

#[test]
fn a_private_key_goes_with_its_body() {
    let body = "MIIEowIBAAKCAQEAy8Dbv8prpJ/0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy";
    let head = "-----BEGIN RSA PRIVATE KEY-----";
    let tail = "-----END RSA PRIVATE KEY-----";
    check(&format!("a\n{head}\n{body}\n{body}\n{tail}\nb"), "a\n[secret:private-key:#]\nb");
    check(&format!(r#"{{"k":"{head}\n{body}\n{tail}\n"}}"#), r#"{"k":"[secret:private-key:#]\n"}"#);
    check(&format!("  1→{head}\n  2→{body}\n  3→{tail}"), "  1→[secret:private-key:#]");
    check(
        &format!(r#"["{head}","{body}","{tail}"]"#),
        r#"["[secret:private-key:#]","[secret:private-key:#]","[secret:private-key:#]"]"#,
    );
    check(
        &format!(r#"{{"out":"{head}\n{body}\n{}…"}}"#, &body[..40]),
        &format!(r#"{{"out":"{head}\n[secret:private-key:#]\n[secret:private-key:#]…"}}"#),
    );
}

#[test]
fn a_value_is_known_by_its_name() {
    let value = "f3A9xQ7LkP0vT2mZ8rW4";
    for (before, after) in [
        ("api_key = \"", "\""),
        ("API_KEY=", ""),
        (r#"{"apiKey":""#, r#"","x":1}"#),
        (r#"{"t":"{\"apiKey\": \""#, r#"\"}"}"#),
        (r#"{"t":"secret\u003d"#, r#"\u0026b"}"#),
        ("client_secret => '", "',"),
        ("?access_token=", "&page=2"),
    ] {
        check(&format!("{before}{value}{after}"), &format!("{before}[secret:generic-secret:#]{after}"));
    }
}

#[test]
fn a_bare_number_of_json_becomes_a_string() {
    check(
        r#"{"discord_client_id": 281734095562817349, "n": 1}"#,
        r#"{"discord_client_id": "[secret:discord-client-id:#]", "n": 1}"#,
    );
}

#[test]
fn a_password_in_an_address_goes_and_the_address_stays() {
    check("postgres://ada:s3cr3tPw9@db/x", "postgres://ada:[secret:url-password:#]@db/x");
    check(r"postgres:\/\/ada:s3cr3tPw9@db\/x", r"postgres:\/\/ada:[secret:url-password:#]@db\/x");
}

#[test]
fn equal_secrets_have_equal_placeholders_and_another_key_gives_others() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAy8Dbv8prpJ\n-----END PRIVATE KEY-----";
    let escaped = key.replace('\n', "\\n");
    let one = |scrubber: &Scrubber, text: &str| scrubber.scrub(text.as_bytes()).found[0].placeholder.clone();
    assert_eq!(one(&scrubber(), key), one(&scrubber(), &escaped));
    let other = Scrubber::new(ScrubKey::new([8; 32]), &[]);
    assert_ne!(one(&scrubber(), key), one(&other, key));
}

#[test]
fn what_was_found_is_told_by_rule_and_place_and_never_by_value() {
    let text = format!("first {GITHUB}AKIA2B3C4D5E6F7G2H3J");
    let scrubbed = scrubber().scrub(text.as_bytes());
    let told: Vec<_> = scrubbed.found.iter().map(|found| (found.rule.as_str(), found.span.to_range())).collect();
    assert_eq!(told, [("github-pat", 6..text.len())]);
    let debug = format!("{:?} {:?}", scrubber(), scrubbed.found);
    assert!(!debug.contains(GITHUB) && !debug.contains("AKIA") && !debug.contains('7'), "{debug}");
}

#[test]
fn rules_of_the_user_are_followed_too() {
    let rule = UserRule::new("badge", SecretPattern::parse(r#"badge="\d+""#).expect("a pattern")).expect("a name");
    let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[rule]);
    let text = r#"{"a":"x badge=\"4711\" y","b":4711}"#;
    assert_eq!(shown(&scrubber, text), r#"{"a":"x [secret:badge:#] y","b":4711}"#);
}

#[test]
fn a_rule_that_fits_everything_leaves_json_and_ends() {
    let rule = UserRule::new("all", SecretPattern::parse("(?s).+").expect("a pattern")).expect("a name");
    let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[rule]);
    assert_eq!(shown(&scrubber, r#"{"a":[1,"é"]}"#), r#"{"a":["[secret:all:#]","[secret:all:#]"]}"#);
    assert_eq!(shown(&scrubber, "é\n[secret:x:00000000]ß"), "[secret:all:#][secret:x:00000000][secret:all:#]");
}

#[test]
fn a_password_goes_whatever_it_looks_like() {
    for (before, value, after) in [
        ("DB_PASSWORD=", "Summer2024!", ""),
        ("DB_PASSWORD=", "Xk9$mQ2vL7pT", "\nPORT=1"),
        ("POSTGRES_PASSWORD=", "Xk9mQ2vL7", ""),
        ("MYSQL_ROOT_PASSWORD=", "a8f5f167f44f", ""),
        ("ADMIN_PASSWORD=", "dragon", ""),
        (r#"{"password":""#, "kJ8#mN2pQ5vR9xT4", r#"","n":1}"#),
        (r#"{"password":""#, r#"a\"b1"#, r#"","n":1}"#),
        (r#"{"t":"{\"password\":\""#, "kJ8#mN2p", r#"\"}"}"#),
        ("password: ", "Summer2024!", "\nhost: db"),
        ("Server=db;Uid=sa;Pwd=", "Xk9;mQ2", ";Encrypt=true"),
        ("?user=a&password=", "Winter-73", "&ssl=true"),
        ("<password>", "Tiger!7x", "</password>"),
        ("deploy --password ", "Xk9mQ2vL7", " --user ada"),
        ("define('DB_PASSWORD', '", "Tiger!7x", "');"),
        ("const password: string = \"", "Tiger!7x", "\";"),
        ("${DB_PASSWORD:-", "hunter22", "}"),
        ("the password is ", "Tiger!77", ", he said"),
    ] {
        check(&format!("{before}{value}{after}"), &format!("{before}[secret:password:#]{after}"));
    }
}

#[test]
fn a_name_of_json_is_no_value_and_ends_no_other() {
    for text in [
        r#"{"type":"summary","summary":"Password reset flow and login form","leafUuid":"dd1e2a54-6a0e-4c2e-9f1f-2b7f0a3c9d11"}"#,
        r#"{"field":"password","messageId":"f3A9xQ7LkP0vT2mZ8rW4"}"#,
        r#"["token","f3A9xQ7LkP0vT2mZ8rW4"]"#,
        r#"{"note":"the api key:","sessionId":"f3A9xQ7LkP0vT2mZ8rW4"}"#,
        r#"{"list":["mcp__82801c78__all_api_read","mcp__82801c78-47b7-468f-a512-14c1f87d2c66__all_api_write"]}"#,
    ] {
        check(text, text);
    }
}

#[test]
fn hostile_texts_take_time_by_their_length() {
    // In quadratic time, these would not end within the test.
    for piece in
        ["password=", "token=ab,", "sk_live_", "pass='a pass=\"b ", ".eyJ", "-----END PRIVATE KEY-----", "kty "]
    {
        let text = piece.repeat(400_000 / piece.len());
        let scrubbed = scrubber().scrub(text.as_bytes());
        assert!(scrubbed.found.len() <= text.len(), "{piece}");
    }
}

/// Texts in which secrets, halves of secrets, placeholders and escapes meet in every way.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(GITHUB.as_bytes().to_vec()),
        Just(b"AKIA2B3C4D5E6F7G2H3J".to_vec()),
        Just(b"-----BEGIN PRIVATE KEY-----".to_vec()),
        Just(b"-----END PRIVATE KEY-----".to_vec()),
        Just(b"MIIEowIBAAKCAQEAy8Dbv8prpJ0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy".to_vec()),
        Just(b"api_key = ".to_vec()),
        Just(b"DB_PASSWORD=".to_vec()),
        Just(b"\"password\": \"".to_vec()),
        Just(b"<secret>".to_vec()),
        Just(b"the token is Summer2024!".to_vec()),
        Just(b"kind: Secret\nstringData:\n  a: b\n  c: ".to_vec()),
        Just(b"name: password\n  value: ".to_vec()),
        Just(b"https://ada:".to_vec()),
        Just(b"Private-Lines: 1\n".to_vec()),
        Just(b"curl -H 'X-Api-Key: f3A9xQ7LkP0vT2mZ8rW4' -u ada:f3A9xQ7L x ".to_vec()),
        Just(b"[secret:github-pat:00112233]".to_vec()),
        Just(b"discord: 281734095562817349".to_vec()),
        "[ \\\\\"'\\[\\]{}:,=\n]{1,3}".prop_map(String::into_bytes),
        "[a-zA-Z0-9+/=_.-]{1,40}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 1..6),
        "\\PC{1,4}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn with_user_rules() -> Scrubber {
    let rule = |name: &str, pattern: &str| UserRule::new(name, SecretPattern::parse(pattern).expect("a pattern"));
    let rules = [rule("after", r"\]\s*\w+"), rule("hex", "[0-9a-f]{6}"), rule("start", "^ ?[A-Z]")];
    Scrubber::new(ScrubKey::new([7; 32]), &rules.map(|rule| rule.expect("a name")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn scrubbing_twice_is_scrubbing_once(text in text()) {
        for scrubber in [scrubber(), with_user_rules()] {
            let once = scrubber.scrub(&text);
            let twice = scrubber.scrub(&once.bytes);
            prop_assert_eq!(&twice.bytes, &once.bytes);
            prop_assert!(twice.found.is_empty());
        }
    }

    #[test]
    fn nothing_but_what_is_told_is_touched(text in text()) {
        for scrubber in [scrubber(), with_user_rules()] {
            let scrubbed = scrubber.scrub(&text);
            let mut at = 0;
            let mut rest = &scrubbed.bytes[..];
            for found in &scrubbed.found {
                let kept = &text[at..found.span.to_range().start];
                rest = rest.strip_prefix(kept).expect("what stands before a secret is kept");
                rest = rest.strip_prefix(b"\"").filter(|rest| rest.starts_with(b"[")).unwrap_or(rest);
                rest = rest.strip_prefix(found.placeholder.as_str().as_bytes()).expect("the placeholder follows");
                at = found.span.to_range().end;
                let is_closed = rest.first() == Some(&b'"') && text.get(at) != Some(&b'"');
                rest = if is_closed { &rest[1..] } else { rest };
            }
            prop_assert_eq!(rest, &text[at..]);
        }
    }

    #[test]
    fn text_stays_text(text in text()) {
        let text = String::from_utf8_lossy(&text).into_owned();
        let (scrubbed, _) = with_user_rules().scrub_text(&text);
        prop_assert_eq!(String::from_utf8_lossy(scrubbed.as_bytes()).into_owned(), scrubbed.into_owned());
    }
}
