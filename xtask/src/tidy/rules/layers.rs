//! Tidy rule: which modules (layers) of the engine crate may refer to which, because the compiler does not check that
//! inside of one crate.

use super::super::TidyFinding;
use super::super::module_graph::{CrateModules, ModuleReference, MutualPair, mutual_pairs};
use super::super::tree::SourceTree;

/// The crate that has layers.
pub(in crate::tidy) const LAYERED: &str = "crates/engine";

/// A layer and those that it may name, besides itself. All other modules stand on top of them and may name any.
pub(in crate::tidy) const LAYERS: &[(&str, &[&str])] =
    &[("base", &[]), ("ledger", &["base"]), ("code", &["base", "ledger"]), ("memory", &["base", "ledger"])];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let crates = CrateModules::from_tree(tree);
    let Some(modules) = crates.get(LAYERED) else { return Vec::new() };
    let references = modules.references();
    let breaches = references.iter().filter_map(find_breach);
    let levels = std::iter::once(Vec::new()).chain(LAYERS.iter().map(|(layer, _)| vec![*layer]));
    let pairs = levels.flat_map(|above| mutual_pairs(&references, &above)).map(|pair| describe_pair(&pair));
    breaches.chain(pairs).collect()
}

fn find_breach(reference: &ModuleReference<'_>) -> Option<TidyFinding> {
    let ModuleReference { source, line, from, to } = reference;
    let (layer, allowed) = LAYERS.iter().find(|(layer, _)| from.first().is_some_and(|from| from == layer))?;
    let to = to.first().map_or("crate", String::as_str);
    (to != *layer && !allowed.contains(&to)).then(|| {
        source.build_finding(
            *line,
            format!("the layer `{layer}` names something of `{to}`"),
            "a layer of the engine knows only those that its row in `LAYERS` allows",
            "move what both need into a lower layer, or let the caller pass a value or take one back",
        )
    })
}

fn describe_pair(pair: &MutualPair<'_, '_>) -> TidyFinding {
    let MutualPair { first, second, reference } = pair;
    reference.source.build_finding(
        reference.line,
        format!("`{first}` and `{second}` name each other"),
        "two modules that need each other are one, and neither can be understood or changed alone",
        "move what both need below them, or let one pass a value or take one back",
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_layer_names_neither_its_neighbour_nor_what_stands_on_it() {
        finds(
            check,
            &[
                (
                    "crates/engine/src/lib.rs",
                    "mod code;\nmod memory;\nmod status;\npub use memory::Message;\npub struct Engine;",
                ),
                ("crates/engine/src/memory/mod.rs", "pub struct Message;"),
                ("crates/engine/src/status.rs", "pub fn collect() {}"),
                (
                    "crates/engine/src/code/index.rs",
                    "use crate::Message;\nfn f() { crate::status::collect() }\nuse super::super::memory;",
                ),
                ("crates/engine/src/base/clock.rs", "use crate::{\n    base::Error,\n    ledger,\n};"),
                ("crates/engine/src/ledger/mod.rs", "use crate::Engine;"),
            ],
            &expect![[r#"
                crates/engine/src/code/index.rs:1: the layer `code` names something of `memory`: a layer of the engine knows only those that its row in `LAYERS` allows; move what both need into a lower layer, or let the caller pass a value or take one back
                crates/engine/src/code/index.rs:2: the layer `code` names something of `status`: a layer of the engine knows only those that its row in `LAYERS` allows; move what both need into a lower layer, or let the caller pass a value or take one back
                crates/engine/src/code/index.rs:3: the layer `code` names something of `memory`: a layer of the engine knows only those that its row in `LAYERS` allows; move what both need into a lower layer, or let the caller pass a value or take one back
                crates/engine/src/base/clock.rs:1: the layer `base` names something of `ledger`: a layer of the engine knows only those that its row in `LAYERS` allows; move what both need into a lower layer, or let the caller pass a value or take one back
                crates/engine/src/ledger/mod.rs:1: the layer `ledger` names something of `crate`: a layer of the engine knows only those that its row in `LAYERS` allows; move what both need into a lower layer, or let the caller pass a value or take one back"#]],
        );
    }

    #[test]
    fn two_modules_of_a_layer_do_not_name_each_other() {
        finds(
            check,
            &[
                ("crates/engine/src/code/mod.rs", "pub use index::refresh;"),
                ("crates/engine/src/code/index.rs", "use super::graph;"),
                ("crates/engine/src/code/graph.rs", "\nuse crate::code::refresh;"),
            ],
            &expect![[r#"
                crates/engine/src/code/graph.rs:2: `graph` and `index` name each other: two modules that need each other are one, and neither can be understood or changed alone; move what both need below them, or let one pass a value or take one back"#]],
        );
    }

    #[test]
    fn layers_name_what_is_below_them_and_the_top_names_all() {
        accepts(
            check,
            &[
                ("crates/engine/src/lib.rs", "pub use base::Error;\nuse code::index;"),
                ("crates/engine/src/base/mod.rs", "pub struct Error;"),
                ("crates/engine/src/ledger/mod.rs", "use crate::Error;"),
                (
                    "crates/engine/src/code/index.rs",
                    "use crate::base;\nuse crate::ledger::Spend;\n#[cfg(test)]\nmod tests { use crate::memory; }",
                ),
                ("crates/engine/src/memory/mod.rs", "use super::base::Error;\nuse store::code;"),
                ("crates/engine/src/status.rs", "use crate::{code, memory};"),
                ("crates/syntax/src/code/mod.rs", "use crate::memory;"),
                ("crates/syntax/src/memory.rs", ""),
            ],
        );
    }
}
