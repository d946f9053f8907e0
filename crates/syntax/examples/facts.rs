#![allow(warnings, clippy::all)]
fn main() {
    for p in std::env::args().skip(1) {
        let b = std::fs::read(&p).unwrap();
        let f = syntax::extract(&p, &b, &Default::default());
        println!("package {:?} problems {:?}", f.package, f.problems);
        for s in &f.symbols {
            println!("{:?} {} {:?}", s.kind, s.id.chain(), s.lines);
        }
        for i in &f.imports {
            println!("{i:?}");
        }
        for r in &f.references {
            println!("{:?} {} {:?} {:?}", r.kind, r.line, r.within, r.target);
        }
        for b in &f.bindings {
            println!("{b:?}");
        }
        for x in &f.returns {
            println!("returns {x:?}");
        }
        for x in &f.results {
            println!("results {x:?}");
        }
        for x in &f.extensions {
            println!("{x:?}");
        }
    }
}
