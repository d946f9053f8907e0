//! Tests of the name resolver for Python: dotted imports, classes and bases, and values whose types are annotated or
//! inferred.

use super::{calls, others};
use expect_test::expect;

#[test]
fn names_come_from_scopes_imports_and_packages() {
    calls(
        "
== src/pkg/__init__.py
from .core import run as start
from . import tools
== src/pkg/core.py
from .tools import *
import pkg.deep.low
def run():
    helper()
    pkg.deep.low.bottom()
    def helper(): pass
    shared()
def helper(): pass
== src/pkg/tools.py
def shared(): pass
== src/pkg/deep/low.py
def bottom(): pass
== tests/test_it.py
import pkg
import json
from pkg import start, tools as t
def test(start_all):
    pkg.start()
    start()
    t.shared()
    start_all()
    json.loads()
    print()
",
        &expect![[r#"
            src/pkg/core.py run -> src/pkg/core.py run.helper
            src/pkg/core.py run -> src/pkg/deep/low.py bottom
            src/pkg/core.py run -> src/pkg/tools.py shared
            tests/test_it.py test -> src/pkg/core.py run
            tests/test_it.py test -> src/pkg/tools.py shared
        "#]],
    );
}

#[test]
fn members_are_found_through_types_bases_and_results() {
    calls(
        "
== shapes.py
class Shape:
    def area(self): return self.side()
    def side(self): pass
    @property
    def twin(self) -> 'Shape': pass
class Square(Shape):
    def __init__(self, ruler: Ruler):
        super().__init__()
        self.ruler = ruler
        self.pen = Pen()
    def area(self):
        self.side()
        self.ruler.measure()
        self.pen.draw()
        self.twin.area()
class Ruler:
    def measure(self): pass
class Pen:
    def draw(self): pass
    def __enter__(self): return self
def make():
    return Square(None)
def use(items: list[Square], maybe: Square | None):
    make().area()
    maybe.side()
    for item in items:
        item.area()
    with Pen() as pen:
        pen.draw()
    text = 'a'
    text.draw()
    unknown_thing(items).measure()
",
        &expect![[r#"
            shapes.py Shape.area -> shapes.py Shape.side
            shapes.py Square.__init__ -> shapes.py Pen
            shapes.py Square.area -> shapes.py Shape.area 90
            shapes.py Square.area -> shapes.py Shape.side 90
            shapes.py Square.area -> shapes.py Ruler.measure 90
            shapes.py Square.area -> shapes.py Pen.draw 90
            shapes.py make -> shapes.py Square
            shapes.py use -> shapes.py Shape.side 90
            shapes.py use -> shapes.py Square.area 90
            shapes.py use -> shapes.py Pen
            shapes.py use -> shapes.py Pen.draw 90
            shapes.py use -> shapes.py make
        "#]],
    );
}

#[test]
fn imports_bases_and_types_are_edges_too() {
    others(
        "
== a.py
import b
from b import Base
import os
class Derived(Base):
    def run(self, other: b.Base) -> Base: pass
== b.py
class Base:
    def run(self, other): pass
",
        &expect![[r#"
            imports a.py  -> b.py 
            imports a.py  -> b.py Base
            extends a.py Derived -> b.py Base
            implements a.py Derived.run -> b.py Base.run
            references a.py Derived.run -> b.py Base
        "#]],
    );
}

/// As a web framework declares its proxies: what they are is told to type checkers alone.
#[test]
fn an_annotated_variable_of_a_module_leads_to_the_members_of_its_class() {
    calls(
        "
== web/app.py
class Base:
    def sync(self): pass
class App(Base):
    def log(self): pass
== web/globals.py
from __future__ import annotations
import typing as t
from werkzeug.local import LocalProxy
if t.TYPE_CHECKING:
    from .app import App
    T = t.TypeVar('T', covariant=True)
    class Mixin(t.Protocol[T]):
        def current(self) -> T: ...
    class AppProxy(Mixin[App], App): ...
current: AppProxy = LocalProxy('app')  # type: ignore[assignment]
plain: App = LocalProxy('plain')
== web/views.py
from .globals import current, plain
def view():
    current.log()
    current.sync()
    current.current()
    plain.log()
== web/far.py
from . import globals as g
def far():
    g.current.log()
    logger = g.current.sync
    logger()
",
        &expect![[r#"
            web/views.py view -> web/app.py Base.sync 90
            web/views.py view -> web/app.py App.log
            web/views.py view -> web/globals.py Mixin.current 90
            web/far.py far -> web/app.py Base.sync 90
            web/far.py far -> web/app.py App.log 90
        "#]],
    );
}

#[test]
fn a_type_of_types_holds_the_type_itself() {
    calls(
        "
== shapes.py
class Shape:
    @classmethod
    def unit(cls): pass
    def area(self): pass
def build(kind: type[Shape]):
    kind.unit()
    made = kind()
    made.area()
",
        &expect![[r#"
            shapes.py build -> shapes.py Shape
            shapes.py build -> shapes.py Shape.unit
            shapes.py build -> shapes.py Shape.area 90
        "#]],
    );
}

#[test]
fn a_guess_never_leads_from_the_product_into_a_test() {
    calls(
        "
== app.py
def run(job):
    job.prepare_all()
== tests/test_app.py
class FakeJob:
    def prepare_all(self): pass
def test_run(job):
    job.prepare_all()
",
        &expect![[r#"
            tests/test_app.py test_run -> tests/test_app.py FakeJob.prepare_all 55
        "#]],
    );
}
