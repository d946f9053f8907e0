//! A language as its folder describes it (`language.toml`, query, grammar), loaded and compiled, and the detection of a
//! file's language by its name, extension or text.

mod definition;
pub(crate) mod headings;
mod import_tree;
pub(crate) mod lost_definitions;
mod macro_blanking;
mod module_rules;
mod parameters;
mod rules;
mod signature;

pub use module_rules::{ModuleRules, ModuleStyle, NameVisibility};
pub use parameters::Parameter;
pub(crate) use rules::{KindRule, QueryRules};
pub use signature::SignatureParts;

use crate::expression::ExpressionSpec;
use crate::registry::{LANGUAGES, LanguageEntry, SHARED_QUERIES};
use headings::HeadingRules;
use model::{ContentHash, DigestBuilder, Symbol, SymbolKind};
use rules::GrammarSettings;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;

/// One language.
pub struct Language {
    description: LanguageSpec,
    entry: &'static LanguageEntry,
    rules: OnceLock<Option<QueryRules>>,
}

/// The language of a file, by its project-relative path and, where the path does not decide it, its text.
pub fn language_of(path: &str, bytes: &[u8]) -> Option<&'static Language> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let by_name = || all_languages().find(|language| language.file_names().any(|name| name == file_name));
    let by_extension = || {
        let (_, extension) = file_name.rsplit_once('.')?;
        // `.h` is C unless a line of the file is possible only in C++ or Objective-C.
        let by_lines = all_languages().find(|language| language.is_told_by_lines(extension, bytes));
        by_lines.or_else(|| all_languages().find(|language| language.has_extension(extension)))
    };
    let by_pattern =
        || all_languages().find(|language| language.file_names().any(|name| matches_pattern(name, file_name)));
    let by_shebang = || {
        let interpreter = parse_interpreter(bytes)?;
        all_languages().find(|language| language.description.interpreters.contains(&interpreter))
    };
    // Patterns such as `Dockerfile.*` come after extensions, so that `Dockerfile.md` is Markdown.
    by_name().or_else(by_extension).or_else(by_pattern).or_else(by_shebang)
}

/// What the files of a language hold, by the language's name; an unknown name counts as data.
pub fn content_kind_of(name: &str) -> ContentKind {
    all_languages().find(|language| language.name() == name).map_or(ContentKind::Data, Language::content_kind)
}

/// Whether the files of a language are the main subject of a project that has some: they hold code, and not code that
/// builds or styles other code.
pub fn is_central(name: &str) -> bool {
    let language = all_languages().find(|language| language.name() == name);
    language.is_some_and(|language| language.description.holds == ContentKind::Code && !language.description.auxiliary)
}

/// What the files of a language are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentKind {
    /// Something that runs, is built, or shapes what does.
    #[default]
    Code,
    /// Text for people.
    Prose,
    /// Values.
    Data,
}

/// The language with a name or an extension.
pub fn language_called(word: &str) -> Option<&'static Language> {
    let word = word.trim();
    let by_name = all_languages().find(|language| language.name().eq_ignore_ascii_case(word));
    by_name.or_else(|| all_languages().find(|language| language.has_extension(word)))
}

/// Every language, by name.
pub fn all_languages() -> impl Iterator<Item = &'static Language> {
    static ALL: OnceLock<Vec<Language>> = OnceLock::new();
    ALL.get_or_init(|| LANGUAGES.iter().map(Language::new).collect()).iter()
}

impl Language {
    /// Its name, as shown and stored.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// The extensions its files have, without the dot.
    pub fn file_extensions(&self) -> impl Iterator<Item = &str> {
        self.description.extensions.iter().map(String::as_str)
    }

    /// The name that languages share whose files use each other's names.
    pub fn family(&self) -> &str {
        match (&self.description.family, self.parent_language(), &self.description.inherits) {
            (Some(own), ..) => own,
            (None, Some(parent), _) => parent.family(),
            (None, None, Some(shared)) => shared,
            (None, None, None) => self.name(),
        }
    }

    /// A hash of what its files are recognized by: it differs where a file may turn out to be in another language.
    pub fn known_by(&self) -> ContentHash {
        let LanguageSpec { name, extensions, file_names, interpreters, told_by_lines, .. } = &self.description;
        // A map has no order, and the hash must be the same in every process.
        let mut by_lines: Vec<_> = told_by_lines.iter().collect();
        by_lines.sort();
        let lists = format!("{name:?} {extensions:?} {file_names:?} {interpreters:?} {by_lines:?}");
        DigestBuilder::new("known by").add_field(lists.as_bytes()).finish()
    }

    /// A hash of everything in its folder: it differs where files of the language may give other extracts.
    pub fn fingerprint(&self) -> ContentHash {
        let own = self.own_fingerprint();
        if !self.query_source().contains("@embed") {
            return own;
        }
        // Text of any other language may be embedded, and its facts follow that language.
        let with_others = DigestBuilder::new("languages").add_field(own.as_bytes());
        all_languages().fold(with_others, |digest, other| digest.add_field(other.own_fingerprint().as_bytes())).finish()
    }

    fn own_fingerprint(&self) -> ContentHash {
        let inherited = self.parent_language().map(Self::own_fingerprint);
        DigestBuilder::new("language")
            .add_field(self.entry.description.as_bytes())
            .add_field(self.query_source().as_bytes())
            .add_field(&self.entry.sample.to_le_bytes())
            .add_optional(inherited.as_ref().map(|hash| &hash.as_bytes()[..]))
            .finish()
    }

    /// How its code reaches names of other files.
    pub fn module_rules(&self) -> &ModuleRules {
        static NONE: OnceLock<ModuleRules> = OnceLock::new();
        let own = self.description.modules.as_ref();
        own.or_else(|| Some(self.parent_language()?.module_rules()))
            .unwrap_or_else(|| NONE.get_or_init(ModuleRules::default))
    }

    /// The parameters of a function, where functions of one name may differ by them.
    pub fn parameters_of(&self, symbol: &Symbol) -> Option<Vec<Parameter>> {
        let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
        let is_compared = self.module_rules().compared && symbol.signature.contains('(');
        (is_function && is_compared)
            .then(|| self.parse_signature(symbol).parameters.iter().filter_map(|text| Parameter::parse(text)).collect())
    }

    /// The parts of a symbol's signature.
    pub fn parse_signature(&self, symbol: &Symbol) -> SignatureParts {
        match (&self.description.signature, self.parent_language()) {
            (Some(own), _) if matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro) => {
                own.take_apart(&symbol.signature, &symbol.name)
            }
            (Some(own), _) => SignatureParts {
                modifiers: own.take_apart(&symbol.signature, &symbol.name).modifiers,
                ..SignatureParts::default()
            },
            (None, Some(parent)) => parent.parse_signature(symbol),
            (None, None) => SignatureParts::default(),
        }
    }

    /// Whether other files can import a symbol that stands at the top of its file; nothing where the text does not say so.
    pub fn is_exported(&self, symbol: &Symbol) -> Option<bool> {
        if symbol.container.is_some() {
            return None;
        }
        match (&self.description.signature, self.parent_language()) {
            (Some(own), _) => own.is_exported(symbol),
            (None, Some(parent)) => parent.is_exported(symbol),
            (None, None) => None,
        }
    }

    /// Parses and throws the tree away: what a bench compares extraction with.
    pub fn can_parse(&self, bytes: &[u8]) -> bool {
        let mut parser = tree_sitter::Parser::new();
        let Some(rules) = self.query_rules() else { return false };
        parser.set_language(rules.grammar()).is_ok() && parser.parse(bytes, None).is_some()
    }

    /// Whether people write lines that would be minified code in other languages.
    pub(crate) fn has_long_lines(&self) -> bool {
        self.description.has_long_lines
    }

    /// How deep the parser can follow braces, where there is a limit.
    pub(crate) fn deepest_braces(&self) -> Option<u32> {
        self.description.deepest_braces
    }

    /// How many symbols of one file are structure; more are records.
    pub(crate) fn most_symbols(&self) -> Option<usize> {
        self.description.most_symbols
    }

    pub(crate) fn comment_markers(&self) -> &CommentMarkers {
        &self.description.comments
    }

    /// The compiled query, made at the first file of this language; none where it has no grammar.
    pub(crate) fn query_rules(&self) -> Option<&QueryRules> {
        let compile = |grammar: fn() -> tree_sitter::Language| {
            QueryRules::compile(&grammar(), &self.query_source(), &self.grammar_settings())
                .expect("a test compiles every language's query")
        };
        self.rules.get_or_init(|| self.entry.grammar.map(compile)).as_ref()
    }

    /// What its headings look like, where it has no grammar.
    pub(crate) fn heading_rules(&self) -> Option<&HeadingRules> {
        self.description.headings.as_ref()
    }

    /// What its files are for.
    pub(crate) fn content_kind(&self) -> ContentKind {
        self.description.holds
    }

    /// Whether people write large files in it; others of that size are built or are records.
    pub(crate) fn is_large_code(&self) -> bool {
        let LanguageSpec { holds, auxiliary, most_symbols, .. } = &self.description;
        *holds == ContentKind::Code && !auxiliary && most_symbols.is_none()
    }

    fn new(entry: &'static LanguageEntry) -> Self {
        let description = toml::from_str(entry.description).expect("a test reads every language.toml");
        Self { description, entry, rules: OnceLock::new() }
    }

    fn file_names(&self) -> impl Iterator<Item = &str> {
        self.description.file_names.iter().map(String::as_str)
    }

    fn has_extension(&self, extension: &str) -> bool {
        self.file_extensions().any(|known| known.eq_ignore_ascii_case(extension))
    }

    /// Whether a file with an extension of another language has a line that only this language can have.
    fn is_told_by_lines(&self, extension: &str, bytes: &[u8]) -> bool {
        let mut by_extension = self.description.told_by_lines.iter();
        let Some((_, starts)) = by_extension.find(|(known, _)| known.eq_ignore_ascii_case(extension)) else {
            return false;
        };
        let mut comment_end: Option<&str> = None;
        bytes.split(|&byte| byte == b'\n').any(|line| {
            let line = line.trim_ascii_start();
            let has = |part: &str| line.windows(part.len()).any(|window| window == part.as_bytes());
            // The lines of a comment may begin with any word, so they decide nothing.
            if let Some(end) = comment_end {
                comment_end = comment_end.filter(|_| !has(end));
                return false;
            }
            let blocks = &self.comment_markers().block;
            if let Some((_, end)) = blocks.iter().find(|(open, _)| line.starts_with(open.as_bytes())) {
                comment_end = Some(end.as_str()).filter(|end| !has(end));
                return false;
            }
            starts.iter().any(|start| line.starts_with(start.as_bytes()))
        })
    }

    /// The settings beside its query, or those of the language it inherits from.
    fn grammar_settings(&self) -> GrammarSettings<'_> {
        let LanguageSpec { expressions, imports, unseen, lost, loses_silently, line_texts, definitions, .. } =
            &self.description;
        if let (None, Some(parent)) = (expressions, self.parent_language()) {
            return parent.grammar_settings();
        }
        GrammarSettings {
            expressions: expressions.as_ref(),
            imports: imports.as_ref(),
            unseen,
            lost,
            loses_silently: loses_silently.as_deref(),
            line_texts,
            definitions: definitions.as_ref(),
        }
    }

    /// The language whose folder it inherits from; none where that folder is no language.
    fn parent_language(&self) -> Option<&'static Language> {
        let folder = self.description.inherits.as_ref()?;
        all_languages().find(|language| language.entry.folder == folder)
    }

    /// The language's own patterns, then those it inherits: where both define a node, the earlier pattern counts.
    pub(crate) fn query_source(&self) -> String {
        let mut query = format!("{}\n{}", self.entry.symbols, self.entry.references);
        let mut inherits = self.description.inherits.as_deref();
        while let Some(folder) = inherits {
            query.push('\n');
            // A shared folder is no language and inherits nothing.
            if let Some((_, shared)) = SHARED_QUERIES.iter().find(|(name, _)| *name == folder) {
                query.push_str(shared);
                break;
            }
            let parent = all_languages().find(|language| language.entry.folder == folder);
            let parent = parent.expect("a test follows every inherits key");
            query.push_str(parent.entry.symbols);
            query.push('\n');
            query.push_str(parent.entry.references);
            inherits = parent.description.inherits.as_deref();
        }
        query
    }
}

/// `language.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageSpec {
    name: String,
    extensions: Vec<String>,
    /// Whole names; a `*` at the end matches any text.
    #[serde(default)]
    file_names: Vec<String>,
    /// Programs of a `#!` line, without version numbers.
    #[serde(default)]
    interpreters: Vec<String>,
    /// Extensions that belong to another language, each with starts of lines that only this one has.
    #[serde(default)]
    told_by_lines: HashMap<String, Vec<String>>,
    /// The folder whose query this language has too.
    inherits: Option<String>,
    /// A word for the languages that use each other's names, where they do not inherit from each other.
    family: Option<String>,
    /// Patterns of text that the parser does not see, each with the word it sees instead; see [`macro_blanking`].
    #[serde(default)]
    unseen: Vec<(String, String)>,
    /// How lines that define something look, by kind of symbol; see [`lost_definitions`].
    #[serde(default)]
    lost: Vec<(String, String)>,
    /// A pattern of text by which its grammar may lose definitions without an error.
    loses_silently: Option<String>,
    /// Kinds of nodes that are texts and end with their line: one of several lines is code that its grammar took for text.
    #[serde(default)]
    line_texts: Vec<String>,
    /// What its files are for.
    #[serde(default)]
    holds: ContentKind,
    /// Whether its files build or dress what is written in others.
    #[serde(default)]
    auxiliary: bool,
    /// Whether people write lines as long as tools do elsewhere.
    #[serde(default)]
    has_long_lines: bool,
    /// Files with braces nested deeper are not parsed: for scanners that read to the end at each open one.
    deepest_braces: Option<u32>,
    /// Where a file has more symbols, its deeper levels are left out: they are records, not structure.
    most_symbols: Option<usize>,
    #[serde(default)]
    comments: CommentMarkers,
    /// What headings look like, where there is no grammar; see [`headings`].
    headings: Option<HeadingRules>,
    #[serde(default)]
    expressions: Option<ExpressionSpec>,
    imports: Option<import_tree::ImportSpec>,
    /// What kinds of node define, where their fields tell it.
    definitions: Option<HashMap<String, definition::DefinitionSpec>>,
    modules: Option<ModuleRules>,
    signature: Option<signature::SignatureSpec>,
}

/// How comments are marked; where several markers fit, the first listed counts.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentMarkers {
    pub(crate) line: Vec<String>,
    #[serde(default)]
    pub(crate) block: Vec<(String, String)>,
    /// Markers of comments about the definition around them, not about the one below.
    #[serde(default)]
    pub(crate) inner: Vec<String>,
    /// Markers of comments that may be about the definition before them.
    #[serde(default)]
    pub(crate) after: Vec<String>,
}

/// Whether a file is called as a pattern such as `Dockerfile.*` wants.
fn matches_pattern(pattern: &str, file_name: &str) -> bool {
    pattern.strip_suffix('*').is_some_and(|start| file_name.len() > start.len() && file_name.starts_with(start))
}

/// The program a `#!` line names: `#!/usr/bin/env -S python3.12 -u` gives `python`.
fn parse_interpreter(bytes: &[u8]) -> Option<String> {
    let line = bytes.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let mut program = words.next()?;
    if program.ends_with("/env") {
        // `#!/usr/bin/env -i NAME=value python3`: options and variables come before the program.
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    Some(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn check(path: &str, first_bytes: &str, expected: Option<&str>) {
        assert_eq!(language_of(path, first_bytes.as_bytes()).map(Language::name), expected, "{path}");
    }

    #[test]
    fn a_file_is_known_by_name_extension_or_first_line() {
        check("src/main.rs", "", Some("rust"));
        check("web/App.TSX", "", Some("tsx"));
        check("types.d.ts", "", Some("typescript"));
        check("build/SConstruct", "", Some("python"));
        check("bin/tool", "#!/usr/bin/env -S PYTHONPATH=. python3.12 -u\nprint()", Some("python"));
        check("bin/serve", "#!/opt/node/bin/node\n", Some("javascript"));
        check("bin/run", "#!/bin/sh\n", Some("bash"));
        check("bin/run", "#!/usr/bin/awk -f\n", None);
        check("bin/run", "#!", None);
        check("deploy/Dockerfile.dev", "", Some("dockerfile"));
        check("Dockerfile.md", "", Some("markdown"));
        check("lib/CMakeLists.txt", "", Some("cmake"));
        check("a.rs/README", "", Some("plaintext"));
        check("INSTALL.unix", "", Some("plaintext"));
        check("a.rs/READY", "", None);
        check("a.h", "struct a { int b; };", Some("c"));
        check("a.h", "/* for those who\nclass */\nint f(void); // class\n", Some("c"));
        check("a.H", "/* one */\n#include \"b.h\"\n  class A {\n", Some("cpp"));
        check("a.h", "#import <A/A.h>\n", Some("objc"));
        check("", "", None);
    }

    #[test]
    fn every_language_compiles_and_is_listed_once_in_order() {
        let names: Vec<_> = all_languages().map(Language::name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        for language in all_languages() {
            let compile = |grammar: fn() -> _| {
                QueryRules::compile(&grammar(), &language.query_source(), &language.grammar_settings())
            };
            match language.entry.grammar.map(compile) {
                Some(Err(error)) => panic!("{}: {error}", language.name()),
                Some(Ok(_)) => assert!(language.heading_rules().is_none(), "{}", language.name()),
                None => assert!(language.heading_rules().is_some(), "{}", language.name()),
            }
            assert_eq!(language.name(), language.entry.folder);
        }
    }

    #[test]
    fn folders_and_registry_are_equal() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
        let folders: BTreeSet<_> = fs_err::read_dir(root)
            .expect("the languages folder is there")
            .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
            .collect();
        let listed: BTreeSet<_> =
            LANGUAGES.iter().map(|entry| entry.folder).chain(SHARED_QUERIES.iter().map(|s| s.0)).collect();
        assert_eq!(folders.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
    }

    #[test]
    fn no_two_languages_claim_the_same_file() {
        let mut claimed = BTreeSet::new();
        for language in all_languages() {
            for claim in language.file_extensions().chain(language.file_names()) {
                assert!(claimed.insert(claim), "{claim}");
            }
        }
    }
}
