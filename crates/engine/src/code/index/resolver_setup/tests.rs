//! Property tests of incremental resolution: small projects in several languages are edited at random, and the updated
//! resolver and graph must equal those that are built from scratch.

mod dialects;

use crate::code::graph::{Graph, GraphOutline, GraphRenewal, InvalidatedFiles, Resolver, SourceFile, encode_uses};
use crate::code::symbol_codec;
use dialects::{DIALECTS, Dialect};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use syntax::{ExtractLimits, FileExtract, extract};

/// A piece of a dialect, and which of three each of its letters stands for.
type Piece = (usize, [u8; 6]);

#[derive(Clone, Debug)]
enum Step {
    Write {
        file: usize,
        pieces: Vec<Piece>,
    },
    Edit {
        file: usize,
        at: prop::sample::Index,
        removes: bool,
        piece: Option<Piece>,
    },
    /// A definition that no piece mentions, at the top of a file, so that all else in it has another place.
    Shift {
        file: usize,
    },
    Rename {
        from: usize,
        to: usize,
    },
    Remove {
        file: usize,
    },
}

fn piece() -> impl Strategy<Value = Piece> {
    // The first of three most of the time, so that files meet.
    let choice = prop_oneof![3 => Just(0u8), 1 => Just(1), 1 => Just(2)];
    (0..dialects::MOST_PIECES, proptest::array::uniform6(choice))
}

fn step() -> impl Strategy<Value = Step> {
    let file = || 0..dialects::FILES;
    prop_oneof![
        2 => (file(), vec(piece(), 0..5)).prop_map(|(file, pieces)| Step::Write { file, pieces }),
        6 => (file(), any::<prop::sample::Index>(), any::<bool>(), proptest::option::weighted(0.8, piece()))
            .prop_map(|(file, at, removes, piece)| Step::Edit { file, at, removes, piece }),
        2 => file().prop_map(|file| Step::Shift { file }),
        1 => (file(), file()).prop_map(|(from, to)| Step::Rename { from, to }),
        1 => file().prop_map(|file| Step::Remove { file }),
    ]
}

type Files = BTreeMap<usize, Vec<Piece>>;

fn apply(dialect: &Dialect, files: &mut Files, step: &Step) {
    match step {
        Step::Write { file, pieces } => drop(files.insert(*file, pieces.clone())),
        Step::Remove { file } => drop(files.remove(file)),
        Step::Shift { file } => {
            let unmentioned = dialect.pieces.iter().position(|piece| piece.contains('U'));
            if let (Some(pieces), Some(which)) = (files.get_mut(file), unmentioned) {
                pieces.insert(0, (which, [pieces.len() as u8 % 3; 6]));
            }
        }
        Step::Rename { from, to } => {
            if let Some(pieces) = files.remove(from) {
                files.insert(*to, pieces);
            }
        }
        Step::Edit { file, at, removes, piece } => {
            let Some(pieces) = files.get_mut(file) else { return };
            let at = at.index(pieces.len() + 1);
            if *removes && at < pieces.len() {
                pieces.remove(at);
            }
            pieces.splice(at.min(pieces.len())..at.min(pieces.len()), *piece);
        }
    }
}

fn written(dialect: &Dialect, pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (which, choices) in pieces {
        let mut choices = choices.iter().cycle();
        for c in dialect.pieces[which % dialect.pieces.len()].chars() {
            let mut one_of = |three: [&str; 3]| three[*choices.next().expect("it goes on") as usize].to_owned();
            text += &match c {
                'C' => one_of(["Ash", "Birch", "Cedar"]),
                'M' => one_of(["grow", "bloom", "fall"]),
                'F' => one_of(["plant", "water", "prune"]),
                'V' => one_of(["tree", "root", "leaf"]),
                'U' => one_of(["moss", "fern", "reed"]),
                'P' => one_of(dialect.modules),
                c => c.to_string(),
            };
        }
    }
    text
}

/// The text of every file and what is extracted of it, by path.
type Known = BTreeMap<&'static str, (String, Rc<FileExtract>)>;

/// What is known of files now. What stayed as it was is not extracted again: that would be most of the work.
fn facts(dialect: &Dialect, files: &Files, before: &Known) -> Known {
    let fact = |(file, pieces): (&usize, &Vec<Piece>)| {
        let path = dialect.files[*file];
        let text = written(dialect, pieces);
        let kept = before.get(path).filter(|was| was.0 == text).map(|was| Rc::clone(&was.1));
        let facts = kept.unwrap_or_else(|| Rc::new(extract(path, text.as_bytes(), &ExtractLimits::default())));
        (path, (text, facts))
    };
    files.iter().map(fact).collect()
}

fn source(path: &str, facts: &FileExtract) -> SourceFile {
    let language = facts.language.map(str::to_owned);
    SourceFile { path: path.to_owned(), language, uses: encode_uses(facts) }
}

fn outline(path: &str, facts: &FileExtract) -> GraphOutline {
    let bytes = symbol_codec::encode_symbols(&[], &[], &facts.symbols, &[]);
    GraphOutline::from_bytes(path.to_owned(), facts.language.map(str::to_owned), 1, &bytes)
}

/// Every node of a graph with what leads from it and to it.
fn told(graph: &Graph) -> String {
    let mut told = String::new();
    for node in graph.file_nodes().chain(graph.symbol_nodes()) {
        told += &format!("{} {:?}\n  {:?}\n", graph.id(node), graph.links_from(node), graph.links_to(node));
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever is edited, added, removed or renamed: the resolver and the graph that follow are those made anew, and
    /// no file has other edges that the changes are not said to touch.
    #[test]
    fn what_follows_any_edits_is_what_is_made_anew(
        dialect in 0..DIALECTS.len(), start in vec(vec(piece(), 0..6), dialects::FILES), steps in vec(step(), 1..10)
    ) {
        let dialect = &DIALECTS[dialect];
        let mut files: Files = start.into_iter().enumerate().skip(1).collect();
        let mut known = facts(dialect, &files, &Known::new());
        let mut resolver = Resolver::new(&[]);
        resolver.apply_changes(&known.iter().map(|(path, (_, facts))| source(path, facts)).collect::<Vec<_>>(), &[]);
        let mut edges: BTreeMap<String, Vec<u8>> =
            resolver.file_numbers().map(|file| (resolver.file_path(file).to_owned(), resolver.edges_of(file).encode())).collect();
        let mut graph = anew(&known, &edges);
        for step in &steps {
            apply(dialect, &mut files, step);
            let now = facts(dialect, &files, &known);
            let changed: Vec<&str> =
                now.iter().filter(|(path, it)| known.get(*path).is_none_or(|was| was.0 != it.0)).map(|it| *it.0).collect();
            let gone: Vec<String> =
                known.keys().filter(|path| !now.contains_key(*path)).map(|path| (*path).to_owned()).collect();
            let sources: Vec<SourceFile> = changed.iter().map(|path| source(path, &now[path].1)).collect();
            let touched = match resolver.apply_changes(&sources, &gone) {
                InvalidatedFiles::These(files) => files,
                InvalidatedFiles::All => resolver.file_numbers().collect::<BTreeSet<u32>>(),
            };
            edges.retain(|path, _| now.contains_key(path.as_str()));
            let mut renewed = Vec::new();
            for file in touched {
                let path = resolver.file_path(file).to_owned();
                let bytes = resolver.edges_of(file).encode();
                edges.insert(path.clone(), bytes.clone());
                renewed.push((path, bytes));
            }
            let mut scratch = Resolver::new(&[]);
            scratch.apply_changes(&now.iter().map(|(path, (_, facts))| source(path, facts)).collect::<Vec<_>>(), &[]);
            let texts = || {
                let of = |all: &Known| -> String {
                    all.iter().map(|(path, (text, _))| format!("--- {path}\n{text}")).collect()
                };
                format!("{step:?}\n{}\n=====>\n{}", of(&known), of(&now))
            };
            for file in scratch.file_numbers() {
                let path = scratch.file_path(file);
                let own = resolver.file_numbers().find(|own| resolver.file_path(*own) == path).expect("it follows");
                let anew = scratch.edges_of(file);
                prop_assert_eq!(resolver.edges_of(own), anew.clone(), "tables: {} in {}", path, texts());
                prop_assert!(edges[path] == anew.encode(), "not touched: {} in {}", path, texts());
            }
            let outlines = changed.iter().map(|path| outline(path, &now[path].1)).collect();
            graph = graph.apply_renewal(GraphRenewal { outlines, gone, edges: renewed, redirects: None });
            prop_assert_eq!(told(&graph), told(&anew(&now, &edges)), "graph in {}", texts());
            known = now;
        }
    }
}

fn anew(files: &Known, edges: &BTreeMap<String, Vec<u8>>) -> Graph {
    let files = files.iter().map(|(path, (_, facts))| (outline(path, facts), edges[*path].clone()));
    Graph::new(files.collect(), &[])
}

#[test]
fn more_changes_at_once_than_are_worth_following_are_taken_in_all_the_same() {
    // A ring of files, each made from the next; `shift` says which of them that is.
    let ring = |count: usize, shift: usize| -> Vec<SourceFile> {
        let file = |at: usize| {
            let path = format!("f{at}.py");
            let base = (at + shift) % count;
            let text = format!(
                "from f{base} import Ash{base} as Base\n\nclass Ash{at}(Base):\n    def grow{at}(self):\n        \
                 return self.grow{base}()\n"
            );
            source(&path, &extract(&path, text.as_bytes(), &ExtractLimits::default()))
        };
        (0..count).map(file).collect()
    };
    let told = |resolver: &Resolver| -> BTreeMap<String, Vec<u8>> {
        resolver
            .file_numbers()
            .map(|file| (resolver.file_path(file).to_owned(), resolver.edges_of(file).encode()))
            .collect()
    };
    let mut resolver = Resolver::new(&[]);
    resolver.apply_changes(&ring(80, 1), &[]);
    let gone: Vec<String> = (60..80).map(|at| format!("f{at}.py")).collect();
    assert!(matches!(resolver.apply_changes(&ring(60, 2), &gone), InvalidatedFiles::All));
    let mut anew = Resolver::new(&[]);
    anew.apply_changes(&ring(60, 2), &[]);
    assert_eq!(told(&resolver), told(&anew));
}

#[test]
fn a_declaration_is_touched_when_who_writes_it_out_includes_another_file() {
    let file = |path: &str, text: &str| source(path, &extract(path, text.as_bytes(), &ExtractLimits::default()));
    let user = file("b.h", "#include \"a.h\"\nint plant(int tree) { return 1; }\n");
    let declaring = file("sub/a.h", "int plant(int tree);\nstatic int plant(long tree) { return plant(1); }\n");
    let mut resolver = Resolver::new(&[]);
    resolver.apply_changes(&[user, declaring], &[]);
    let InvalidatedFiles::These(touched) = resolver.apply_changes(&[file("a.h", "")], &[]) else {
        panic!("one file came")
    };
    let touched: Vec<&str> = touched.into_iter().map(|file| resolver.file_path(file)).collect();
    assert!(touched.contains(&"sub/a.h"), "{touched:?}");
}
