#![allow(warnings, clippy::all)]
use std::io::Read;
fn main() {
    let lang = std::env::args().nth(1).unwrap();
    let l: tree_sitter::Language = match lang.as_str() {
        "python" => tree_sitter_python::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "zig" => tree_sitter_zig::LANGUAGE.into(),
        "js" => tree_sitter_javascript::LANGUAGE.into(),
        "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        _ => panic!(),
    };
    let mut s = String::new();
    std::io::stdin().read_to_string(&mut s).unwrap();
    let mut p = tree_sitter::Parser::new();
    p.set_language(&l).unwrap();
    let t = p.parse(&s, None).unwrap();
    fn go(n: tree_sitter::Node, f: Option<&str>, d: usize, s: &str) {
        if n.is_named() {
            println!(
                "{}{}{}{}",
                "  ".repeat(d),
                f.map(|f| format!("{f}: ")).unwrap_or_default(),
                n.kind(),
                if n.named_child_count() == 0 { format!(" {:?}", &s[n.byte_range()]) } else { String::new() }
            );
        }
        for i in 0..n.child_count() {
            go(n.child(i as u32).unwrap(), n.field_name_for_child(i as u32), d + 1, s);
        }
    }
    go(t.root_node(), None, 0, &s);
}
