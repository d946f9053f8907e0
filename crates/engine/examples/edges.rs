#![allow(warnings, clippy::all)]
mod graph {
    #[path = "/work/wt/resolve/crates/engine/src/graph/bytes.rs"]
    pub mod bytes;
    #[path = "/work/wt/resolve/crates/engine/src/graph/edges.rs"]
    pub mod edges;
    #[path = "/work/wt/resolve/crates/engine/src/graph/resolver/mod.rs"]
    pub mod resolver;
    #[path = "/work/wt/resolve/crates/engine/src/graph/uses/mod.rs"]
    pub mod uses;
    pub(crate) use edges::*;
    pub(crate) use resolver::*;
    pub(crate) use uses::encode_uses;
}
use graph::*;
use rayon::prelude::*;
use serde_json::json;
use std::time::Instant;
fn main() {
    let start = Instant::now();
    let root = std::env::current_dir().unwrap();
    let mut paths: Vec<String> = ignore::WalkBuilder::new(&root)
        .hidden(false)
        .require_git(false)
        .filter_entry(|e| {
            !["node_modules", ".git", "__pycache__", "target", ".venv"].contains(&e.file_name().to_str().unwrap_or(""))
        })
        .build()
        .filter_map(|e| e.ok())
        .filter(|e| e.file_type().is_some_and(|t| t.is_file()))
        .map(|e| e.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
        .collect();
    paths.sort();
    let read: Vec<(String, Vec<u8>)> = paths
        .into_iter()
        .filter_map(|p| {
            let b = std::fs::read(root.join(&p)).ok()?;
            (b.len() < 2_000_000).then_some((p, b))
        })
        .collect();
    let manifests: Vec<Manifest> = read
        .iter()
        .filter(|(p, _)| is_manifest(p))
        .map(|(p, b)| Manifest { path: p.clone(), bytes: b.clone() })
        .collect();
    eprintln!("read {:?}", start.elapsed());
    let t = Instant::now();
    let facts: Vec<(String, syntax::FileFacts)> =
        read.par_iter().map(|(p, b)| (p.clone(), syntax::extract(p, b, &syntax::Limits::default()))).collect();
    eprintln!("extract {} files {:?}", facts.len(), t.elapsed());
    let t = Instant::now();
    let sources: Vec<SourceFile> = facts
        .par_iter()
        .map(|(p, f)| SourceFile { path: p.clone(), language: f.language.map(str::to_owned), uses: encode_uses(f) })
        .collect();
    let bytes: usize = sources.iter().map(|s| s.uses.len()).sum();
    eprintln!("encode {} bytes {:?}", bytes, t.elapsed());
    let t = Instant::now();
    let resolver = Resolver::new(sources, &manifests);
    eprintln!("build {:?}", t.elapsed());
    let t = Instant::now();
    let edges: Vec<FileEdges> = (0..facts.len()).into_par_iter().map(|i| resolver.edges_of(i)).collect();
    eprintln!("resolve {:?}: {} edges", t.elapsed(), edges.iter().map(|e| e.edges.len()).sum::<usize>());
    let floor: f32 = std::env::var("FLOOR").ok().and_then(|f| f.parse().ok()).unwrap_or(0.5);
    let all = std::env::var("ALL").is_ok();
    let mut out = String::new();
    use std::collections::HashMap;
    let by_path: HashMap<&str, usize> = facts.iter().enumerate().map(|(i, (p, _))| (p.as_str(), i)).collect();
    let by_id: Vec<HashMap<&str, usize>> =
        facts.iter().map(|(_, f)| f.symbols.iter().enumerate().map(|(i, s)| (s.id.chain(), i)).collect()).collect();
    for (at, (path, f)) in facts.iter().enumerate() {
        let kind = |k: model::SymbolKind| {
            use model::SymbolKind::*;
            match k {
                Class | Struct | Enum | Interface | Trait | Type => "class",
                Function | Macro => "function",
                Method => "method",
                _ => "",
            }
        };
        for s in &f.symbols {
            let t = kind(s.kind);
            if !t.is_empty() {
                out += &json!({"kind":"def","path":path,"name":s.name,"line":s.name_line,"type":t}).to_string();
                out.push('\n');
            }
        }
        for e in &edges[at].edges {
            if e.kind != model::EdgeKind::Calls || e.confidence.get() < floor {
                if all {
                    out += &json!({"kind":format!("{:?}", e.kind),"path":path,"from":e.from.map(|i| f.symbols[i as usize].id.chain()),"to":format!("{}#{}", e.to.path, e.to.chain.as_deref().unwrap_or("")),"line":e.line,"confidence":e.confidence.get()}).to_string();
                    out.push('\n');
                }
                continue;
            }
            // climb to function, method or class
            let mut from = e.from.map(|i| i as usize);
            while let Some(i) = from {
                if kind(f.symbols[i].kind) != "" {
                    break;
                }
                let span = f.symbols[i].span;
                from = f
                    .symbols
                    .iter()
                    .enumerate()
                    .filter(|(j, s)| *j != i && s.span.contains(span) && s.span != span)
                    .map(|(j, _)| j)
                    .last();
            }
            let caller = match from {
                Some(i) => json!({"path":path,"name":f.symbols[i].name,"line":f.symbols[i].name_line}),
                None => json!({"path":path,"name":"<module>","line":1}),
            };
            let target = by_path[e.to.path.as_str()];
            let chain = e.to.chain.as_deref().unwrap();
            let Some(&s) = by_id[target].get(chain) else {
                eprintln!("no symbol {} {}", e.to.path, chain);
                continue;
            };
            let s = &facts[target].1.symbols[s];
            out += &json!({"kind":"calls","caller":caller,"callee":{"path":e.to.path,"name":s.name,"line":s.name_line},"site":e.line,"confidence":e.confidence.get()}).to_string();
            out.push('\n');
        }
        if all {
            for u in &edges[at].unresolved {
                out += &json!({"kind":"unresolved","path":path,"name":u.name,"line":u.line,"n":u.candidates.len()})
                    .to_string();
                out.push('\n');
            }
        }
    }
    if std::env::var("MISS").is_ok() {
        let mut by_name: HashMap<(&str, &str), usize> = HashMap::new();
        for (_, f) in &facts {
            for s in &f.symbols {
                if f.language.is_some()
                    && matches!(
                        s.kind,
                        model::SymbolKind::Function
                            | model::SymbolKind::Method
                            | model::SymbolKind::Class
                            | model::SymbolKind::Struct
                    )
                {
                    *by_name.entry((f.language.unwrap(), s.name.as_str())).or_default() += 1;
                }
            }
        }
        for (at, (path, f)) in facts.iter().enumerate() {
            for r in &f.references {
                if r.kind != syntax::ReferenceKind::Call {
                    continue;
                }
                let Some(name) = r.target.last_name() else { continue };
                let Some(n) = by_name.get(&(f.language.unwrap(), name)) else { continue };
                let hit = edges[at].edges.iter().any(|e| {
                    e.from == r.within.map(|w| w as u32)
                        && e.to.chain.as_deref().is_some_and(|c| {
                            let c = c.split('~').next().unwrap();
                            c == name || c.ends_with(&format!(".{name}"))
                        })
                });
                out += &json!({"kind": if hit {"hit"} else {"miss"}, "path": path, "line": r.line, "name": name, "n": n, "target": format!("{:?}", r.target)}).to_string();
                out.push('\n');
            }
        }
    }
    use std::io::Write;
    std::io::stdout().write_all(out.as_bytes()).unwrap();
    eprintln!("total {:?}", start.elapsed());
}
