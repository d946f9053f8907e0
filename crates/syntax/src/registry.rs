//! The list of supported languages, one line each with folder and grammar, and the only Rust file that names any. A
//! list instead of a build script that scans the folder: a reader sees at once what there is, each grammar is a crate
//! that has to be named somewhere, and a test holds list and folders equal.

/// A language's folder and grammar, as compiled in.
pub(crate) struct LanguageEntry {
    pub(crate) folder: &'static str,
    /// None where files are read by their headings alone.
    pub(crate) grammar: Option<fn() -> tree_sitter::Language>,
    pub(crate) description: &'static str,
    pub(crate) symbols: &'static str,
    pub(crate) references: &'static str,
    /// A hash of the extract of its sample: it differs when the same text gives another extract.
    pub(crate) sample: u64,
}

macro_rules! entry {
    ($folder:literal, $grammar:expr) => {
        LanguageEntry {
            folder: $folder,
            grammar: Some(|| $grammar.into()),
            description: include_str!(concat!("../languages/", $folder, "/language.toml")),
            symbols: include_str!(concat!("../languages/", $folder, "/symbols.scm")),
            references: include_str!(concat!("../languages/", $folder, "/references.scm")),
            sample: const { hash(include_bytes!(concat!("../languages/", $folder, "/sample.facts"))) },
        }
    };
    ($folder:literal) => {
        LanguageEntry {
            folder: $folder,
            grammar: None,
            description: include_str!(concat!("../languages/", $folder, "/language.toml")),
            symbols: "",
            references: "",
            sample: const { hash(include_bytes!(concat!("../languages/", $folder, "/sample.facts"))) },
        }
    };
}

pub(crate) const LANGUAGES: &[LanguageEntry] = &[
    entry!("asciidoc"),
    entry!("bash", tree_sitter_bash::LANGUAGE),
    entry!("c", tree_sitter_c::LANGUAGE),
    entry!("clojure", tree_sitter_clojure_orchard::LANGUAGE),
    entry!("cmake", tree_sitter_cmake::LANGUAGE),
    entry!("cpp", tree_sitter_cpp::LANGUAGE),
    entry!("csharp", tree_sitter_c_sharp::LANGUAGE),
    entry!("css", tree_sitter_css::LANGUAGE),
    entry!("dart", tree_sitter_dart::LANGUAGE),
    entry!("dockerfile", tree_sitter_containerfile::LANGUAGE),
    entry!("elixir", tree_sitter_elixir::LANGUAGE),
    entry!("erlang", tree_sitter_erlang::LANGUAGE),
    entry!("go", tree_sitter_go::LANGUAGE),
    entry!("graphql", tree_sitter_graphql::LANGUAGE),
    entry!("haskell", tree_sitter_haskell::LANGUAGE),
    entry!("hcl", tree_sitter_hcl::LANGUAGE),
    entry!("html", tree_sitter_html::LANGUAGE),
    entry!("java", tree_sitter_java::LANGUAGE),
    entry!("javascript", tree_sitter_javascript::LANGUAGE),
    entry!("json", tree_sitter_json::LANGUAGE),
    entry!("julia", tree_sitter_julia::LANGUAGE),
    entry!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    entry!("lua", tree_sitter_lua::LANGUAGE),
    entry!("make", tree_sitter_make::LANGUAGE),
    entry!("markdown", tree_sitter_md::LANGUAGE),
    entry!("nix", tree_sitter_nix::LANGUAGE),
    entry!("objc", tree_sitter_objc::LANGUAGE),
    entry!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
    entry!("ocaml_interface", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE),
    entry!("orgmode"),
    entry!("perl", ts_parser_perl::LANGUAGE),
    entry!("php", tree_sitter_php::LANGUAGE_PHP),
    entry!("plaintext"),
    entry!("powershell", tree_sitter_powershell::LANGUAGE),
    entry!("protobuf", tree_sitter_proto::LANGUAGE),
    entry!("python", tree_sitter_python::LANGUAGE),
    entry!("r", tree_sitter_r::LANGUAGE),
    entry!("restructuredtext"),
    entry!("ruby", tree_sitter_ruby::LANGUAGE),
    entry!("rust", tree_sitter_rust::LANGUAGE),
    entry!("scala", tree_sitter_scala::LANGUAGE),
    entry!("solidity", tree_sitter_solidity::LANGUAGE),
    entry!("sql", tree_sitter_sequel::LANGUAGE),
    entry!("svelte", tree_sitter_svelte_ng::LANGUAGE),
    entry!("swift", tree_sitter_swift::LANGUAGE),
    entry!("toml", tree_sitter_toml_ng::LANGUAGE),
    entry!("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    entry!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    entry!("vue", tree_sitter_vue_next::LANGUAGE),
    entry!("yaml", tree_sitter_yaml::LANGUAGE),
    entry!("zig", tree_sitter_zig::LANGUAGE),
];

/// Queries that several languages inherit and no language is: folders whose name starts with `_`.
pub(crate) const SHARED_QUERIES: &[(&str, &str)] = &[(
    "_ecmascript",
    concat!(
        include_str!("../languages/_ecmascript/symbols.scm"),
        "\n",
        include_str!("../languages/_ecmascript/references.scm")
    ),
)];

/// FNV-1a, which the compiler can work out: the hash is in the binary, the text is not.
const fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}
