//! Expressions, as far as a name can be followed through them.
//!
//! To find what a call calls, it is enough to know how its target is written: a name, a member of something, the
//! result of another call, the object itself. Which kinds of node are which, a language says in its `language.toml`;
//! reading them is the same for all, and needs no query.

use crate::bare::Bare;
use crate::notation::Notation;
use crate::place::Place;
use crate::quoted::quoted_type;
use crate::spelling::Spelling;
use crate::tokens::only_expression;
use foldhash::HashSet;
use tree_sitter::{Language, Node};

/// As much of an expression or type as resolution can follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A bare name.
    Name(String),
    /// A member of something: `a.b`, `a::b`, `a->b`.
    Member(Box<Expression>, String),
    /// What a call gives back.
    Call(Box<Expression>),
    /// A new instance of a type.
    New(Box<Expression>),
    /// A type with its arguments, or one item of a value: `List[A]`, `items[0]`.
    Of(Box<Expression>, Vec<Expression>),
    /// One of several: `A | B`, `a or b`.
    Either(Vec<Expression>),
    /// The object the code belongs to.
    This,
    /// The same, seen as its base.
    Super,
    /// Something of the language itself: a text, a number, a list.
    Literal,
    /// Something that cannot be followed.
    Unknown,
}

impl Expression {
    /// The last name in it: what is called, or what type it is.
    pub fn last_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Member(_, name) => Some(name),
            Self::New(inner) | Self::Of(inner, _) => inner.last_name(),
            Self::Either(_) | Self::Call(_) | Self::This | Self::Super | Self::Literal | Self::Unknown => None,
        }
    }

    /// A path as part of a longer one.
    fn below(self, object: Self) -> Self {
        match self {
            Self::Name(name) => Self::Member(Box::new(object), name),
            Self::Member(inner, name) => Self::Member(Box::new(inner.below(object)), name),
            Self::Of(inner, arguments) => Self::Of(Box::new(inner.below(object)), arguments),
            Self::Call(_)
            | Self::New(_)
            | Self::Either(_)
            | Self::This
            | Self::Super
            | Self::Literal
            | Self::Unknown => self,
        }
    }
}

/// What a kind of node is.
#[derive(Clone, Default)]
pub(crate) enum Role {
    #[default]
    None,
    Name,
    Member(Place, Place),
    Path,
    Arguments,
    Call(Place, Option<Place>),
    MemberCall(Place, Place),
    New(Place),
    This,
    Super,
    Through(Place),
    Literal,
    Own,
    Generic(Place, Place),
    Holds(Place),
    Either(Vec<Place>),
}

/// The description, by kind.
#[derive(Default)]
pub(crate) struct Expressions {
    roles: Vec<Role>,
    this: Vec<String>,
    supers: Vec<String>,
    words: HashSet<String>,
    /// By kind; empty where every name in a type counts.
    types: Vec<u16>,
    indexing: Vec<u16>,
    makers: Vec<String>,
    super_calls: bool,
    bare: Option<Bare>,
    spelling: Spelling,
    quoted_types: bool,
    /// Kinds that hold only tokens, and the kind of these.
    tokens: Vec<(u16, u16)>,
    functions: Vec<u16>,
    boxes: Vec<String>,
}

/// A longer chain is generated, and nobody asks what its end calls.
pub(crate) const DEEPEST: u32 = 40;

/// More alternatives or arguments than this are data.
const WIDEST: usize = 8;

impl Expressions {
    /// Looks up kinds and fields; names one that the grammar does not have.
    pub(crate) fn compile(grammar: &Language, description: &Notation) -> Result<Self, String> {
        let mut roles = vec![Role::None; grammar.node_kind_count()];
        let field = |name: &str| Place::parse(grammar, name).ok_or_else(|| format!("field `{name}`"));
        let mut set = |kind: &str, role: Role| match kind_ids(grammar, kind) {
            ids if ids.is_empty() => Err(format!("kind `{kind}`")),
            ids => {
                for id in ids {
                    roles[id as usize] = role.clone();
                }
                Ok(())
            }
        };
        let alone = [
            (&description.names, Role::Name),
            (&description.literals, Role::Literal),
            (&description.own, Role::Own),
            (&description.paths, Role::Path),
            (&description.arguments, Role::Arguments),
        ];
        for (kinds, role) in alone {
            kinds.iter().try_for_each(|kind| set(kind, role.clone()))?;
        }
        for (kind, (object, name)) in &description.members {
            set(kind, Role::Member(field(object)?, field(name)?))?;
        }
        for (kind, inner) in &description.calls {
            let instead = description.through.get(kind).map(|inner| field(inner)).transpose()?;
            set(kind, Role::Call(field(inner)?, instead))?;
        }
        for (kind, (object, name)) in &description.member_calls {
            set(kind, Role::MemberCall(field(object)?, field(name)?))?;
        }
        for (kind, inner) in &description.news {
            set(kind, Role::New(field(inner)?))?;
        }
        for (kind, inner) in description.through.iter().filter(|(kind, _)| !description.calls.contains_key(*kind)) {
            set(kind, Role::Through(field(inner)?))?;
        }
        for (kind, (head, arguments)) in &description.generics {
            set(kind, Role::Generic(field(head)?, field(arguments)?))?;
        }
        for (kind, inner) in &description.holds {
            set(kind, Role::Holds(field(inner)?))?;
        }
        for (kind, fields) in &description.either {
            set(kind, Role::Either(fields.iter().map(|name| field(name)).collect::<Result<_, _>>()?))?;
        }
        for (kinds, role) in [(&description.this, Role::This), (&description.supers, Role::Super)] {
            for kind in kinds {
                // What is no kind of node here is a name.
                let _ = set(kind, role.clone());
            }
        }
        let ids = |kinds: &[String]| -> Result<Vec<u16>, String> {
            let ids_of = |kind: &String| match kind_ids(grammar, kind) {
                ids if ids.is_empty() => Err(format!("kind `{kind}`")),
                ids => Ok(ids),
            };
            Ok(kinds.iter().map(ids_of).collect::<Result<Vec<_>, _>>()?.concat())
        };
        Ok(Self {
            roles,
            this: description.this.clone(),
            supers: description.supers.clone(),
            words: description.words.iter().cloned().collect(),
            types: ids(&description.types)?,
            indexing: ids(&description.indexing)?,
            makers: description.makers.clone(),
            super_calls: description.super_calls,
            bare: description.bare.as_ref().map(|bare| Bare::compile(grammar, bare)).transpose()?,
            spelling: Spelling {
                sigils: description.sigils.chars().collect(),
                separator: description.separator.clone(),
            },
            quoted_types: description.quoted_types,
            tokens: token_kinds(grammar, description)?,
            functions: ids(&description.functions)?,
            boxes: description.boxes.clone(),
        })
    }

    /// Whether a node of this kind calls something or makes an instance.
    pub(crate) fn calls(&self, kind: u16) -> bool {
        matches!(self.role(kind), Role::Call(..) | Role::MemberCall(..) | Role::New(_))
    }

    /// Whether a node of this kind is the base, and calls it.
    pub(crate) fn calls_super(&self, kind: u16) -> bool {
        self.super_calls && matches!(self.role(kind), Role::Super)
    }

    /// What a node that calls something calls.
    pub(crate) fn callee(&self, node: &Node, bytes: &[u8]) -> Expression {
        match *self.role(node.kind_id()) {
            Role::Call(place, _) if self.is_item(node, place, bytes) => Expression::Unknown,
            Role::Call(place, _) => self.made(self.read_function(node, place, bytes, DEEPEST)),
            Role::MemberCall(object, name) => self.made(self.read_member(node, object, name, bytes, DEEPEST)),
            Role::New(field) => Expression::New(Box::new(self.read_child(node, field, bytes, DEEPEST))),
            Role::None
            | Role::Name
            | Role::Member(..)
            | Role::Path
            | Role::Arguments
            | Role::This
            | Role::Super
            | Role::Through(_)
            | Role::Generic(..)
            | Role::Holds(_)
            | Role::Either(_)
            | Role::Literal
            | Role::Own => Expression::Unknown,
        }
    }

    /// The byte at which the name of what a node calls starts, where it has one.
    pub(crate) fn called_at(&self, node: &Node) -> Option<u32> {
        let (Role::Call(place, _) | Role::MemberCall(_, place) | Role::New(place)) = *self.role(node.kind_id()) else {
            return None;
        };
        let mut named = place.of(node)?;
        while let Role::Member(_, inner) | Role::Through(inner) | Role::Call(inner, _) = *self.role(named.kind_id()) {
            named = inner.of(&named)?;
        }
        Some(named.start_byte() as u32)
    }

    /// What a node holds that is only tokens.
    pub(crate) fn tokens_of<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        let (_, inner) = self.tokens.iter().find(|(outer, _)| *outer == node.kind_id())?;
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|child| child.kind_id() == *inner)
    }

    /// Whether a node calls what the object is made from: `super(…)`.
    pub(crate) fn calls_base(&self, node: &Node) -> bool {
        let Role::Call(place, _) = *self.role(node.kind_id()) else { return false };
        place.of(node).is_some_and(|called| matches!(self.role(called.kind_id()), Role::Super))
    }

    /// A type, which a text may spell in some languages.
    pub(crate) fn read_type(&self, node: &Node, bytes: &[u8]) -> Expression {
        let mut read = self.read(node, bytes);
        if self.quoted_types && read == Expression::Literal {
            read = quoted_type(&self.spelling.text(node, bytes)).unwrap_or(read);
        }
        read
    }

    /// An expression or type.
    pub(crate) fn read(&self, node: &Node, bytes: &[u8]) -> Expression {
        self.read_within(node, bytes, DEEPEST)
    }

    fn read_within(&self, node: &Node, bytes: &[u8], depth: u32) -> Expression {
        let Some(depth) = depth.checked_sub(1) else { return Expression::Unknown };
        match *self.role(node.kind_id()) {
            Role::None | Role::Arguments => Expression::Unknown,
            Role::Name => {
                let name = self.spelling.text(node, bytes);
                self.path(&name).unwrap_or_else(|| self.name(name))
            }
            Role::Own => Expression::Member(Box::new(Expression::This), self.spelling.text(node, bytes)),
            Role::Member(object, name) => self.read_member(node, object, name, bytes, depth),
            Role::Path => self.read_path(node, bytes, depth),
            Role::MemberCall(object, name) => self.result(self.read_member(node, object, name, bytes, depth)),
            Role::Call(field, Some(instead)) if field.of(node).is_none() => {
                self.read_child(node, instead, bytes, depth)
            }
            Role::Call(field, _) if self.is_item(node, field, bytes) => {
                Expression::Of(Box::new(self.read_child(node, field, bytes, depth)), Vec::new())
            }
            Role::Call(field, _) => {
                let result = self.result(self.read_function(node, field, bytes, depth));
                // Most of what is given one expression alone, and is worth something, is worth that.
                match self.tokens_of(node).and_then(|tree| only_expression(&tree, self, bytes)) {
                    Some(only) => Expression::Either(vec![result, only]),
                    None => result,
                }
            }
            Role::New(field) => Expression::New(Box::new(self.read_child(node, field, bytes, depth))),
            Role::This => Expression::This,
            Role::Super => Expression::Super,
            Role::Through(field) => self.read_child(node, field, bytes, depth),
            Role::Literal => Expression::Literal,
            Role::Generic(head, arguments) => self.unboxed(self.read_generic(node, head, arguments, bytes, depth)),
            Role::Holds(field) => {
                Expression::Of(Box::new(Expression::Literal), vec![self.read_child(node, field, bytes, depth)])
            }
            Role::Either(ref fields) if fields.is_empty() => Expression::Either(self.read_all(node, bytes, depth)),
            Role::Either(ref fields) => {
                Expression::Either(fields.iter().map(|field| self.read_child(node, *field, bytes, depth)).collect())
            }
        }
    }

    fn read_member(&self, node: &Node, object: Place, name: Place, bytes: &[u8], depth: u32) -> Expression {
        let Some(name) = name.of(node) else { return Expression::Unknown };
        // `a::(b::c)`, `a::(b<T>)`: the path goes on in the name.
        if let Role::Member(..) | Role::Generic(..) = self.role(name.kind_id()) {
            let object = object.of(node).filter(|object| *object != name);
            let object = object.map(|object| self.read_within(&object, bytes, depth));
            let rest = if let Role::Generic(head, arguments) = *self.role(name.kind_id()) {
                self.read_generic(&name, head, arguments, bytes, depth)
            } else {
                self.read_within(&name, bytes, depth)
            };
            return self.unboxed(if let Some(object) = object { rest.below(object) } else { rest });
        }
        // A name may carry more than itself: `name<T>`.
        let carries_more = !matches!(self.role(name.kind_id()), Role::None | Role::Name);
        let read = carries_more.then(|| self.read_within(&name, bytes, depth));
        let named = match &read {
            // `module:name(arguments)`, where the grammar puts the call into the member.
            Some(Expression::Call(inner)) => Some(&**inner),
            read => read.as_ref(),
        };
        let written = named.and_then(Expression::last_name).map(str::to_owned);
        let written = written.unwrap_or_else(|| self.spelling.text(&name, bytes));
        if let Some(path) = self.path(&written) {
            // `$object->Base::name`: what parts a name says more than the object.
            return path;
        }
        match object.of(node) {
            Some(object) if object != name => {
                Expression::Member(Box::new(self.read_within(&object, bytes, depth)), written)
            }
            // `::name` and `.name`: the object is left to the reader.
            _ => self.name(written),
        }
    }

    fn read_generic(&self, node: &Node, head: Place, arguments: Place, bytes: &[u8], depth: u32) -> Expression {
        let head = self.read_child(node, head, bytes, depth);
        let mut cursor = node.walk();
        // They stand in a list, or are all in the same field.
        let arguments: Vec<Node> = match arguments {
            Place::Field(id) => {
                node.children_by_field_id(id.try_into().expect("a field's number is not 0"), &mut cursor).collect()
            }
            Place::Nth(_) | Place::NthLast(_) | Place::Behind(_) => arguments.of(node).into_iter().collect(),
        };
        let mut list = Vec::new();
        for argument in arguments.iter().take(WIDEST) {
            if matches!(self.role(argument.kind_id()), Role::None) {
                list.extend(self.read_all(argument, bytes, depth));
            } else {
                list.push(self.read_argument(argument, bytes, depth));
            }
        }
        Expression::Of(Box::new(head), list)
    }

    fn unboxed(&self, read: Expression) -> Expression {
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
            path = match (path, self.role(child.kind_id())) {
                (path, Role::None) | (path @ None, Role::Arguments) => path,
                (None, _) => Some(self.read_within(&child, bytes, depth)),
                (Some(path), Role::Arguments) => {
                    Some(Expression::Of(Box::new(path), self.read_all(&child, bytes, depth)))
                }
                (Some(path), Role::Name) => Some(Expression::Member(Box::new(path), self.spelling.text(&child, bytes))),
                (path, _) => path,
            };
        }
        path.unwrap_or(Expression::Unknown)
    }

    fn name(&self, name: String) -> Expression {
        match () {
            () if self.this.contains(&name) => Expression::This,
            () if self.supers.contains(&name) => Expression::Super,
            () if self.words.contains(&name) => Expression::Unknown,
            // Without an object it is one of the type around.
            () if self.makers.contains(&name) => Expression::New(Box::new(Expression::This)),
            () => Expression::Name(name),
        }
    }

    /// A name of several parts.
    fn path(&self, name: &str) -> Option<Expression> {
        let mut parts = self.spelling.parts(name)?.take(DEEPEST as usize);
        let first = self.name(parts.next()?.to_owned());
        Some(parts.fold(first, |path, part| Expression::Member(Box::new(path), part.to_owned())))
    }

    fn is_item(&self, node: &Node, called: Place, bytes: &[u8]) -> bool {
        self.indexing.contains(&node.kind_id())
            && called.of(node).is_some_and(|called| bytes.get(called.end_byte()) == Some(&b'['))
    }

    /// What stands where something is called. The arguments of a type in a path are those of a function here.
    fn read_function(&self, node: &Node, place: Place, bytes: &[u8], depth: u32) -> Expression {
        let Some(child) = place.of(node) else { return Expression::Unknown };
        let mut function = self.read_within(&child, bytes, depth);
        if let (Expression::Of(generic, _), Role::Path) = (&mut function, self.role(child.kind_id())) {
            function = std::mem::replace(generic, Expression::Unknown);
        }
        function
    }

    /// What a call of this calls.
    fn made(&self, function: Expression) -> Expression {
        if let Expression::Member(object, name) = &function
            && self.makers.contains(name)
        {
            return Expression::New(object.clone());
        }
        function
    }

    /// What a call of this gives back.
    fn result(&self, function: Expression) -> Expression {
        let is_maker = matches!(&function, Expression::Member(_, name) if self.makers.contains(name));
        // `super()` gives the object, seen as its base.
        if is_maker || function == Expression::Super {
            self.made(function)
        } else {
            Expression::Call(Box::new(function))
        }
    }

    /// Whether a name is the object's own for itself.
    pub(crate) fn is_this(&self, written: &str) -> bool {
        self.this.iter().any(|this| this == written.trim_matches(&self.spelling.sigils[..]))
    }

    /// How names are written.
    pub(crate) fn spelling(&self) -> &Spelling {
        &self.spelling
    }

    /// The names that call without looking like it.
    pub(crate) fn bare(&self) -> Option<&Bare> {
        self.bare.as_ref()
    }

    fn read_child(&self, node: &Node, place: Place, bytes: &[u8], depth: u32) -> Expression {
        place.of(node).map_or(Expression::Unknown, |child| self.read_within(&child, bytes, depth))
    }

    /// The named children of a node; a name stands for itself.
    fn read_all(&self, node: &Node, bytes: &[u8], depth: u32) -> Vec<Expression> {
        if matches!(self.role(node.kind_id()), Role::Name | Role::Member(..) | Role::Path) {
            return vec![self.read_within(node, bytes, depth)];
        }
        let mut cursor = node.walk();
        node.named_children(&mut cursor).take(WIDEST).map(|child| self.read_argument(&child, bytes, depth)).collect()
    }

    fn read_argument(&self, node: &Node, bytes: &[u8], depth: u32) -> Expression {
        let read = self.read_within(node, bytes, depth);
        let is_quoted = self.quoted_types && read == Expression::Literal;
        is_quoted.then(|| quoted_type(&self.spelling.text(node, bytes))).flatten().unwrap_or(read)
    }

    /// Every name in a type, each with the byte it starts at: `Map<Key, Vec<Value>>` has four.
    pub(crate) fn names_in(&self, node: &Node, bytes: &[u8], mut found: impl FnMut(u32, Expression)) {
        // What is still to look at, the next one last: a type may nest deeper than a call stack should.
        let mut waiting = vec![*node];
        while let Some(here) = waiting.pop() {
            let role = self.role(here.kind_id());
            // `std::vector<Item>`: the arguments stand in the name.
            let generic = self.generic_in(&here);
            if matches!(role, Role::Name | Role::Member(..) | Role::Path) {
                let mut name = self.read(&here, bytes);
                // The arguments are names of their own.
                if let Expression::Of(head, _) = name {
                    name = *head;
                }
                let is_type = self.types.is_empty() || self.types.contains(&here.kind_id());
                if is_type && name.last_name().is_some() {
                    // What is boxed is one of the arguments.
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
            if matches!(role, Role::Name | Role::Member(..) | Role::This | Role::Super) {
                continue;
            }
            let children = waiting.len();
            let mut cursor = here.walk();
            let below = here.named_children(&mut cursor);
            // The names of a path are told already; what stands between them is not.
            waiting.extend(below.filter(|child| !matches!(role, Role::Path) || self.is_nothing(child)));
            waiting[children..].reverse();
        }
    }

    /// The arguments in the last part of a path.
    fn generic_in<'t>(&self, path: &Node<'t>) -> Option<Node<'t>> {
        let mut part = *path;
        while let Role::Member(_, name) = self.role(part.kind_id()) {
            part = name.of(&part)?;
        }
        let Role::Generic(_, arguments) = self.role(part.kind_id()) else { return None };
        arguments.of(&part).filter(|_| part != *path)
    }

    fn is_nothing(&self, node: &Node) -> bool {
        matches!(self.role(node.kind_id()), Role::None | Role::Arguments)
    }

    /// Kinds that declare a function.
    pub(crate) fn functions(&self) -> &[u16] {
        &self.functions
    }

    pub(crate) fn role(&self, kind: u16) -> &Role {
        self.roles.get(kind as usize).unwrap_or(&Role::None)
    }
}

/// Kinds that hold only tokens, and the kind of these.
fn token_kinds(grammar: &Language, description: &Notation) -> Result<Vec<(u16, u16)>, String> {
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
