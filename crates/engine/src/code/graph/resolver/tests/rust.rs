//! Tests of the name resolver for Rust: crates and module trees, traits, generics and enums, and calls inside of
//! macros.

use super::{calls, others};
use expect_test::expect;

#[test]
fn paths_lead_through_modules_and_what_they_pass_on() {
    calls(
        r#"
== Cargo.toml
[workspace]
members = ["core", "app"]
== core/Cargo.toml
[package]
name = "my-core"
== core/src/lib.rs
pub mod deep;
mod hidden;
pub use hidden::{secret as known, Thing};
#[macro_export]
macro_rules! shout { ($x:expr) => { println!("{}", $x) }; }
== core/src/deep.rs
pub mod low;
pub fn down() { low::bottom(); self::low::bottom(); super::deep::low::bottom() }
== core/src/deep/low.rs
use super::super::hidden::*;
pub fn bottom() { secret(); crate::known(); }
== core/src/hidden.rs
pub fn secret() {}
pub struct Thing;
impl Thing { pub fn new() -> Self { Self } pub fn go(&self) {} }
== app/Cargo.toml
[package]
name = "app"
[dependencies]
base = { package = "my-core", path = "../core" }
== app/src/main.rs
use base::{deep, Thing};
fn main() {
    deep::down();
    base::known();
    Thing::new().go();
    base::shout!(deep::low::bottom());
    std::process::exit(0);
}
mod inner {
    use super::*;
    fn f() { deep::down(); helper(); }
}
fn helper() {}
"#,
        &expect![[r#"
            core/src/deep.rs down -> core/src/deep/low.rs bottom
            core/src/deep/low.rs bottom -> core/src/hidden.rs secret
            app/src/main.rs main -> core/src/deep.rs down
            app/src/main.rs main -> core/src/deep/low.rs bottom
            app/src/main.rs main -> core/src/hidden.rs secret
            app/src/main.rs main -> core/src/hidden.rs Thing.new
            app/src/main.rs main -> core/src/hidden.rs Thing.go
            app/src/main.rs main -> core/src/lib.rs shout
            app/src/main.rs inner.f -> app/src/main.rs helper
            app/src/main.rs inner.f -> core/src/deep.rs down
        "#]],
    );
}

#[test]
fn a_trait_is_asked_where_only_its_promise_is_known() {
    calls(
        "
== Cargo.toml
[package]
name = \"m\"
== src/lib.rs
pub trait Draw {
    type Pen: Ink;
    fn draw(&self);
    fn pen(&self) -> Self::Pen;
    fn twice(&self) { self.draw(); self.pen().dip() }
}
pub trait Ink { fn dip(&self) {} }
pub struct Circle { parts: Vec<Part>, first: Option<Part> }
pub struct Part;
impl Part { fn show(&self) {} }
impl Draw for Circle {
    type Pen = Quill;
    fn draw(&self) {
        for part in &self.parts { part.show(); }
        if let Some(first) = &self.first { first.show(); }
        self.parts.iter().filter(|part| part.show());
        self.twice();
    }
    fn pen(&self) -> Quill { Quill }
}
pub struct Quill;
impl Ink for Quill {}
pub struct Frame<D> { inner: D }
impl<D: Draw> Frame<D> {
    fn show(&self) { self.inner.draw(); }
}
fn any<T>(value: T, other: &dyn Draw, third: impl Draw) where T: Draw {
    value.draw();
    other.twice();
    third.pen().dip();
    assert!(check(value.draw()), Circle::draw(x));
    let made = wrap!(Circle { parts: vec![] });
}
fn check(x: ()) -> bool { true }
",
        &expect![[r#"
            src/lib.rs Draw.twice -> src/lib.rs Draw.draw
            src/lib.rs Draw.twice -> src/lib.rs Draw.pen
            src/lib.rs Draw.twice -> src/lib.rs Ink.dip
            src/lib.rs <Circle as Draw>.draw -> src/lib.rs Draw.twice 90
            src/lib.rs <Circle as Draw>.draw -> src/lib.rs Part.show 90
            src/lib.rs Frame.show -> src/lib.rs Draw.draw
            src/lib.rs any -> src/lib.rs Draw.draw
            src/lib.rs any -> src/lib.rs Draw.pen
            src/lib.rs any -> src/lib.rs Draw.twice
            src/lib.rs any -> src/lib.rs Ink.dip
            src/lib.rs any -> src/lib.rs <Circle as Draw>.draw
            src/lib.rs any -> src/lib.rs check
        "#]],
    );
}

#[test]
fn a_value_of_an_enumeration_is_made_and_a_promise_is_kept() {
    others(
        "
== Cargo.toml
[package]
name = \"m\"
== src/lib.rs
mod shape;
use shape::Kind::{self, *};
fn f() -> Kind { Round(1); Kind::Flat { x: 1 } }
== src/shape.rs
pub enum Kind { Round(u8), Flat { x: u8 } }
pub trait Named: Sized { fn name(&self); }
impl Named for Kind { fn name(&self) {} }
",
        &expect![[r#"
            imports src/lib.rs  -> src/shape.rs Kind
            references src/lib.rs f -> src/shape.rs Kind
            implements src/shape.rs Kind -> src/shape.rs Named
            implements src/shape.rs <Kind as Named>.name -> src/shape.rs Named.name
        "#]],
    );
}
