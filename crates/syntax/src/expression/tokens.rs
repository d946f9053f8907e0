//! Finds calls in macro arguments, which a grammar leaves as a token tree: they are mostly expressions, but a grammar
//! cannot know. Names that are joined by `.` and `::` are one expression, and a list in parentheses after a name calls
//! it.

use super::Expression;
use tree_sitter::Node;

/// More tokens than this are data.
const MAX_TOKENS: usize = 20_000;

/// Every call in a tree of tokens, each with the byte it starts at. `read` reads one token as an expression.
pub(crate) fn calls_in(tree: &Node, read: impl Fn(&Node) -> Expression, mut found: impl FnMut(u32, Expression)) {
    let mut waiting = vec![*tree];
    let mut seen = 0;
    while let Some(tree) = waiting.pop() {
        let mut reading = ExpressionState::default();
        let mut cursor = tree.walk();
        for token in tree.children(&mut cursor) {
            seen += 1;
            if seen > MAX_TOKENS {
                return;
            }
            let is_tree = token.kind_id() == tree.kind_id();
            if is_tree {
                waiting.push(token);
            }
            let sign = token.child(0).filter(|_| is_tree).map_or(token.kind(), |open| open.kind());
            match sign {
                "(" if is_tree => {
                    if let Some((at, called)) = reading.take_call() {
                        found(at, called);
                    }
                }
                "." | "::" => reading.goes_on = reading.read.is_some(),
                // `?` changes nothing about the expression before it.
                "?" => {}
                // `name!` is a macro: what follows is its argument, and no member.
                "!" if reading.read.is_some() => reading.goes_on = false,
                _ if is_tree => reading.skip_group(),
                _ if token.is_named() => {
                    reading.push_token(read(&token), token.start_byte() as u32);
                }
                // Any other sign ends the expression.
                _ => reading = ExpressionState::default(),
            }
        }
    }
}

/// The expression that a tree of tokens is, where it is one: `(a.b(c)?)`. `read` reads one token as an expression.
pub(super) fn only_expression(tree: &Node, read: impl Fn(&Node) -> Expression) -> Option<Expression> {
    let mut reading = ExpressionState::default();
    let mut cursor = tree.walk();
    let inner = (tree.child_count() as usize).checked_sub(2)?;
    for (at, token) in tree.children(&mut cursor).enumerate().skip(1).take(inner) {
        let is_tree = token.kind_id() == tree.kind_id();
        let sign = token.child(0).filter(|_| is_tree).map_or(token.kind(), |open| open.kind());
        let is_joined = reading.goes_on || reading.read.is_none();
        match sign {
            "(" if is_tree => reading.take_call().map(drop)?,
            "." | "::" => reading.goes_on = reading.read.is_some(),
            "?" => {}
            // A reference or a dereference at the beginning.
            "&" | "*" | "mut" if reading.read.is_none() => {}
            _ if token.is_named() && !is_tree && is_joined => {
                reading.push_token(read(&token), at as u32);
            }
            _ => return None,
        }
    }
    reading.read.filter(|_| !reading.goes_on).map(|(_, read)| read)
}

/// The expression that was read up to a token.
#[derive(Default)]
struct ExpressionState {
    read: Option<(u32, Expression)>,
    /// Whether a member comes next.
    goes_on: bool,
}

impl ExpressionState {
    fn push_token(&mut self, token: Expression, at: u32) {
        let before = self.read.take();
        self.read = match (before, token) {
            (Some((start, object)), Expression::Name(name)) if self.goes_on => {
                // `.await` is no member: its value is that of the expression before it.
                let waits = name == "await";
                Some((start, if waits { object } else { Expression::Member(Box::new(object), name) }))
            }
            (_, token) => Some((at, token)),
        };
        self.goes_on = false;
    }

    /// Parentheses: the expression before them is called, if there is one.
    fn take_call(&mut self) -> Option<(u32, Expression)> {
        let before = self.read.take().filter(|_| !self.goes_on);
        let called = before.filter(|(_, read)| read.last_name().is_some());
        self.goes_on = false;
        let (at, read) = match &called {
            Some((at, read)) => (*at, Expression::Call(Box::new(read.clone()))),
            None => (0, Expression::Unknown),
        };
        self.read = Some((at, read));
        called
    }

    /// Brackets and braces: an item or an instance that is not followed.
    fn skip_group(&mut self) {
        self.read = Some((0, Expression::Unknown));
        self.goes_on = false;
    }
}
