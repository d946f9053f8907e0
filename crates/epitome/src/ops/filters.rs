//! Parses filters inside of a query: `path:src/http lang:rust kind:function role:user since:2026-01-31`. Only these
//! words before the colon are filters; `std::fs`, `http://…` and every other word with a colon is part of the question.

use super::time_bounds::TimeBound;
use engine::{ConversationFilter, Error, SearchFilters};
use model::{MessageRole, SymbolKind};

/// A question without its filters, and the filters.
pub(super) struct FilteredQuery {
    pub(super) query: String,
    pub(super) filters: SearchFilters,
    pub(super) said: ConversationFilter,
}

/// Takes the filters out of a question.
pub(super) fn parse_filters(question: &str) -> Result<FilteredQuery, Error> {
    let mut found =
        FilteredQuery { query: String::new(), filters: SearchFilters::default(), said: ConversationFilter::default() };
    let mut taken = Vec::new();
    for word in question.split_whitespace() {
        // `std::fs` splits at its first colon into `std` and `:fs`, and is no filter.
        if let Some((name, value)) = word.split_once(':')
            && !value.is_empty()
            && !value.starts_with(':')
            && found.take_filter(name, value)?
        {
            taken.push(word);
        }
    }
    question.clone_into(&mut found.query);
    for word in taken {
        // Cut out and not rebuilt from the words: the spacing of quoted code in a question stays.
        found.query = found.query.replacen(word, "", 1);
    }
    found.query = found.query.trim().to_owned();
    Ok(found)
}

impl FilteredQuery {
    /// Whether it is a filter, and then it is kept.
    fn take_filter(&mut self, name: &str, value: &str) -> Result<bool, Error> {
        let refuse = |reason: String| Err(Error::Parameter { field: "query", reason });
        match name {
            "path" => self.filters.paths.push(value.to_owned()),
            "lang" => self.filters.languages.push(value.to_lowercase()),
            "kind" => match SymbolKind::parse(value) {
                Some(kind) => self.filters.kinds.push(kind),
                None => {
                    return refuse(format!("has `kind:{value}`, which is no kind of symbol: write function or class"));
                }
            },
            "role" => match MessageRole::parse(value) {
                Some(role) => self.said.role = Some(role),
                None => return refuse(format!("has `role:{value}`: write system, user, assistant or tool")),
            },
            "since" => self.said.since = TimeBound::Since.parse(Some(value.to_owned()))?,
            "until" => self.said.until = TimeBound::Until.parse(Some(value.to_owned()))?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_told_from_the_words_of_a_question() {
        let found = parse_filters("path:src/http where is std::fs::read lang:Rust kind:function used http://a")
            .expect("filters");
        assert_eq!(found.query, "where is std::fs::read   used http://a");
        assert_eq!(found.filters.paths, ["src/http"]);
        assert_eq!(found.filters.languages, ["rust"]);
        assert_eq!(found.filters.kinds, [SymbolKind::Function]);
        assert!(parse_filters("kind:banana x").is_err());
        assert!(parse_filters("since:soon x").is_err());
        assert_eq!(parse_filters("role:user what was decided").expect("a filter").said.role, Some(MessageRole::User));
    }
}
