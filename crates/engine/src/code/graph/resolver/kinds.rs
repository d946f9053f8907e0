//! Kinds of symbols as resolution tells them apart.

use model::SymbolKind;

pub(super) fn is_function(kind: SymbolKind) -> bool {
    use SymbolKind::{Function, Macro, Method};
    matches!(kind, Function | Method | Macro)
}

pub(super) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type};
    matches!(kind, Class | Struct | Enum | Interface | Trait | Type)
}
