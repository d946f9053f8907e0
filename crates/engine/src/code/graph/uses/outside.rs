//! Finds in the stored uses of a file what it imports from modules that a caller names, and where it uses that: for packages
//! of other projects, which the resolver of one project does not know.

use super::{ExpressionNode, FileUses, ImportSelector};
use crate::base::decompress_bytes;
use syntax::ReferenceKind;

/// An import, and the uses of what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideImport {
    /// The module, as the file names it.
    pub(crate) module: String,
    /// What of it; none for the module itself or all of it.
    pub(crate) name: Option<String>,
    pub(crate) line: u32,
    pub(crate) uses: Vec<OutsideUse>,
}

/// One use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideUse {
    pub(crate) line: u32,
    pub(crate) kind: ReferenceKind,
    /// What of the imported thing is used, where it is not that itself.
    pub(crate) member: Option<String>,
}

/// The imports of modules that are wanted; none of bytes that are damaged.
pub(crate) fn find_outside_imports(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Vec<OutsideImport> {
    let Ok(bytes) = decompress_bytes(bytes) else { return Vec::new() };
    let Ok(uses) = FileUses::decode(&bytes) else { return Vec::new() };
    let text = |name: u32| uses.names[name as usize];
    let wanted = uses.imports.iter().filter(|import| is_wanted(text(import.module)));
    let read = |import: &super::InternedImport| {
        let module = text(import.module);
        let name = match import.what {
            ImportSelector::Name(name) => Some(text(name)),
            ImportSelector::Module | ImportSelector::All => None,
        };
        // `import a.b` is used as `a.b.c`, `import "x/b"` as `b.c`.
        let ends = [module.split(['.', '/', ':']).next(), module.rsplit(['.', '/', ':']).next()];
        let locals: Vec<&str> = match import.alias.map(text).or(name) {
            Some(local) => vec![local],
            None => ends.into_iter().flatten().collect(),
        };
        let found = uses.references.iter().filter_map(|reference| {
            let UsedMember(member) = use_of(&uses, reference.target, &locals)?;
            // A use of a module is one of something in it.
            (name.is_some() || member.is_some()).then_some(OutsideUse {
                line: reference.line,
                kind: reference.kind,
                member,
            })
        });
        OutsideImport {
            module: module.to_owned(),
            name: name.map(str::to_owned),
            line: import.line,
            uses: found.collect(),
        }
    };
    wanted.map(read).collect()
}

/// What is used of a name; nothing where the name itself is.
struct UsedMember(Option<String>);

/// Whether an expression is one of these names, or something of it: then what.
fn use_of(uses: &FileUses<'_>, node: u32, locals: &[&str]) -> Option<UsedMember> {
    match *uses.nodes.get(node as usize)? {
        ExpressionNode::Name(name) => locals.contains(&uses.names[name as usize]).then_some(UsedMember(None)),
        ExpressionNode::Member(owner, name) => {
            use_of(uses, owner, locals).map(|_| UsedMember(Some(uses.names[name as usize].to_owned())))
        }
        ExpressionNode::Of(of, _) | ExpressionNode::New(of) => use_of(uses, of, locals),
        ExpressionNode::Call(_)
        | ExpressionNode::Item(_)
        | ExpressionNode::List(..)
        | ExpressionNode::Either(..)
        | ExpressionNode::This
        | ExpressionNode::Super
        | ExpressionNode::Literal
        | ExpressionNode::Builtin(_)
        | ExpressionNode::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode_uses;
    use super::*;
    use syntax::{ExtractLimits, extract};

    #[track_caller]
    fn check(path: &str, source: &str, module: &str, expected: &[&str]) {
        let bytes = encode_uses(&extract(path, source.as_bytes(), &ExtractLimits::default()));
        let found = find_outside_imports(&bytes, &|asked| asked.starts_with(module));
        let told: Vec<String> = found
            .iter()
            .map(|import| {
                let uses: Vec<String> = import
                    .uses
                    .iter()
                    .map(|it| {
                        format!("{}{}", it.line, it.member.as_deref().map(|it| format!(".{it}")).unwrap_or_default())
                    })
                    .collect();
                format!("{} {} {}", import.module, import.name.as_deref().unwrap_or("itself"), uses.join(" "))
            })
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_imported_from_a_module_is_found_with_its_uses() {
        let python = "from acme_core.auth import check as same, other\nimport os\n\n\ndef run(x):\n    os.stat(x)\n    return same(x)\n";
        check("a.py", python, "acme_core", &["acme_core.auth check 7", "acme_core.auth other "]);
        let script = "import { check } from '@acme/core/auth';\nimport { x } from './x';\nexport function run() {\n  x();\n  return check(1);\n}\n";
        check("a.ts", script, "@acme/core", &["@acme/core/auth check 5"]);
        let go = "package a\n\nimport \"example.org/core/auth\"\n\nfunc Run() {\n\tauth.Check(1)\n}\n";
        check("a.go", go, "example.org/core", &["example.org/core/auth itself 6.Check"]);
        let rust = "use acme_core::auth::check;\n\nfn run() {\n    check(1);\n}\n";
        check("a.rs", rust, "acme_core", &["acme_core::auth check 4"]);
        assert_eq!(find_outside_imports(&[9, 9, 9], &|_| true), []);
    }
}
