//! `IndexSettings`, the settings of the indexer: size limit, ignore and include patterns, languages, and how much of
//! each file is kept.

/// Which files are indexed, and how.
#[derive(Clone, Debug)]
pub struct IndexSettings {
    /// Larger files are found by path and by lines, not parsed.
    pub max_file_bytes: u64,
    /// Extra ignore patterns, in the syntax of `.gitignore`.
    pub ignore: Vec<String>,
    /// If not empty, only files that match one of these patterns are indexed.
    pub include: Vec<String>,
    /// Names of the languages to parse; empty means all.
    pub languages: Vec<String>,
    /// How much of each file is kept.
    pub depth: IndexDepth,
    /// Whether repositories inside of the project, such as submodules, are indexed with it.
    pub nested_repositories: bool,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self {
            max_file_bytes: 16 << 20,
            ignore: Vec::new(),
            include: Vec::new(),
            languages: Vec::new(),
            depth: IndexDepth::Full,
            nested_repositories: false,
        }
    }
}

/// How much of a file the index keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexDepth {
    /// Everything.
    #[default]
    Full,
    /// What it defines, with signatures, documentation, imports and hierarchy; not what its bodies say and call.
    Signatures,
}
