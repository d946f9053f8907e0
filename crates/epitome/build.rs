//! How the program starts on Linux, where a hook is over in milliseconds and starting is most of it.
//!
//! It is linked at a fixed address: seventy thousand pointers of the grammars' tables would otherwise be written anew at
//! every start, a page fault for each page of them, and that was a third of what a hook costs. Libraries, stack and heap
//! still lie where nobody knows. And one function runs before the allocator does (`src/pages.c`); it is C, because what
//! comes before `main` is handed the arguments only there.

#[expect(clippy::disallowed_methods, reason = "what is built for is only told in variables")]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/pages.c");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    // Other libraries hand no arguments to what comes before `main`, and a program that brings its own is linked otherwise.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        let objects = cc::Build::new().file("src/pages.c").compile_intermediates();
        for object in objects {
            println!("cargo:rustc-link-arg-bins={}", object.display());
        }
    }
}
