"""What a line of code defines, and which lines belong to it.

By patterns and indentation, for all languages alike: a pair that is cut a line too early still trains, and there is no
parser to install for each language.
"""

import re

from mining.families import BRACES

MODIFIERS = (
    r"export|default|declare|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|async|abstract|override"
    r'|open|virtual|inline|constexpr|explicit|unsafe|extern(?:\s*"C")?|sealed|partial|data|suspend|local|readonly'
    r"|implicit|lazy|case|mutating|fileprivate|@\w+|noexcept|template\s*<[^>]*>|inline|comptime"
)
KEYWORDS = (
    r"fn|func|fun|function\*?|def|defp|defmacro|defmodule|class|struct|enum|union|trait|interface|type|impl|module|mod"
    r"|object|record|protocol|extension|namespace|package|actor|macro_rules!|instance|newtype"
)
NAMED = re.compile(rf"^\s*(?:(?:{MODIFIERS})\s+)*(?:{KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_][\w.:]*)")
# A function with its type in front.
TYPED = re.compile(r"^\s*(?:[\w:<>\[\],*&?~]+\s+)*[*&]*(?:[\w]+::)?([A-Za-z_~]\w*)\s*(?:<[^>]*>)?\(")
# A name that a function or an object is assigned to.
OWNERS = r"export\s+|pub\s+|local\s+|static\s+|readonly\s+|public\s+|private\s+|M\.|exports\.|module\.exports\."
ASSIGNED = re.compile(
    rf"^\s*(?:{OWNERS})*(?:const|let|var|val)?\s*([A-Za-z_][\w.]*)\s*"
    r"(?::[^=]*)?[=:]\s*(?:async\s*)?(?:function|\(|\w+\s*=>|\{)"
)
HASKELL = re.compile(r"^([a-z_][\w']*)\s*::")
SHELL = re.compile(r"^\s*(?:function\s+)?([\w:-]+)\s*\(\)")
# Words that look like a function that is called.
STATEMENTS = set(
    "if for while switch return catch else elif do try with match case unless until assert print foreach lock using "
    "sizeof when".split()
)

OPENERS = ("{", ":", "do", "(", "=>", "=", "then", "->", "|", ",")
# What may stand as far left as the definition and still belong to it.
CLOSER = re.compile(r"^\s*(\}|\)|\]|end\b|then\b|\{|else|where\b|#endif|#else|\)\s*\{)")
LAST_LINE = re.compile(r"^\s*(\}|end\b)")
NOT_LAST = re.compile(r"(else|catch|finally|rescue|\{\s*$|\()")
BLOCK_LINES = 45
# Lines taken where nothing opens a block: a declaration and what follows without a gap.
OPEN_END_LINES = 14
TAB = 4


def definition(line, family):
    """The name that a line defines, or None."""
    if match := NAMED.match(line):
        return match.group(1)
    if family == "hs":
        match = HASKELL.match(line)
        return match.group(1) if match else None
    if (match := ASSIGNED.match(line)) and match.group(1) not in STATEMENTS:
        return match.group(1)
    is_call = line.rstrip().endswith(";")
    if family in BRACES and not is_call and (match := TYPED.match(line)) and match.group(1) not in STATEMENTS:
        return match.group(1)
    if family == "sh" and (match := SHELL.match(line)):
        return match.group(1)
    return None


def block(lines, start, limit=BLOCK_LINES):
    """The lines of the definition that starts at `start`, without empty ones."""
    depth = indent(lines[start])
    if not opens(lines, start, depth):
        return open_end(lines, start, depth)
    found = [lines[start]]
    for line in lines[start + 1 :]:
        if len(found) >= limit:
            break
        if not line.strip():
            continue
        if indent(line) <= depth and not CLOSER.match(line):
            break
        found.append(line)
        if indent(line) == depth and LAST_LINE.match(line) and not NOT_LAST.search(line):
            break
    return found


def opens(lines, start, depth):
    if lines[start].rstrip().endswith(OPENERS):
        return True
    after = lines[start + 1] if start + 1 < len(lines) else ""
    return bool(after.strip()) and (indent(after) > depth or bool(CLOSER.match(after)))


def open_end(lines, start, depth):
    found = [lines[start]]
    for line in lines[start + 1 : start + OPEN_END_LINES]:
        if not line.strip() or indent(line) < depth:
            break
        found.append(line)
    return found


def indent(line):
    if line.startswith("\t"):
        return TAB * (len(line) - len(line.lstrip("\t")))
    return len(line) - len(line.lstrip(" \t"))
