"""Pairs out of Markdown and reStructuredText: headings, first sentences, and what is said before an example."""

import re

from mining.comments import MARKUP, SENTENCE_END, is_prose
from pairs import Kind
from words import split

FRONT_MATTER = re.compile(r"(?s)^---\n.*?\n---\n")
IMAGES = re.compile(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->|\[!\[.*?\)\]", re.DOTALL)
UNDERLINED = re.compile(r"(?m)^(.{3,80})\n[=\-~^#*]{3,}\s*$")
HEADING = re.compile(r"(?m)^(#{1,5})\s+(.+?)\s*#*$")
CODE_BLOCK = re.compile(r"(?s)```.*?```")
EXAMPLE = re.compile(r"(?s)([^\n]{30,400})\n\s*```[^\n]*\n(.{40,1500}?)```")
PARAGRAPH_END = re.compile(r"\n\s*\n")
SHORTEST_SECTION = 80
SECTION_CHARS = 2000
SHORTEST_PARAGRAPH = 60
SHORTEST_REST = 50
SENTENCE_CHARS = 300
REST_CHARS = 900
# So that one long section does not speak for a whole file.
MOST_PARAGRAPHS = 4
MOST_EXAMPLES = 3
# Of the headings above, the nearest say most.
ABOVE_CHARS = 80


def mine_prose(path, text, collected):
    text = IMAGES.sub("", FRONT_MATTER.sub("", text))
    if path.endswith("rst"):
        text = UNDERLINED.sub(r"## \1", text)
    for heading, above, body in sections(text):
        if len(body) < SHORTEST_SECTION:
            continue
        put_section(heading, above, body, collected)
        put_sentences(heading, body, collected)
        put_examples(heading, body, collected)


def sections(text):
    """(heading, the headings above it, body) of each section."""
    open_headings = {}
    # Behind what stands before the first heading: marks, heading, body, marks, heading, body, …
    pieces = HEADING.split(text)[1:]
    for marks, heading, body in zip(pieces[0::3], pieces[1::3], pieces[2::3]):
        level, heading = len(marks), MARKUP.sub(" ", heading)
        open_headings = {each: title for each, title in open_headings.items() if each < level}
        above = " ".join(open_headings[each] for each in sorted(open_headings))[-ABOVE_CHARS:]
        open_headings[level] = heading
        yield heading, above, body.strip()


def put_section(heading, above, body, collected):
    if len(split(heading, 2)) == 2:
        collected.put(Kind.HEADING, heading, body[:SECTION_CHARS], above)
    elif split(above, 1):
        # "Options" alone asks nothing.
        collected.put(Kind.HEADING, above + " " + heading, body[:SECTION_CHARS])


def put_sentences(heading, body, collected):
    prose = MARKUP.sub(" ", CODE_BLOCK.sub("\n", body))
    paragraphs = [each.strip() for each in PARAGRAPH_END.split(prose)]
    for paragraph in [each for each in paragraphs if len(each) > SHORTEST_PARAGRAPH][:MOST_PARAGRAPHS]:
        first, *rest = SENTENCE_END.split(paragraph, maxsplit=1)
        if rest and is_prose(first) and len(rest[0]) > SHORTEST_REST:
            collected.put(Kind.SENTENCE, first[:SENTENCE_CHARS], rest[0][:REST_CHARS], heading)


def put_examples(heading, body, collected):
    for match in list(EXAMPLE.finditer(body))[:MOST_EXAMPLES]:
        if is_prose(match.group(1)):
            collected.put(Kind.EXAMPLE, MARKUP.sub(" ", match.group(1)), match.group(2), heading)
