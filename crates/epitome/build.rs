//! How the program starts on Linux, where a hook is over in milliseconds and starting is most of it.
//!
//! Seventy thousand pointers of the grammars' tables are put right at every start, because an attacker shall not know
//! where the program lies in memory. Written down one by one they were more to read than all else a hook touches;
//! packed, they are a few pages.

#[expect(clippy::disallowed_methods, reason = "what is built for is only told in variables")]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    // Other libraries cannot read them, and a program that brings its own is linked otherwise.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
