//! How the program is linked on Linux: at a fixed address.
//!
//! Seventy thousand pointers of the grammars' tables would otherwise be written anew at every start, a page fault for each
//! page of them, and that was a third of what a hook costs. Libraries, stack and heap still lie where nobody knows.

#[expect(clippy::disallowed_methods, reason = "what is built for is only told in variables")]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
