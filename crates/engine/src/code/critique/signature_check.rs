//! Decides whether a function has the parameters that a draft gives it.
//!
//! A call may give any values, so a name that is no parameter proves nothing where it may be a variable of the caller:
//! what is denied are more arguments than there are parameters, names for them that a declaration would have, and a
//! name that stands beside true ones and in no file that has the function.

use super::ClaimCheck;
use super::claim_search::StatedParameters;
use super::mention::SymbolMention;
use super::project_names::ProjectNames;
use super::symbol_check::resolve;
use crate::code::graph::NodeId;
use model::{Symbol, SymbolKind};
use std::collections::HashMap;

/// Members that make a value of their type.
const CONSTRUCTORS: &[&str] = &["__init__", "constructor", "__construct", "initialize", "new", "init", "__new__"];
/// Words for the object that a method belongs to.
const RECEIVERS: &[&str] = &["self", "cls", "this", "mut self", "&self", "&mut self"];

/// How a body takes arguments that its signature does not have.
const ANY_ARGUMENTS: &[&str] = &["arguments[", "arguments.length", "arguments)", "= arguments;"];

/// The symbols of files with their signatures, by path.
pub(super) type FileSymbols = HashMap<String, Vec<Symbol>>;

/// The functions whose signatures decide a claim about a symbol: itself, or the constructors of a type.
pub(super) fn find_functions(names: &ProjectNames, symbol: &SymbolMention) -> Vec<NodeId> {
    let mut found = names.find_symbols(symbol);
    if found.is_empty() {
        found.extend(resolve(names, symbol));
    }
    let graph = &names.graph;
    let is_kind = |node: &NodeId, is: fn(SymbolKind) -> bool| graph.kind(*node).is_some_and(is);
    let mut functions: Vec<NodeId> =
        found.iter().copied().filter(|node| is_kind(node, SymbolKind::is_function)).collect();
    for of in found.iter().filter(|node| is_kind(node, SymbolKind::is_type)) {
        let members =
            names.hierarchy(&[*of], true).into_iter().flat_map(|of| graph.member_nodes(of).collect::<Vec<_>>());
        functions
            .extend(members.filter(|member| {
                CONSTRUCTORS.contains(&graph.name(*member)) || graph.name(*member) == graph.name(*of)
            }));
    }
    // Something else of that name, such as a constant that holds a function, may have any parameters.
    let has_other =
        found.iter().any(|node| !is_kind(node, SymbolKind::is_function) && !is_kind(node, SymbolKind::is_type));
    if has_other { Vec::new() } else { functions }
}

/// Whether the functions of a name have the parameters that are stated.
pub(super) fn check_signature(
    names: &ProjectNames,
    symbol: &SymbolMention,
    stated: &StatedParameters,
    symbols: &FileSymbols,
) -> ClaimCheck {
    let functions = find_functions(names, symbol);
    if functions.is_empty() {
        return ClaimCheck::unknown("the project has no function of this name");
    }
    let mut denied: Option<ClaimCheck> = None;
    for node in functions {
        let Some(known) = read_parameters(names, node, symbols) else {
            return ClaimCheck::unknown("its parameters could not be read");
        };
        let check = known.check(names, node, symbol, stated);
        match check.issue {
            // One of several functions of a name may be meant.
            None => return check,
            Some(_) => denied = denied.or(Some(check)),
        }
    }
    denied.unwrap_or_else(|| ClaimCheck::unknown("its parameters could not be read"))
}

/// The parameters of a function.
struct KnownParameters {
    /// As they are written, without the object that a method belongs to.
    written: Vec<String>,
    /// Whether it takes any number of them.
    is_open: bool,
}

fn read_parameters(names: &ProjectNames, node: NodeId, symbols: &FileSymbols) -> Option<KnownParameters> {
    let graph = &names.graph;
    let symbol = symbols
        .get(graph.path(node))?
        .iter()
        .find(|symbol| symbol.id.qualified_name() == graph.qualified_name(node))?;
    let language = syntax::all_languages().find(|language| Some(language.name()) == graph.language(node))?;
    // A signature without parentheses was not read to its end, or is none.
    if !symbol.signature.contains('(') {
        return None;
    }
    let parts = language.parse_signature(symbol);
    let is_receiver = |text: &str| {
        let name = text.split([':', '=']).next().unwrap_or(text).trim();
        RECEIVERS.contains(&name) || name.starts_with('&') && name.ends_with("self")
    };
    let written: Vec<String> = parts.parameters.into_iter().filter(|text| !is_receiver(text)).collect();
    let text = names.symbol_text(node);
    let is_open =
        written.iter().any(|text| text.starts_with('*') && text.len() > 1 || text.contains("..") || text.contains('{'))
            || ANY_ARGUMENTS.iter().any(|mark| memchr::memmem::find(&text, mark.as_bytes()).is_some());
    // `*` and `/` alone say how the others are given.
    let written = written.into_iter().filter(|text| text != "*" && text != "/").collect();
    Some(KnownParameters { written, is_open })
}

impl KnownParameters {
    fn has(&self, name: &str) -> bool {
        let wanted = name.trim_start_matches(['*', '_', '&']);
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        self.written
            .iter()
            .flat_map(|text| text.split(|c| !is_word(c)))
            .any(|word| word.trim_start_matches('_') == wanted)
    }

    fn has_names(&self) -> bool {
        self.written.iter().any(|text| text.starts_with("**") || text.contains('{'))
    }

    fn check(
        &self,
        names: &ProjectNames,
        node: NodeId,
        symbol: &SymbolMention,
        stated: &StatedParameters,
    ) -> ClaimCheck {
        let source = names.source_of(node);
        let has = if self.written.is_empty() {
            format!("`{}` takes no parameters", names.graph.id(node))
        } else {
            format!("`{}` takes ({})", names.graph.id(node), self.written.join(", "))
        };
        let supported = ClaimCheck::supported(source.clone());
        let denied = |what: String| ClaimCheck {
            source: Some(source.clone()),
            ..ClaimCheck::denied(format!("{what}: {has}")).suggest(None)
        };
        match stated {
            StatedParameters::Count(count) => match self.written.len() {
                own if own == *count => supported,
                _ if self.is_open => ClaimCheck::unknown("it takes any number of arguments"),
                // Those that may be left out are often not counted.
                own if *count < own && self.written.iter().any(|text| text.contains(['=', '?'])) => supported,
                _ => denied(format!("it does not take {count}")),
            },
            StatedParameters::Named(name) if self.has(name) => supported,
            StatedParameters::Named(_) if self.has_names() || self.is_open => {
                ClaimCheck::unknown("it takes arguments of any name")
            }
            StatedParameters::Named(name) => denied(format!("it has no parameter `{name}`")),
            StatedParameters::List(list) => match self.compare_list(names, symbol, list) {
                ListOutcome::Fits => supported,
                ListOutcome::Unsure => ClaimCheck::unknown("the arguments may be values of a caller"),
                ListOutcome::Wrong(what) => denied(what),
            },
        }
    }

    fn compare_list(&self, names: &ProjectNames, symbol: &SymbolMention, list: &[String]) -> ListOutcome {
        let is_gap = |text: &String| matches!(text.as_str(), "..." | "…" | "etc" | "etc.");
        let given: Vec<StatedArgument<'_>> = list
            .iter()
            .filter(|text| !is_gap(text) && !RECEIVERS.contains(&text.as_str()))
            .map(|text| StatedArgument::parse(text))
            .collect();
        let has_rest = given.iter().any(|argument| argument.is_rest);
        let plain = given.iter().filter(|argument| !argument.is_rest && !argument.is_keyword).count();
        if !self.is_open && !has_rest && plain > self.written.len() {
            return ListOutcome::Wrong(format!("it does not take {plain} arguments"));
        }
        let unknown = |argument: &&StatedArgument<'_>| argument.name.is_some_and(|name| !self.has(name));
        // A name that the language asks for, or that a declaration states, has to be one of the parameters.
        let must = |argument: &&StatedArgument<'_>| argument.is_keyword || argument.is_typed || symbol.is_declaration;
        if !self.has_names()
            && let Some(wrong) = given.iter().filter(must).find(unknown).and_then(|argument| argument.name)
            && !(self.is_open && given.iter().all(|argument| !argument.is_keyword))
        {
            return ListOutcome::Wrong(format!("it has no parameter `{wrong}`"));
        }
        let matched = given.iter().filter(|argument| argument.name.is_some_and(|name| self.has(name))).count();
        let foreign: Vec<&str> = given.iter().filter(unknown).filter_map(|argument| argument.name).collect();
        if foreign.is_empty() {
            return if matched > 0 || given.is_empty() { ListOutcome::Fits } else { ListOutcome::Unsure };
        }
        // Beside a true name, one that stands in no file that has the function is no variable of a caller.
        let is_made_up = |name: &&&str| names.places.is_nowhere(name);
        match foreign.iter().find(is_made_up).filter(|_| matched > 0 && !self.is_open) {
            Some(wrong) => ListOutcome::Wrong(format!("it has no parameter `{wrong}`")),
            None => ListOutcome::Unsure,
        }
    }
}

enum ListOutcome {
    Fits,
    Unsure,
    Wrong(String),
}

/// One argument as a draft writes it.
struct StatedArgument<'a> {
    /// Its name, where it is one.
    name: Option<&'a str>,
    /// Given by name: `timeout=3`.
    is_keyword: bool,
    /// With a type behind it, as only declarations have.
    is_typed: bool,
    /// Any number of arguments.
    is_rest: bool,
}

impl<'a> StatedArgument<'a> {
    fn parse(text: &'a str) -> Self {
        let is_rest = text.starts_with('*') || text.starts_with("...");
        let bare = text.trim_start_matches(['*', '.', '&']);
        let end = bare.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(bare.len());
        let (name, rest) = bare.split_at(end);
        let rest = rest.trim_start();
        let starts_name = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        let is_keyword = rest.starts_with('=') && !rest.starts_with("==");
        let is_typed = rest.starts_with(':') && !rest.starts_with("::") || rest.starts_with("?:");
        let is_literal =
            matches!(name, "true" | "false" | "null" | "None" | "True" | "False" | "nil" | "undefined" | "new");
        let is_name = starts_name && !is_literal && (rest.is_empty() || is_keyword || is_typed);
        Self {
            name: is_name.then_some(name),
            is_keyword: is_keyword && is_name,
            is_typed: is_typed && is_name,
            is_rest,
        }
    }
}
