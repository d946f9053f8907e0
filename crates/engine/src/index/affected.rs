//! Which files may have other edges after a change.
//!
//! The files that changed, and those that mention a name which looks different now: because its definition changed, or
//! because it rests on a name that does. Where a file of code came or went, any import may lead elsewhere, and all
//! files are resolved anew.

use crate::graph::{Difference, Surface, mentions, names_file};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use store::{FileChange, FileFact};

/// Places in `files`, ascending; `before` has for each change the uses the file had.
pub(super) fn affected(files: &[FileFact], changes: &[FileChange], before: &[Option<Vec<u8>>]) -> Vec<usize> {
    let most = files.iter().filter(|file| file.language.is_some()).count() / ENOUGH;
    match reached(files, changes, before, most) {
        Reached::Some(places) => places.into_iter().collect(),
        Reached::All => (0..files.len()).collect(),
    }
}

/// How far a change reaches.
enum Reached {
    /// To these files, by their places.
    Some(BTreeSet<usize>),
    /// To who knows where.
    All,
}

/// Where more than one of so many files is reached, following names any further costs more than it saves.
const ENOUGH: usize = 8;

fn reached(files: &[FileFact], changes: &[FileChange], before: &[Option<Vec<u8>>], most: usize) -> Reached {
    let place = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
    let mut places = BTreeSet::new();
    let mut names = HashSet::new();
    for (change, before) in changes.iter().zip(before) {
        let at = place(&change.path);
        places.extend(at);
        let now = at.map(|at| files[at].bytes.as_slice());
        match difference(before.as_deref(), now) {
            Difference::Names(different) => names.extend(different),
            Difference::Anything => return Reached::All,
        }
        if before.is_some() == now.is_some() {
            continue;
        }
        // Where code comes or goes, any import may lead elsewhere; to anything else only one that names it.
        if syntax::language_of(&change.path, &[]).is_some() {
            return Reached::All;
        }
        let naming = files.par_iter().enumerate().filter(|(_, file)| names_file(&file.bytes, &change.path));
        places.par_extend(naming.map(|(at, _)| at));
    }
    let mut known: HashSet<String> = HashSet::new();
    while !names.is_empty() {
        known.extend(names.iter().cloned());
        let touched: Vec<(usize, Vec<String>)> = files
            .par_iter()
            .enumerate()
            .filter(|(_, file)| mentions(&file.bytes, &names))
            .map(|(at, file)| (at, resting_on(file, &names)))
            .collect();
        places.extend(touched.iter().map(|(at, _)| *at));
        if places.len() > most.max(changes.len()) {
            return Reached::All;
        }
        names = touched.into_iter().flat_map(|(_, names)| names).filter(|name| !known.contains(name)).collect();
    }
    Reached::Some(places)
}

/// What is seen of a file that rests on one of some names.
fn resting_on(file: &FileFact, names: &HashSet<String>) -> Vec<String> {
    let surface = Surface::of(&file.bytes);
    surface.map_or_else(|_| Vec::new(), |surface| surface.resting_on(names).map(str::to_owned).collect())
}

fn difference(before: Option<&[u8]>, now: Option<&[u8]>) -> Difference {
    match (before.map(Surface::of), now.map(Surface::of)) {
        (Some(Ok(before)), Some(Ok(now))) => before.difference(&now),
        // Nothing to see is seen no different by being there.
        (Some(Ok(only)), None) | (None, Some(Ok(only))) if only.is_empty() => Difference::Names(HashSet::new()),
        (None, None) => Difference::Names(HashSet::new()),
        _ => Difference::Anything,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{FileEdges, Resolver, SourceFile, encode_uses};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use store::FileId;
    use syntax::{Limits, extract};

    /// A language to write small projects in: its files, and pieces of text. In a piece `C` stands for a class, `M` for
    /// a method, `F` for a function, `V` for a variable and `P` for a module, each of three.
    struct Dialect {
        files: [&'static str; 4],
        modules: [&'static str; 3],
        pieces: &'static [&'static str],
    }

    const DIALECTS: &[Dialect] = &[
        Dialect {
            files: ["a.py", "b.py", "pkg/__init__.py", "pkg/c.py"],
            modules: ["a", "b", "pkg.c"],
            pieces: &[
                "from P import C\n",
                "from P import F as F\n",
                "from P import C as C\n",
                "from P import *\n",
                "import P\n",
                "from .c import C\n",
                "class C(C):\n    def M(self):\n        return self.M()\n",
                "class C:\n    V = C()\n    def M(self) -> C:\n        return self.V.M()\n",
                "class C:\n    def __init__(self, V: C):\n        self.V = V\n    def M(self):\n        return self.V\n",
                "def F() -> C:\n    return C()\n",
                "def F():\n    V = F()\n    V.M()\n    return V\n",
                "def F(V: C):\n    V.M().M()\n    F(V)\n    P.F()\n",
                "V = C()\n",
                "V = F()\nV.M()\n",
            ],
        },
        Dialect {
            files: ["a.ts", "style.txt", "lib/index.ts", "lib/c.ts"],
            modules: ["./a", "./style.txt", "./lib/c"],
            pieces: &[
                "import { C } from 'P';\n",
                "import { F as F, V } from 'P';\n",
                "import * as V from 'P';\n",
                "import C from 'P';\n",
                "export { C } from 'P';\n",
                "export * from 'P';\n",
                "export class C extends C implements C { M() { return this.M(); } }\n",
                "export class C { V: C; M(): C { return this.V.M(); } }\n",
                "export interface C { M(): C; V: C }\n",
                "export default class C { M() { return new C().M(); } }\n",
                "export function F(V: C): C { return V.M().M(); }\n",
                "export function F() { const V = F(); V.M(); return V; }\n",
                "export const V = new C();\nV.M();\n",
                "export const V: C = F();\n",
            ],
        },
        Dialect {
            files: ["a/a.go", "a/b.go", "c/c.go", "main.go"],
            modules: ["x/a", "x/c", "x"],
            pieces: &[
                "package a\nimport \"P\"\n",
                "package c\n",
                "type C struct { V *C }\n",
                "type C struct { C }\n",
                "type C interface { M() C }\n",
                "func (v C) M() C { return v.V.M() }\n",
                "func F() *C { return &C{} }\n",
                "func F() { V := F(); V.M(); a.F() }\n",
                "var V = F()\n",
            ],
        },
        Dialect {
            files: ["src/lib.rs", "src/a.rs", "src/b.rs", "src/b/c.rs"],
            modules: ["crate::a", "crate::b", "crate::b::c"],
            pieces: &[
                "use P::C;\n",
                "pub use P::{F, C as C};\n",
                "use P::*;\n",
                "pub mod a;\npub mod b;\n",
                "pub mod c;\n",
                "pub struct C { V: C }\n",
                "impl C { pub fn M(&self) -> C { self.V.M() } }\n",
                "pub trait C { fn M(&self) -> C; }\n",
                "impl C for C { fn M(&self) -> C { C::M() } }\n",
                "pub fn F() -> C { let V = F(); V.M() }\n",
                "pub fn F(V: &C) { V.M(); P::F(); C::M(V); }\n",
            ],
        },
    ];

    /// A piece and which of three each of its letters stands for.
    type Piece = (prop::sample::Index, [u8; 6]);

    #[derive(Clone, Debug)]
    enum Step {
        Write { file: usize, pieces: Vec<Piece> },
        Edit { file: usize, at: prop::sample::Index, piece: Option<Piece> },
        Remove { file: usize },
    }

    fn piece() -> impl Strategy<Value = Piece> {
        (any::<prop::sample::Index>(), proptest::array::uniform6(0..3u8))
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            2 => (0..4usize, vec(piece(), 0..5)).prop_map(|(file, pieces)| Step::Write { file, pieces }),
            8 => (0..4usize, any::<prop::sample::Index>(), proptest::option::weighted(0.8, piece()))
                .prop_map(|(file, at, piece)| Step::Edit { file, at, piece }),
            1 => (0..4usize).prop_map(|file| Step::Remove { file }),
        ]
    }

    fn written(dialect: &Dialect, pieces: &[Piece]) -> String {
        let mut text = String::new();
        for (which, choices) in pieces {
            let mut choices = choices.iter().cycle();
            for c in which.get(dialect.pieces).chars() {
                let mut one_of = |three: [&str; 3]| three[*choices.next().expect("it goes on") as usize].to_owned();
                text += &match c {
                    'C' => one_of(["Ash", "Birch", "Cedar"]),
                    'M' => one_of(["grow", "bloom", "fall"]),
                    'F' => one_of(["plant", "water", "prune"]),
                    'V' => one_of(["tree", "root", "leaf"]),
                    'P' => one_of(dialect.modules),
                    c => c.to_string(),
                };
            }
        }
        text
    }

    fn apply(files: &mut BTreeMap<usize, Vec<Piece>>, step: &Step) {
        match step {
            Step::Write { file, pieces } => drop(files.insert(*file, pieces.clone())),
            Step::Remove { file } => drop(files.remove(file)),
            Step::Edit { file, at, piece } => {
                let Some(pieces) = files.get_mut(file) else { return };
                let at = at.index(pieces.len() + 1);
                if at < pieces.len() {
                    pieces.remove(at);
                }
                pieces.splice(at.min(pieces.len())..at.min(pieces.len()), *piece);
            }
        }
    }

    /// The files as the store would give them.
    fn facts(dialect: &Dialect, files: &BTreeMap<usize, Vec<Piece>>) -> Vec<FileFact> {
        let mut facts: Vec<FileFact> = files
            .iter()
            .map(|(file, pieces)| {
                let path = dialect.files[*file];
                let facts = extract(path, written(dialect, pieces).as_bytes(), &Limits::default());
                let language = facts.language.map(str::to_owned);
                FileFact { path: path.to_owned(), file: FileId(1), language, lines: 1, bytes: encode_uses(&facts) }
            })
            .collect();
        facts.sort_by(|a, b| a.path.cmp(&b.path));
        facts
    }

    fn resolver(files: &[FileFact]) -> Resolver {
        let source = |file: &FileFact| SourceFile {
            path: file.path.clone(),
            language: file.language.clone(),
            uses: file.bytes.clone(),
        };
        Resolver::new(files.iter().map(source).collect(), &[])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        /// Whatever is edited: resolving what a change reaches gives what resolving everything gives.
        #[test]
        fn edges_after_any_edits_are_those_of_a_full_resolution(
            dialect in 0..DIALECTS.len(), start in vec(vec(piece(), 0..6), 4), steps in vec(step(), 1..8)
        ) {
            let dialect = &DIALECTS[dialect];
            let mut files: BTreeMap<usize, Vec<Piece>> = start.into_iter().enumerate().collect();
            let mut known: Vec<FileFact> = Vec::new();
            let mut edges: BTreeMap<String, FileEdges> = BTreeMap::new();
            for step in std::iter::once(None).chain(steps.iter().map(Some)) {
                if let Some(step) = step {
                    apply(&mut files, step);
                }
                let now = facts(dialect, &files);
                let bytes = |files: &[FileFact], path: &str| {
                    files.iter().find(|file| file.path == path).map(|file| file.bytes.clone())
                };
                let (mut changes, mut before) = (Vec::new(), Vec::new());
                for path in dialect.files {
                    if bytes(&known, path) != bytes(&now, path) {
                        before.push(bytes(&known, path));
                        changes.push(FileChange { path: path.to_owned(), before: None, now: None });
                    }
                }
                let resolver = resolver(&now);
                edges.retain(|path, _| now.iter().any(|file| file.path == *path));
                let places = match reached(&now, &changes, &before, usize::MAX) {
                    Reached::Some(places) => places,
                    Reached::All => (0..now.len()).collect(),
                };
                for at in places {
                    edges.insert(now[at].path.clone(), resolver.edges_of(at));
                }
                for (at, file) in now.iter().enumerate() {
                    let texts: Vec<String> =
                        files.iter().map(|(file, pieces)| format!("--- {}\n{}", dialect.files[*file], written(dialect, pieces))).collect();
                    prop_assert_eq!(&edges[&file.path], &resolver.edges_of(at), "{}\n{}", file.path, texts.concat());
                }
                known = now;
            }
        }
    }
}
