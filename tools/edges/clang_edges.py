#!/usr/bin/python3
"""Call edges of C and C++ sources, by clang: what every call leads to, as JSON lines for score.py.

  clang_edges.py REPOSITORY OUTPUT "COMPILER ARGUMENTS" SOURCE...

Needs libclang with its Python module (Debian: python3-clang). Sources and directories are relative to the repository. Code that these
arguments leave out, and calls that only the instance of a template decides, are not judged.
"""

import ctypes
import json
import os
import re
import sys

import clang.cindex as clang
from clang.cindex import CursorKind as Kind

class SourceRangeList(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(clang.SourceRange))]


FUNCTIONS = {
    Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.FUNCTION_TEMPLATE,
    Kind.CONVERSION_FUNCTION,
}
CLASSES = {Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE, Kind.UNION_DECL,
           Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}


class Reader:
    def __init__(self, repository):
        self.root = os.path.realpath(repository)
        self.definitions, self.declarations = {}, {}
        self.skipped = {}
        self.calls, self.unknown, self.named, self.files, self.lines, self.paths = [], set(), set(), set(), {}, {}

    def path(self, file):
        if file.name not in self.paths:
            real = os.path.realpath(file.name)
            self.paths[file.name] = os.path.relpath(real, self.root) if real.startswith(self.root + "/") else None
        return self.paths[file.name]

    def place(self, cursor):
        path = self.path(cursor.location.file) if cursor.location.file else None
        return (path, name_of(cursor), cursor.location.line, cursor.kind) if path else None

    def is_written(self, call, name):
        """Whether the name stands in the text of the call; otherwise a macro made it."""
        path = os.path.join(self.root, self.path(call.location.file))
        if path not in self.lines:
            with open(path, errors="replace") as text:
                self.lines[path] = text.read().split("\n")
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return any(word.search(line) for line in self.lines[path][call.extent.start.line - 1:call.extent.end.line])

    def walk(self, cursor, around):
        for child in cursor.get_children():
            file = child.location.file
            if file and not self.path(file):
                continue
            inside = around
            if child.kind in FUNCTIONS and self.place(child):
                self.files.add(self.place(child)[0])
                if child.is_definition():
                    self.definitions[child.get_usr()] = self.place(child)
                    inside = child.get_usr()
                else:
                    self.declarations.setdefault(child.get_usr(), self.place(child))
            elif child.kind in CLASSES and child.is_definition() and child.spelling and self.place(child):
                self.definitions[child.get_usr()] = self.place(child)
            elif child.kind == Kind.CALL_EXPR and around:
                self.note_call(child, around)
            elif child.kind == Kind.OVERLOADED_DECL_REF and around:
                # Which function it is, only the instance of a template decides.
                self.unknown.add((around, child.spelling))
            elif child.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF) and around and child.referenced:
                # `new Item`, `Item{}`: what has no constructor is made without a call.
                self.named.add((around, child.referenced.get_usr(), child.location.line))
            self.walk(child, inside)

    def note_call(self, call, around):
        meant = call.referenced
        if meant is None or meant.kind not in FUNCTIONS:
            if meant is None:
                names = {call.spelling} | {token.spelling for token in call.get_tokens()}
                self.unknown |= {(around, name) for name in names if name}
            return
        generic = clang.conf.lib.clang_getSpecializedCursorTemplate(meant)
        if generic is not None and generic.kind in FUNCTIONS:
            meant = generic
        parent = meant.semantic_parent.get_usr() if meant.semantic_parent else ""
        is_constructor = bool(parent) and name_of(meant) == name_of(meant.semantic_parent)
        kind = Kind.CONSTRUCTOR if is_constructor else meant.kind
        self.calls.append((around, meant.get_usr(), call.location.line, kind, name_of(meant), parent,
                           self.is_written(call, name_of(meant)), self.place(meant)))

    def note_skipped(self, unit):
        """Lines that a condition leaves out in every unit that reads them."""
        library = clang.conf.lib
        library.clang_getAllSkippedRanges.restype = ctypes.POINTER(SourceRangeList)
        library.clang_getAllSkippedRanges.argtypes = [clang.TranslationUnit]
        skipped = {}
        listed = library.clang_getAllSkippedRanges(unit)
        for at in range(listed.contents.count):
            part = listed.contents.ranges[at]
            path = self.path(part.start.file) if part.start.file else None
            if path:
                skipped.setdefault(path, set()).update(range(part.start.line, part.end.line + 1))
        read = {self.path(unit.cursor.translation_unit.get_file(unit.spelling))}
        read |= {self.path(include.include) for include in unit.get_includes()}
        for path in read - {None}:
            lines = skipped.get(path, set())
            self.skipped[path] = self.skipped[path] & lines if path in self.skipped else lines

    def write(self, output):
        def end(place, kind=None):
            path, name, line, what = place
            return {"path": path, "name": name, "line": line,
                    "type": kind or ("class" if what in CLASSES else "function")}

        def tell(**row):
            output.write(json.dumps(row) + "\n")

        for path in sorted(self.files):
            tell(kind="file", path=path, skipped=sorted(self.skipped.get(path, ())))
        for place in self.definitions.values():
            tell(kind="def", **end(place))
        for place in self.declarations.values():
            tell(kind="def", **end(place, "signature"))
        for around, name in sorted(self.unknown):
            if around in self.definitions:
                tell(kind="unknown", caller=end(self.definitions[around]), name=name)
        for around, meant, line in sorted(self.named):
            if around in self.definitions and meant in self.definitions:
                tell(kind="uses", caller=end(self.definitions[around]), callee=end(self.definitions[meant]), site=line)
        count = 0
        for around, meant, line, kind, name, parent, written, place in self.calls:
            caller, callee = self.definitions.get(around), self.definitions.get(meant)
            declared = self.declarations.get(meant)
            if not caller:
                continue
            caller = end(caller)
            # Objects are made and ended, values converted and compared without a call that anybody wrote.
            implicit = kind in (Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION) or name.startswith("operator")
            if implicit:
                for other in (callee, declared, self.definitions.get(parent)):
                    if other:
                        tell(kind="uses", caller=caller, callee=end(other), site=line)
                continue
            callee_or_declared = callee or declared or place
            if callee_or_declared:
                tell(kind="calls" if written else "uses", caller=caller, callee=end(callee_or_declared), site=line)
                count += written
            if callee and declared:
                tell(kind="uses", caller=caller, callee=end(declared), site=line)
        return count


def name_of(cursor):
    name = cursor.spelling
    return name if name.startswith("operator") else name.split("<")[0]


def main():
    repository, output, arguments, *sources = sys.argv[1:]
    reader, index, errors = Reader(repository), clang.Index.create(), 0
    output = os.path.abspath(output)
    # Directories among the arguments are those of the repository.
    os.chdir(reader.root)
    for source in sources:
        options = clang.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        unit = index.parse(os.path.join(reader.root, source), args=arguments.split(), options=options)
        problems = [problem for problem in unit.diagnostics if problem.severity >= clang.Diagnostic.Error]
        if problems:
            errors += 1
            print(source, problems[0].spelling[:100], file=sys.stderr)
        reader.files.add(source)
        reader.note_skipped(unit)
        reader.walk(unit.cursor, None)
    with open(output, "w") as file:
        count = reader.write(file)
    print(len(sources), "units,", errors, "with errors,", len(reader.definitions), "definitions,", count, "calls",
          file=sys.stderr)


main()
