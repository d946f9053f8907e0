"""Says how many definitions that a regular expression sees are symbols too: definitions.py [--names 120] FOLDER...

A regular expression knows no grammar, so it also sees definitions where a parser gave up; what it finds and `symbol`
does not is printed with its place, to be looked at by a person.
"""

import argparse
import os
import random
import re
import tempfile

from collect import Server

MODIFIERS = r"(?:(?:public|private|protected|internal|static|final|abstract|override|open|inline|suspend|operator|infix|data|sealed|expect|actual|tailrec|external|inner|enum|annotation|value|const|lateinit|async|export|default|declare|virtual|synchronized|native|fun)\s+)*"
ANNOTATIONS = r"(?:@[\w.:]+(?:\([^()]*\))?\s+)*"

# For each language: endings of its files, and how a line that defines something looks. The last group is the name.
LANGUAGES = {
    "rust": (
        (".rs",),
        [
            r'^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:(?:async|const|unsafe|extern\s+"\w+")\s+)*fn\s+(\w+)\s*[<(]',
            r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|trait|union)\s+(\w+)",
            r"^\s*macro_rules!\s*(\w+)",
        ],
    ),
    "kotlin": (
        (".kt", ".kts"),
        [
            rf"^\s*{ANNOTATIONS}{MODIFIERS}(?:class|interface|object)\s+(\w+)",
            rf"^\s*{ANNOTATIONS}{MODIFIERS}fun\s+(?:<[^()]*?>\s*)?(?:[\w<>?,.* ]+\.)?`?(\w+)`?\s*\(",
        ],
    ),
    "bash": (
        (".sh", ".bash", ".bats"),
        [r"^\s*(?:function\s+)?([A-Za-z_][\w:.-]*)\s*\(\s*\)", r"^\s*function\s+([A-Za-z_][\w:.-]*)"],
    ),
    "cpp": (
        (".cc", ".cpp", ".cxx", ".h", ".hpp"),
        [
            r"^\s*(?:template\s*<[^;{]*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:[A-Z][A-Z0-9_]*(?:\([^()]*\))?\s+)*(\w+)(?:\s+final)?\s*(?::[^:;].*)?(?:\{.*)?$",
            r"^(?!\s*(?:return|else|throw|new|case|using|typedef|if|for|while|switch)\b)[A-Za-z_][\w:<>,&*\s]*[\s&*](?:\w+::)*(\w+)\s*\([^;=]*\)\s*(?:const\s*)?(?:noexcept\s*)?(?:override\s*)?\{",
            # One without a value guards its file, or answers yes or no.
            r"^\s*#\s*define\s+([A-Za-z_]\w*)(?:\(|\s+\S)",
        ],
    ),
    "java": (
        (".java",),
        [
            rf"^\s*{ANNOTATIONS}{MODIFIERS}(?:class|interface|enum|record)\s+(\w+)",
            rf"^\s+{ANNOTATIONS}(?:public|private|protected)\s+{MODIFIERS}(?:<[^()]*>\s+)?[\w<>\[\],.? ]+\s+(\w+)\s*\(",
        ],
    ),
    "python": ((".py",), [r"^\s*(?:async\s+)?def\s+(\w+)", r"^\s*class\s+(\w+)"]),
    "go": ((".go",), [r"^func\s+(?:\([^)]*\)\s*)?(\w+)", r"^type\s+(\w+)"]),
    "typescript": (
        (".ts", ".tsx", ".js", ".jsx"),
        [
            rf"^\s*{MODIFIERS}(?:class|interface)\s+(\w+)",
            rf"^\s*{MODIFIERS}function\s*\*?\s*(\w+)",
        ],
    ),
    "ruby": ((".rb",), [r"^\s*def\s+(?:self\.)?(\w+[?!]?)", r"^\s*(?:class|module)\s+(?:\w+::)*(\w+)"]),
    "swift": (
        (".swift",),
        [rf"^\s*{ANNOTATIONS}{MODIFIERS}(?:class|struct|enum|protocol|actor|func)\s+(\w+)"],
    ),
}
COMMENTS = ("//", "#!", "# ", "##", "*", "/*", "--")
# Text of several lines that is no code.
SKIPPED = re.compile(r'/\*.*?\*/|"""(?:.*?)"""|\'\'\'(?:.*?)\'\'\'', re.S)
WORDS = {"if", "for", "while", "switch", "return", "catch", "function", "constructor", "class", "companion", "operator"}


def language_of(path):
    for name, (endings, patterns) in LANGUAGES.items():
        if path.endswith(endings):
            return name, [re.compile(pattern) for pattern in patterns]
    return None, []


def definitions(root, only):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), root)
            name, patterns = language_of(path)
            # A link is told by what it leads to.
            if not patterns or (only and name != only) or os.path.islink(os.path.join(root, path)):
                continue
            try:
                text = open(os.path.join(root, path), encoding="utf-8").read()
            except (UnicodeDecodeError, OSError):
                continue
            text = SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
            for number, line in enumerate(text.splitlines(), 1):
                if line.strip().startswith(COMMENTS) and not line.strip().startswith("#define"):
                    continue
                found = next(filter(None, (pattern.match(line) for pattern in patterns)), None)
                if found and found.group(found.lastindex) not in WORDS:
                    yield path, number, found.group(found.lastindex)


def check(root, only, most):
    every = sorted(set(definitions(root, only)))
    random.Random(0).shuffle(every)
    chosen = every[:most] if most else every
    missing = []
    with tempfile.TemporaryDirectory() as home:
        server = Server(os.path.abspath(root), home)
        for path, line, name in chosen:
            arguments = {"name": name, "path": path, "limit": 50}
            reply = server.call("tools/call", {"name": "symbol", "arguments": arguments})
            symbols = reply.get("structuredContent", {}).get("symbols", [])
            if not any(found["path"] == path and found["name"] == name for found in symbols):
                missing.append((path, line, name))
        server.close()
    return len(every), len(chosen), sorted(missing)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="+", help="folders of repositories")
    parser.add_argument("--names", type=int, default=120, help="how many names of each; 0 for all of them")
    parser.add_argument("--language", help="only files of this language")
    parser.add_argument("--show", type=int, default=20, help="how many of those missing are printed")
    chosen = parser.parse_args()
    for root in chosen.roots:
        every, asked, missing = check(root, chosen.language, chosen.names)
        share = 1 - len(missing) / asked if asked else 0
        print(f"{os.path.basename(os.path.abspath(root))}: {share:.3f} ({asked - len(missing)} of {asked} asked, {every} there)")
        for path, line, name in missing[: chosen.show]:
            print(f"  {path}:{line} {name}")


if __name__ == "__main__":
    main()
