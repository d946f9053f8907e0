"""The functions of a source file, by tree-sitter: where each stands, whose it is, and its doc comment."""

import functools
import re
from typing import NamedTuple

import tree_sitter
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript

GRAMMARS = {
    "py": tree_sitter_python.language,
    "go": tree_sitter_go.language,
    "rs": tree_sitter_rust.language,
    "java": tree_sitter_java.language,
    "js": tree_sitter_javascript.language,
    "mjs": tree_sitter_javascript.language,
    "jsx": tree_sitter_javascript.language,
    "ts": tree_sitter_typescript.language_typescript,
    "tsx": tree_sitter_typescript.language_tsx,
}
FUNCTIONS = {
    "function_definition",
    "function_declaration",
    "generator_function_declaration",
    "method_definition",
    "method_declaration",
    "constructor_declaration",
    "function_item",
}
HOLDERS = {
    "class_definition",
    "class_declaration",
    "abstract_class_declaration",
    "impl_item",
    "trait_item",
    "interface_declaration",
    "enum_declaration",
    "mod_item",
}
WRAPPERS = {
    "decorated_definition",
    "export_statement",
    "lexical_declaration",
    "variable_declaration",
    "variable_declarator",
}
# What else a function can stand in. Everything is not walked through: most of a file is expressions.
CONTAINERS = WRAPPERS | {
    "block",
    "class_body",
    "declaration_list",
    "else_clause",
    "enum_body",
    "enum_body_declarations",
    "if_statement",
    "interface_body",
    "internal_module",
    "statement_block",
    "try_statement",
}
ARROWS = ("arrow_function", "function_expression")
# How a doc comment begins; a block comment stands alone, the others are several lines.
MARKS = {"rs": "///", "go": "//"}
# Tests, examples and what others wrote: never what a question is about.
NOISE = re.compile(
    r"(^|/)(tests?|testing|spec|__tests__|testdata|examples?|benches|benchmarks?|fixtures?|docs?|vendor|_vendor|dist"
    r"|node_modules)(/|$)|(^|/)(test_|conftest)|[._-](test|spec|bench)\.|_test\.|Tests?\.java|\.min\.|\.pb\.go",
    re.IGNORECASE,
)
COMMENT_MARK = re.compile(r"^[ \t]*(///?!?|/\*\*|\*/|\*(?!\*)) ?|\*/\s*$", re.MULTILINE)
STRING_MARK = re.compile(r"^[a-zA-Z]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")


class Region(NamedTuple):
    name: str
    owner: str
    start: int  # first line, from 1, with decorators
    end: int
    doc: tuple | None  # first line, last line, text


def extension(path):
    return path.rsplit(".", 1)[-1]


def is_source(path):
    return extension(path) in GRAMMARS and not NOISE.search(path)


@functools.cache
def parser(kind):
    return tree_sitter.Parser(tree_sitter.Language(GRAMMARS[kind]()))


def find_regions(path, content):
    """The outermost functions of a file."""
    kind, found = extension(path), []
    visit(kind, parser(kind).parse(content).root_node, "", found)
    return found


def visit(kind, node, owner, found):
    siblings = node.children
    for number, child in enumerate(siblings):
        core = unwrap(child)
        name, value = core.child_by_field_name("name"), core.child_by_field_name("value")
        is_arrow = core.type == "variable_declarator" and value is not None and value.type in ARROWS
        if name is not None and (core.type in FUNCTIONS or is_arrow):
            first = number
            while first and siblings[first - 1].type in ("attribute_item", "decorator"):
                first -= 1
            doc = docstring(core) if kind == "py" else comment_above(kind, siblings, first)
            lines = siblings[first].start_point[0] + 1, child.end_point[0] + 1
            found.append(Region(text_of(name), owner, *lines, doc))
        elif core.type in HOLDERS:
            named = name or core.child_by_field_name("type")
            visit(kind, core, text_of(named) if named is not None else owner, found)
        elif core.type in CONTAINERS:
            visit(kind, core, owner, found)


def unwrap(node):
    while node.type in WRAPPERS:
        inner = [child for child in node.named_children if child.type in FUNCTIONS | HOLDERS | WRAPPERS]
        if not inner:
            break
        node = inner[0]
    return node


def docstring(core):
    body = core.child_by_field_name("body")
    first = next((child for child in body.children if child.type != "comment"), None) if body is not None else None
    if first is None or first.type != "expression_statement" or first.children[0].type != "string":
        return None
    if first.start_point[0] == core.start_point[0]:
        return None
    return first.start_point[0] + 1, first.end_point[0] + 1, STRING_MARK.sub("", text_of(first.children[0]))


def comment_above(kind, siblings, at):
    mark = MARKS.get(kind, "/**")
    first, row = at, siblings[at].start_point[0]
    while first and "comment" in siblings[first - 1].type and (first == at or mark != "/**"):
        comment = siblings[first - 1]
        last = comment.end_point[0] - (comment.end_point[1] == 0)
        if not text_of(comment).startswith(mark) or row - last > 1:
            break
        first, row = first - 1, comment.start_point[0]
    if first == at:
        return None
    text = "\n".join(text_of(each).rstrip() for each in siblings[first:at])
    end = siblings[at - 1].end_point
    return row + 1, end[0] + (end[1] > 0), COMMENT_MARK.sub("", text)


def text_of(node):
    return node.text.decode("utf-8", "replace")


def region_text(lines, region):
    """The lines of a function without its doc comment."""
    skipped = range(region.doc[0], region.doc[1] + 1) if region.doc else ()
    return "\n".join(lines[at - 1] for at in range(region.start, region.end + 1) if at not in skipped)
