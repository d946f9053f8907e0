//! What each view of some small files looks like.

use super::{check, views};
use expect_test::expect;
use model::LineRange;
use syntax::ViewMode;

const PYTHON: &str = r#"# Copyright 2026 the authors of this file and of all others beside it.
# Permission is granted to do whatever the licence grants, which is a lot.
# The rest of this header is of no interest to anyone who reads the code.
import os
from pathlib import (
    Path,
)

LIMIT = 3


class Reader(Base):
    """Reads files.

    A second paragraph that goes on about how files are read, in which order,
    and what happens when one of them cannot be opened at all.
    """

    size: int = 4

    @property
    def name(self):
        return self._name

    def read(self, path: Path) -> bytes:
        """Reads one file."""
        query = """
            select *
            from files where path = ?
        """
        with open(path, "rb") as file:
            data = file.read()
            if not data:
                raise ValueError(query)
        return data

    async def write(self, data):
        # One line that says why.
        # A second one that goes on about it for longer than anyone would like to read.
        # A third one.
        # A fourth one, because it was not enough to say it once or twice or three times.
        await self.file.write(data)


TEMPLATE = """
one
two
three, which goes on for much longer than a template in a test would need to
four, which goes on for much longer than a template in a test would need to
five, which goes on for much longer than a template in a test would need to
six, which goes on for much longer than a template in a test would need to
seven
eight
nine
ten
"""
"#;

#[test]
fn a_lightweight_view_keeps_every_statement() {
    check(
        "a/reader.py",
        PYTHON,
        ViewMode::Lightweight,
        &expect![[r##"
            # Copyright 2026 the authors of this file and of all others beside it.
            …:2-3 (left out: read a/reader.py:2-3)
            import os
            from pathlib import (
                Path,
            )

            LIMIT = 3

            class Reader(Base):
            …:13-17 Reads files.

                size: int = 4

                @property
                def name(self):
                    return self._name

                def read(self, path: Path) -> bytes:
                    """Reads one file."""
                    query = """
                        select *
                        from files where path = ?
                    """
                    with open(path, "rb") as file:
                        data = file.read()
                        if not data:
                            raise ValueError(query)
                    return data

                async def write(self, data):
                    # One line that says why.
            …:39-41
                    await self.file.write(data)

            TEMPLATE = """
            one
            two
            three, which goes on for much longer than a template in a test would need to
            four, which goes on for much longer than a template in a test would need to
            five, which goes on for much longer than a template in a test would need to
            six, which goes on for much longer than a template in a test would need to
            seven
            eight
            nine
            ten
            """
            …~2,1 8=1 (whitespace)
        "##]],
    );
}

#[test]
fn an_aggressive_view_is_the_skeleton() {
    check(
        "a/reader.py",
        PYTHON,
        ViewMode::Aggressive,
        &expect![[r#"
            …:1-3 (licence) (left out: read a/reader.py:1-3)
            import os
            from pathlib import (
                Path,
            )

            LIMIT = 3


            class Reader(Base):
            …:13-18 Reads files.
                size: int = 4

                @property
                def name(self):
                    return self._name

                def read(self, path: Path) -> bytes:
                    """Reads one file."""
            …:27-36 #Reader.read
                async def write(self, data):
            …:38-44 #Reader.write
            TEMPLATE = """
            one
            two
            three, which goes on for much longer than a template in a test would need to
            four, which goes on for much longer than a template in a test would need to
            five, which goes on for much longer than a template in a test would need to
            six, which goes on for much longer than a template in a test would need to
            seven
            eight
            nine
            ten
            """
        "#]],
    );
}

#[test]
fn the_cases_of_a_test_keep_their_names() {
    let case = |name: &str| {
        format!(
            "  it('{name}', async () => {{\n    const page = await open(`\n      <a>\n    `)\n    page.click('a')\n    \
             expect(page.title).toBe('{name}')\n    expect(page.url).toBe('/')\n  }})\n"
        )
    };
    let text =
        format!("import {{ it }} from 'x'\n\ndescribe('pages', () => {{\n{}{}}})\n", case("opens"), case("clicks"));
    check(
        "a.test.ts",
        &text,
        ViewMode::Aggressive,
        &expect![[r#"
        import { it } from 'x'

        describe('pages', () => {
          it('opens', async () => {
        …:5-11 (left out: read a.test.ts:5-11)
          it('clicks', async () => {
        …:13-19
        })
    "#]],
    );
}

#[test]
fn a_table_keeps_its_beginning_and_a_type_its_fields() {
    let rows: String = (0..40).map(|n| format!("    (\"name{n}\", {n}),\n")).collect();
    let fields: String = (0..18).map(|n| format!("    pub field{n}: u32,\n")).collect();
    let text = format!("pub const TABLE: &[(&str, u32)] = &[\n{rows}];\n\npub struct Wide {{\n{fields}}}\n");
    check(
        "table.rs",
        &text,
        ViewMode::Lightweight,
        &expect![[r#"
        pub const TABLE: &[(&str, u32)] = &[
            ("name0", 0),
            ("name1", 1),
            ("name2", 2),
        …:5-41 (left out: read table.rs:5-41)
        ];

        pub struct Wide {
            pub field0: u32,
            pub field1: u32,
            pub field2: u32,
            pub field3: u32,
            pub field4: u32,
            pub field5: u32,
            pub field6: u32,
            pub field7: u32,
            pub field8: u32,
            pub field9: u32,
            pub field10: u32,
            pub field11: u32,
            pub field12: u32,
            pub field13: u32,
            pub field14: u32,
            pub field15: u32,
            pub field16: u32,
            pub field17: u32,
        }
    "#]],
    );
}

#[test]
fn documentation_that_is_a_text_goes_whole_and_leaves_its_first_line() {
    let text = "defmodule A do\n  @doc \"\"\"\n  Adds two numbers.\n\n  It does so by adding the second one to the first one, as often \
                as needed.\n  \"\"\"\n  def add(a, b), do: a + b\n\n  @table \"\"\"\n  One text of the program that goes on for some lines,\n  \
                and that is not documentation at all, so that it stays.\n  \"\"\"\nend\n";
    check(
        "a.ex",
        text,
        ViewMode::Lightweight,
        &expect![[r#"
            defmodule A do
            …:2-6 Adds two numbers. (left out: read a.ex:2-6)
              def add(a, b), do: a + b

              @table """
              One text of the program that goes on for some lines,
              and that is not documentation at all, so that it stays.
              """
            end
        "#]],
    );
}

#[test]
fn what_computes_a_field_is_a_body() {
    let text = "class A(val b: Int) {\n  val size: Int\n    get() {\n      var total = 0\n      for (part in b.parts) total += \
                part.size\n      return total + b.overhead\n    }\n\n  val list = listOf(1)\n}\n";
    check(
        "a.kt",
        text,
        ViewMode::Aggressive,
        &expect![[r#"
            class A(val b: Int) {
              val size: Int
            …:3-8 (left out: read a.kt:3-8)
              val list = listOf(1)
            }
        "#]],
    );
}

#[test]
fn a_document_keeps_its_headings_and_first_paragraphs() {
    let more = "\n\nMore words about it that nobody reads who only wants to know what there is.\n\n- one\n- two\n\n```sh\nrun\n\nit\n```\n";
    let text = format!("# Title\n\nFirst words\nof the title.{more}\n## Part\n{more}\nLast\n====\n\nEnd.\n");
    check(
        "a.md",
        &text,
        ViewMode::Aggressive,
        &expect![[r#"
        # Title

        First words
        of the title.
        …:5-16 (left out: read a.md:5-16)
        ## Part


        More words about it that nobody reads who only wants to know what there is.
        …:21-30
        Last
        ====

        End.
    "#]],
    );
}

#[test]
fn code_inside_of_a_page_is_code() {
    let body = "    one.call(with, some, words);\n".repeat(6);
    let text = format!(
        "<template>\n  <p>{{{{ a }}}}</p>\n</template>\n\n<script>\nexport default {{\n  name: 'a',\n}}\n\nfunction f() {{\n{body}}}\n</script>\n"
    );
    check(
        "a.vue",
        &text,
        ViewMode::Aggressive,
        &expect![[r#"
            <template>
              <p>{{ a }}</p>
            </template>

            <script>
            export default {
              name: 'a',
            }

            function f() {
            …:11-17 #f (left out: read a.vue:11-17)
            </script>
        "#]],
    );
}

#[test]
fn a_map_of_some_lines_has_what_is_defined_in_them() {
    let views = views("a/reader.py", PYTHON.as_bytes());
    let view = views.render_view(ViewMode::Map, LineRange { start: 20, end: 43 });
    expect![[r#"
        a/reader.py:20-43 (24 lines; ids like …#Reader.name)
        Reader
          21-23 def name(self)
          25-35 def read(self, path: Path) -> bytes
          37-42 async def write(self, data)
    "#]]
    .assert_eq(&String::from_utf8(view.text).expect("text"));
}
