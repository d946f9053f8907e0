//! Parses and evaluates SPDX licence expressions: names joined by `AND`, `OR` and `WITH`, with parentheses. `AND` binds
//! tighter than `OR`; `A WITH B` is one licence of its own; the old `A/B` of early manifests means `OR`.

use anyhow::{Result, bail};

/// Whether licences for which `allowed` is true suffice.
pub(super) fn is_satisfied(text: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool> {
    let mut parser = LicenceParser { tokens: split_tokens(text), at: 0, allowed };
    let satisfied = parser.parse_any()?;
    // Text that is left over was not understood, and must not count as satisfied.
    match parser.peek() {
        None => Ok(satisfied),
        Some(token) => bail!("`{token}` is out of place"),
    }
}

fn split_tokens(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct LicenceParser<'a> {
    tokens: Vec<String>,
    at: usize,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl LicenceParser<'_> {
    fn parse_any(&mut self) -> Result<bool> {
        let mut satisfied = self.parse_all()?;
        while self.take_token("OR") {
            // Both sides are read, so that a mistake behind a satisfied side is still reported.
            satisfied |= self.parse_all()?;
        }
        Ok(satisfied)
    }

    fn parse_all(&mut self) -> Result<bool> {
        let mut satisfied = self.parse_one()?;
        while self.take_token("AND") {
            satisfied &= self.parse_one()?;
        }
        Ok(satisfied)
    }

    fn parse_one(&mut self) -> Result<bool> {
        if self.take_token("(") {
            let satisfied = self.parse_any()?;
            if !self.take_token(")") {
                bail!("a parenthesis is not closed");
            }
            return Ok(satisfied);
        }
        let mut licence = self.parse_name()?;
        if self.take_token("WITH") {
            licence = format!("{licence} WITH {}", self.parse_name()?);
        }
        Ok((self.allowed)(&licence))
    }

    fn parse_name(&mut self) -> Result<String> {
        match self.peek() {
            Some(token) if !["AND", "OR", "WITH", "(", ")"].contains(&token) => {
                let name = token.to_owned();
                self.at += 1;
                Ok(name)
            }
            Some(token) => bail!("`{token}` stands where a licence should"),
            None => bail!("a licence is missing"),
        }
    }

    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take_token(&mut self, token: &str) -> bool {
        let is_next = self.peek() == Some(token);
        self.at += usize::from(is_next);
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED_LICENCES: [&str; 3] = ["MIT", "Apache-2.0", "Unicode-3.0"];

    fn check(text: &str, expected: Result<bool, &str>) {
        let actual = is_satisfied(text, &|id| ALLOWED_LICENCES.contains(&id)).map_err(|error| error.to_string());
        assert_eq!(actual, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn a_choice_needs_one_side_and_a_sum_needs_both() {
        check("MIT", Ok(true));
        check("GPL-3.0-only", Ok(false));
        check("GPL-2.0-only OR MIT", Ok(true));
        check("MIT AND GPL-2.0-only", Ok(false));
        check("MIT/Apache-2.0", Ok(true));
        check("Apache-2.0 / GPL-2.0-only", Ok(true));
    }

    #[test]
    fn and_binds_tighter_than_or_and_parentheses_win() {
        check("MIT OR MIT AND GPL-2.0-only", Ok(true));
        check("GPL-2.0-only AND MIT OR MIT", Ok(true));
        check("(MIT OR GPL-2.0-only) AND Unicode-3.0", Ok(true));
        check("GPL-2.0-only AND (MIT OR MIT)", Ok(false));
        check("((MIT))", Ok(true));
    }

    #[test]
    fn an_exception_makes_another_licence() {
        check("Apache-2.0 WITH LLVM-exception", Ok(false));
        check("Apache-2.0 WITH LLVM-exception OR MIT", Ok(true));
    }

    #[test]
    fn a_malformed_expression_is_an_error_not_a_yes() {
        check("", Err("a licence is missing"));
        check("MIT OR", Err("a licence is missing"));
        check("MIT OR AND MIT", Err("`AND` stands where a licence should"));
        check("(MIT", Err("a parenthesis is not closed"));
        check("MIT)", Err("`)` is out of place"));
        check("MIT Apache-2.0", Err("`Apache-2.0` is out of place"));
    }
}
