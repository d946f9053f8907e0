//! Tests that compare our query matcher with tree-sitter's own query engine, on the sample files of every language.

use super::{CaptureRole, PatternFinder, parse_capture, split_patterns};
use crate::language::{QueryRules, all_languages};
use std::path::Path;
use tree_sitter::{Node, Parser, Query, QueryCursor, StreamingIterator};

#[test]
fn in_every_languages_own_files_plain_patterns_find_what_the_parsers_engine_finds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    for language in all_languages() {
        let Some(rules) = language.query_rules() else { continue };
        let query =
            Query::new(rules.grammar(), &split_patterns(&language.query_source()).join("\n")).expect("it compiles");
        for entry in fs_err::read_dir(root.join(language.name())).expect("a language has a folder") {
            let path = entry.expect("it can be listed").path();
            if matches!(path.file_stem().and_then(|stem| stem.to_str()), Some("fixture" | "sample")) {
                compare(rules, &query, &fs_err::read(&path).expect("it can be read"), &path);
            }
        }
    }
}

/// What one pattern captured.
type Found<'t> = (usize, Vec<(CaptureRole, Node<'t>)>);

fn compare(rules: &QueryRules, query: &Query, bytes: &[u8], path: &Path) {
    let mut parser = Parser::new();
    parser.set_language(rules.grammar()).expect("a test parses with every grammar");
    let tree = parser.parse(bytes, None).expect("nothing stops it");
    let mut engine = QueryCursor::new();
    engine.set_max_start_depth(Some(0));
    let mut finder = PatternFinder::new(tree.root_node());
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        waiting.extend((0..node.child_count()).filter_map(|at| node.child(at)));
        let Some(patterns) = rules.kind_rule(node.kind_id()).and_then(|rule| rule.patterns.as_ref()) else { continue };
        let mut found: Vec<Found> = Vec::new();
        finder.find_matches(patterns, node, bytes, |pattern, captures| found.push((pattern, captures.collect())));
        let mut wanted: Vec<Found> = Vec::new();
        let mut matches = engine.matches(query, node, bytes);
        while let Some(one) = matches.next() {
            let means = |index: u32| parse_capture(query.capture_names()[index as usize]).expect("it is known");
            let captures = one.captures().iter().map(|capture| (means(capture.index), capture.node));
            wanted.push((one.pattern_index, captures.collect()));
        }
        assert_eq!(found, wanted, "{} {node:?}", path.display());
    }
}

#[test]
fn only_patterns_whose_meaning_leaves_no_doubt_are_plain() {
    let python = all_languages().find(|language| language.name() == "python").expect("it is there");
    let check = |text: &str, is_plain: bool| {
        assert_eq!(
            super::parse_pattern(python.query_rules().expect("it has a grammar").grammar(), 0, text).is_some(),
            is_plain,
            "{text}"
        );
    };
    check("(class_definition name: (_) @name body: (block . (pass_statement) @body .)) @class", true);
    check("((call function: [(identifier) (attribute)] @name) (#not-any-of? @name \"a\" \"b\"))", true);
    check("(assignment left: (identifier) @name !type \"=\")", true);
    // Optional, repeated, of several kinds at once.
    check("(class_definition name: (_) @name superclasses: (_)? @body)", false);
    check("(block (_)+ @name)", false);
    check("(block (expression) @name)", false);
    // How often it is found depends on what the grammar promises.
    check("(module (class_definition name: (_)) (comment) @name)", false);
    check("(argument_list \",\" . (identifier) @name)", false);
    // One node in two ways, and ways that capture more or less.
    check("(call function: [(identifier) (_)] @name)", false);
    check("(call function: [(identifier) @name (attribute object: (_) @name attribute: (_) @name)])", false);
    // What only the parser's engine understands.
    check("(block) @name (#set! level \"1\")", false);
    check("((block) @name (#is? @name \"x\"))", false);
    check("(nothing) @name", false);
}

#[test]
fn a_query_is_parted_into_its_patterns() {
    let source = "; one\n(a\n  b: (c) ; two\n  . [(d) \"e;\"]?) @f @g\n((h) @i\n  (#eq? @i \"\\\"(\"))";
    assert_eq!(split_patterns(source), ["(a b: (c) . [(d) \"e;\"]?) @f @g", "((h) @i (#eq? @i \"\\\"(\"))"]);
}
