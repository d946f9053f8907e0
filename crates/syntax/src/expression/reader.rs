//! Converts tree-sitter nodes into expressions and types (`ExpressionReader`), by the node kinds that a language's
//! `[expressions]` lists.

use super::bare_names::BareNameRules;
use super::child_selector::ChildSelector;
use super::name_spelling::NameSpelling;
use super::quoted_types::quoted_type;
use super::tokens::only_expression;
use super::{Expression, ExpressionSpec};
use foldhash::HashSet;
use tree_sitter::{Language, Node};

/// The role of a kind of node.
#[derive(Clone, Default)]
pub(crate) enum NodeRole {
    #[default]
    None,
    Name,
    Member(ChildSelector, ChildSelector),
    Path,
    Arguments,
    Call(ChildSelector, Option<ChildSelector>),
    MemberCall(ChildSelector, ChildSelector),
    New(ChildSelector),
    This,
    Super,
    Through(ChildSelector),
    Literal,
    Builtin(String),
    Own,
    Generic(ChildSelector, ChildSelector),
    Holds(ChildSelector),
    Either(Vec<ChildSelector>),
}

/// The description, by kind.
#[derive(Default)]
pub(crate) struct ExpressionReader {
    roles: Vec<NodeRole>,
    this: Vec<String>,
    supers: Vec<String>,
    words: HashSet<String>,
    /// By kind; empty where every name in a type counts.
    types: Vec<u16>,
    indexing: Vec<u16>,
    makers: Vec<String>,
    super_calls: bool,
    bare: Option<BareNameRules>,
    spelling: NameSpelling,
    quoted_types: bool,
    /// Kinds that hold only tokens, and the kind of these.
    tokens: Vec<(u16, u16)>,
    functions: Vec<u16>,
    passed: Vec<u16>,
    boxes: Vec<String>,
}

/// A longer chain is generated, and no question asks what its end calls.
pub(crate) const MAX_CHAIN_DEPTH: u32 = 40;

/// More alternatives or arguments than this are data.
const MAX_CHILD_EXPRESSIONS: usize = 8;

impl ExpressionReader {
    /// Looks up kinds and fields; names one that the grammar does not have.
    pub(crate) fn compile(grammar: &Language, description: &ExpressionSpec) -> Result<Self, String> {
        let mut roles = vec![NodeRole::None; grammar.node_kind_count()];
        let field = |name: &str| ChildSelector::parse(grammar, name).ok_or_else(|| format!("field `{name}`"));
        let mut set = |kind: &str, role: NodeRole| match kind_ids(grammar, kind) {
            ids if ids.is_empty() => Err(format!("kind `{kind}`")),
            ids => {
                for id in ids {
                    roles[id as usize] = role.clone();
                }
                Ok(())
            }
        };
        let alone = [
            (&description.names, NodeRole::Name),
            (&description.literals, NodeRole::Literal),
            (&description.own, NodeRole::Own),
            (&description.paths, NodeRole::Path),
            (&description.arguments, NodeRole::Arguments),
        ];
        for (kinds, role) in alone {
            kinds.iter().try_for_each(|kind| set(kind, role.clone()))?;
        }
        for (kind, name) in &description.builtins {
            set(kind, NodeRole::Builtin(name.clone()))?;
        }
        for (kind, (object, name)) in &description.members {
            set(kind, NodeRole::Member(field(object)?, field(name)?))?;
        }
        for (kind, inner) in &description.calls {
            let instead = description.through.get(kind).map(|inner| field(inner)).transpose()?;
            set(kind, NodeRole::Call(field(inner)?, instead))?;
        }
        for (kind, (object, name)) in &description.member_calls {
            set(kind, NodeRole::MemberCall(field(object)?, field(name)?))?;
        }
        for (kind, inner) in &description.news {
            set(kind, NodeRole::New(field(inner)?))?;
        }
        for (kind, inner) in description.through.iter().filter(|(kind, _)| !description.calls.contains_key(*kind)) {
            set(kind, NodeRole::Through(field(inner)?))?;
        }
        for (kind, (head, arguments)) in &description.generics {
            set(kind, NodeRole::Generic(field(head)?, field(arguments)?))?;
        }
        for (kind, inner) in &description.holds {
            set(kind, NodeRole::Holds(field(inner)?))?;
        }
        for (kind, fields) in &description.either {
            set(kind, NodeRole::Either(fields.iter().map(|name| field(name)).collect::<Result<_, _>>()?))?;
        }
        for (kinds, role) in [(&description.this, NodeRole::This), (&description.supers, NodeRole::Super)] {
            for kind in kinds {
                // A word that is no kind of node in this grammar is a name.
                let _ = set(kind, role.clone());
            }
        }
        let ids = |kinds: &[String]| find_kinds(grammar, kinds);
        Ok(Self {
            roles,
            this: description.this.clone(),
            supers: description.supers.clone(),
            words: description.words.iter().cloned().collect(),
            types: ids(&description.types)?,
            indexing: ids(&description.indexing)?,
            makers: description.makers.clone(),
            super_calls: description.super_calls,
            bare: description.bare.as_ref().map(|bare| BareNameRules::compile(grammar, bare)).transpose()?,
            spelling: NameSpelling {
                sigils: description.sigils.chars().collect(),
                separator: description.separator.clone(),
            },
            quoted_types: description.quoted_types,
            tokens: token_kinds(grammar, description)?,
            functions: ids(&description.functions)?,
            passed: ids(&description.passed)?,
            boxes: description.boxes.clone(),
        })
    }

    /// Whether a node of this kind calls something or makes an instance.
    pub(crate) fn is_call_kind(&self, kind: u16) -> bool {
        matches!(self.node_role(kind), NodeRole::Call(..) | NodeRole::MemberCall(..) | NodeRole::New(_))
    }

    /// Whether a node of this kind is the base, and calls it.
    pub(crate) fn calls_super(&self, kind: u16) -> bool {
        self.super_calls && matches!(self.node_role(kind), NodeRole::Super)
    }

    /// The target of a call.
    pub(crate) fn read_callee(&self, node: &Node, bytes: &[u8]) -> Expression {
        match *self.node_role(node.kind_id()) {
            // `items[0]` is a node of a call in some grammars.
            NodeRole::Call(place, _) if self.is_item(node, place, bytes) => Expression::Unknown,
            NodeRole::Call(place, _) => self.called_target(self.read_function(node, place, bytes, MAX_CHAIN_DEPTH)),
            NodeRole::MemberCall(object, name) => {
                self.called_target(self.read_member(node, object, name, bytes, MAX_CHAIN_DEPTH))
            }
            NodeRole::New(field) => Expression::New(Box::new(self.read_child(node, field, bytes, MAX_CHAIN_DEPTH))),
            NodeRole::None
            | NodeRole::Name
            | NodeRole::Member(..)
            | NodeRole::Path
            | NodeRole::Arguments
            | NodeRole::This
            | NodeRole::Super
            | NodeRole::Through(_)
            | NodeRole::Generic(..)
            | NodeRole::Holds(_)
            | NodeRole::Either(_)
            | NodeRole::Literal
            | NodeRole::Builtin(_)
            | NodeRole::Own => Expression::Unknown,
        }
    }

    /// The byte at which the name of a call's target starts, where it has one.
    pub(crate) fn called_at(&self, node: &Node) -> Option<u32> {
        let (NodeRole::Call(place, _) | NodeRole::MemberCall(_, place) | NodeRole::New(place)) =
            *self.node_role(node.kind_id())
        else {
            return None;
        };
        let mut named = place.select_child(node)?;
        while let NodeRole::Member(_, inner) | NodeRole::Through(inner) | NodeRole::Call(inner, _) =
            *self.node_role(named.kind_id())
        {
            named = inner.select_child(&named)?;
        }
        Some(named.start_byte() as u32)
    }

    /// What is passed to a call, in order; nothing where the language does not say where that stands.
    pub(crate) fn read_passed(&self, node: &Node, bytes: &[u8]) -> Option<Vec<Expression>> {
        if self.passed.is_empty() {
            return None;
        }
        let mut cursor = node.walk();
        let list = node.named_children(&mut cursor).find(|child| self.passed.contains(&child.kind_id()))?;
        let mut cursor = list.walk();
        let passed = list.named_children(&mut cursor).filter(|child| !child.is_extra());
        // A list that goes on is cut nowhere: how many there are decides which function is meant.
        let is_list = |node: &Node| self.passed.contains(&node.kind_id());
        let read = |child: Node| {
            let mut cursor = child.walk();
            let is_call = matches!(self.node_role(child.kind_id()), NodeRole::Call(..) | NodeRole::MemberCall(..));
            // `this::run` (Java) reads like a call, but passes nothing: what is handed on is the function.
            if is_call && !child.named_children(&mut cursor).any(|inner| is_list(&inner)) {
                return Expression::Literal;
            }
            self.read_expression(&child, bytes)
        };
        Some(passed.map(read).collect())
    }

    /// The child of a node that holds only tokens.
    pub(crate) fn tokens_of<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        let (_, inner) = self.tokens.iter().find(|(outer, _)| *outer == node.kind_id())?;
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|child| child.kind_id() == *inner)
    }

    /// Whether a node calls the base: `super(…)`.
    pub(crate) fn calls_base(&self, node: &Node) -> bool {
        let NodeRole::Call(place, _) = *self.node_role(node.kind_id()) else { return false };
        place.select_child(node).is_some_and(|called| matches!(self.node_role(called.kind_id()), NodeRole::Super))
    }

    /// A type, which a text may spell in some languages.
    pub(crate) fn read_type(&self, node: &Node, bytes: &[u8]) -> Expression {
        let mut read = self.read_expression(node, bytes);
        if self.quoted_types && read == Expression::Literal {
            read = quoted_type(&self.spelling.name_text(node, bytes)).unwrap_or(read);
        }
        read
    }

    /// An expression or type.
    pub(crate) fn read_expression(&self, node: &Node, bytes: &[u8]) -> Expression {
        self.read_within(node, bytes, MAX_CHAIN_DEPTH)
    }

    fn read_within(&self, node: &Node, bytes: &[u8], depth: u32) -> Expression {
        let Some(depth) = depth.checked_sub(1) else { return Expression::Unknown };
        match *self.node_role(node.kind_id()) {
            NodeRole::None | NodeRole::Arguments => Expression::Unknown,
            NodeRole::Name => {
                let name = self.spelling.name_text(node, bytes);
                self.parse_path(&name).unwrap_or_else(|| self.classify_name(name))
            }
            NodeRole::Own => Expression::Member(Box::new(Expression::This), self.spelling.name_text(node, bytes)),
            NodeRole::Member(object, name) => self.read_member(node, object, name, bytes, depth),
            NodeRole::Path => self.read_path(node, bytes, depth),
            NodeRole::MemberCall(object, name) => self.call_result(self.read_member(node, object, name, bytes, depth)),
            NodeRole::Call(field, Some(instead)) if field.select_child(node).is_none() => {
                self.read_child(node, instead, bytes, depth)
            }
            NodeRole::Call(field, _) if self.is_item(node, field, bytes) => {
                Expression::Of(Box::new(self.read_child(node, field, bytes, depth)), Vec::new())
            }
            NodeRole::Call(field, _) => {
                let result = self.call_result(self.read_function(node, field, bytes, depth));
                // `assert_ok!(user.load())`: a macro with one expression often returns that expression.
                match self
                    .tokens_of(node)
                    .and_then(|tree| only_expression(&tree, |token| self.read_expression(token, bytes)))
                {
                    Some(only) => Expression::Either(vec![result, only]),
                    None => result,
                }
            }
            NodeRole::New(field) => Expression::New(Box::new(self.read_child(node, field, bytes, depth))),
            // `this@Outer` (Kotlin) is the object of a type further out; `this@apply` is that of a function.
            NodeRole::This => match node.named_child(0).map(|label| self.read_within(&label, bytes, depth)) {
                Some(Expression::Name(outer)) if outer.starts_with(char::is_uppercase) => Expression::Name(outer),
                Some(_) | None => Expression::This,
            },
            NodeRole::Super => Expression::Super,
            NodeRole::Through(field) => self.read_child(node, field, bytes, depth),
            NodeRole::Literal => Expression::Literal,
            NodeRole::Builtin(ref name) if name.is_empty() => {
                Expression::Builtin(String::from_utf8_lossy(&bytes[node.byte_range()]).trim().to_owned())
            }
            NodeRole::Builtin(ref name) => Expression::Builtin(name.clone()),
            NodeRole::Generic(head, arguments) => {
                self.unwrap_box(self.read_generic(node, head, arguments, bytes, depth))
            }
            NodeRole::Holds(field) => {
                Expression::Of(Box::new(Expression::Literal), vec![self.read_child(node, field, bytes, depth)])
            }
            NodeRole::Either(ref fields) if fields.is_empty() => Expression::Either(self.read_all(node, bytes, depth)),
            NodeRole::Either(ref fields) => {
                Expression::Either(fields.iter().map(|field| self.read_child(node, *field, bytes, depth)).collect())
            }
        }
    }

    fn read_member(
        &self,
        node: &Node,
        object: ChildSelector,
        name: ChildSelector,
        bytes: &[u8],
        depth: u32,
    ) -> Expression {
        let Some(name) = name.select_child(node) else { return Expression::Unknown };
        // `Outer.this` (Java) is the object of a type further out, and is known by that type.
        if let (NodeRole::This, Some(outer)) = (self.node_role(name.kind_id()), object.select_child(node))
            && outer != name
        {
            return self.read_within(&outer, bytes, depth);
        }
        // `a::(b::c)`, `a::(b<T>)`: the path goes on in the name.
        if let NodeRole::Member(..) | NodeRole::Generic(..) = self.node_role(name.kind_id()) {
            let object = object.select_child(node).filter(|object| *object != name);
            let object = object.map(|object| self.read_within(&object, bytes, depth));
            let rest = if let NodeRole::Generic(head, arguments) = *self.node_role(name.kind_id()) {
                self.read_generic(&name, head, arguments, bytes, depth)
            } else {
                self.read_within(&name, bytes, depth)
            };
            return self.unwrap_box(if let Some(object) = object { rest.prefix_with(object) } else { rest });
        }
        // A name may carry more than itself: `name<T>`.
        let carries_more = !matches!(self.node_role(name.kind_id()), NodeRole::None | NodeRole::Name);
        let read = carries_more.then(|| self.read_within(&name, bytes, depth));
        let named = match &read {
            // `module:name(arguments)`, where the grammar puts the call into the member.
            Some(Expression::Call(inner)) => Some(&**inner),
            read => read.as_ref(),
        };
        let written = named.and_then(Expression::last_name).map(str::to_owned);
        let written = written.unwrap_or_else(|| self.spelling.name_text(&name, bytes));
        if let Some(path) = self.parse_path(&written) {
            // `$object->Base::name` (Perl): the qualified name says more than the object.
            return path;
        }
        match object.select_child(node) {
            Some(object) if object != name => {
                Expression::Member(Box::new(self.read_within(&object, bytes, depth)), written)
            }
            // `::name` and `.name` leave the object out.
            _ => self.classify_name(written),
        }
    }

    fn read_generic(
        &self,
        node: &Node,
        head: ChildSelector,
        arguments: ChildSelector,
        bytes: &[u8],
        depth: u32,
    ) -> Expression {
        let head = self.read_child(node, head, bytes, depth);
        let mut cursor = node.walk();
        // Arguments are in a list of their own, or are all in the same field.
        let arguments: Vec<Node> = match arguments {
            ChildSelector::Field(id) => {
                node.children_by_field_id(id.try_into().expect("a field's number is not 0"), &mut cursor).collect()
            }
            ChildSelector::Nth(_) | ChildSelector::NthLast(_) | ChildSelector::Behind(_) => {
                arguments.select_child(node).into_iter().collect()
            }
        };
        let mut list = Vec::new();
        for argument in arguments.iter().take(MAX_CHILD_EXPRESSIONS) {
            if matches!(self.node_role(argument.kind_id()), NodeRole::None) {
                list.extend(self.read_all(argument, bytes, depth));
            } else {
                list.push(self.read_argument(argument, bytes, depth));
            }
        }
        Expression::Of(Box::new(head), list)
    }

    fn unwrap_box(&self, read: Expression) -> Expression {
        let is_box =
            |head: &Expression| head.last_name().is_some_and(|name| self.boxes.iter().any(|known| known == name));
        if let Expression::Of(head, list) = &read
            && let Some(inner) = list.first().filter(|_| is_box(head))
        {
            return inner.clone();
        }
        read
    }

    fn read_path(&self, node: &Node, bytes: &[u8], depth: u32) -> Expression {
        let mut cursor = node.walk();
        let mut path = None;
        for child in node.named_children(&mut cursor) {
            path = match (path, self.node_role(child.kind_id())) {
                (path, NodeRole::None) | (path @ None, NodeRole::Arguments) => path,
                (None, _) => Some(self.read_within(&child, bytes, depth)),
                (Some(path), NodeRole::Arguments) => {
                    Some(Expression::Of(Box::new(path), self.read_all(&child, bytes, depth)))
                }
                (Some(path), NodeRole::Name) => {
                    Some(Expression::Member(Box::new(path), self.spelling.name_text(&child, bytes)))
                }
                (path, _) => path,
            };
        }
        path.unwrap_or(Expression::Unknown)
    }

    fn classify_name(&self, name: String) -> Expression {
        match () {
            () if self.this.contains(&name) => Expression::This,
            () if self.supers.contains(&name) => Expression::Super,
            () if self.words.contains(&name) => Expression::Unknown,
            // `new` without an object makes an instance of the type around it.
            () if self.makers.contains(&name) => Expression::New(Box::new(Expression::This)),
            () => Expression::Name(name),
        }
    }

    /// A name of several parts.
    fn parse_path(&self, name: &str) -> Option<Expression> {
        let mut parts = self.spelling.split_name(name)?.take(MAX_CHAIN_DEPTH as usize);
        let first = self.classify_name(parts.next()?.to_owned());
        Some(parts.fold(first, |path, part| Expression::Member(Box::new(path), part.to_owned())))
    }

    fn is_item(&self, node: &Node, called: ChildSelector, bytes: &[u8]) -> bool {
        self.indexing.contains(&node.kind_id())
            && called.select_child(node).is_some_and(|called| bytes.get(called.end_byte()) == Some(&b'['))
    }

    /// The expression in the place of a call's target. Type arguments in a path belong to the function here.
    fn read_function(&self, node: &Node, place: ChildSelector, bytes: &[u8], depth: u32) -> Expression {
        let Some(child) = place.select_child(node) else { return Expression::Unknown };
        let mut function = self.read_within(&child, bytes, depth);
        if let (Expression::Of(generic, _), NodeRole::Path) = (&mut function, self.node_role(child.kind_id())) {
            function = std::mem::replace(generic, Expression::Unknown);
        }
        function
    }

    /// The target of a call of this expression.
    fn called_target(&self, function: Expression) -> Expression {
        if let Expression::Member(object, name) = &function
            && self.makers.contains(name)
        {
            return Expression::New(object.clone());
        }
        function
    }

    /// The value of a call of this expression.
    fn call_result(&self, function: Expression) -> Expression {
        let is_maker = matches!(&function, Expression::Member(_, name) if self.makers.contains(name));
        // `super()` is the object, as an instance of its base.
        if is_maker || function == Expression::Super {
            self.called_target(function)
        } else {
            Expression::Call(Box::new(function))
        }
    }

    /// Whether a name is the language's word for the object itself.
    pub(crate) fn is_this(&self, written: &str) -> bool {
        self.this.iter().any(|this| this == written.trim_matches(&self.spelling.sigils[..]))
    }

    /// How names are written.
    pub(crate) fn name_spelling(&self) -> &NameSpelling {
        &self.spelling
    }

    /// The names that call without looking like it.
    pub(crate) fn bare_names(&self) -> Option<&BareNameRules> {
        self.bare.as_ref()
    }

    fn read_child(&self, node: &Node, place: ChildSelector, bytes: &[u8], depth: u32) -> Expression {
        place.select_child(node).map_or(Expression::Unknown, |child| self.read_within(&child, bytes, depth))
    }

    /// The named children of a node; a name is its own only child.
    fn read_all(&self, node: &Node, bytes: &[u8], depth: u32) -> Vec<Expression> {
        if matches!(self.node_role(node.kind_id()), NodeRole::Name | NodeRole::Member(..) | NodeRole::Path) {
            return vec![self.read_within(node, bytes, depth)];
        }
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .take(MAX_CHILD_EXPRESSIONS)
            .map(|child| self.read_argument(&child, bytes, depth))
            .collect()
    }

    fn read_argument(&self, node: &Node, bytes: &[u8], depth: u32) -> Expression {
        let read = self.read_within(node, bytes, depth);
        let is_quoted = self.quoted_types && read == Expression::Literal;
        is_quoted.then(|| quoted_type(&self.spelling.name_text(node, bytes))).flatten().unwrap_or(read)
    }

    /// Every name in a type, each with the byte it starts at: `Map<Key, Vec<Value>>` has four.
    pub(crate) fn names_in(&self, node: &Node, bytes: &[u8], mut found: impl FnMut(u32, Expression)) {
        // A list in place of recursion: a type may nest deeper than a call stack should.
        let mut waiting = vec![*node];
        while let Some(here) = waiting.pop() {
            let role = self.node_role(here.kind_id());
            // `std::vector<Item>`: the arguments are inside of the name.
            let generic = self.generic_in(&here);
            if matches!(role, NodeRole::Name | NodeRole::Member(..) | NodeRole::Path) {
                let mut name = self.read_expression(&here, bytes);
                // The arguments are reported as names of their own.
                if let Expression::Of(head, _) = name {
                    name = *head;
                }
                let is_type = self.types.is_empty() || self.types.contains(&here.kind_id());
                if is_type && name.last_name().is_some() {
                    // A box is reported by the argument that it holds.
                    let name = match (name, generic) {
                        (Expression::Of(head, _), Some(_)) => Some(*head),
                        (_, Some(_)) => None,
                        (name, None) => Some(name),
                    };
                    if let Some(name) = name {
                        found(here.start_byte() as u32, name);
                    }
                }
            }
            waiting.extend(generic);
            if matches!(role, NodeRole::Name | NodeRole::Member(..) | NodeRole::This | NodeRole::Super) {
                continue;
            }
            let children = waiting.len();
            let mut cursor = here.walk();
            let below = here.named_children(&mut cursor);
            // The names of a path were reported with it; nodes between them were not.
            waiting.extend(below.filter(|child| !matches!(role, NodeRole::Path) || self.is_nothing(child)));
            waiting[children..].reverse();
        }
    }

    /// The arguments in the last part of a path.
    fn generic_in<'t>(&self, path: &Node<'t>) -> Option<Node<'t>> {
        let mut part = *path;
        while let NodeRole::Member(_, name) = self.node_role(part.kind_id()) {
            part = name.select_child(&part)?;
        }
        let NodeRole::Generic(_, arguments) = self.node_role(part.kind_id()) else { return None };
        arguments.select_child(&part).filter(|_| part != *path)
    }

    fn is_nothing(&self, node: &Node) -> bool {
        matches!(self.node_role(node.kind_id()), NodeRole::None | NodeRole::Arguments)
    }

    /// Kinds that declare a function.
    pub(crate) fn function_kinds(&self) -> &[u16] {
        &self.functions
    }

    pub(crate) fn node_role(&self, kind: u16) -> &NodeRole {
        self.roles.get(kind as usize).unwrap_or(&NodeRole::None)
    }
}

/// The numbers of kinds of nodes; names one that the grammar does not have.
fn find_kinds(grammar: &Language, kinds: &[String]) -> Result<Vec<u16>, String> {
    let ids_of = |kind: &String| match kind_ids(grammar, kind) {
        ids if ids.is_empty() => Err(format!("kind `{kind}`")),
        ids => Ok(ids),
    };
    Ok(kinds.iter().map(ids_of).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Kinds that hold only tokens, and the kind of these.
fn token_kinds(grammar: &Language, description: &ExpressionSpec) -> Result<Vec<(u16, u16)>, String> {
    let id = |kind: &String| match grammar.id_for_node_kind(kind, true) {
        0 => Err(format!("kind `{kind}`")),
        id => Ok(id),
    };
    description.tokens.iter().map(|(outer, inner)| Ok((id(outer)?, id(inner)?))).collect()
}

/// Every id a kind has: aliases give one name several.
fn kind_ids(grammar: &Language, kind: &str) -> Vec<u16> {
    (0..grammar.node_kind_count() as u16).filter(|id| grammar.node_kind_for_id(*id) == Some(kind)).collect()
}
