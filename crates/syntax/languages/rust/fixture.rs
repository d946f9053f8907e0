//! A file-level comment speaks of the file.
use std::fmt;

/// How many.
pub const LIMIT: usize = 3;
//        ^^^^^ constant LIMIT
static mut COUNTER: u32 = 0;
//         ^^^^^^^ constant COUNTER
const _: () = assert!(LIMIT > 2);

type Alias<T> = Vec<T>;
//   ^^^^^ type Alias

/// A session.
#[derive(Debug)]
pub struct Session<'a, T> {
//         ^^^^^^^ struct Session
    name: &'a str,
    value: T,
}

struct Unit;
//     ^^^^ struct Unit
pub(crate) struct Pair(u32, u32);
//                ^^^^ struct Pair

union Bits {
//    ^^^^ struct Bits
    float: f32,
    int: u32,
}

enum Role {
//   ^^^^ enum Role
    Admin,
    Guest { until: u64 },
}

pub trait Greet: fmt::Debug {
//        ^^^^^ trait Greet
    const WORD: &'static str;
//        ^^^^ constant Greet.WORD
    type Out;
    fn greet(&self) -> Self::Out;
//     ^^^^^ method Greet.greet
    fn twice(&self) {
//     ^^^^^ method Greet.twice
        self.greet();
    }
}

impl<'a, T> Session<'a, T> {
    pub const MAX: u8 = 4;
//            ^^^ constant Session.MAX
    pub async fn login(&mut self) -> bool {
//               ^^^^^ method Session.login
        const INSIDE: u8 = 1;
        fn nested() -> u8 {
//         ^^^^^^ function Session.login.nested
            INSIDE
        }
        let closure = |x: u8| x + nested();
        closure(1) > 0
    }
}

impl<T> fmt::Display for Session<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
//     ^^^ method <Session as fmt::Display>.fmt
        f.write_str(self.name)
    }
}

impl From<u32> for Pair { fn from(one: u32) -> Self { Self(one, one) } }
//                           ^^^^ method <Pair as From<u32>>.from
impl From<u8> for Pair { fn from(one: u8) -> Self { Self(one.into(), 0) } }
//                          ^^^^ method <Pair as From<u8>>.from

impl Greet for &[u8] {
    const WORD: &'static str = "bytes";
//        ^^^^ constant <&[u8] as Greet>.WORD
    type Out = ();
    fn greet(&self) {}
//     ^^^^^ method <&[u8] as Greet>.greet
}

extern "C" {
    fn external(code: i32);
//     ^^^^^^^^ function external
}

#[cfg(unix)]
fn platform() -> &'static str { "unix" }
// ^^^^^^^^ function platform
#[cfg(not(unix))]
fn platform() -> &'static str { "other" }
// ^^^^^^^^ function platform~d4c3

macro_rules! square {
//           ^^^^^^ macro square
    ($x:expr) => { $x * $x };
}

cfg_net! {
    /// A listener of a feature.
    pub struct Listener { port: u16 }
//             ^^^^^^^^ struct Listener

    impl Listener {
        cfg_more! {
            pub fn accept(&self) -> u16 { self.port }
//                 ^^^^^^ method Listener.accept
        }
    }
}

impl Unit {
    cfg_net! {
        fn moved(self) -> Self { self }
//         ^^^^^ method Unit.moved
    }
}

// No items: a macro may take anything.
table! { one => 1, two => 2 }

mod declared_elsewhere;

#[cfg(test)]
mod tests {
//  ^^^^^ module tests
    use super::*;

    type Short = super::Unit;
//       ^^^^^ type tests.Short
    struct Fake;
//         ^^^^ struct tests.Fake
    impl Fake {
        fn make() -> Self { Self }
//         ^^^^ method tests.Fake.make
    }
    impl Greet for super::Unit {
        const WORD: &'static str = "";
//            ^^^^ constant tests.<Unit as Greet>.WORD
        type Out = u8;
        fn greet(&self) -> u8 { 1 }
//         ^^^^^ method tests.<Unit as Greet>.greet
    }

    #[test]
    fn a_name_like_an_other_in_its_own_signature_test() {}
//     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ function tests.a_name_like_an_other_in_its_own_signature_test
}
