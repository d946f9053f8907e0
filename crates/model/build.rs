//! Build script that compiles the Aho-Corasick automaton of the secret scanner's keywords from the rule table
//! `rules/secrets.txt`.

#[path = "src/scrub/automaton.rs"]
mod automaton;

use std::path::PathBuf;

const TABLE: &str = "rules/secrets.txt";

#[expect(
    clippy::disallowed_methods,
    reason = "where things are is only told in variables, and this runs before anything"
)]
fn main() -> std::io::Result<()> {
    for read in [TABLE, "src/scrub/automaton.rs", "build.rs"] {
        println!("cargo:rerun-if-changed={read}");
    }
    let table = std::fs::read_to_string(TABLE)?;
    let keywords =
        automaton::parse_keywords(&table).map_err(|line| std::io::Error::other(format!("no rule: {line}")))?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    std::fs::write(out.join("keywords.bin"), automaton::build_automaton(&keywords))
}
