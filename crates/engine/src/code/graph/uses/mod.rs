//! `FileUses`, the definitions and uses of one file as far as name resolution needs them, and their codec for the
//! store. Names are written once per file and numbered; expressions are nodes in one list, parts before wholes, and
//! equal ones are the same node. So a file's uses are smaller than its text by an order of magnitude, and all files of
//! a project can be held in memory at once.

mod decode;
mod encode;
mod outside;

pub(crate) use encode::encode_uses;
pub(crate) use outside::{OutsideImport, find_outside_imports};

use model::SymbolKind;
use syntax::{ImportManner, ReferenceKind};

/// What one file version defines and uses. Numbers of names are places in `names`.
#[derive(Default)]
pub(super) struct FileUses<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) package: Option<u32>,
    pub(super) nodes: Vec<ExpressionNode>,
    pub(super) definitions: Vec<InternedDefinition>,
    pub(super) references: Vec<InternedReference>,
    pub(super) imports: Vec<InternedImport>,
    pub(super) bindings: Vec<InternedBinding>,
    /// Functions and their declared return types, in order of the function.
    pub(super) returns: Vec<(u32, u32)>,
    /// Functions and their return expressions, in order of the function.
    pub(super) results: Vec<(u32, u32)>,
    pub(super) extensions: Vec<InternedExtension>,
}

impl FileUses<'_> {
    /// The same uses with other numbers for names: `numbers` has one for each of `names`.
    pub(super) fn renumber_names(mut self, numbers: &[u32]) -> FileUses<'static> {
        let number = |name: &mut u32| *name = numbers[*name as usize];
        self.package.iter_mut().for_each(number);
        for node in &mut self.nodes {
            // All other nodes refer to nodes only, whose numbers stay.
            if let ExpressionNode::Name(name) | ExpressionNode::Member(_, name) | ExpressionNode::Builtin(name) = node {
                number(name);
            }
        }
        for definition in &mut self.definitions {
            number(&mut definition.name);
            definition.qualified_name.iter_mut().for_each(number);
        }
        for import in &mut self.imports {
            number(&mut import.module);
            import.alias.iter_mut().for_each(number);
            if let ImportSelector::Name(name) = &mut import.what {
                number(name);
            }
        }
        self.bindings.iter_mut().for_each(|binding| number(&mut binding.name));
        let Self { package, nodes, definitions, references, imports, bindings, returns, results, extensions, .. } =
            self;
        FileUses {
            // From here on the project's interner has the texts, and the decoded bytes can be dropped.
            names: Vec::new(),
            package,
            nodes,
            definitions,
            references,
            imports,
            bindings,
            returns,
            results,
            extensions,
        }
    }
}

/// An expression; parts are places in the list of nodes, before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ExpressionNode {
    Name(u32),
    Member(u32, u32),
    Call(u32),
    New(u32),
    /// A type and the list of its arguments, or an item of a value and where it is taken.
    Of(u32, u32),
    /// An item of a value.
    Item(u32),
    /// The first of a list and the rest of it; a list of one is that one.
    List(u32, u32),
    Either(u32, u32),
    This,
    Super,
    Literal,
    /// A type of the language itself, or a value of it.
    Builtin(u32),
    Unknown,
}

pub(super) struct InternedDefinition {
    pub(super) name: u32,
    pub(super) kind: SymbolKind,
    /// Whether it is only a declaration, with the definition elsewhere.
    pub(super) is_prototype: bool,
    /// The definition that it is a member of.
    pub(super) container: Option<u32>,
    /// The innermost definition around it in the text.
    pub(super) parent: Option<u32>,
    /// Its qualified name, where that is not the container's and its name.
    pub(super) qualified_name: Option<u32>,
    /// First and last line.
    pub(super) lines: (u32, u32),
    /// What it takes, where functions of one name may differ by that.
    pub(super) parameters: Option<Vec<InternedParameter>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct InternedParameter {
    pub(super) says: u32,
    pub(super) is_repeated: bool,
    pub(super) has_default: bool,
}

pub(super) struct InternedReference {
    pub(super) kind: ReferenceKind,
    pub(super) target: u32,
    /// What is passed to a call, where functions of one name may differ by that.
    pub(super) passed: Option<Vec<u32>>,
    pub(super) line: u32,
    pub(super) within: Option<u32>,
}

pub(super) struct InternedImport {
    pub(super) module: u32,
    pub(super) what: ImportSelector,
    pub(super) alias: Option<u32>,
    pub(super) is_exported: bool,
    pub(super) line: u32,
    pub(super) within: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportSelector {
    Module,
    All,
    Name(u32),
}

pub(super) struct InternedBinding {
    pub(super) name: u32,
    pub(super) is_field: bool,
    pub(super) is_type: bool,
    pub(super) says: u32,
    pub(super) within: Option<u32>,
    pub(super) line: u32,
    /// The first and last line in which it holds.
    pub(super) reach: (u32, u32),
}

pub(super) struct InternedExtension {
    pub(super) owner: u32,
    pub(super) seen_as: Option<u32>,
    pub(super) members: Vec<u32>,
    /// First and last line.
    pub(super) lines: (u32, u32),
}

const REFERENCES: [ReferenceKind; 4] =
    [ReferenceKind::Call, ReferenceKind::Extends, ReferenceKind::Implements, ReferenceKind::Type];
const IMPORT_MANNERS: [ImportManner; 3] = [ImportManner::Static, ImportManner::Type, ImportManner::Dynamic];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::decompress_bytes;
    use expect_test::expect;
    use proptest::prelude::*;
    use std::fmt::Write;
    use syntax::{ExtractLimits, extract};

    const SOURCE: &str =
        "from .a import b as c\nclass D(c):\n    def e(self) -> D:\n        f = D()\n        return f.e().e()\n";

    #[test]
    fn what_a_file_uses_comes_back_as_it_was_read() {
        let bytes = encode_uses(&extract("m.py", SOURCE.as_bytes(), &ExtractLimits::default()));
        let bytes = decompress_bytes(&bytes).expect("the bytes are ours");
        let uses = FileUses::decode(&bytes).expect("the bytes are ours");
        let mut told = String::new();
        for InternedDefinition { name, kind, container, parent, .. } in &uses.definitions {
            writeln!(told, "{kind} {} {container:?} {parent:?}", uses.names[*name as usize])
                .expect("a string takes all");
        }
        for InternedReference { kind, target, line, within, .. } in &uses.references {
            writeln!(told, "{line} {within:?} {kind:?} {}", written(&uses, *target)).expect("a string takes all");
        }
        for InternedImport { module, what, alias, .. } in &uses.imports {
            writeln!(told, "{} {what:?} {alias:?}", uses.names[*module as usize]).expect("a string takes all");
        }
        for InternedBinding { name, says, within, .. } in &uses.bindings {
            let name = uses.names[*name as usize];
            let says = written(&uses, *says);
            writeln!(told, "{name} = {says} {within:?}").expect("a string takes all");
        }
        expect![[r#"
            class D None None
            method e Some(0) Some(0)
            2 Some(0) Extends c
            3 Some(1) Type D
            4 Some(1) Call D
            5 Some(1) Call f.e().e
            5 Some(1) Call f.e
            .a Name(5) Some(2)
            self = Unknown Some(1)
            f = D() Some(1)
        "#]]
        .assert_eq(&told);
    }

    fn written(uses: &FileUses, place: u32) -> String {
        match uses.nodes[place as usize] {
            ExpressionNode::Name(name) => uses.names[name as usize].to_owned(),
            ExpressionNode::Member(object, name) => format!("{}.{}", written(uses, object), uses.names[name as usize]),
            ExpressionNode::Call(of) => format!("{}()", written(uses, of)),
            ExpressionNode::New(of) => format!("new {}", written(uses, of)),
            ExpressionNode::Of(of, arguments) => format!("{}[{}]", written(uses, of), written(uses, arguments)),
            ExpressionNode::Item(of) => format!("{}[]", written(uses, of)),
            ExpressionNode::List(first, rest) => format!("{}, {}", written(uses, first), written(uses, rest)),
            ExpressionNode::Either(first, rest) => format!("{} | {}", written(uses, first), written(uses, rest)),
            node @ (ExpressionNode::This
            | ExpressionNode::Super
            | ExpressionNode::Literal
            | ExpressionNode::Builtin(_)
            | ExpressionNode::Unknown) => format!("{node:?}"),
        }
    }

    proptest! {
        #[test]
        fn cut_or_changed_bytes_are_refused_or_read_but_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let bytes = encode_uses(&extract("m.py", SOURCE.as_bytes(), &ExtractLimits::default()));
            let mut bytes = decompress_bytes(&bytes).expect("the bytes are ours").into_owned();
            let at = at.index(bytes.len());
            prop_assert!(FileUses::decode(&bytes[..at]).is_err());
            bytes[at] = byte;
            let _ = FileUses::decode(&bytes);
        }
    }
}
